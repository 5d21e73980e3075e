"""What needs a person: a list with the most pressing first, and the next step of the chosen row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import utc_time
from app.console.language import tr
from app.console.pages.dashboard.attention_words import SEVERITY, AttentionRow
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel


class AttentionPanel(TitledPanel):
    """Emits ``opened`` with the row."""

    opened = Signal(object)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Needs you"), padding=12)
        self.mark = StateMark()
        self.head.addWidget(self.mark)
        # By their signs alone: beside their words "STALE since 14:32:07" had no room.
        self.head.addWidget(ActionButton(table, "dashboard.seen", role="quiet", bare=True))
        self.head.addWidget(ActionButton(table, "dashboard.mute", role="quiet", bare=True))
        columns: list[Column[AttentionRow]] = [
            Column(tr("WHAT"), lambda row: row.text, state=lambda row: Meaning.IDLE if row.muted_until else row.state,
                   hint=lambda row: f"{row.text}\n{row.hint}".rstrip()),
            Column(tr("SINCE"), lambda row: row.since_words, 78, dim=True, hint=lambda row: utc_time(row.since)),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = DataTable(
            self.rows,
            name=tr("Needs you"),
            proof=lambda row: row.alarm_id or row.arguments.get("burn_id"),
            no_proof=tr("What is measured now is no entry of the audit log: its alarm is one as soon as it is raised."),
        )
        self.table.selected.connect(self._show_next_step)
        self.table.opened.connect(lambda row: self.opened.emit(self.rows.rows[row]))
        self.nothing = EmptyState(
            "circle-check",
            tr("Nothing needs you."),
            tr("Alarms, burns that are not proven and frames that are down appear here."),
        )
        self.stack = Stack(theme.px(140))
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.nothing)
        self.unknown = EmptyState("circle-question-mark", tr("Nobody knows."), tr("The service does not answer."))
        self.stack.addWidget(self.unknown)
        self.loading = EmptyState("history", tr("Loading."), tr("Alarms, burns and readers are being read."))
        self.stack.addWidget(self.loading)
        self.body.addWidget(self.stack, 1)
        next_ = QHBoxLayout()
        self.next_step = ElidedLabel("", "small")
        next_.addWidget(self.next_step, 1)
        self.open_button = ActionButton(table, "dashboard.open", role="primary")
        next_.addWidget(self.open_button)
        self.body.addLayout(next_)
        self._show_next_step(-1)
        # Its texts are of any length: they must not move the columns.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)

    def show_rows(self, rows: Sequence[AttentionRow], stale: str, *, loading: bool = False) -> None:
        """Show these rows. ``stale``: since when nothing is known, empty while it is; ``loading``: the first answer is
        awaited."""
        here = self.table.currentIndex().row()
        key = self.rows.rows[here].key if 0 <= here < len(self.rows.rows) else ""
        self.rows.set_rows(rows)
        again = self.rows.row_of(key)
        if again >= 0 and self.table.currentIndex().row() != again:
            self.table.selectRow(again)
        open_ = sum(not row.muted_until for row in rows)
        if stale:
            self.mark.set(Meaning.IDLE, stale)
        elif open_:
            worst = min((row.state for row in rows if not row.muted_until), key=SEVERITY.__getitem__)
            self.mark.set(worst, tr("{count} open", count=open_))
        else:
            self.mark.set(Meaning.IDLE if rows else Meaning.OK, tr("All muted") if rows else tr("Clear", "state"))
        nothing = self.loading if loading else self.unknown if stale else self.nothing
        self.stack.setCurrentWidget(self.table if rows else nothing)

    def _show_next_step(self, at: int) -> None:
        row = self.rows.rows[at] if 0 <= at < len(self.rows.rows) else None
        owned = tr("   Taken by {owner}", owner=row.owner) if row and row.owner else ""
        self.next_step.setText(tr("Next: {step}{owned}", step=row.step, owned=owned) if row else "")
        self.next_step.setVisible(row is not None)
        self.open_button.setVisible(row is not None)

    def focus_list(self) -> None:
        """Bring the keys here; choose the first row when none is chosen."""
        if self.rows.rows and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self.table.setFocus()

    @property
    def chosen(self) -> AttentionRow | None:
        """The row under the cursor."""
        return self.rows.get(self.table.currentIndex().row())
