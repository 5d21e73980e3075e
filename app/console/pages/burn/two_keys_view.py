"""What takes two keys: a list of nodes to burn, a burn to take back. The requests, the form, the hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.api.wire import NodeId
from app.approvals.messages import Approval
from app.capabilities.burn.messages import MassBurn
from app.console.actions import ActionTable
from app.console.approvals import LONGEST_REASON, STATES, asker_column, state_words
from app.console.clock import clock_time, date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
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
from app.console.widgets.wrap_row import WrapRow

KINDS = {"mass_burn": tr("Burn a list"), "lift": tr("Un-burn")}
REQUESTS = tr("Requests for a second key, newest first")
MOST = 500
"""Nodes of one list."""
_SHOWN = 8


class TwoKeysView(QWidget):
    """``show_requests`` fills it. ``words`` says what the selected one waits for; ``confirm`` carries it out."""

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Two keys: one asks, another one agrees"), padding=12)
        outer.addWidget(panel)
        self.mark = StateMark()
        panel.head.addWidget(self.mark)
        row = WrapRow()
        for name, text in (
            ("burn.ask_list", tr("Ask to burn a list")),
            ("burn.ask_lift", tr("Ask to un-burn")),
            ("burn.approve", tr("Approve")),
            ("burn.reject", tr("Reject")),
        ):
            row.addWidget(ActionButton(table, name, text=text))
        panel.body.addLayout(row)
        columns: list[Column[Approval]] = [
            Column(tr("FOR"), lambda one: KINDS.get(one.kind, one.kind), 108),
            Column(tr("STATE"), self._state_words, 216, state=lambda one: STATES[one.state]),
            Column(tr("WHAT"), what_of, 176, mono=True, hint=lambda one: "\n".join(one.subjects[:40])),
            person_columns(self, node_of)[0],
            Column(tr("REASON"), lambda one: one.reason, least=100),
            asker_column(names, 140),
            Column(
                tr("ASKED"), lambda one: date_time(parse_time(one.requested_at)), 152, dim=True, spare=2,
                hint=lambda one: utc_time(parse_time(one.requested_at)),
            ),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda one: one.approval_id)
        self.table = DataTable(self.rows, name=REQUESTS, proof=lambda one: one.approval_id)
        panel.body.addWidget(self.table, 1)
        self.empty = EmptyState(
            "users",
            tr("Nobody asks for a second key."),
            tr(
                "One person can always be burned with one key. A list of people, or taking a burn back, is "
                "asked for here by one Citadel key and approved by another one, within 15 minutes."
            ),
        )
        panel.body.addWidget(self.empty, 1)
        self.words = label("", wrap=True)
        panel.body.addWidget(self.words)
        self.confirm = HoldOrType(tr("Hold to burn the list"), tr("number of nodes"))
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
    return one.subjects[0] if len(one.subjects) == 1 else tr("{count} nodes", count=len(one.subjects))


def outcome_of(done: MassBurn) -> str:
    """``12 nodes are denied. 9 without an open target, 3 with open targets.`` Not "proven": a target that only took
    the burn, or that somebody closed, is not open and proves nothing."""
    counts = {state: sum(one.state == state for one in done.burns) for state in ("COMPLETE", "PARTIAL", "PENDING")}
    closed = counts["COMPLETE"]
    said = tr("{count} nodes are denied. {closed} without an open target", count=len(done.burns), closed=closed)
    said += tr(", {count} with open targets", count=counts["PARTIAL"]) * bool(counts["PARTIAL"])
    said += tr(", {count} still to be sent out", count=counts["PENDING"]) * bool(counts["PENDING"])
    return said + tr(". Each is among the burns.")


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
            tr("Ask to burn a list"),
            tr(
                "Nothing is burned yet: another Citadel key must approve within 15 minutes, and then one of "
                "the two burns the list. One person alone needs no second key."
            ),
            tr("Ask"),
        )
        self._asked = asked
        self.people = ChoiceField(tr("Name or node id"), name=tr("Add a person to the list"))
        self.people.chosen.connect(self._add)
        self.add("people", tr("Add"), self.people)
        self.nodes = self.text("subjects", tr("Node ids"), tr("ARC-0001 ARC-0002, or one a line"), height=128)
        self.count = label("", "small")
        self.reason = self.text("reason", tr("Reason"), tr("Stolen reader, incident 4711"))
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
        said = tr("1 node") if len(good) == 1 else tr("{count} nodes", count=len(good))
        self.count.setText(said + tr(", and {count} words that are no node id", count=len(bad)) * bool(bad))

    def ask(self) -> bool:
        good, bad = ids_of(self.nodes.toPlainText())
        reason = self.reason.toPlainText().strip()
        if bad:
            rest = tr(" and {count} more", count=len(bad) - _SHOWN) * (len(bad) > _SHOWN)
            self.mark("subjects", tr("No node id: {words}{rest}.", words=", ".join(bad[:_SHOWN]), rest=rest))
        elif not 1 <= len(good) <= MOST:
            self.mark("subjects", tr("1 to {most} node ids; these are {count}.", most=MOST, count=len(good)))
        if not reason:
            self.mark("reason", SAY_WHY)
        if self.marked:
            return False
        self._asked(good, reason[:LONGEST_REASON])
        return True
