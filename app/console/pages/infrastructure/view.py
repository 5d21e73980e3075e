"""What the infrastructure page looks like."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QSizePolicy

from app.console import theme
from app.console.actions import ActionTable
from app.console.frames.panel import NO_RECORD, FramePanel
from app.console.language import number, tr
from app.console.page import PageView
from app.console.pages.infrastructure.words import SPANS, FrameRow
from app.console.widgets.breadth import PAGE, PANEL, SIDE_ZONE, THIRD_FROM, WIDEST, Narrow
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.buttons import ActionButton
from app.console.widgets.chart import TimeChart
from app.console.widgets.chart_plot import Series
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

CHOOSE = tr("Choose a frame in the table: its record and its phases appear here.")
NOTHING_MEASURED = (tr("Nothing was measured in this span."), tr("Choose a longer span."))
BEING_READ = (tr("The history to that moment is being read."), "")


_PLACES = {
    1: ((0, 0, 1, 2), (1, 0, 1, 1), (1, 1, 1, 1), (66, 34, 0), (5, 4)),
    2: ((0, 0, 1, 1), (1, 0, 1, 1), (0, 1, 2, 1), (PANEL, SIDE_ZONE, 0), (5, 4)),
    3: ((0, 0, 2, 1), (0, 2, 1, 1), (0, 1, 2, 1), (PANEL, SIDE_ZONE, PANEL), (4, 5)),
}
"""By the zones that a page has room for: row, column, rows and columns of table, history and inspector, and the shares
of the columns and of the rows. A curve that is drawn higher than wide says no more: below it a third zone stays free.
"""


def _missed_words(row: FrameRow) -> str:
    return "–" if row.missed is None else number(row.missed, ",")


class InfrastructureView(PageView):
    """Emits ``chosen`` and ``opened`` (peer id), ``filtered`` (text), ``span_chosen`` (``Span``)."""

    chosen = Signal(str)
    opened = Signal(str)
    filtered = Signal(str)
    span_chosen = Signal(object)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Infrastructure"), widest=WIDEST)
        head = QHBoxLayout()
        head.setSpacing(8)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter frames   /"))
        self.filter.setAccessibleName(tr("Filter the frames by id, group, status or uplink"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(theme.px(180))
        self.filter.textChanged.connect(self.filtered)
        self.spans = QComboBox()
        self.spans.setAccessibleName(tr("Span of the percentiles and of the chart"))
        for span in SPANS:
            self.spans.addItem(span.title, span)
        self.spans.activated.connect(lambda at: self.span_chosen.emit(self.spans.itemData(at)))
        self.mark = StateMark()
        self.count = label("", "dim")
        for part in (self.filter, self.spans, self.mark, self.count):
            head.addWidget(part)
        head.addStretch(1)
        head.addWidget(ActionButton(table, "infrastructure.delete"))
        head.addWidget(ActionButton(table, "infrastructure.maintenance", text=tr("Maintenance")))
        head.addWidget(ActionButton(table, "infrastructure.change"))
        head.addWidget(ActionButton(table, "infrastructure.register", text=tr("Register"), role="primary"))
        self.body.addLayout(Narrow(PAGE, head))
        self._frames, self._history = self._table(table), self._chart(table)
        self._inspector()
        self._parts = QGridLayout()
        self._parts.setSpacing(12)
        self.body.addLayout(self._parts, 1)
        self._zones = 0
        self._fit()

    def _fit(self) -> None:
        """Where there is room for a side, the chosen frame stands there; elsewhere it stands beside its history. Where
        there is room for a third zone, the history has that, and the table all of its own."""
        zones = 3 if self.width() >= theme.px(THIRD_FROM) else 2 if self.width() >= theme.px(PAGE) else 1
        if zones == self._zones:
            return
        self._zones = zones
        table, history, inspector, columns, rows = _PLACES[zones]
        for part, place in ((self._frames, table), (self._history, history), (self.inspector, inspector)):
            self._parts.addWidget(part, *place)
        for at, stretch in enumerate(columns):
            self._parts.setColumnStretch(at, stretch)
        for at, stretch in enumerate(rows):
            self._parts.setRowStretch(at, stretch)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_zones"):
            self._fit()
        super().changeEvent(event)

    def _table(self, table: ActionTable) -> TitledPanel:
        """The frames, and what stands in their place when there is none."""
        panel = TitledPanel(padding=8)
        columns: list[Column[FrameRow]] = [
            Column(tr("FRAME"), lambda row: row.peer_id, 124, mono=True),
            Column(tr("GROUP"), lambda row: row.group, 90, dim=True, spare=3),
            Column(tr("STATUS"), lambda row: row.word, 124, state=lambda row: row.state, hint=lambda row: row.hint),
            Column(tr("LATEST ms"), lambda row: row.now, 72, right=True),
            Column(tr("P50"), lambda row: row.p50, 66, right=True),
            Column(tr("P95"), lambda row: row.p95, 66, right=True),
            Column(tr("P99"), lambda row: row.p99, 66, right=True),
            Column(tr("MAX"), lambda row: row.worst, 72, right=True),
            Column(tr("MISSED"), _missed_words, 70, right=True, spare=1,
                   order=lambda row: row.missed),
            Column(tr("RESOLVE"), lambda row: row.resolve, 74, right=True, dim=True, spare=2,
                   hint=lambda row: row.unknown or row.resolve),
            Column(tr("CONNECT"), lambda row: row.connect, 76, right=True, dim=True,
                   hint=lambda row: row.unknown or row.connect),
            Column(tr("1ST BYTE"), lambda row: row.first_byte, 76, right=True, dim=True,
                   hint=lambda row: row.unknown or row.first_byte),
            Column(tr("CERTIFICATE"), lambda row: row.certificate, 100, state=lambda row: row.certificate_state,
                   hint=lambda row: row.unknown or row.certificate),
            Column(tr("UPLINK GROUP"), lambda row: row.uplink, dim=True, spare=4,
                   hint=lambda row: row.unknown or row.uplink),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.peer_id)
        self.table = DataTable(self.rows, name=tr("Server frames by group"), sorts=True, marks=True)
        self.table.selected.connect(self._choose_row)
        self.table.opened.connect(lambda at: self.opened.emit(self.rows.rows[at].peer_id))
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
        self.stack = Stack(theme.px(160))
        for part in (self.table, self.empty, self.none_found):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        panel.body.addWidget(BulkBar(self.table, tr("frame", "server"), tr("frames", "server")))
        return panel

    def _choose_row(self, at: int) -> None:
        self.chosen.emit(self.rows.rows[at].peer_id if 0 <= at < len(self.rows.rows) else "")

    def _chart(self, table: ActionTable) -> TitledPanel:
        """The history of the chosen frame over the chosen span."""
        panel = TitledPanel(tr("Handshake history"), padding=12)
        self.chart_title = panel.title
        panel.head.addWidget(ActionButton(table, "infrastructure.goal", text=tr("Goal"), role="quiet"))
        self.chart = TimeChart(
            [Series("max", "dim", dash=True), Series("p99", "text"), Series("p50", "accent")],
            unit="ms",
            name=tr("Handshake history of the chosen frame"),
            log=True,
        )
        self.chart_empty = EmptyState("activity", *NOTHING_MEASURED)
        self.chart_stack = Stack(theme.px(140))
        self.chart_stack.addWidget(self.chart)
        self.chart_stack.addWidget(self.chart_empty)
        panel.body.addWidget(self.chart_stack, 1)
        return panel

    def _inspector(self) -> TitledPanel:
        self.inspector = FramePanel()
        self.inspector.show_nothing(CHOOSE)
        self.inspector.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.inspector.setMinimumWidth(theme.px(320))
        return self.inspector

    def show_past(self, clock: str, *, older: bool = False) -> None:
        """Name the moment ``clock`` (``14:32:07Z``) that the page shows; empty: it shows now. ``older``: it is older
        than the last hour."""
        for at, span in enumerate(SPANS):
            past = span.around if older and span.around else span.before
            self.spans.setItemText(at, past if clock else span.title)
        self.inspector.show_nothing(NO_RECORD if clock else CHOOSE)

    def show_rows(self, rows: Sequence[FrameRow], total: int, wanted: str) -> None:
        """Show these rows of ``total`` frames, with the cursor on ``wanted``."""
        had_focus = self.table.hasFocus()
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        if not total:
            self.stack.setCurrentWidget(self.empty)
        else:
            self.stack.setCurrentWidget(self.table if rows else self.none_found)
        if had_focus and rows:
            self.table.setFocus()
        self.count.setText(
            tr("{count} of {total} frames", count=len(rows), total=total)
            if len(rows) != total
            else tr("{count} frames", count=total)
        )
