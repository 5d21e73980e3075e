"""What just happened: cards at readers and burns, newest first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal

from app.console import theme
from app.console.clock import moment, utc_time
from app.console.language import tr
from app.console.pages.dashboard.recent_events_words import RecentEvent
from app.console.widgets.empty import EmptyState
from app.console.widgets.person_columns import person_columns
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


class RecentEventsPanel(TitledPanel):
    """Emits ``opened`` with the row."""

    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__(tr("Cards and burns"), padding=12)
        self.head.addStrut(theme.px(32))
        columns: list[Column[RecentEvent]] = [
            Column(tr("TIME"), lambda row: moment(row.at, time.time()), 88, dim=True, spare=1,
                   hint=lambda row: utc_time(row.at)),
            *person_columns(self, lambda row: row.node, 86),
            Column(tr("READER"), lambda row: row.where, hint=lambda row: row.hint),
            Column(tr("DECISION"), lambda row: row.word, 164, state=lambda row: row.state, hint=lambda row: row.hint),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = DataTable(
            self.rows,
            name=tr("Cards and burns"),
            proof=lambda row: row.arguments.get("burn_id"),
            no_proof=tr("What a door decided is no entry of the audit log: nothing signs it."),
        )
        self.table.opened.connect(lambda row: self.opened.emit(self.rows.rows[row]))
        self.nothing = EmptyState(
            "id-card",
            tr("No card and no burn yet."),
            tr("Each card held to a reader appears here with its decision, each burn with its proofs."),
        )
        self.stack = Stack(theme.px(90))
        self.stack.addWidget(self.nothing)
        self.stack.addWidget(self.table)
        self.body.addWidget(self.stack, 1)

    def focus_list(self) -> None:
        """Bring the keys here; choose the first row when none is chosen."""
        if self.rows.rows and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self.table.setFocus()

    def show_rows(self, rows: Sequence[RecentEvent]) -> None:
        """Show these rows, newest first."""
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.nothing)
