"""What the infrastructure page looks like: five tiles, the chart that they choose with what a selection says beside it,
and the frames, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.frames.panel import NO_RECORD, FramePanel
from app.console.language import number, tr
from app.console.page import PageView
from app.console.pages.infrastructure.selection_view import SelectionPanel
from app.console.pages.infrastructure.table_view import FoldedTable
from app.console.pages.infrastructure.tile_words import Measure
from app.console.pages.infrastructure.tiles_view import TITLES, TilesRow
from app.console.pages.infrastructure.words import SPANS, FrameRow
from app.console.widgets.breadth import (
    GUTTER,
    ONE_COLUMN_BELOW,
    PANEL,
    SIDE_ZONE,
    THIRD_FROM,
    UNBOUNDED,
    WIDEST,
    fix_field,
)
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.buttons import ActionButton
from app.console.widgets.chart import TimeChart
from app.console.widgets.chart_plot import Series
from app.console.widgets.empty import EmptyState
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label

CHOOSE = tr("Choose a frame in the table: its record and its phases appear here.")
NOTHING_MEASURED = (tr("Nothing was measured in this span."), tr("Choose a longer span."))
BEING_READ = (tr("The history to that moment is being read."), "")
HISTORY_HINT = tr("\np99, step by step; all rows have one scale. Dashed: the goal.")
SIDE = 407
"""Width of the side, px at 100 % text: four of twelve columns. What is left of a wider page goes to the time axis."""
_CHART, _CHART_LOW = 200, 150
"""Least height of the chart beside something, and in one column, px at 100 % text."""
_PLACES = {
    0: ((2, 0, 1, 1), (0, 0, 1, 1), (1, 0, 1, 1), (1, 0, 0), (5, 0, 4)),
    1: ((1, 0, 1, 1), (0, 0, 1, 1), (2, 0, 1, 1), (1, 0, 0), (5, 4, 0)),
    2: ((1, 0, 1, 2), (0, 0, 1, 1), (0, 1, 1, 1), (1, 0, 0), (124, 76, 0)),
    3: ((0, 0, 2, 1), (0, 2, 1, 1), (0, 1, 2, 1), (PANEL, SIDE_ZONE, PANEL), (4, 5, 0)),
}
"""By the zones that a page has room for (0: one and a selection, whose words stand right below the chart): row, column,
rows and columns of table, chart and side, and the shares of the columns and of the rows. A curve that is drawn higher
than wide says no more: below it a third zone stays free."""


def _missed_words(row: FrameRow) -> str:
    return "–" if row.missed is None else number(row.missed, ",")


class InfrastructureView(PageView):
    """Emits ``chosen`` and ``opened`` (peer id), ``filtered`` (text), ``span_chosen`` (``Span``)."""

    chosen = Signal(str)
    opened = Signal(str)
    filtered = Signal(str)
    span_chosen = Signal(object)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Infrastructure"), scrolls=True, widest=WIDEST)
        self.tiles = TilesRow()
        self.body.addWidget(self.tiles)
        # Each layout is put into its place before it is filled, for panels move between its places.
        self._parts = QGridLayout()
        self.body.addLayout(self._parts, 1)
        self._parts.setSpacing(GUTTER)
        self._history = self._chart(table)
        self._side = self._side_of(table)
        self._frames = self._table(table)
        self._zones = -1
        self.arrange()

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, self.tiles, self._history, self._side, self._frames)

    def arrange(self) -> None:
        """Beside the chart stands what is said of it, where there is room; below both the table, or beside them."""
        wide = self.width()
        zones = 3 if wide >= theme.px(THIRD_FROM) else 2 if wide >= theme.px(ONE_COLUMN_BELOW) else 1
        # In one column chart and table are in sight at once.
        self.chart_stack.set_least(theme.px(_CHART if zones > 1 else _CHART_LOW))
        self._side.setMinimumWidth(theme.px(SIDE if zones == 2 else 320))
        self._side.setMaximumWidth(theme.px(SIDE) if zones == 2 else UNBOUNDED)
        if zones == 1 and not self.selection.isHidden():
            zones = 0
        if zones == self._zones:
            return
        self.tiles.set_narrow(zones < 2)
        self._zones = zones
        table, history, side, columns, rows = _PLACES[zones]
        for part, place in ((self._frames, table), (self._history, history), (self._side, side)):
            self._parts.addWidget(part, *place)
        for at, stretch in enumerate(columns):
            self._parts.setColumnStretch(at, stretch)
        for at, stretch in enumerate(rows):
            self._parts.setRowStretch(at, stretch)

    # --- the table ---------------------------------------------------------------------------------------------------

    def _table(self, table: ActionTable) -> TitledPanel:
        """The frames, and what stands in their place when there is none."""
        panel = TitledPanel(tr("Frames"), padding=8)
        panel.title.setContentsMargins(8, 0, 0, 0)
        self.count = label("", "dim")
        panel.head.insertWidget(1, self.count)
        self.mark = StateMark()
        panel.head.insertWidget(2, self.mark)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter frames   /"))
        self.filter.setAccessibleName(tr("Filter the frames by id, group, status or uplink"))
        self.filter.setClearButtonEnabled(True)
        fix_field(self.filter, 196)
        self.filter.textChanged.connect(self.filtered)
        panel.head.addWidget(self.filter)
        panel.head.addWidget(ActionButton(table, "infrastructure.register", text=tr("Register a frame")))
        columns: list[Column[FrameRow]] = [
            Column(tr("FRAME"), lambda row: row.peer_id, 132, mono=True),
            Column(tr("GROUP"), lambda row: row.group, 160, dim=True, spare=3),
            Column(tr("STATUS"), lambda row: row.word, 120, state=lambda row: row.state, hint=lambda row: row.hint),
            Column(tr("NOW"), lambda row: row.now, 60, right=True),
            Column(tr("P50"), lambda row: row.p50, 60, right=True),
            Column(tr("P95"), lambda row: row.p95, 62, right=True, spare=2),
            Column(tr("P99"), lambda row: row.p99, 60, right=True),
            Column(tr("MAX"), lambda row: row.worst, 62, right=True, spare=2),
            Column(tr("HISTORY, LOG SCALE"), lambda row: row.course_words, least=260, dim=True,
                   course=lambda row: row.course, order=lambda row: row.high,
                   hint=lambda row: row.course_words + HISTORY_HINT * (row.course is not None)),
            Column(tr("MISSED"), _missed_words, 64, right=True, spare=1,
                   order=lambda row: row.missed),
            Column(tr("SLOWEST PHASE"), lambda row: row.slowest, 104, spare=1,
                   hint=lambda row: row.unknown or row.phases),
            Column(tr("CERTIFICATE"), lambda row: row.certificate, 96, state=lambda row: row.certificate_state,
                   hint=lambda row: row.unknown or row.certificate),
            Column(tr("UPLINK GROUP"), lambda row: row.uplink, 128, dim=True, spare=4,
                   hint=lambda row: row.unknown or row.uplink),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.peer_id)
        self.table = DataTable(self.rows, name=tr("Server frames, worst first"), sorts=True, marks=True)
        self.table.selected.connect(self._choose_row)
        self.table.opened.connect(lambda at: self.opened.emit(self.rows.rows[at].peer_id))
        self.folded = FoldedTable(self.table)
        self.empty = EmptyState(
            "router",
            tr("No server frame is registered."),
            tr(
                "Register a peer by host and port: it is probed each second by a full mutual TLS handshake; "
                "its latency, phases and certificate appear here."
            ),
            table=table,
            action="infrastructure.register",
        )
        self.none_found = EmptyState("funnel", tr("No frame matches."), tr("Change the filter, or empty it with Esc."))
        self.stack = Stack(0)
        keep_lengths(self.stack, lambda one: one.set_least(self.folded.minimumSizeHint().height()))
        for part in (self.folded, self.empty, self.none_found):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        panel.body.addWidget(BulkBar(self.table, tr("frame", "server"), tr("frames", "server")))
        return panel

    def _choose_row(self, at: int) -> None:
        self.chosen.emit(self.rows.rows[at].peer_id if 0 <= at < len(self.rows.rows) else "")

    # --- the chart ---------------------------------------------------------------------------------------------------

    def _chart(self, table: ActionTable) -> TitledPanel:
        """The history that the chosen tile names, over the chosen span."""
        panel = TitledPanel(tr("Handshake history"), padding=12)
        self.chart_title = panel.title
        self.chart_note = ElidedLabel("", "small")
        panel.head.insertWidget(1, self.chart_note, 100)
        self.spans = QComboBox()
        self.spans.setAccessibleName(tr("Span of the percentiles and of the chart"))
        for span in SPANS:
            self.spans.addItem(span.title, span)
        self.spans.activated.connect(lambda at: self.span_chosen.emit(self.spans.itemData(at)))
        panel.head.addWidget(self.spans)
        panel.head.addWidget(ActionButton(table, "infrastructure.goal", text=tr("Goal"), role="quiet"))
        self.chart = TimeChart(
            [Series(TITLES[Measure.P99])], unit="ms", name=tr("History that the tiles choose"), log=True, tells=False
        )
        self.chart_empty = EmptyState("activity", *NOTHING_MEASURED)
        self.chart_stack = Stack(_CHART)
        self.chart_stack.addWidget(self.chart)
        self.chart_stack.addWidget(self.chart_empty)
        panel.body.addWidget(self.chart_stack, 1)
        return panel

    # --- the side ----------------------------------------------------------------------------------------------------

    def _side_of(self, table: ActionTable) -> QWidget:
        """The record of the chosen frame with what can be done to it; what a selection says stands in its place."""
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        self.inspector = FramePanel()
        self.inspector.show_nothing(CHOOSE)
        self.inspector.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        hands = QHBoxLayout()
        # Before the stretch at the foot of the panel.
        self.inspector.body.insertLayout(self.inspector.body.count() - 1, hands)
        hands.setSpacing(8)
        hands.addWidget(ActionButton(table, "infrastructure.change"))
        hands.addWidget(ActionButton(table, "infrastructure.maintenance", text=tr("Maintenance")))
        hands.addStretch(1)
        hands.addWidget(ActionButton(table, "infrastructure.delete", role="quiet"))
        self.selection = SelectionPanel(table)
        self.selection.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.selection.hide()
        column.addWidget(self.inspector)
        column.addWidget(self.selection)
        self.selection.zoom_asked.connect(self.chart.zoom_selection)
        self.selection.copy_asked.connect(self.chart.copy_picture)
        self.selection.closed.connect(self._take_selection_away)
        return side

    def _take_selection_away(self) -> None:
        # The hands were in the panel that goes.
        self.chart.plot.setFocus()
        self.chart.range.select(None)

    def show_selected(self, on: bool) -> None:
        """Show what the selection says, or the record of the chosen frame."""
        if on == self.selection.isHidden():
            focus = self.window().focusWidget()
            if focus is not None and self._side.isAncestorOf(focus):
                self.chart.plot.setFocus()
            self.selection.setVisible(on)
            self.inspector.setVisible(not on)
            self.arrange()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_past(self, clock: str, *, older: bool = False) -> None:
        """Name the moment ``clock`` (``14:32:07Z``) that the page shows; empty: it shows now. ``older``: it is older
        than the last hour."""
        for at, span in enumerate(SPANS):
            past = span.around if older and span.around else span.before
            self.spans.setItemText(at, past if clock else span.title)
        self.inspector.show_nothing(NO_RECORD if clock else CHOOSE)

    def show_rows(self, rows: Sequence[FrameRow], total: int, found: int, wanted: str) -> None:
        """Show these rows with the cursor on ``wanted``; ``found`` of the ``total`` frames match the filter."""
        had_focus = self.table.hasFocus()
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        if not total:
            self.stack.setCurrentWidget(self.empty)
        else:
            self.stack.setCurrentWidget(self.folded if rows else self.none_found)
        self.folded.place_rows()
        if had_focus and rows:
            self.table.setFocus()
        self.count.setText(
            tr("{count} of {total}", count=found, total=total)
            if found != total
            else tr("{count}, worst first, times in ms", count=total)
        )
