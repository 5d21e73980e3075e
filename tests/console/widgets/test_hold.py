"""Hold to burn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QVBoxLayout, QWidget

from app.console.widgets.hold import HoldButton


@pytest.fixture
def button(application: QApplication, qtbot: Any) -> HoldButton:
    """A shown button that is held for 60 ms."""
    made = HoldButton("Hold to burn", hold_ms=60)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.is_ready)
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
    qtbot.keyRelease(button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: button.is_ready)
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
    qtbot.waitUntil(lambda: button.is_ready)
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


def press(button: HoldButton, kind: QEvent.Type, *, repeats: bool = False) -> None:
    """A press or release of Space as the window system gives it."""
    QApplication.sendEvent(button, QKeyEvent(kind, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", repeats))


DOWN, UP = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


@dataclass
class Desk:
    """A window with the button and a field beside it."""

    window: QWidget
    button: HoldButton
    field: QLineEdit


@pytest.fixture
def desk(application: QApplication, qtbot: Any) -> Desk:
    """Shown, in front, the button ready for Space; nothing but the test ends a hold."""
    window = QWidget()
    made = Desk(window, HoldButton("Hold to burn", hold_ms=60_000), QLineEdit())
    column = QVBoxLayout(window)
    column.addWidget(made.button)
    column.addWidget(made.field)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    made.button.setFocus()
    qtbot.waitUntil(lambda: made.button.is_ready)
    return made


@pytest.fixture
def long(desk: Desk) -> HoldButton:
    """Its button."""
    return desk.button


def test_a_release_that_a_press_follows_is_a_repeat(long: HoldButton, qtbot: Any) -> None:
    """Neither is marked as a repeat; the hold goes on as if they were one key that stays down."""
    heard = held(long)
    press(long, DOWN)
    began = long.share
    for _ in range(5):
        press(long, UP)
        press(long, DOWN)
        qtbot.wait(5)
    assert heard == []
    assert long.share > began
    press(long, UP)
    qtbot.waitUntil(lambda: heard == ["aborted"])


def test_a_release_before_the_end_does_not_burn_while_it_is_uncertain(application: QApplication, qtbot: Any) -> None:
    """The end of the time comes while a repeat may still follow: the release was first."""
    button = HoldButton("Hold to burn", hold_ms=30)
    qtbot.addWidget(button)
    button.show()
    qtbot.waitUntil(lambda: button.is_ready)
    heard = held(button)
    press(button, DOWN)
    press(button, UP)
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == ["aborted"]


def test_a_key_that_was_down_before_does_not_begin(desk: Desk, qtbot: Any) -> None:
    """Space chose a reason, the focus came here, and the key still repeats itself: only a new press holds."""
    long = desk.button
    heard = held(long)
    desk.field.setFocus()
    long.setFocus()
    for _ in range(5):
        press(long, DOWN)
        press(long, UP)
        qtbot.wait(5)
    press(long, DOWN)
    assert long.share == 0.0
    press(long, UP)
    assert not long.is_ready
    qtbot.waitUntil(lambda: long.is_ready)
    press(long, DOWN)
    qtbot.waitUntil(lambda: long.share > 0.0)
    assert heard == []


def test_a_key_that_stays_down_after_the_burn_burns_once(button: HoldButton, qtbot: Any) -> None:
    """Its repeats look like presses; the next hold needs a release that counts."""
    qtbot.waitUntil(lambda: button.is_ready)
    heard = held(button)
    press(button, DOWN)
    qtbot.waitUntil(lambda: heard == ["held"])
    for _ in range(4):
        press(button, UP)
        press(button, DOWN)
    assert not button.is_ready
    assert button.share == 0.0
    press(button, UP)
    qtbot.waitUntil(lambda: button.is_ready)
    assert heard == ["held"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_A, Qt.Key.Key_Shift, Qt.Key.Key_F5])
def test_another_key_takes_the_hold_back(long: HoldButton, qtbot: Any, key: Qt.Key) -> None:
    """Two keys are no hold, and the second does nothing else: not even where it is a shortcut."""
    heard = held(long)
    shortcut = QAction(long.window())
    shortcut.setShortcut(key)
    shortcut.triggered.connect(lambda: heard.append("shortcut"))
    long.window().addAction(shortcut)
    press(long, DOWN)
    qtbot.keyClick(long, key)
    assert heard == ["aborted"]


def test_mouse_and_key_together_are_no_hold(long: HoldButton, qtbot: Any) -> None:
    """Whichever came second takes the first one back."""
    heard = held(long)
    press(long, DOWN)
    qtbot.mousePress(long, Qt.MouseButton.LeftButton)
    assert heard == ["aborted"]
    qtbot.mouseRelease(long, Qt.MouseButton.LeftButton)
    press(long, UP)
    qtbot.waitUntil(lambda: long.is_ready)
    qtbot.mousePress(long, Qt.MouseButton.LeftButton)
    press(long, DOWN)
    assert heard == ["aborted"] * 2
    qtbot.mouseRelease(long, Qt.MouseButton.LeftButton)
    press(long, UP)
    qtbot.waitUntil(lambda: long.is_ready)
    qtbot.mousePress(long, Qt.MouseButton.LeftButton)
    qtbot.mousePress(long, Qt.MouseButton.RightButton)
    assert heard == ["aborted"] * 3


def test_leaving_the_button_with_the_mouse_aborts(long: HoldButton, qtbot: Any) -> None:
    """Inside it may move; a key's hold does not mind where the mouse is."""
    heard = held(long)
    qtbot.mousePress(long, Qt.MouseButton.LeftButton)
    qtbot.mouseMove(long, QPoint(5, 5))
    QApplication.sendEvent(long, moved(long, QPoint(6, 6)))
    assert heard == []
    QApplication.sendEvent(long, moved(long, QPoint(-4, 6)))
    assert heard == ["aborted"]
    qtbot.waitUntil(lambda: long.is_ready)
    press(long, DOWN)
    QApplication.sendEvent(long, moved(long, QPoint(-4, 6)))
    assert heard == ["aborted"]


def moved(button: HoldButton, to: QPoint) -> QMouseEvent:
    """The mouse moves to there, in the button's coordinates."""
    return QMouseEvent(
        QEvent.Type.MouseMove, to, button.mapToGlobal(to), Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip


@pytest.mark.qt_log_ignore("does not support raise", "does not support grabbing the keyboard", extend=True)
@pytest.mark.parametrize("by", ["mouse", "key"])
@pytest.mark.parametrize("what", ["dialog", "popup", "hidden", "inactive", "disabled"])
def test_what_comes_between_takes_the_hold_back(long: HoldButton, qtbot: Any, by: str, what: str) -> None:
    """A dialog, a pop-up of any kind, another window in front: nobody looks at the hold any more."""
    heard, window = held(long), long.window()
    if by == "mouse":
        qtbot.mousePress(long, Qt.MouseButton.LeftButton)
    else:
        press(long, DOWN)
    assert heard == []
    other = QDialog(window) if what == "dialog" else QWidget(None)
    qtbot.addWidget(other)
    if what == "dialog":
        other.setModal(True)
        other.show()
    elif what == "popup":
        other.setWindowFlag(Qt.WindowType.Popup)
        other.show()
    elif what == "inactive":
        other.show()
        other.activateWindow()
    elif what == "hidden":
        long.hide()
    else:
        long.setEnabled(False)
    qtbot.waitUntil(lambda: heard == ["aborted"])


def test_no_hold_begins_below_a_dialog(long: HoldButton, qtbot: Any) -> None:
    """Events may arrive late; what is covered does not listen."""
    dialog = QDialog(long.window())
    qtbot.addWidget(dialog)
    dialog.setModal(True)
    dialog.show()
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is dialog)
    QApplication.sendEvent(long, moved(long, QPoint(5, 5)))
    long._begin(by_key=False)
    assert long.share == 0.0


def test_a_mouse_that_is_taken_away_takes_the_hold_back(long: HoldButton, qtbot: Any) -> None:
    """Where its button is let go is unknown then. A key's hold does not mind."""
    heard = held(long)
    press(long, DOWN)
    QApplication.sendEvent(long, QEvent(QEvent.Type.UngrabMouse))
    assert heard == []
    press(long, UP)
    qtbot.waitUntil(lambda: long.is_ready)
    qtbot.mousePress(long, Qt.MouseButton.LeftButton)
    QApplication.sendEvent(long, QEvent(QEvent.Type.UngrabMouse))
    assert heard == ["aborted"] * 2


def test_a_stall_at_the_end_does_not_burn_what_was_let_go(application: QApplication, qtbot: Any) -> None:
    """The window stood still; the release was sent before the end and is read after it: one beat is no burn."""
    button = HoldButton("Hold to burn", hold_ms=1)
    qtbot.addWidget(button)
    button.show()
    qtbot.waitUntil(lambda: button.is_ready)
    heard = held(button)
    press(button, DOWN)
    qtbot.waitUntil(lambda: button.share >= 1.0)
    button._beat()
    press(button, UP)
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == ["aborted"]
