"""Four eyes: what one key asked for and another one agrees to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.approvals.messages import Approval
from app.console.actions import ActionTable
from app.console.approvals import STATES, asker_column, state_words
from app.console.clock import date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.names import OperatorNames
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

KINDS = {"reissue": tr("Re-issue"), "pin_reset": tr("PIN reset")}


class FourEyesView(QWidget):
    """``show_requests`` fills it; ``words`` says what the selected request waits for."""

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Four eyes: one key asks, another one agrees"), padding=12)
        outer.addWidget(panel)
        self.verdict = StateMark()
        panel.head.addWidget(self.verdict)
        row = WrapRow()
        for name, text in (
            ("write_card.ask_pin_reset", tr("Ask for PIN reset")),
            ("write_card.ask_reissue", tr("Ask for re-issue")),
            ("write_card.approve", tr("Approve")),
            ("write_card.reject", tr("Reject")),
        ):
            row.addWidget(ActionButton(table, name, text=text))
        row.addWidget(ActionButton(table, "write_card.reset_pin"))
        panel.body.addLayout(row)
        self.words = label("", wrap=True)
        panel.body.addWidget(self.words)
        columns: list[Column[Approval]] = [
            Column(tr("ASKED"), lambda one: date_time(parse_time(one.requested_at)), 168, dim=True, spare=2,
                   hint=lambda one: utc_time(parse_time(one.requested_at))),
            Column(tr("FOR"), lambda one: KINDS.get(one.kind, one.kind), 92),
            Column(tr("STATE"), self._state_words, 244, state=lambda one: STATES[one.state]),
            *person_columns(self, lambda one: one.node_id),
            Column(tr("CARD"), lambda one: (one.card_guid or "")[:8], 92, mono=True,
                   hint=lambda one: one.card_guid or ""),
            Column(tr("REASON"), lambda one: one.reason, least=120),
            asker_column(names, 150),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda one: one.approval_id)
        self.table = DataTable(
            self.rows, name=tr("Requests for a second key, newest first"), proof=lambda one: one.approval_id
        )
        keep_lengths(self.table, lambda one: one.setMinimumHeight(height_of(4)))
        panel.body.addWidget(self.table, 1)
        self.empty = EmptyState(
            "users",
            tr("Nobody asks for a second key."),
            tr("A new PIN for a card, or a card for somebody else: one Citadel key asks here, another one agrees."),
        )
        panel.body.addWidget(self.empty, 1)
        self.show_requests(())

    @property
    def chosen(self) -> Approval | None:
        """The selected request."""
        rows = self.table.selectionModel().selectedRows()
        return self.rows.rows[rows[0].row()] if rows else None

    def show_requests(self, found: Sequence[Approval]) -> None:
        """The requests, newest first."""
        self.rows.set_rows(found)
        self.table.setVisible(bool(found))
        self.empty.setVisible(not found)

    def _state_words(self, one: Approval) -> str:
        until = date_time(parse_time(one.expires_at))[5:16]  # month to minute: it is a day at most
        return state_words(one, until)
