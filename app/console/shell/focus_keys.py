"""Keys of what has the focus, where Qt's own way is not what hands expect."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from app.console.actions import ActionTable


class FieldKeys(QObject):
    """Gives an action the key that a text field would take for itself: on X11 Ctrl+U empties a line and Ctrl+E goes to
    its end, and nothing else would happen. Only while the action is possible."""

    TAKEN = ("Ctrl+U", "Ctrl+E")

    def __init__(self, table: ActionTable) -> None:
        super().__init__(table)
        self._table = table

    def watch(self, _old: QWidget | None, new: QWidget | None) -> None:
        """The focus goes to ``new``."""
        if isinstance(new, QLineEdit):
            new.removeEventFilter(self)
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = QKeySequence(event.keyCombination()).toString()
            if keys in self.TAKEN and self._table.answers(keys):
                event.ignore()
                return True
        return super().eventFilter(watched, event)


class ButtonKeys(QObject):
    """Enter presses the button that has the focus, as Space does: Qt has that in dialogs alone, and there for buttons
    that may be the default. Held down it presses once. A button that is held (``HoldButton``) is none of these."""

    def watch(self, _old: QWidget | None, new: QWidget | None) -> None:
        """The focus goes to ``new``."""
        if isinstance(new, QPushButton):
            new.removeEventFilter(self)
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(watched, QPushButton)
            and event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() in (QtCore.Qt.Key.Key_Return, QtCore.Qt.Key.Key_Enter)
            and not event.modifiers() & ~QtCore.Qt.KeyboardModifier.KeypadModifier
        ):
            if not event.isAutoRepeat():
                watched.click()
            return True
        return super().eventFilter(watched, event)
