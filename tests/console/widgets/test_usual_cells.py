"""Cells that show whether a value is usual."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.usual_cells import UsualDelegate


def picture_of(deviation: float | None, qtbot: Any) -> QImage:
    """The cell of that deviation."""
    rows: RowsModel[str] = RowsModel([Column("USUAL", lambda _row: "", least=140)], str)
    table = DataTable(rows, name="Measures")
    qtbot.addWidget(table)
    table.setItemDelegateForColumn(0, UsualDelegate(lambda _at: deviation, table))
    rows.set_rows(["one"])
    table.resize(300, 120)
    table.show()
    table.clearSelection()
    return table.viewport().grab(table.visualRect(rows.index(0, 0))).toImage()


def columns_of(image: QImage, state: Meaning) -> list[int]:
    """Where the mark of that state is, px from the left."""
    colour, middle = QColor(theme.current().state(state)), image.height() // 2
    return [x for x in range(image.width()) if image.pixelColor(x, middle) == colour]


@pytest.mark.parametrize(
    ("deviation", "state"), [(0.5, Meaning.OK), (-2.0, Meaning.OK), (2.1, Meaning.WARN), (-9.0, Meaning.WARN)]
)
def test_the_mark_says_whether_it_is_usual(
    deviation: float, state: Meaning, application: QApplication, qtbot: Any
) -> None:
    """In the middle 95 % or out of it, at its own side."""
    image = picture_of(deviation, qtbot)
    other = Meaning.WARN if state is Meaning.OK else Meaning.OK
    assert columns_of(image, state)
    assert not columns_of(image, other)


def test_the_sides_are_kept_apart(application: QApplication, qtbot: Any) -> None:
    """What is under the middle stands at its left."""
    low, high = (columns_of(picture_of(at, qtbot), Meaning.WARN) for at in (-3.0, 3.0))
    assert max(low) < min(high)


def test_what_is_not_known_has_no_mark(application: QApplication, qtbot: Any) -> None:
    """And no bar to stand on."""
    image = picture_of(None, qtbot)
    assert not columns_of(image, Meaning.OK)
    assert not columns_of(image, Meaning.WARN)
