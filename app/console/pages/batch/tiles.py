"""The readers of a batch, small: whose card is there, how far it is, and what a reader waits for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.pages.batch.board import Station
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import GUTTER
from app.console.widgets.marks import StateMark
from app.console.widgets.text import ElidedLabel

TILES_A_ROW = 4
_HIGH, _LEAST, _BAR = 84, 180, 4


class ReaderTile(QFrame):
    """One ``Station``; the bar at the lower edge is how far a write is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._station = Station("", Meaning.IDLE, "", "")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(2)
        top = QHBoxLayout()
        column.addLayout(top)
        self._reader = ElidedLabel("", "small")
        self.mark = StateMark()
        top.addWidget(self._reader, 1)
        top.addWidget(self.mark)
        self._title = ElidedLabel("", "heading")
        self._detail = ElidedLabel("", "small")
        column.addWidget(self._title)
        column.addWidget(self._detail)
        column.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def station(self) -> Station:
        """What is shown."""
        return self._station

    def show_station(self, station: Station) -> None:
        """Show another state of things."""
        if station == self._station:
            return
        self._station = station
        self.setAccessibleName(station.words)
        self.setToolTip(station.words)
        self.mark.set(station.state, station.word)
        for field, text in (
            (self._reader, station.reader),
            (self._title, station.title),
            (self._detail, station.detail),
        ):
            if field.text() != text:
                field.setText(text)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(280), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(_LEAST), theme.px(_HIGH))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        share = self._station.share
        if not share:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, bar, ground = QRectF(self.rect()), QPainterPath(), QPainterPath()
        ground.addRoundedRect(box, 8, 8)
        bar.addRect(QRectF(0, box.height() - theme.px(_BAR), box.width() * share, theme.px(_BAR)))
        painter.fillPath(ground.intersected(bar), QColor(theme.current().state(Meaning.WORK)))


class ReaderTiles(QWidget):
    """All readers of a batch, at most four in a row. A reader that appears has its tile at once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Readers of the batch"))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GUTTER)
        self._across = 0
        self.tiles: list[ReaderTile] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.lie(TILES_A_ROW)

    def lie(self, across: int) -> None:
        """Have so many tiles in a row."""
        if across != self._across:
            self._across = across
            for at, tile in enumerate(self.tiles):
                self._place(at, tile)
            for column in range(TILES_A_ROW):
                self._grid.setColumnStretch(column, int(column < across))

    def _place(self, at: int, tile: ReaderTile) -> None:
        self._grid.addWidget(tile, at // self._across, at % self._across)

    def show_stations(self, stations: Sequence[Station]) -> None:
        """Show these readers, in their order."""
        while len(self.tiles) < len(stations):
            tile = ReaderTile()
            self._place(len(self.tiles), tile)
            self.tiles.append(tile)
        while len(self.tiles) > len(stations):
            tile = self.tiles.pop()
            self._grid.removeWidget(tile)
            tile.deleteLater()
        for tile, station in zip(self.tiles, stations, strict=True):
            tile.show_station(station)

    def tile(self, reader: str) -> ReaderTile:
        """The tile of a reader. Raises StopIteration for one that is not shown."""
        return next(tile for tile in self.tiles if tile.station.reader == reader)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)
