"""The list of the consents that were sealed, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from app.capabilities.provenance.messages import KnotSummary
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import utc_time
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.pages.seals.words import STANDING_HINTS, moment
from app.console.standing import standing_word
from app.console.theme.tokens import state_of
from app.console.widgets.empty import EmptyState
from app.console.widgets.person_columns import person_columns
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

NEAR_END = 40
"""Rows before the end of the list at which more are asked for."""


class ConsentsPanel(TitledPanel):
    """``chosen`` gives the knot under the cursor; ``more`` asks for older ones."""

    chosen = Signal(str)
    more = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Consents"), padding=8)
        self.count = label("", "dim")
        self.head.addWidget(self.count)
        columns: list[Column[KnotSummary]] = [
            Column(tr("SEALED"), lambda row: moment(row.timestamp), 152,
                   hint=lambda row: utc_time(parse_time(row.timestamp))),
            *person_columns(self, lambda row: row.node_id, 100, title=tr("PERSON")),
            Column(tr("STANDING"), lambda row: standing_word(row.standing), 140,
                   state=lambda row: state_of(row.standing),
                   hint=lambda row: STANDING_HINTS.get(row.standing, row.standing)),
            Column(tr("ENDS"), lambda row: moment(row.expires_at)[:10] or "–", 108, dim=True, spare=2),
            Column(tr("KNOT"), lambda row: row.knot_id, least=120, mono=True, dim=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.knot_id)
        self.table = DataTable(
            self.rows, name=tr("Consents that were sealed, newest first"), proof=lambda one: one.knot_id
        )
        self.table.selected.connect(self._choose_row)
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self.near_end())
        self.empty = EmptyState(
            "file-check",
            tr("No consent is sealed yet."),
            tr(
                "A seal says who agreed to what and when. Witnesses cosign its place in a log that only "
                "grows, so that anybody can verify it later without asking this site."
            ),
            table=table,
            action="seals.seal",
        )
        self.none_found = EmptyState(
            "funnel", tr("No seal matches."), tr("Another person, or another seal; Esc goes back.")
        )
        self.stack = Stack(120)
        for part in (self.table, self.empty, self.none_found):
            self.stack.addWidget(part)
        self.body.addWidget(self.stack, 1)

    def _choose_row(self, at: int) -> None:
        self.chosen.emit(self.rows.rows[at].knot_id if 0 <= at < len(self.rows.rows) else "")
        if at >= len(self.rows.rows) - NEAR_END:
            self.more.emit()

    def near_end(self) -> None:
        """Ask for more rows if the last ones that are there are in sight, or nearly."""
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - NEAR_END * theme.row_height():
            self.more.emit()

    def show_rows(
        self,
        rows: Sequence[KnotSummary],
        wanted: str,
        *,
        narrowed: bool,
        complete: bool,
        pending: int,
        typing: bool,
    ) -> None:
        """Show these rows with the cursor on ``wanted``. ``narrowed``: only those that are looked for; ``complete``:
        there are no more; ``pending``: leaves of the whole log without a quorum yet; ``typing``: the keys go to a field
        of the head, which keeps them."""
        to_table = self.table.hasFocus() or (self.stack.currentWidget() is not self.table and not typing)
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        self.stack.setCurrentWidget(self.table if rows else self.none_found if narrowed else self.empty)
        if to_table and rows:
            self.table.setFocus()
        waits = tr(", {count:,} wait for the quorum", count=pending) if pending > 0 else ""
        many = number(len(rows), ",") if complete else tr("{count:,} and more", count=len(rows))
        self.count.setText(many + waits)
