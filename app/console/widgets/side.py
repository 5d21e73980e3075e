"""A column of fixed width beside the main part of a page; its width follows the text scale, and a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console import theme
from app.console.widgets.breadth import PAGE, SIDE_ZONE, UNBOUNDED

NARROW_BELOW = 1200
"""Width of a window, px at 100 % text, below which the rail has icons alone."""
SIDES_NARROW_BELOW = 1100
"""The same for sides, which are then as narrow as they can be: what the rail gave keeps them whole until then (125 %
text in the default window)."""

SIDES_WIDE_FROM = PAGE + 228
"""The same from which a page is as wide as it becomes: beside it stand the rail and its margins."""


class Side(QWidget):
    """``width`` px at 100 % text, ``narrow`` px in a narrow window (0: the same), ``SIDE_ZONE`` in one with room
    for a whole main zone beside it; what stands in it is added to ``column``."""

    def __init__(self, width: int, narrow: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._width, self._narrow = width, narrow or width
        self._spread = False
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(12)
        self._fit()

    def spread(self, on: bool) -> None:
        """Be as wide as its place: it stands below the main part, not beside it."""
        self._spread = on
        self._fit()

    def _fit(self) -> None:
        if self._spread:
            self.setMinimumWidth(0)
            self.setMaximumWidth(UNBOUNDED)
            return
        width = self._width
        if self.window() is not self and self.window().width() < theme.px(SIDES_NARROW_BELOW):
            width = self._narrow
        elif self.window() is not self and self.window().width() >= theme.px(SIDES_WIDE_FROM):
            width = SIDE_ZONE
        self.setFixedWidth(theme.px(width))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The page itself would not tell: a page that scrolls is never narrower than what stands in it.
        self.window().removeEventFilter(self)
        self.window().installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._fit()
        super().changeEvent(event)
