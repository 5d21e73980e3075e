"""Pages in one place, of which one is shown, that never dictate the height of what they lie in."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget


class Stack(QStackedWidget):
    """A stack whose least height is ``least`` px whatever lies in it: what is hidden (a teaching text that wraps) must
    not make room that what is shown (a table that scrolls) does not need."""

    def __init__(self, least: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least

    def set_least(self, least: int) -> None:
        """Ask for another least height, px."""
        if least != self._least:
            self._least = least
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._least)

    def sizeHint(self) -> QSize:
        return QSize(240, self._least)
