"""How large the cells of a grid can be, so that all of them fit into a room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize

from app.console import theme

LABEL_WIDTH, LABEL_HEIGHT = 52, 34
"""Cells at least this large, px, carry names; smaller ones drop them and say so."""
WIDEST, HIGHEST = 176, 64
ROW_FROM = 84
"""Cells of at least so many px at 100 % text stand with their group in one line, rather than larger in several."""
GAP = 4
"""Between two cells, px."""
SMALLEST = 4


@dataclass(frozen=True)
class CellFit:
    """Size of every cell, how many stand beside each other, and whether they have room for names."""

    cell: QSize
    columns: int
    labels: bool


def fit_cells(groups: Sequence[int], room: QSize, *, row_from: int = ROW_FROM, highest: int = HIGHEST) -> CellFit:
    """The roomiest cells for groups of so many nodes, each group beginning a new line; cells that can carry names come
    before all others, and of these cells of at least ``row_from`` px that leave each group in one line. ``room`` is
    without the captions. Where nothing fits, the smallest cells overflow it."""
    best: tuple[int, int, int] | None = None
    fit = CellFit(QSize(SMALLEST, SMALLEST), max(1, room.width() // (SMALLEST + GAP)), labels=False)
    for columns in range(1, max(groups) + 1):
        width = min(theme.px(WIDEST), (room.width() + GAP) // columns - GAP)
        if width < SMALLEST:
            break
        lines = sum(math.ceil(count / columns) for count in groups)
        height = min(theme.px(highest), room.height() // lines - GAP)
        if height < SMALLEST:
            continue
        labels = width >= theme.px(LABEL_WIDTH) and height >= theme.px(LABEL_HEIGHT)
        whole = columns == max(groups) and width >= theme.px(row_from)
        roominess = (int(labels), int(whole), min(width, height * 2))
        if best is None or roominess > best:
            best = roominess
            fit = CellFit(QSize(width, height), columns, labels)
    return fit
