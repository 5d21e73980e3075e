"""Whether somebody is there: the last touch of keyboard or mouse in any window of this console."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication, QWindow

from app.running_clock import running_s

_TOUCHES = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseMove,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
        QEvent.Type.TabletPress,
    }
)


class Presence(QObject):
    """``touched_at``: seconds by ``running_s``, so a desk that slept was left. Only windows are watched, which get each
    touch first and little else: a filter on the whole application would be called for every event of every widget."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.touched_at = running_s()
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusWindowChanged.connect(self.watch)
        for window in QGuiApplication.topLevelWindows():
            self.watch(window)

    def watch(self, window: QWindow | None) -> None:
        """Watch one more window; one that is watched already is so once."""
        if window is not None:
            window.removeEventFilter(self)
            window.installEventFilter(self)

    def touch(self) -> None:
        """Somebody is there now."""
        self.touched_at = running_s()

    def idle_s(self) -> float:
        """Seconds since the last touch."""
        return running_s() - self.touched_at

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self.touch()
        return False
