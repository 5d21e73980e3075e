"""Tabs in a page that scrolls: a tab that is hidden does not make the page longer."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabWidget


class FrontTabs(QTabWidget):
    """As high as the tab in front asks for; as wide as the widest of all, so that nothing moves sideways."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _at: self.updateGeometry())

    def _high(self, inside: int) -> int:
        return self.tabBar().sizeHint().height() + inside

    def hasHeightForWidth(self) -> bool:
        front = self.currentWidget()
        return front is not None and front.hasHeightForWidth()

    def heightForWidth(self, width: int, /) -> int:
        front = self.currentWidget()
        return self._high(front.heightForWidth(width) if front is not None else 0)

    def minimumSizeHint(self) -> QSize:
        front = self.currentWidget()
        least = super().minimumSizeHint()
        return QSize(least.width(), self._high(front.minimumSizeHint().height() if front is not None else 0))

    def sizeHint(self) -> QSize:
        front = self.currentWidget()
        wanted = super().sizeHint()
        return QSize(wanted.width(), self._high(front.sizeHint().height() if front is not None else 0))
