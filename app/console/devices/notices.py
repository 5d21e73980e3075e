"""Notices of the desktop, for a console that lies behind other windows: through the tray, where there is one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSystemTrayIcon

from app.console.theme import current, icons


class DesktopNotices(QObject):
    """Shows notices while something waits; emits ``clicked`` when the operator follows one. Without a tray it does
    nothing: sound, window and top bar call anyway."""

    clicked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tray: QSystemTrayIcon | None = None

    def show(self, words: str, text: str) -> None:
        """Put the icon into the tray with ``words`` as its tooltip, and show ``text``."""
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(icons.icon("bell", current().crit), self)
            self._tray.activated.connect(lambda _reason: self.clicked.emit())
            self._tray.messageClicked.connect(self.clicked)
        self._tray.setToolTip(f"ARC Console: {words}")
        self._tray.show()
        self._tray.showMessage(f"ARC Console: {words}", text, QSystemTrayIcon.MessageIcon.Critical)

    def withdraw(self) -> None:
        """Nothing waits any more: the icon goes."""
        if self._tray is not None:
            self._tray.hide()
