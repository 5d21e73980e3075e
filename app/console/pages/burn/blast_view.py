"""What a burn of the subject would touch, what would outlive it, and whether the person may be inside."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.capabilities.burn.messages import Preview
from app.console import theme
from app.console.blast_radius import expected_last_door
from app.console.language import tr
from app.console.pages.burn.blast import System, inside, systems_of
from app.console.pages.burn.stays_open_view import StaysOpenPanel
from app.console.pages.burn.words import kind_word, milliseconds
from app.console.theme.tokens import Meaning
from app.console.widgets.kpi import KpiTile
from app.console.widgets.table import Column, DataTable, RowsModel

TILES_IN_LINE_PX = 720
"""So much room, at 100 % text, the five figures need beside each other."""


class BlastRadiusView(QWidget):
    """What a burn of the subject would touch now. Writes nothing."""

    def __init__(self, now: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now = now
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        column.addLayout(self._grid)
        self.doors = KpiTile(tr("Doors"))
        self.cards = KpiTile(tr("Cards"))
        self.profiles = KpiTile(tr("Profiles"))
        self.inside = KpiTile(tr("Inside?"))
        self.expected = KpiTile(tr("Expected last door"))
        self._tiles = (self.doors, self.cards, self.profiles, self.inside, self.expected)
        self._a_line = 0
        self._place_tiles(len(self._tiles))
        columns: list[Column[System]] = [
            Column(tr("WHAT"), lambda system: system.name, 200),
            Column(tr("KIND"), lambda system: kind_word(system.kind), 104, dim=True, spare=1),
            Column(tr("REACHABLE NOW"), lambda system: system.reach, 136, state=lambda system: system.state),
            Column(tr("REVERSIBLE"), lambda system: tr("Yes") if system.reversible else tr("No"), 92),
            Column(
                tr("EXPECTED"),
                lambda system: milliseconds(system.expected_ms, tr("No history")),
                96,
                right=True,
                order=lambda system: system.expected_ms,
            ),
            Column(tr("DETAIL"), lambda system: system.detail, dim=True, least=192, spare=2),
        ]
        self.model = RowsModel(columns, lambda system: system.key)
        self.table = DataTable(self.model, name=tr("Blast radius, one row a system"), sorts=True)
        column.addWidget(self.table, 1)
        self.residual = StaysOpenPanel(now)
        """A panel of its own, below that of the blast radius."""

    def _place_tiles(self, a_line: int) -> None:
        """So many tiles in each line, all of the same width."""
        if a_line == self._a_line:
            return
        self._a_line = a_line
        for at, tile in enumerate(self._tiles):
            self._grid.addWidget(tile, at // a_line, at % a_line)
        for at in range(len(self._tiles)):
            self._grid.setColumnStretch(at, int(at < a_line))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In one line on a small screen their titles and words would be cut.
        self._place_tiles(len(self._tiles) if event.size().width() >= theme.px(TILES_IN_LINE_PX) else 3)

    def show_preview(self, preview: Preview) -> None:
        """Show what the API expects of a burn."""
        offline = preview.doors - preview.doors_online
        if not preview.doors:
            self.doors.set("0", tr("No door is registered"))
        elif offline:
            # The row of an offline door says what it does meanwhile.
            self.doors.set(
                str(preview.doors_online),
                tr("of {count} online", count=preview.doors),
                Meaning.WARN,
                tr("{count} offline", count=offline),
            )
        else:
            self.doors.set(str(preview.doors), tr("all online"), Meaning.OK, tr("Online"), goal=True)
        self.cards.set(str(preview.cards), tr("are revoked") if preview.cards else tr("none issued"))
        self.profiles.set(
            str(preview.profiles), tr("credential profiles") if preview.profiles else tr("no badge at a door")
        )
        self.inside.set(*inside(preview, self._now()))
        expected = expected_last_door(preview)
        value = milliseconds(expected, "–")
        self.expected.set(value, tr("p95 of its last burns") if expected is not None else tr("no history yet"))
        self.model.set_rows(systems_of(preview))
        self.residual.show_residual(preview.residual_exposure)
