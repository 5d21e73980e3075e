"""Rows of controls and sides in a narrow window."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import DARK
from app.console.widgets.side import SIDES_NARROW_BELOW, Side
from app.console.widgets.stepper import shown_time
from app.console.widgets.wrap_row import WrapRow


@pytest.fixture
def row(application: QApplication, qtbot: Any) -> QWidget:
    """Three buttons in a row that wraps, and a widget below it."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    buttons = WrapRow()
    for title in ("Choose a list", "People without a card", "Clear"):
        buttons.addWidget(QPushButton(title))
    column.addLayout(buttons)
    column.addWidget(QWidget(), 1)
    qtbot.addWidget(made)
    made.show()
    return made


def lines(row: QWidget) -> list[list[str]]:
    """The texts of the buttons that are shown, line by line."""
    shown = [one for one in row.findChildren(QPushButton) if one.isVisible()]
    tops = sorted({one.y() for one in shown})
    return [[one.text() for one in shown if one.y() == top] for top in tops]


def test_what_has_no_room_goes_on_in_the_next_line(row: QWidget) -> None:
    """Each control has its whole width at any width of the place, and what follows stands below all lines."""
    buttons = row.findChildren(QPushButton)
    wide = sum(one.sizeHint().width() for one in buttons) + 2 * theme.px(8)
    row.resize(wide, 300)
    assert lines(row) == [["Choose a list", "People without a card", "Clear"]]
    row.resize(wide - 1, 300)
    assert lines(row) == [["Choose a list", "People without a card"], ["Clear"]]
    row.resize(1, 300)
    assert [len(line) for line in lines(row)] == [1, 1, 1]
    assert [one.size() for one in buttons] == [one.sizeHint() for one in buttons]
    assert row.width() >= max(one.width() for one in buttons)
    below = row.layout().itemAt(1)  # type: ignore[union-attr]
    assert below is not None
    assert below.geometry().top() > buttons[-1].geometry().bottom()


def test_what_is_hidden_takes_no_room(row: QWidget) -> None:
    """Neither in its line nor between two."""
    first, middle, last = row.findChildren(QPushButton)
    row.resize(900, 300)
    middle.hide()
    row.layout().activate()  # type: ignore[union-attr]
    assert last.x() == first.geometry().right() + 1 + theme.px(8)


def test_a_side_is_narrow_in_a_narrow_window(application: QApplication, qtbot: Any) -> None:
    """It follows the window, not the page: a page that scrolls would never be narrower than its side."""
    window = QWidget()
    outer = QHBoxLayout(window)
    side, steady = Side(336, 232), Side(300)
    outer.addWidget(side)
    outer.addWidget(steady)
    outer.addStretch(1)
    qtbot.addWidget(window)
    window.resize(SIDES_NARROW_BELOW - 1, 300)
    window.show()
    assert (side.width(), steady.width()) == (232, 300)
    window.resize(SIDES_NARROW_BELOW, 300)
    assert (side.width(), steady.width()) == (336, 300)
    theme.apply(application, DARK, scale=1.25)
    assert (side.width(), steady.width()) == (290, 375)


def test_a_stage_shows_its_time() -> None:
    """Of "4 · 12 ms"; the count of APDUs is in the tooltip."""
    assert shown_time("4 · 12 ms") == "12 ms"
    assert shown_time("") == ""
