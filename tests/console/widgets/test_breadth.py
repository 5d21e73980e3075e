"""How wide a column and a field become."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from app.console.widgets.breadth import Narrow, fix_field

LONG = "Nothing of it is known, and nothing of it is guessed. " * 6


@pytest.fixture
def place(qtbot: Any, application: QApplication) -> QWidget:
    """Where a column stands, wider than it may become."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(800, 300)
    return made


def spread_of(part: QWidget) -> tuple[int, int]:
    """Left edge and width, once laid out."""
    parent = part.parentWidget()
    assert parent is not None
    layout = parent.layout()
    assert layout is not None
    layout.activate()
    return part.x(), part.width()


@pytest.mark.parametrize(("room", "wide"), [(800, 200), (200, 200), (150, 150)])
def test_a_column_stands_at_the_left_and_is_no_wider_than_it_may(room: int, wide: int, place: QWidget) -> None:
    """In less room it has all of it."""
    part = QLabel("x")
    Narrow(200, part, parent=place)
    place.resize(room, 300)
    assert spread_of(part) == (0, wide)


def test_margins_of_a_column_are_beside_its_parts(place: QWidget) -> None:
    """They take nothing of their width."""
    part = QLabel("x")
    Narrow(200, part, parent=place).setContentsMargins(10, 0, 30, 0)
    assert spread_of(part) == (10, 200)


def test_parts_of_a_column_are_widgets_and_rows(place: QWidget) -> None:
    """One below the other, in the order in which they are given."""
    above, beside = QLabel("x"), QLabel("y")
    row = QHBoxLayout()
    row.addWidget(beside)
    Narrow(200, above, row, parent=place)
    assert spread_of(above) == spread_of(beside) == (0, 200)
    assert above.y() < beside.y()


def test_a_column_is_as_high_as_its_sentences_at_its_own_width(place: QWidget) -> None:
    """A wide place makes it no flatter: it is not that wide there."""
    words = QLabel(LONG)
    words.setWordWrap(True)
    column = Narrow(200, words, parent=place)
    assert column.heightForWidth(800) == column.heightForWidth(200) == words.heightForWidth(200)
    assert column.minimumHeightForWidth(800) == column.minimumHeightForWidth(200) >= words.heightForWidth(200)
    assert column.heightForWidth(100) > column.heightForWidth(200)


def test_a_field_keeps_its_width(qtbot: Any, application: QApplication) -> None:
    """However wide its place is; how high it may become stays as it was."""
    row, field = QWidget(), QLineEdit()
    qtbot.addWidget(row)
    before = field.sizePolicy().verticalPolicy()
    fix_field(field, 230)
    QHBoxLayout(row).addWidget(field)
    assert field.minimumWidth() == 230
    assert field.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed
    assert field.sizePolicy().verticalPolicy() is before
