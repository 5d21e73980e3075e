"""Cells that fit into their room."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSize

from app.console.widgets.grid_fit import GAP, HIGHEST, LABEL_HEIGHT, LABEL_WIDTH, SMALLEST, WIDEST, fit_cells

groups = st.lists(st.integers(1, 300), min_size=1, max_size=4)


@given(groups, st.integers(8, 2000), st.integers(8, 1500))
def test_cells_lie_within_their_room(members: list[int], width: int, height: int) -> None:
    """Unless not even the smallest cells fit."""
    fit = fit_cells(members, QSize(width, height))
    lines = sum(math.ceil(count / fit.columns) for count in members)
    within = fit.columns * (fit.cell.width() + GAP) - GAP <= width and lines * (fit.cell.height() + GAP) <= height
    assert within or fit.cell == QSize(SMALLEST, SMALLEST)


@given(groups, st.integers(8, 2000), st.integers(8, 1500))
def test_names_are_shown_where_they_have_room(members: list[int], width: int, height: int) -> None:
    """At 100 % text."""
    fit = fit_cells(members, QSize(width, height))
    assert fit.labels == (fit.cell.width() >= LABEL_WIDTH and fit.cell.height() >= LABEL_HEIGHT)


def test_one_node_is_no_wall() -> None:
    """A cell does not grow without end."""
    assert fit_cells([1], QSize(1900, 1000)).cell == QSize(WIDEST, HIGHEST)
