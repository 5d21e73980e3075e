"""A batch that runs or has run: who is next and what the hands do, what is to be handed out, readers, lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.batch.board import Station
from app.console.pages.batch.hand_out_view import HandOutPanel
from app.console.pages.batch.head_view import BatchHead
from app.console.pages.batch.hero_view import NextHero
from app.console.pages.batch.lines_view import LinesView
from app.console.pages.batch.tiles import TILES_A_ROW, ReaderTiles
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import GUTTER, PAGE, PANEL, SIDE_ZONE
from app.console.widgets.empty import EmptyState
from app.console.widgets.scroller import scroller
from app.console.widgets.stack import Stack

NARROW_BELOW = 1040
"""Width of the page, px at 100 % text, below which the hero is low."""
FOUR_FROM = 880
"""The same from which four readers stand side by side."""
SHARES, NARROW_SHARES, ZONES = (67, 33), (63, 37), (PANEL, SIDE_ZONE)
"""Of the width: eight and four of twelve columns; in a narrow window a face needs more than four; main zone and side.
"""
_HERO, _LINES = 1, 3
"""Rows of the parts."""
_SIDE = 304


class RunView(QWidget):
    """Lays out the parts of one batch."""

    def __init__(self, table: ActionTable, *, training: bool) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, GUTTER, 0, 0)
        self.none = EmptyState(
            "id-card",
            tr("No batch is open."),
            tr("Once a list has begun, who is next stands here large: each card that is put in takes the next line."),
            table=table,
            action="batch.list",
        )
        self._inside = QWidget()
        self._places = QGridLayout(self._inside)
        self._places.setContentsMargins(0, 0, 0, 0)
        self._places.setSpacing(GUTTER)
        self._places.setRowStretch(_LINES, 1)
        self.head = BatchHead(table, training=training)
        self.hero = NextHero()
        self.hand_out = HandOutPanel()
        self.tiles = ReaderTiles()
        self.lines = LinesView(table)
        self._zones: bool | None = None
        self.shown = scroller(self._inside)
        self.stack = Stack(400)
        self.stack.addWidget(self.none)
        self.stack.addWidget(self.shown)
        column.addWidget(self.stack, 1)
        self._fit()

    def show_stations(self, stations: Sequence[Station]) -> None:
        """The readers; hidden when the batch has none to show."""
        self.tiles.setVisible(bool(stations))
        self.tiles.show_stations(stations)
        self._fit()

    def show_saved(self, state: Meaning, word: str) -> None:
        """What came of saving; the empty word takes it away."""
        self.lines.saved.set(state, word)
        self.lines.saved.setVisible(bool(word))

    def _fit(self) -> None:
        """In a narrow window, or with many readers, the hero leaves room to the lines. On the widest screens what is
        handed out has the side zone."""
        narrow = self.width() < theme.px(NARROW_BELOW)
        low = narrow or len(self.tiles.tiles) > TILES_A_ROW
        self.head.become_narrow(narrow)
        self.hero.become_low(low)
        self.tiles.lie(TILES_A_ROW if self.width() >= theme.px(FOUR_FROM) else TILES_A_ROW // 2)
        zones = self.width() >= theme.px(PAGE)
        self.hand_out.become_low(low and not zones)
        self.hand_out.setMinimumWidth(theme.px(_SIDE))
        if zones != self._zones:
            self._zones = zones
            places = self._places
            for row, part in enumerate((self.head, self.hero, self.tiles, self.lines)):
                places.addWidget(part, row, 0, 1, 1 if zones or row == _HERO else 2)
            places.addWidget(self.hand_out, 0 if zones else _HERO, 1, 4 if zones else 1, 1)
        for column, share in enumerate(ZONES if zones else NARROW_SHARES if narrow else SHARES):
            self._places.setColumnStretch(column, share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "stack"):
            self._fit()
