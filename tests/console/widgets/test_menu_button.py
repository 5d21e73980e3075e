"""A button that opens a menu of actions, with their keys and reasons."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.console.actions import Action, ActionTable
from app.console.widgets.menu_button import MenuButton


@pytest.fixture
def ran() -> list[str]:
    """Actions that were run, in order."""
    return []


@pytest.fixture
def button(application: QApplication, qtbot: Any, ran: list[str]) -> MenuButton:
    """A button of two actions, one of which cannot run."""
    owner = QWidget()
    qtbot.addWidget(owner)
    table = ActionTable(owner)
    table.add(
        [
            Action("one", "Save the report", lambda: ran.append("one"), keys=("Ctrl+S",), hint="As CSV."),
            Action("two", "Save labels", lambda: ran.append("two"), when=lambda: False),
        ]
    )
    made = MenuButton(table, "Save…", "Save what there is", "download", ("one", "two"), owner)
    owner.show()
    return made


def test_each_line_has_title_key_and_hint(button: MenuButton, ran: list[str]) -> None:
    """Off while it cannot run."""
    lines = button.menu_of().actions()
    assert [one.text() for one in lines] == ["Save the report\tCtrl+S", "Save labels"]
    assert [one.isEnabled() for one in lines] == [True, False]
    assert lines[0].toolTip() == "As CSV."
    lines[0].trigger()
    assert ran == ["one"]


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)  # offscreen's popups
def test_the_keyboard_opens_the_menu_and_runs_a_line(button: MenuButton, ran: list[str]) -> None:
    """Space on the button, Down and Enter in the menu."""
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.accessibleName() == "Save what there is"
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert ran == ["one"]
