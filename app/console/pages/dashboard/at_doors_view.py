"""Who stood at which door just now, newest first: the person over the door, and what the door decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy

from app.console.actions import ActionTable
from app.console.clock import utc_time
from app.console.language import tr
from app.console.moments import moment
from app.console.pages.dashboard.at_doors_words import DoorRow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label


class AtDoorsPanel(TitledPanel):
    """Emits ``opened`` with the row."""

    opened = Signal(object)

    def __init__(self, table: ActionTable, now: Callable[[], float]) -> None:
        """``now``: Unix time by the service's clock."""
        super().__init__(tr("At the doors"), padding=12)
        self.said = label(tr("live"), "dim")
        self.head.insertWidget(1, self.said)
        self.head.addWidget(ActionButton(table, "page.readers", text=tr("All doors"), role="quiet"))
        columns: list[Column[DoorRow]] = [
            Column(tr("TIME"), lambda row: moment(row.at, now()), 74, dim=True, spare=2,
                   hint=lambda row: utc_time(row.at)),
            Column(tr("PERSON"), lambda row: row.person, least=96, hint=lambda row: f"{row.person}\n{row.node}",
                   second=lambda row: row.where),
            Column(tr("DECISION"), lambda row: row.word, 122, state=lambda row: row.state, hint=lambda row: row.hint),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = DataTable(
            self.rows,
            name=tr("At the doors"),
            proof=lambda row: row.arguments.get("burn_id"),
            no_proof=tr("What a door decided is no entry of the audit log: nothing signs it."),
        )
        self.table.opened.connect(lambda row: self.opened.emit(self.rows.rows[row]))
        self.nothing = EmptyState(
            "id-card",
            tr("Nobody was at a door yet."),
            tr("Each card and palm at a reader appears here: who, where, and what the door decided."),
        )
        self.stack = Stack(132)
        self.stack.addWidget(self.nothing)
        self.stack.addWidget(self.table)
        self.body.addWidget(self.stack, 1)
        # Its texts are of any length: they must not move the columns.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)

    def focus_list(self) -> None:
        """Bring the keys here; choose the first row when none is chosen."""
        if self.rows.rows and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self.table.setFocus()

    def show_rows(self, rows: Sequence[DoorRow]) -> None:
        """Show these rows, newest first."""
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.nothing)
