"""The timeline of a person: lanes on the clock, and below them each event as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTabBar

from app.console.actions import ActionTable
from app.console.audit_sentences import LANES, Lane
from app.console.language import tr
from app.console.moments import moment
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.lanes import LaneChart
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

if TYPE_CHECKING:
    from app.console.pages.people.history import PersonEvent

RANGES = ((1, tr("Today")), (7, tr("7 days")), (30, tr("30 days")), (366, tr("A year")))
ALL = tr("All")
_ROWS_LEAST = 96
"""Px at 100 % text of the list at least: at 150 % in the default window the profile is then whole, axis and all."""
_LANE_WORDS: Mapping[Lane, str] = {
    "Doors": tr("Doors"),
    "Card": tr("Card"),
    "Identity": tr("Identity"),
    "Site": tr("Site"),
}


class HistoryPanel(TitledPanel):
    """Emits ``days_changed``, ``lane_changed`` (empty: all) and ``opened`` with an event."""

    days_changed = Signal(int)
    lane_changed = Signal(str)
    opened = Signal(object)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Timeline"), padding=12)
        self.mark = StateMark()
        self.mark.hide()
        self.lanes = QTabBar()
        self.lanes.setDrawBase(False)
        self.lanes.setExpanding(False)
        self.lanes.setAccessibleName(tr("Which events"))
        names = tuple(_LANE_WORDS[lane] for lane in LANES)
        for name in (ALL, *names):
            self.lanes.addTab(name)
        self.lanes.currentChanged.connect(lambda at: self.lane_changed.emit(LANES[at - 1] if at > 0 else ""))
        self.days = QComboBox()
        self.days.setAccessibleName(tr("How far back"))
        for days, words in RANGES:
            self.days.addItem(words, days)
        self.days.currentIndexChanged.connect(lambda _at: self.days_changed.emit(self.days.currentData()))
        for part in (self.mark, self.lanes, self.days):
            self.head.addWidget(part)
        self.chart = LaneChart(names, name=tr("Events of the person by kind and time"))
        self.chart.setToolTip(tr("Drag to zoom, double click to go out. By keys: arrows, plus, minus, Home."))
        self.body.addWidget(self.chart)
        self._now = 0.0
        columns: list[Column[PersonEvent]] = [
            Column(tr("WHEN"), lambda one: moment(one.at, self._now), 92, hint=lambda one: one.hint),
            Column(tr("WHAT HAPPENED"), lambda one: one.text, least=280, state=lambda one: one.state,
                   hint=lambda one: f"{one.text}\n{one.hint}"),
            Column(tr("WHY, HOW LONG"), lambda one: one.detail, 240, dim=True, spare=1,
                   hint=lambda one: f"{one.detail}\n{one.hint}".strip()),
            Column(tr("KIND"), lambda one: _LANE_WORDS[one.lane], 76, dim=True, spare=2),
        ]  # fmt: skip
        self.rows: RowsModel[PersonEvent] = RowsModel(columns, lambda one: one.key)
        self.table = DataTable(
            self.rows,
            name=tr("What happened to the person, newest first"),
            marks=True,
            proof=lambda one: one.seq,
            no_proof=tr("What a door decided is no entry of the audit log: nothing signed could be saved of it."),
        )
        self.table.selected.connect(self._choose)
        self.table.opened.connect(lambda row: self.opened.emit(self.rows.rows[row]))
        self.chart.chosen.connect(self._go_to)
        self.none = EmptyState(
            "history",
            tr("Nothing in this time."),
            tr("Doors, cards, checks and decisions about the person appear here."),
        )
        self.stack = Stack(_ROWS_LEAST)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.none)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(BulkBar(self.table, tr("event"), tr("events")))
        foot = QHBoxLayout()
        self.count = label("", "small")
        foot.addWidget(self.count, 1)
        foot.addWidget(ActionButton(table, "people.audit", text=tr("Show in audit"), role="quiet"))
        self.body.addLayout(foot)

    @property
    def chosen(self) -> PersonEvent | None:
        """The event under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def name_day(self, *, today: bool) -> None:
        """Name the span of one day: it is ``today``, or that of the moment of the past that is shown."""
        self.days.setItemText(0, RANGES[0][1] if today else tr("That day"))

    def show_events(self, events: Sequence[PersonEvent], now: float, foot: str) -> None:
        """Show these, newest first; the one under the cursor stays under it."""
        chosen = self.chosen
        self._now = now
        bar = self.table.verticalScrollBar().value()
        self.rows.set_rows(events)
        self.stack.setCurrentWidget(self.table if events else self.none)
        if events and chosen is not None and (at := self.rows.row_of(chosen.key)) >= 0:
            if at != self.table.currentIndex().row():
                self.table.selectRow(at)
            self.table.verticalScrollBar().setValue(bar)
        self.count.setText(foot)

    def _choose(self, row: int) -> None:
        one = self.rows.get(row)
        self.chart.choose("" if one is None else one.key)

    def _go_to(self, key: str) -> None:
        at = self.rows.row_of(key)
        if at >= 0:
            self.table.selectRow(at)
