"""Tabs that take the height there is: texts that wrap in them do not make a page longer."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabWidget

from app.console import theme


class RoomTabs(QTabWidget):
    """As large as there is room, and at least ``least``, px at 100 % text. ``scrolls``: what does not fit scrolls in
    its tab, and asks for no more; else they ask for what the largest tab needs."""

    def __init__(self, least: QSize, *, scrolls: bool) -> None:
        super().__init__()
        self._least, self._scrolls = least, scrolls

    def set_least(self, least: QSize) -> None:
        """Be at least so large."""
        self._least = least
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        least = QSize(theme.px(self._least.width()), theme.px(self._least.height()))
        return least if self._scrolls else super().minimumSizeHint().expandedTo(least)

    def sizeHint(self) -> QSize:
        # A page that scrolls would give it what it hints at, where it can do with less.
        return self.minimumSizeHint()
