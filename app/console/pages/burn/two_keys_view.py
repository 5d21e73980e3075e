"""What takes two keys: a list of nodes to burn, a burn to take back. The requests, the form, the hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.api.wire import NodeId
from app.approvals.messages import Approval
from app.capabilities.burn.messages import MassBurn
from app.console.actions import ActionTable
from app.console.approvals import LONGEST_REASON, STATES, asker_column, state_words
from app.console.clock import clock_time, date_time, parse_time, utc_time
from app.console.names import OperatorNames
from app.console.reason_form import SAY_WHY
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.form import FormDialog
from app.console.widgets.hold_or_type import HoldOrType
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

KINDS = {"mass_burn": "Burn a list", "lift": "Un-burn"}
REQUESTS = "Requests for a second key, newest first"
MOST = 500
"""Nodes of one list."""
_SHOWN = 8


class TwoKeysView(QWidget):
    """``show_requests`` fills it. ``words`` says what the selected one waits for; ``confirm`` carries it out."""

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel("Two keys: one asks, another one agrees", padding=12)
        outer.addWidget(panel)
        self.mark = StateMark()
        panel.head.addWidget(self.mark)
        row = QHBoxLayout()
        row.setSpacing(8)
        for name, text in (
            ("burn.ask_list", "Ask to burn a list"),
            ("burn.ask_lift", "Ask to un-burn"),
            ("burn.approve", "Approve"),
            ("burn.reject", "Reject"),
        ):
            row.addWidget(ActionButton(table, name, text=text))
        row.addStretch(1)
        panel.body.addLayout(row)
        columns: list[Column[Approval]] = [
            Column("FOR", lambda one: KINDS.get(one.kind, one.kind), 108),
            Column("STATE", self._state_words, 216, state=lambda one: STATES[one.state]),
            Column("WHAT", what_of, 176, mono=True, hint=lambda one: "\n".join(one.subjects[:40])),
            person_columns(self, node_of)[1],
            Column("REASON", lambda one: one.reason, least=100),
            asker_column(names, 140),
            Column(
                "ASKED", lambda one: date_time(parse_time(one.requested_at)), 152, dim=True, spare=2,
                hint=lambda one: utc_time(parse_time(one.requested_at)),
            ),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda one: one.approval_id)
        self.table = DataTable(self.rows, name=REQUESTS, proof=lambda one: one.approval_id)
        panel.body.addWidget(self.table, 1)
        self.empty = EmptyState(
            "users",
            "Nobody asks for a second key.",
            "One person can always be burned with one key. A list of people, or taking a burn back, is asked for here "
            "by one Citadel key and approved by another one, within 15 minutes.",
        )
        panel.body.addWidget(self.empty, 1)
        self.words = label("", wrap=True)
        panel.body.addWidget(self.words)
        self.confirm = HoldOrType("Hold to burn the list", "number of nodes")
        panel.body.addWidget(self.confirm)
        self.outcome = label("", "small", wrap=True)
        panel.body.addWidget(self.outcome)
        self.show_requests(())
        self.show_outcome(None)

    @property
    def chosen(self) -> Approval | None:
        """The selected request."""
        rows = self.table.selectionModel().selectedRows()
        return self.rows.rows[rows[0].row()] if rows else None

    def show_requests(self, found: Sequence[Approval]) -> None:
        """Show the requests, newest first."""
        before = self.chosen
        self.rows.set_rows(found)
        if before is not None and self.chosen is None and (at := self.rows.row_of(before.approval_id)) >= 0:
            self.table.selectRow(at)
        self.table.setVisible(bool(found))
        self.empty.setVisible(not found)

    def show_outcome(self, done: MassBurn | None) -> None:
        """Say how far a list is that was burned from here; None: there is none."""
        said = "" if done is None else outcome_of(done)
        self.outcome.setText(said)
        self.outcome.setVisible(bool(said))

    def _state_words(self, one: Approval) -> str:
        until = clock_time(parse_time(one.expires_at))
        return state_words(one, until)


def node_of(one: Approval) -> str | None:
    """The one node that a request is about; None where it is about several."""
    return what_of(one) if one.kind == "lift" or len(one.subjects) == 1 else None


def what_of(one: Approval) -> str:
    """Whom a request is about: the node, or how many."""
    if one.kind == "lift":
        return one.node_id or one.subjects[0]
    return one.subjects[0] if len(one.subjects) == 1 else f"{len(one.subjects)} nodes"


def outcome_of(done: MassBurn) -> str:
    """``12 of 12 denied; 9 proven everywhere, 3 with open targets.``"""
    counts = {state: sum(one.state == state for one in done.burns) for state in ("COMPLETE", "PARTIAL", "PENDING")}
    said = f"{len(done.burns)} nodes are denied. {counts['COMPLETE']} proven everywhere"
    said += f", {counts['PARTIAL']} with open targets" * bool(counts["PARTIAL"])
    return said + f", {counts['PENDING']} still to be sent out" * bool(counts["PENDING"]) + ". Each is among the burns."


def ids_of(text: str) -> tuple[list[str], list[str]]:
    """Node ids in a pasted text (split at spaces, commas, semicolons and lines), each once and in its order, and the
    words that are none."""
    good: dict[str, None] = {}
    bad: dict[str, None] = {}
    for word in re.split(r"[\s,;]+", text):
        if word:
            try:
                good[msgspec.convert(word, NodeId)] = None
            except msgspec.ValidationError:
                bad[word] = None
    return list(good), list(bad)


class ListForm(FormDialog):
    """Which nodes are to be burned, and why. ``asked`` gets both. People are added by name through ``people``."""

    def __init__(
        self, window: QWidget, nodes: Sequence[str], reason: str, asked: Callable[[list[str], str], None]
    ) -> None:
        super().__init__(
            window,
            "Ask to burn a list",
            "Nothing is burned yet: another Citadel key must approve within 15 minutes, and then one of the two burns "
            "the list. One person alone needs no second key.",
            "Ask",
        )
        self._asked = asked
        self.people = ChoiceField("Name or node id", name="Add a person to the list")
        self.people.chosen.connect(self._add)
        self.add("people", "Add", self.people)
        self.nodes = self.text("subjects", "Node ids", "ARC-0001 ARC-0002, or one a line", height=128)
        self.count = label("", "small")
        self.reason = self.text("reason", "Reason", "Stolen reader, incident 4711")
        self.body.addWidget(self.count)
        self.nodes.textChanged.connect(self._count)
        self.nodes.setPlainText("\n".join(nodes))
        self.reason.setPlainText(reason)
        self._count()
        (self.reason if nodes else self.nodes).setFocus()

    def _add(self, choice: Choice) -> None:
        known, _ = ids_of(self.nodes.toPlainText())
        if choice.id not in known:
            self.nodes.appendPlainText(choice.id)
        self.people.choose(None)

    def _count(self) -> None:
        good, bad = ids_of(self.nodes.toPlainText())
        said = f"{len(good)} node{'s' * (len(good) != 1)}"
        self.count.setText(said + f", and {len(bad)} words that are no node id" * bool(bad))

    def ask(self) -> bool:
        good, bad = ids_of(self.nodes.toPlainText())
        reason = self.reason.toPlainText().strip()
        if bad:
            rest = f" and {len(bad) - _SHOWN} more" * (len(bad) > _SHOWN)
            self.mark("subjects", f"No node id: {', '.join(bad[:_SHOWN])}{rest}.")
        elif not 1 <= len(good) <= MOST:
            self.mark("subjects", f"1 to {MOST} node ids; these are {len(good)}.")
        if not reason:
            self.mark("reason", SAY_WHY)
        if self.marked:
            return False
        self._asked(good, reason[:LONGEST_REASON])
        return True
