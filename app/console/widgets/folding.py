"""What stands side by side where there is room, and one below the other where there is none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.widgets.breadth import ONE_COLUMN_BELOW

_LEAST = 320
"""Width that it asks for while its parts stand side by side, px at 100 % text."""


class Folding(QWidget):
    """A subclass places its parts in ``turn`` and calls ``fit`` once they are there. While they stand side by side it
    asks for little width: a page that scrolls would else never be narrower than they are, and never hear of it."""

    def __init__(self, beside_from: int = ONE_COLUMN_BELOW, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._beside_from = beside_from
        self.narrow: bool | None = None

    def turn(self, narrow: bool) -> None:
        """Place the parts one below the other (``narrow``), or side by side."""
        raise NotImplementedError

    def fit(self) -> None:
        """Turn if the width asks for it."""
        narrow = self.width() < theme.px(self._beside_from)
        if narrow != self.narrow:
            self.narrow = narrow
            self.turn(narrow)
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return least if self.narrow else QSize(min(least.width(), theme.px(_LEAST)), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and self.narrow is not None:
            self.fit()
        super().changeEvent(event)
