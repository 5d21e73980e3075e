"""Columns that say whom a row is about: the name that people know, and beside it the id of the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from app.console.language import tr
from app.console.widgets.desk import desk_of
from app.console.widgets.table import Column

RowT = TypeVar("RowT")
NAME_PX = 136
SPARE = 9
"""The id is the first column that a narrow table leaves out: the name has it as its tooltip, and in what is copied."""


def person_columns(
    view: QWidget | None,
    node_id: Callable[[RowT], str | None],
    width: int = 104,
    *,
    title: str = tr("NAME"),
    nobody: str = "–",
    least: int = 96,
    spare: int = 0,
) -> tuple[Column[RowT], Column[RowT]]:
    """The name, or the id while no name is known, and the id. ``view`` stands in a window, whose desk knows names;
    ``nobody`` stands for a row without an id; ``width`` px of the id at 100 % text, 0: its share of the rest, at least
    ``least``."""

    def name(row: RowT) -> str:
        return _name_of(view, node_id(row))

    def name_and_id(row: RowT) -> str:
        named, node = name(row), node_id(row)
        return f"{named} ({node})" if named and node else node or nobody

    return (
        Column(
            title,
            lambda row: name(row) or node_id(row) or nobody,
            NAME_PX,
            spare=spare,
            hint=lambda row: node_id(row) or "",
            copied=name_and_id,
        ),
        Column(
            tr("NODE"),
            lambda row: node_id(row) or "–",
            width,
            mono=True,
            dim=True,
            least=least,
            spare=max(SPARE, spare + 1),
            hint=name,
        ),
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
