"""Five figures of the frames in a row, or in two; each chooses what the chart below shows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy

from app.console.language import tr
from app.console.pages.infrastructure.tile_words import Measure, TileFace
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import GUTTER
from app.console.widgets.folding import Folding
from app.console.widgets.kpi import CHOICE_LEAST, KpiChoice

TITLES: Mapping[Measure, str] = {
    Measure.OPERATIONAL: tr("Frames operational"),
    Measure.P50: tr("Handshake p50"),
    Measure.P99: tr("Handshake p99"),
    Measure.MISSED: tr("Missed probes"),
    Measure.CERTIFICATES: tr("Certificates"),
}
_HINTS: Mapping[Measure, str] = {
    Measure.OPERATIONAL: tr("Chart how many frames answered."),
    Measure.P50: tr("Chart the median of the handshakes."),
    Measure.P99: tr("Chart the p99 of the handshakes."),
    Measure.MISSED: tr("Chart the missed probes. Those of frames under maintenance do not count."),
    Measure.CERTIFICATES: tr("No history is kept of certificates: the chart shows the p99 of the handshakes."),
}


_A_ROW = 3
"""Tiles in each of two rows."""


class TilesRow(Folding):
    """Emits ``chosen`` (``Measure``). One tile is always chosen."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__(len(TITLES) * (CHOICE_LEAST + GUTTER))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._places = QGridLayout(self)
        self._places.setContentsMargins(0, 0, 0, 0)
        self._places.setSpacing(GUTTER)
        self.tiles: dict[Measure, KpiChoice] = {}
        # No group of buttons: Tab would pass all but one of it.
        for measure, title in TITLES.items():
            tile = KpiChoice(title, _HINTS[measure])
            tile.clicked.connect(lambda _on=True, measure=measure: self.choose(measure))
            self.tiles[measure] = tile
        self.measure = Measure.P99
        """Whose tile is chosen."""
        self.tiles[self.measure].setChecked(True)
        self.fit()

    def turn(self, narrow: bool) -> None:
        row = _A_ROW if narrow else len(self.tiles)
        for at, tile in enumerate(self.tiles.values()):
            self._places.addWidget(tile, at // row, at % row)
            self._places.setColumnStretch(at, int(at < row))

    def set_narrow(self, on: bool) -> None:
        """Have the feet stand in two lines, because one is too narrow for them."""
        for one in self.tiles.values():
            one.tile.set_narrow(on)

    def choose(self, measure: Measure) -> None:
        """Choose a tile."""
        for one, tile in self.tiles.items():
            tile.setChecked(one is measure)
        if measure is not self.measure:
            self.measure = measure
            self.chosen.emit(measure)

    def show_face(self, measure: Measure, face: TileFace, stale: str = "") -> None:
        """Show the figure of a tile. ``stale``: since when its source is silent; the figure stays, and is idle."""
        choice = self.tiles[measure]
        tile = choice.tile
        tile.set_title(face.title or TITLES[measure])
        tile.set(face.value, face.below, face.state, face.word, goal=face.state is Meaning.OK, unit=face.unit)
        if face.trend is not None:
            tile.set_trend(face.trend, face.goal)
        else:
            tile.say_no_trend(tr("no history"))
        if stale:
            tile.set_stale(stale)
        choice.tell()
