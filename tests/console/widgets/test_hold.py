"""Hold to burn."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.console.widgets.hold import HoldButton


@pytest.fixture
def button(application: QApplication, qtbot: Any) -> HoldButton:
    """A shown button that is held for 60 ms."""
    made = HoldButton("Hold to burn", hold_ms=60)
    qtbot.addWidget(made)
    made.show()
    return made


def held(button: HoldButton) -> list[str]:
    """What it emits."""
    heard: list[str] = []
    button.held.connect(lambda: heard.append("held"))
    button.aborted.connect(lambda: heard.append("aborted"))
    return heard


def test_holding_the_mouse_burns_once(button: HoldButton, qtbot: Any) -> None:
    """At the end of the time, while still held; letting go then means nothing."""
    heard = held(button)
    with qtbot.waitSignal(button.held):
        qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert heard == ["held"]


def test_letting_go_aborts(button: HoldButton, qtbot: Any) -> None:
    """Nothing happens, and it says so."""
    heard = held(button)
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert heard == ["aborted"]
    assert button.share == 0.0


def test_space_holds_and_its_repeats_do_not(button: HoldButton, qtbot: Any) -> None:
    """The keyboard repeats a held key; a repeat neither begins nor aborts."""
    heard = held(button)
    repeat = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True)
    QApplication.sendEvent(button, repeat)
    assert button.share == 0.0
    with qtbot.waitSignal(button.held):
        qtbot.keyPress(button, Qt.Key.Key_Space)
        up = QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True)
        QApplication.sendEvent(button, up)
    assert heard == ["held"]


def test_losing_the_focus_aborts(button: HoldButton, qtbot: Any) -> None:
    """A dialog that comes in between does not burn anybody."""
    button.activateWindow()
    qtbot.waitUntil(button.isActiveWindow)
    button.setFocus()
    heard = held(button)
    qtbot.keyPress(button, Qt.Key.Key_Space)
    button.clearFocus()
    assert heard == ["aborted"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Select])
def test_no_single_key_burns(button: HoldButton, qtbot: Any, key: Qt.Key) -> None:
    """Enter on the button is no hold."""
    heard = held(button)
    button.clicked.connect(lambda: heard.append("clicked"))
    qtbot.keyClick(button, key)
    assert heard == []


def test_a_disabled_button_cannot_be_held(button: HoldButton, qtbot: Any) -> None:
    """What lost its permission while held stops."""
    heard = held(button)
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    button.setEnabled(False)
    assert heard == ["aborted"]
