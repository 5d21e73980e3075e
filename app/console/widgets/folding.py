"""What stands side by side where there is room, and one below the other where there is none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from app.console import theme
from app.console.widgets.breadth import BESIDE_FROM, GUTTER
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.side import Side

_LEAST = 320
"""Width that it asks for while its parts stand side by side, px at 100 % text."""


class Folding(QWidget):
    """A subclass places its parts in ``turn`` and calls ``fit`` once they are there. While they stand side by side it
    asks for little width: a page that scrolls would else never be narrower than they are, and never hear of it."""

    def __init__(self, beside_from: int = BESIDE_FROM, parent: QWidget | None = None) -> None:
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
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and self.narrow is not None:
            self.fit()
        super().changeEvent(event)


class MainAndSide(Folding):
    """A main part with the rest of it below, and a side beside both. In one column the side stands between them, at
    least ``below`` px high at 100 % text: what it is about was chosen above it."""

    def __init__(self, main: QWidget, side: Side, rest: QWidget, *, below: int, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._main, self._side, self._rest, self._below = main, side, rest, below
        self._places = QGridLayout(self)
        self._places.setContentsMargins(0, 0, 0, 0)
        self._places.setSpacing(GUTTER)
        self._places.setColumnStretch(0, 1)
        self.fit()
        keep_lengths(self, MainAndSide._fit_side)

    def turn(self, narrow: bool) -> None:
        places = self._places
        self._side.spread(narrow)
        self._fit_side()
        places.addWidget(self._main, 0, 0, 1, 2 if narrow else 1)
        if narrow:
            places.addWidget(self._side, 1, 0, 1, 2)
        else:
            places.addWidget(self._side, 0, 1, 2, 1)
        places.addWidget(self._rest, 2 if narrow else 1, 0, 1, 2 if narrow else 1)
        for row in range(3):
            places.setRowStretch(row, int(row < 2 if narrow else row == 0))

    def _fit_side(self) -> None:
        self._side.setMinimumHeight(theme.px(self._below) if self.narrow else 0)
