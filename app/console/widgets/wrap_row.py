"""Controls in a row that goes on in the next line where the place is too narrow for all."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from app.console import theme

GAP = 8


class WrapRow(QLayout):
    """Each item has the width of its own hint; nothing is squeezed. Items that are hidden take no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.invalidate()
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem, /) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int, /) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int, /) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def invalidate(self) -> None:
        # Each width is asked for many times in one pass of the layouts around.
        self._heights: dict[int, int] = {}
        super().invalidate()

    def heightForWidth(self, width: int, /) -> int:
        found = self._heights.get(width)
        if found is None:
            found = self._heights[width] = self._places(QRect(0, 0, width, 0))[1]
        return found

    def setGeometry(self, rect: QRect, /) -> None:
        super().setGeometry(rect)
        for item, place in self._places(rect)[0]:
            item.setGeometry(place)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        gaps = theme.px(GAP) * max(0, len(shown) - 1)
        return QSize(sum(one.width() for one in shown) + gaps, max((one.height() for one in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        return QSize(max((one.width() for one in shown), default=0), max((one.height() for one in shown), default=0))

    def _places(self, rect: QRect) -> tuple[list[tuple[QLayoutItem, QRect]], int]:
        """Where each item that is shown stands in ``rect``, and the height of all lines."""
        gap = theme.px(GAP)
        found = []
        left, top, line = rect.left(), rect.top(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if left > rect.left() and left + size.width() > rect.left() + rect.width():
                left, top, line = rect.left(), top + line + gap, 0
            found.append((item, QRect(QPoint(left, top), size)))
            left += size.width() + gap
            line = max(line, size.height())
        return found, top + line - rect.top()
