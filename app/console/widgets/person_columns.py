"""Columns that say whom a row is about: the id of the node, and beside it the name that people know."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from app.console.language import tr
from app.console.widgets.desk import desk_of
from app.console.widgets.table import Column

RowT = TypeVar("RowT")
NAME_PX = 152
SPARE = 9
"""The name is the first column that a narrow table leaves out: the id keeps it as its tooltip."""


def person_columns(
    view: QWidget | None,
    node_id: Callable[[RowT], str | None],
    width: int = 104,
    *,
    title: str = tr("NODE"),
    nobody: str = "",
    least: int = 96,
    spare: int = 0,
) -> tuple[Column[RowT], Column[RowT]]:
    """The id and the name. ``view`` stands in a window, whose desk knows names; ``nobody`` stands for a row without an
    id; ``width`` px of the id at 100 % text, 0: its share of the rest, at least ``least``."""

    def name(row: RowT) -> str:
        return _name_of(view, node_id(row))

    return (
        Column(title, lambda row: node_id(row) or nobody, width, mono=True, least=least, spare=spare, hint=name),
        Column(tr("NAME"), lambda row: name(row) or "–", NAME_PX, spare=max(SPARE, spare + 1), hint=name),
    )


def person_column(view: QWidget, node_id: Callable[[RowT], str]) -> Column[RowT]:
    """The name alone, where there is no room for both; the id of whom nobody knows a name."""
    return Column(
        tr("PERSON"),
        lambda row: _name_of(view, node_id(row)) or node_id(row),
        hint=lambda row: f"{_name_of(view, node_id(row))}\n{node_id(row)}".strip(),
    )


def _name_of(view: QWidget | None, node_id: str | None) -> str:
    desk = None if view is None else desk_of(view)
    return desk.person(node_id) if desk is not None and node_id else ""
