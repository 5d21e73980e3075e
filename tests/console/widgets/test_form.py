"""A form in a dialog: it is saved by keys from any field, and is never larger than the window below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.console.widgets.dialog_size import AROUND_PX, room_for
from app.console.widgets.form import FormDialog


@pytest.fixture
def below(application: Any) -> Iterator[QWidget]:
    """The window that a form opens over."""
    made = QWidget()
    made.resize(900, 500)
    made.show()
    yield made
    made.close()
    made.deleteLater()


class Counted(FormDialog):
    """A form of so many lines, which counts how often it was saved."""

    def __init__(self, below: QWidget, lines: int) -> None:
        super().__init__(below, "A form", "What it is for.", "Save")
        self.saved = 0
        self.notes = self.text("notes", "Notes")
        for number in range(lines):
            self.line(f"line{number}", f"Line {number}")

    def ask(self) -> bool:
        self.saved += 1
        return False


def test_a_form_is_saved_from_a_field_of_several_lines(below: QWidget) -> None:
    """By Ctrl+Enter: Enter alone begins a new line there."""
    form = Counted(below, 1)
    form.open()
    form.activateWindow()
    assert QTest.qWaitForWindowActive(form)
    form.notes.setFocus()
    QApplication.processEvents()
    QTest.keyClick(form.notes, Qt.Key.Key_Return)
    QTest.keyClick(form.notes, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (form.saved, form.notes.toPlainText()) == (1, "\n")
    form.done(0)


def test_a_short_form_is_as_high_as_its_fields(below: QWidget) -> None:
    """Nothing scrolls."""
    form = Counted(below, 2)
    form.open()
    assert form._scroller.verticalScrollBar().maximum() == 0
    form.done(0)


def test_a_long_form_scrolls_inside_its_window(below: QWidget) -> None:
    """Its button stays in sight, and a field that is marked is brought into it."""
    form = Counted(below, 20)
    form.open()
    assert form.height() <= room_for(form).height() == 500 - AROUND_PX
    assert form.save.geometry().bottom() < form.height()
    assert form._scroller.verticalScrollBar().maximum() > 0
    form.mark("line19", "It is needed.")
    field = form._fields["line19"]
    assert form._scroller.viewport().rect().contains(field.mapTo(form._scroller.viewport(), field.rect().center()))
    form.done(0)
