"""The readers, large: what is done at each and what the hands do next, to be seen from across the desk."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.capabilities.provisioning.batches.messages import BatchCounts
from app.console import theme
from app.console.language import tr
from app.console.pages.batch.board import Station
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.stepper import StageState
from app.console.widgets.text import ElidedLabel, label

TILES_A_ROW = 4
BAR_PX = 6
SHAPE_PX = 26


class ReaderTile(QFrame):
    """One ``Station``. The bar at the left and the shape have the colour of its state; the headline says it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._station = Station("", Meaning.IDLE, "")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(24 + SHAPE_PX + 10), 12, 12, theme.px(20))
        column.setSpacing(2)
        top = QHBoxLayout()
        self._reader = ElidedLabel("", "small")
        self._time = label("", "dim")
        top.addWidget(self._reader, 1)
        top.addWidget(self._time)
        column.addLayout(top)
        self.headline = label("", "title", wrap=True)
        self.headline.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._who = ElidedLabel("", "heading")
        self._detail = label("", "small", wrap=True)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.headline)
        column.addWidget(self._who)
        column.addWidget(self._detail, 1)
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
        for field, text in (
            (self._reader, station.reader),
            (self._time, station.time),
            (self.headline, station.headline),
            (self._who, station.who),
            (self._detail, station.detail),
        ):
            if field.text() != text:
                field.setText(text)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(280), theme.px(144))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(144))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.state(self._station.state)))
        painter.drawRoundedRect(QRectF(1, 8, BAR_PX, self.height() - 16), 3, 3)
        side = theme.px(SHAPE_PX)
        paint_shape(painter, QRectF(theme.px(20), theme.px(34), side, side), self._station.state)
        marks = self._station.segments
        if marks:
            left, width = theme.px(20), self.width() - theme.px(20) - 12
            one = width / len(marks)
            fills = {
                StageState.DONE: tokens.accent,
                StageState.RUNNING: tokens.text,
                StageState.FAILED: tokens.bad,
                StageState.WAITING: tokens.line,
            }
            for at, mark in enumerate(marks):
                painter.setBrush(QColor(fills[mark]))
                painter.drawRect(QRectF(left + at * one, self.height() - theme.px(12), one - 2, theme.px(4)))


class ReaderTiles(QWidget):
    """All readers of a batch, four in a row. A reader that appears has its tile at once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Readers of the batch"))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        for column in range(TILES_A_ROW):
            self._grid.setColumnStretch(column, 1)
        self.tiles: list[ReaderTile] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_stations(self, stations: Sequence[Station]) -> None:
        """Show these readers, in their order."""
        while len(self.tiles) < len(stations):
            tile = ReaderTile()
            at = len(self.tiles)
            self._grid.addWidget(tile, at // TILES_A_ROW, at % TILES_A_ROW)
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


class CountsBar(QWidget):
    """How a batch is divided: written, failed, torn, in work; what is left is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: BatchCounts | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Progress of the batch"))

    def show_counts(self, counts: BatchCounts) -> None:
        """Show other counts."""
        if counts != self._counts:
            self._counts = counts
            done = counts.complete + counts.failed + counts.cancelled
            self.setAccessibleName(
                tr("Progress of the batch: {count} of {total} lines are over", count=done, total=counts.total)
            )
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(10))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.raised))
        painter.drawRect(self.rect())
        counts = self._counts
        if counts is None or not counts.total:
            return
        left = 0.0
        for count, colour in (
            (counts.complete, tokens.ok),
            (counts.failed, tokens.bad),
            (counts.torn, tokens.bad),
            (counts.running, tokens.warn),
            (counts.cancelled, tokens.idle),
        ):
            width = self.width() * count / counts.total
            if width:
                painter.setBrush(QColor(colour))
                painter.drawRect(QRectF(left, 0, max(width - 1, 1), self.height()))
            left += width
