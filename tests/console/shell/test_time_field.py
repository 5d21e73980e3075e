"""The field in which a moment is typed, by itself; ``test_window`` has it over a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.console.shell.time_field import ELSEWHERE, TimeField

REFUSED = "That time is further back than the last hour, of which alone measurements are kept here. " * 3


@pytest.fixture
def page(qtbot: Any, application: QApplication) -> QWidget:
    """What the field lies over."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    return made


@pytest.fixture
def field(page: QWidget) -> TimeField:
    """Placed, not open."""
    made = TimeField(page)
    made.place(QPoint(20, 30), 900)
    return made


def needed(field: TimeField) -> int:
    """How high its sentence makes it."""
    layout = field.layout()
    assert layout is not None
    return max(layout.heightForWidth(field.width()), layout.minimumSize().height())


def test_it_says_whose_clock_is_meant(field: TimeField, set_zone: Callable[[str], None]) -> None:
    """Where the machine's is another than UTC, both, and how UTC is written; a screen reader is told the same."""
    set_zone("CET-1")
    field.open_with("14:32:07")
    said = field.said.text()
    assert said.startswith("14:32:07 or 14:32 in CET, 14:32Z in UTC, ")
    assert field.edit.accessibleDescription() == said
    set_zone("UTC0")
    field.open_with("14:32:07")
    assert field.said.text().startswith("14:32:07 or 14:32 in UTC, with its date")


def test_it_is_as_high_as_its_sentence_needs(field: TimeField, set_zone: Callable[[str], None]) -> None:
    """It grows with a refusal, and shrinks when another time is typed."""
    set_zone("UTC0")
    field.open_with("")
    low = field.height()
    assert low == needed(field)
    field.refuse(REFUSED)
    assert field.height() == needed(field) > low
    field.edit.textEdited.emit("1")
    assert (field.height(), field.said.property("role")) == (low, "dim")


def test_it_is_no_wider_than_its_room(field: TimeField) -> None:
    """Nor wider than a sentence is read well."""
    wide = field.width()
    field.place(QPoint(0, 0), 5000)
    assert field.width() == wide
    field.place(QPoint(4, 8), wide - 100)
    assert (field.width(), field.pos()) == (wide - 100, QPoint(4, 8))


@pytest.mark.parametrize("reason", ELSEWHERE)
def test_it_stays_while_the_keys_come_back(reason: Qt.FocusReason, field: TimeField) -> None:
    """They went to another window or to the field's own menu."""
    field.open_with("")
    QApplication.sendEvent(field.edit, QFocusEvent(QFocusEvent.Type.FocusOut, reason))
    assert field.isVisible()
    QApplication.sendEvent(field.edit, QFocusEvent(QFocusEvent.Type.FocusOut, Qt.FocusReason.TabFocusReason))
    assert not field.isVisible()
