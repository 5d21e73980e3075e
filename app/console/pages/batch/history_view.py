"""All batches, newest first."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.batches.messages import BatchSummary
from app.console.actions import ActionTable
from app.console.clock import date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.names import OperatorNames, who
from app.console.pages.batch.head_view import batch_mark
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


class BatchHistoryView(QWidget):
    """Emits ``opened`` (id of a batch)."""

    opened = Signal(str)

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        super().__init__()
        columns: list[Column[BatchSummary]] = [
            Column(tr("BEGUN"), lambda row: date_time(parse_time(row.created_at)), 176, dim=True,
                   hint=lambda row: utc_time(parse_time(row.created_at))),
            Column(tr("STATE"), lambda row: batch_mark(row)[1], 140, state=lambda row: batch_mark(row)[0]),
            Column(tr("LABEL"), lambda row: row.label, least=200),
            Column(tr("WRITTEN"), lambda row: tr("{count} of {total}", count=row.counts.complete,
                   total=row.counts.total), 104, right=True),
            Column(tr("TORN"), lambda row: str(row.counts.torn or "–"), 64, right=True),
            Column(tr("FAILED"), lambda row: str(row.counts.failed or "–"), 72, right=True),
            Column(tr("FIPS DEMAND"), lambda row: row.fips_standard, 200, dim=True, spare=1),
            who(names, tr("BY"), lambda row: row.operator, 168, spare=2),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.batch_id)
        self.table = DataTable(self.rows, name=tr("Batches, newest first"), proof=lambda one: one.batch_id)
        self.table.opened.connect(lambda at: self.opened.emit(self.rows.rows[at].batch_id))
        panel = TitledPanel(tr("Batches, newest first; Enter opens one"), padding=12)
        panel.head.addWidget(ActionButton(table, "batch.older", role="quiet"))
        self.stack = Stack(200)
        self.none = EmptyState(
            "history", tr("No batch was made yet."), tr("Every batch stays here with its report."), table=table,
            action="batch.list",
        )  # fmt: skip
        self.stack.addWidget(self.none)
        self.stack.addWidget(self.table)
        panel.body.addWidget(self.stack, 1)
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 12, 0, 0)
        column.addWidget(panel)

    def show_batches(self, rows: list[BatchSummary]) -> None:
        """Show these, newest first."""
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.none)
