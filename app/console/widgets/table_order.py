"""What a table's rows are sorted by: numbers inside texts as numbers, figures by their value, states by urgency."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from app.console.language import local_figure
from app.console.theme.tokens import Meaning

RowT = TypeVar("RowT")

URGENCY = (Meaning.CRIT, Meaning.BAD, Meaning.WARN, Meaning.WORK, Meaning.IDLE, Meaning.OK)
"""States from the one that calls loudest: a sorted column of states begins with what somebody must look at."""

_DIGITS = re.compile("([0-9]{1,18})")
_FIGURE = re.compile(r"[+-]?[0-9][0-9,]*(\.[0-9]+)?")
_NOTHING = ("", "–", "-")


def natural(text: str) -> tuple[str | int, ...] | None:
    """Key by which ``door-9`` stands before ``door-10``, without regard to case; None for a cell without a value."""
    if text.strip() in _NOTHING:
        return None
    # Texts stand at even places and numbers at odd ones, so that two keys never compare a text with a number.
    return tuple(int(part) if at % 2 else part for at, part in enumerate(_DIGITS.split(text.casefold())))


def figure(text: str) -> float | None:
    """The number that a text begins with, ``1,024.5 ms`` (German: ``1.024,5 ms``) as 1024.5; None when it begins with
    none."""
    found = _FIGURE.match(local_figure(text.strip()))
    return None if found is None else float(found.group().replace(",", ""))


def of_state(state: Meaning | None, text: str) -> tuple[int, tuple[str | int, ...]]:
    """Key of a cell that shows a state: the most urgent first, and by its words within a state."""
    return (len(URGENCY) if state is None else URGENCY.index(state)), natural(text) or ()


def in_order(rows: Sequence[RowT], key: Callable[[RowT], Any], *, descending: bool) -> list[int]:
    """Positions of the rows in the order of their keys. Those of equal keys keep their order, and those whose key is
    None stand last in both directions: what has no value is never the most of something."""
    keys = [key(row) for row in rows]
    known = [at for at, one in enumerate(keys) if one is not None]
    known.sort(key=lambda at: keys[at], reverse=descending)
    return known + [at for at, one in enumerate(keys) if one is None]
