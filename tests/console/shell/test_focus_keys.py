"""Keys of the field or button that has the focus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from app.console.actions import Action, ActionTable
from app.console.shell.focus_keys import ButtonKeys, FieldKeys
from app.console.widgets.hold import HoldButton


@pytest.fixture
def owner(application: Any, qtbot: Any) -> QWidget:
    """A window."""
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_a_field_leaves_the_keys_of_actions_alone(owner: QWidget, qtbot: Any) -> None:
    """Ctrl+U releases a person also while somebody types; where it would do nothing it is the field's as ever."""
    heard: list[str] = []
    possible = True
    table = ActionTable(owner)
    table.add([Action("a.u", "U", lambda: heard.append("u"), keys=("Ctrl+U",), page="a", when=lambda: possible)])
    table.set_page("a")
    field = QLineEdit("typed", owner)
    keys = FieldKeys(table)
    keys.watch(None, field)
    keys.watch(None, owner)
    owner.show()
    owner.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClick(field, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert (heard, field.text()) == (["u"], "typed")

    def keeps(key: Qt.Key) -> bool:
        """Whether the field is kept from taking the key."""
        asked = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.ControlModifier)
        return keys.eventFilter(field, asked) and not asked.isAccepted()

    assert keeps(Qt.Key.Key_U)
    assert not keeps(Qt.Key.Key_E)
    assert not keeps(Qt.Key.Key_A)
    possible = False
    table.refresh()
    assert not keeps(Qt.Key.Key_U)


@pytest.fixture
def pressed(owner: QWidget, qtbot: Any) -> Callable[..., int]:
    """How often a button was pressed by a key event of its own that has the focus."""

    def press(key: Qt.Key, *how: Any, button: QPushButton | HoldButton | None = None) -> int:
        one = QPushButton("Sign in", owner) if button is None else button
        keys, count = ButtonKeys(owner), []
        one.clicked.connect(lambda: count.append(1))
        keys.watch(None, one)
        owner.show()
        owner.activateWindow()
        one.setFocus()
        qtbot.waitUntil(one.hasFocus)
        QApplication.sendEvent(one, QKeyEvent(QEvent.Type.KeyPress, key, *(how or (Qt.KeyboardModifier.NoModifier,))))
        return len(count)

    return press


@pytest.mark.parametrize(
    ("key", "how"),
    [(Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)],
)
def test_enter_presses_the_button_that_has_the_focus(pressed: Callable[..., int], key: Qt.Key, how: Any) -> None:
    """A locked desk offers buttons, and hands press Enter."""
    assert pressed(key, how) == 1


def test_enter_that_is_held_presses_nothing_again(pressed: Callable[..., int]) -> None:
    """What the first press has opened would be pressed by its repeats."""
    assert pressed(Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "", True) == 0


@pytest.mark.parametrize("how", [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier])
def test_enter_with_another_key_is_no_press(pressed: Callable[..., int], how: Any) -> None:
    """Ctrl+Enter is an action of the page."""
    assert pressed(Qt.Key.Key_Return, how) == 0


def test_a_button_that_is_not_possible_is_not_pressed(pressed: Callable[..., int], owner: QWidget) -> None:
    """It had the focus when it became so."""
    button = QPushButton("Sign in", owner)
    keys, count = ButtonKeys(owner), []
    button.clicked.connect(lambda: count.append(1))
    keys.watch(None, button)
    button.setEnabled(False)
    QApplication.sendEvent(button, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier))
    assert count == []


def test_a_button_that_is_held_is_not_pressed_by_enter(pressed: Callable[..., int], owner: QWidget) -> None:
    """A burn is never one key."""
    assert pressed(Qt.Key.Key_Return, button=HoldButton("Hold to burn", parent=owner)) == 0
