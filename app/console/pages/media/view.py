"""The page's frame: its tabs, and beside them what a scan is asked for with."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.language import tr
from app.console.tabs import TabsView
from app.console.widgets.breadth import WIDEST

_LEAST, _MOST, _GAP = 300, 720, 24
"""Px at 100 % text: widths of what stands beside the tabs, and its distance from them."""


class _Room(QWidget):
    """Nothing but the room at the right of the tabs: ``wide`` px. What stands there lies over it, as a corner of Qt's
    is a pixel lower than a button is high."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = 0

    def sizeHint(self) -> QSize:
        return QSize(self.wide, 1)


class MediaView(TabsView):
    """Shows one scan, a batch of them, feeds, or what scores are worth."""

    def __init__(self) -> None:
        super().__init__(tr("Media"), tr("Ways to scan"), widest=WIDEST)
        self._room = _Room()
        self._ask: QWidget | None = None
        self.tabs.setCornerWidget(self._room, Qt.Corner.TopRightCorner)

    def grounds(self) -> Sequence[QWidget]:
        return (*super().grounds(), *([] if self._ask is None else [self._ask]))

    def set_ask(self, ask: QWidget) -> None:
        """Put ``ask`` beside the tabs: they leave most of their row empty."""
        self._ask = ask
        ask.setParent(self.tabs)
        ask.show()
        self.tabs.installEventFilter(self)
        self.tabs.currentChanged.connect(lambda at: ask.setVisible(at == 0))
        self._fit()

    def _fit(self) -> None:
        """Give it the room that the tabs leave."""
        if self._ask is not None:
            left = self.tabs.width() - self.tabs.tabBar().sizeHint().width() - theme.px(_GAP)
            least = max(theme.px(_LEAST), self._ask.minimumSizeHint().width())
            wide = max(least, min(theme.px(_MOST), left))
            if wide != self._room.wide:
                self._room.wide = wide
                self._room.updateGeometry()
            self._ask.setGeometry(self.tabs.width() - wide, 0, wide, self._ask.sizeHint().height())
            self._ask.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Before the row of tabs lays itself out by its new width.
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._fit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_ask"):
            self._fit()
