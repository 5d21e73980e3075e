"""A stack of pages that does not impose the height of its hidden pages on the layout around it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget


class Stack(QStackedWidget):
    """A stack whose least height is ``least`` px, independent of its pages: a hidden page (a teaching text that wraps)
    must not claim room that the shown one (a table that scrolls) does not need."""

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
