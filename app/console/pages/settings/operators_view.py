"""Operators: who may sit at the desk, and what waits for a second administrator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.approvals.messages import Approval
from app.console.approvals import STATES, asker_column, state_words
from app.console.clock import date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.names import OperatorNames
from app.console.pages.settings.keys_view import line_count, line_names
from app.console.pages.settings.operator_form import METHODS
from app.console.permissions import ROLE_WORDS
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow
from app.operators.messages import Operator

KINDS = {"operator": tr("Operator"), "citadel_key": tr("Citadel key")}
PASSPHRASE = "passphrase"  # noqa: S105 -- a word of an approval's subjects
_METHOD_WORDS = {"card": tr("card"), "passphrase": tr("passphrase")}


def line_words(names: OperatorNames, operator: Operator) -> str:
    """Who else could sign in as the operator, and what follows."""
    if not operator.line:
        return tr("Nobody else could sign in as this operator: it approves what others ask for.")
    others = line_names(names, operator.line)
    return tr("Could sign in as this operator, so they never approve each other's requests: {others}.", others=others)


def what_of(names: OperatorNames, one: Approval) -> str:
    """What a request is about: ``Alex Novak: roles admin, methods card; ARC-0001``."""
    first, *rest = one.subjects
    if one.kind == "citadel_key":
        return tr("Key {label}", label=first)
    if rest == [PASSPHRASE]:
        return tr("{name}: a passphrase", name=names.of(first))
    said = (_subject_words(part) for part in rest if not part.startswith("subject="))
    return f"{names.of(first)}: {'; '.join(said)}"


def _subject_words(part: str) -> str:
    """``roles=badge,admin`` as people read it: ``roles badge, admin``."""
    key, _, value = part.partition("=")
    if key == "roles":
        return tr("roles {names}", names=", ".join(ROLE_WORDS.get(one, one) for one in value.split(",")))
    if key == "methods":
        return tr("methods {names}", names=", ".join(_METHOD_WORDS.get(one, one) for one in value.split(",")))
    return tr("node {node}", node=value) if key == "node" else part.replace("=", " ", 1)


class OperatorsView(QWidget):
    """The list with its actions, and the requests for a second administrator where there are any."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        table, names = session.actions, session.names
        self._names = names
        self._sessions: Mapping[str, int] = {}
        columns: list[Column[Operator]] = [
            Column(tr("NAME"), lambda row: row.display_name, least=150, hint=lambda row: row.operator_id,
                   copied=lambda row: f"{row.display_name} ({row.operator_id})"),
            Column(tr("ROLES"), lambda row: ", ".join(ROLE_WORDS[one] for one in row.roles), 190),
            Column(tr("STATE"), self._state_words, 150, state=self._state),
            Column(tr("SIGNS IN BY"), lambda row: ", ".join(METHODS[one] for one in row.methods) or "–", 180, spare=1),
            *person_columns(self, lambda row: row.node_id, 120, title=tr("PERSON"), nobody=tr("nobody"), spare=2),
            Column(tr("PASSPHRASE"), self._passphrase, 170, dim=True, spare=4),
            Column(tr("LINE", "lineage"), lambda row: line_count(row.line), 90, dim=True, spare=3,
                   hint=lambda row: line_words(names, row)),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.operator_id)
        self.table = DataTable(self.rows, name=tr("Operators"), sorts=True)
        self.none = EmptyState(
            "users",
            tr("This site has no operator yet."),
            tr(
                "Acts carry the console's key and nobody's name. The first administrator is made where the "
                "service runs: arc-console operator create --name NAME --admin"
            ),
            table=table,
            action="settings.operator_new",
        )
        self.closed = EmptyState(
            "lock",
            tr("Operators need Citadel clearance."),
            tr("This console is connected with a Sovereign key: it can neither see nor change operators."),
        )
        self.away = EmptyState(
            "unplug", tr("No service is connected."), tr("Operators are listed as soon as one answers.")
        )
        panel = TitledPanel(tr("Operators"), padding=12)
        self.mark = StateMark()
        self.mark.hide()
        panel.head.addWidget(self.mark)
        buttons = WrapRow()
        for action, role in (
            ("settings.operator_new", "primary"),
            ("settings.operator_change", ""),
            ("settings.operator_passphrase", ""),
            ("settings.operator_sign_out", ""),
            ("settings.operator_end", "quiet"),
        ):
            buttons.addWidget(ActionButton(table, action, role=role))
        panel.body.addLayout(buttons)
        self.stack = Stack(160)
        for part in (self.away, self.table, self.none, self.closed):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        self.note = label("", "small", wrap=True)
        panel.body.addWidget(self.note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        column.addWidget(panel, 1)
        column.addWidget(self._requests(session))
        self.table.selected.connect(lambda _row: self._tell())
        names.changed.connect(self._tell)

    def _requests(self, session: WindowSession) -> TitledPanel:
        """What one administrator asked for and another one decides."""
        self.waiting = TitledPanel(tr("What takes a second administrator"), padding=12)
        self.verdict = StateMark()
        self.waiting.head.addWidget(self.verdict)
        for action, text in (
            ("settings.request_approve", tr("Approve")),
            ("settings.request_reject", tr("Reject")),
            ("settings.request_use", tr("Carry out")),
        ):
            self.waiting.head.addWidget(ActionButton(session.actions, action, text=text, role="quiet"))
        names = session.names
        columns: list[Column[Approval]] = [
            Column(tr("FOR"), lambda one: KINDS[one.kind], 110),
            Column(tr("STATE"), lambda one: state_words(one, date_time(parse_time(one.expires_at))[5:16]), 272,
                   state=lambda one: STATES[one.state]),
            Column(tr("WHAT"), lambda one: what_of(names, one), least=200, hint=lambda one: "\n".join(one.subjects)),
            Column(tr("REASON"), lambda one: one.reason, 180, spare=2),
            asker_column(names, 180),
            Column(tr("ASKED"), lambda one: date_time(parse_time(one.requested_at)), 170, dim=True, spare=3,
                   hint=lambda one: utc_time(parse_time(one.requested_at))),
        ]  # fmt: skip
        self.requests = RowsModel(columns, lambda one: one.approval_id)
        self.request_table = DataTable(
            self.requests,
            name=tr("Requests for a second administrator, newest first"),
            proof=lambda one: one.approval_id,
        )
        keep_lengths(self.request_table, lambda one: one.setFixedHeight(height_of(3)))
        self.waiting.body.addWidget(self.request_table)
        self.words = label("", wrap=True)
        self.waiting.body.addWidget(self.words)
        self.waiting.hide()
        return self.waiting

    @property
    def chosen(self) -> Operator | None:
        """The operator under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    @property
    def chosen_request(self) -> Approval | None:
        """The selected request."""
        rows = self.request_table.selectionModel().selectedRows()
        return self.requests.rows[rows[0].row()] if rows else None

    def show_operators(self, operators: Sequence[Operator], sessions: Mapping[str, int], wanted: str) -> None:
        """Show the list; ``sessions``: how many each has now, by id; ``wanted``: the one to put the cursor on."""
        self._sessions = sessions
        self.rows.set_rows(operators)
        self.stack.setCurrentWidget(self.table if operators else self.none)
        at = self.rows.row_of(wanted)
        if operators and (at >= 0 or not self.table.currentIndex().isValid()):
            self.table.selectRow(max(at, 0))
        self._tell()

    def show_requests(self, found: Sequence[Approval], wanted: str) -> None:
        """Show the requests, newest first; ``wanted``: the one to select."""
        before = wanted or ("" if self.chosen_request is None else self.chosen_request.approval_id)
        self.requests.set_rows(found)
        self.waiting.setVisible(bool(found))
        if (at := self.requests.row_of(before)) >= 0:
            self.request_table.selectRow(at)

    def _count(self, row: Operator) -> int:
        return self._sessions.get(row.operator_id, 0)

    def _state(self, row: Operator) -> Meaning:
        if row.state == "ended":
            return Meaning.IDLE
        return Meaning.OK if self._count(row) else Meaning.IDLE

    def _state_words(self, row: Operator) -> str:
        if row.state == "ended":
            return tr("Ended")
        count = self._count(row)
        return (
            tr("Active") if not count else tr("Signed in") if count == 1 else tr("Signed in {count} times", count=count)
        )

    @staticmethod
    def _passphrase(row: Operator) -> str:
        return (
            tr("none", "passphrase") if row.passphrase_set_at is None else date_time(parse_time(row.passphrase_set_at))
        )

    def _tell(self) -> None:
        row = self.chosen
        self.note.setText("" if row is None else f"{row.operator_id}. {line_words(self._names, row)}")
