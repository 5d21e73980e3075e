"""What the page looks like: a list that is prepared, a batch that is worked off, and the batches before it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.capabilities.provisioning.batches.messages import BatchSummary
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import date_time, parse_time, utc_time
from app.console.page import PageView
from app.console.pages.batch.list_view import ListView
from app.console.pages.batch.run_view import RunView, batch_mark
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel

LIST, RUN, HISTORY = 0, 1, 2


class BatchView(PageView):
    """Emits ``dropped`` (path of a file) and ``batch_opened`` (its id)."""

    dropped = Signal(object)
    batch_opened = Signal(str)

    def __init__(self, table: ActionTable, *, training: bool) -> None:
        super().__init__("Batches")
        self.setAcceptDrops(True)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Parts of the page")
        self.list = ListView(table)
        self.run = RunView(table, training=training)
        for part, title in ((self.list, "New list"), (self.run, "Batch"), (self._history(table), "History")):
            self.tabs.addTab(part, title)
        self.body.addWidget(self.tabs, 1)

    def _history(self, table: ActionTable) -> QWidget:
        columns: list[Column[BatchSummary]] = [
            Column("BEGUN", lambda row: date_time(parse_time(row.created_at)), 176, dim=True,
                   hint=lambda row: utc_time(parse_time(row.created_at))),
            Column("STATE", lambda row: batch_mark(row)[1], 140, state=lambda row: batch_mark(row)[0]),
            Column("LABEL", lambda row: row.label),
            Column("WRITTEN", lambda row: f"{row.counts.complete} of {row.counts.total}", 104, right=True),
            Column("TORN", lambda row: str(row.counts.torn or "–"), 64, right=True),
            Column("FAILED", lambda row: str(row.counts.failed or "–"), 72, right=True),
            Column("FIPS DEMAND", lambda row: row.fips_standard, 200, dim=True, spare=1),
            Column("BY", lambda row: row.operator, 140, mono=True, spare=2),
        ]  # fmt: skip
        self.history = RowsModel(columns, lambda row: row.batch_id)
        self.history_table = DataTable(self.history, name="Batches, newest first")
        self.history_table.opened.connect(lambda at: self.batch_opened.emit(self.history.rows[at].batch_id))
        panel = TitledPanel("Batches, newest first; Enter opens one", padding=12)
        panel.head.addWidget(ActionButton(table, "batch.older", role="quiet"))
        self.history_stack = Stack(theme.px(200))
        self.no_history = EmptyState(
            "history", "No batch was made yet.", "Every batch stays here with its report.", table=table,
            action="batch.list",
        )  # fmt: skip
        self.history_stack.addWidget(self.no_history)
        self.history_stack.addWidget(self.history_table)
        panel.body.addWidget(self.history_stack, 1)
        outer = QWidget()
        column = QVBoxLayout(outer)
        column.setContentsMargins(0, 12, 0, 0)
        column.addWidget(panel)
        return outer

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _local_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _local_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)


def _local_file(event: QDropEvent) -> Path | None:
    """The one file that is dropped; None for anything else."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    return Path(urls[0].toLocalFile())
