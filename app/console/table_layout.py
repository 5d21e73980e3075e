"""How an operator has set a table: widths, order and choice of its columns, and what it is sorted by.

Columns are named by their titles: a version of the console that has other columns takes what it still knows. Without
Qt and without a validator, because preferences are read before the first paint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

MOST_COLUMNS, MOST_TABLES = 64, 256
LEAST_PX, MOST_PX = 24, 4000
"""A column is never narrower or wider, px at 100 % text: the operator must find its edge again."""
_TEXT = 120


class TableLayout(NamedTuple):
    """What differs from the page's own columns. ``widths``: px at 100 % text by title; ``order``: titles from the left,
    empty: as the page has them; ``hidden`` columns are not shown, ``shown`` ones are even where room is short;
    ``sort``: the title that the rows are sorted by, empty: in the order of the page."""

    widths: Mapping[str, int] = MappingProxyType({})
    order: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    sort: str = ""
    descending: bool = False


AS_MADE = TableLayout()
"""A table that nobody has set."""


def layout_of(raw: object) -> TableLayout | None:
    """The layout that a file holds; None for anything else than one. ``raw`` is any JSON value."""
    if not isinstance(raw, dict):
        return None
    widths, sort, descending = raw.get("widths", {}), raw.get("sort", ""), raw.get("descending", False)
    lists = [raw.get(name, []) for name in ("order", "hidden", "shown")]
    if not (isinstance(widths, dict) and _is_text(sort) and isinstance(descending, bool)):
        return None
    if len(widths) > MOST_COLUMNS or not all(_is_text(name) and _is_width(px) for name, px in widths.items()):
        return None
    if not all(_are_titles(one) for one in lists):
        return None
    order, hidden, shown = (tuple(one) for one in lists)
    return TableLayout(dict(widths), order, hidden, shown, sort, descending)


def layouts_of(raw: object) -> dict[str, TableLayout]:
    """The layouts by the name of their table; what is none is left out. ``raw`` is any JSON value."""
    if not isinstance(raw, dict):
        return {}
    found = {name: layout_of(one) for name, one in raw.items() if _is_text(name)}
    known = {name: one for name, one in found.items() if one is not None}
    return dict(list(known.items())[-MOST_TABLES:])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _TEXT


def _is_width(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and LEAST_PX <= value <= MOST_PX


def _are_titles(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) <= MOST_COLUMNS
        and all(_is_text(one) for one in value)
    )
