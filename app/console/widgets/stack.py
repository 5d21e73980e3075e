"""A stack of pages that does not impose the height of its hidden pages on the layout around it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.console import theme


class Stack(QStackedWidget):
    """A stack whose least height is ``least`` px at 100 % text, independent of its pages: a hidden page (a teaching
    text that wraps) must not claim room that the shown one (a table that scrolls) does not need."""

    def __init__(self, least: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least, self._px = least, -1

    def set_least(self, least: int) -> None:
        """Ask for another least height from now on, px as they are on the screen: who asks renews it with the text."""
        if least != self._px:
            self._px = least
            self.updateGeometry()

    @property
    def _high(self) -> int:
        return theme.px(self._least) if self._px < 0 else self._px

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._high)

    def sizeHint(self) -> QSize:
        return QSize(240, self._high)
