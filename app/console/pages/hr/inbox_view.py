"""The inbox of the HR page: calls of HR systems, the discharges that the brake holds, and the chosen call."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.capabilities.burn.messages import Containment
from app.capabilities.lifecycle.messages import HrMeasure
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.names import OperatorNames, who
from app.console.pages.hr.words import MEASURES, REASONS, InboxRow, action_of, held_word, story_of
from app.console.theme.tokens import Meaning
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.folding import MainAndSide
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.wrap_row import WrapRow

FACTS = (
    ("source", tr("Source"), True),
    ("event", tr("Event"), True),
    ("employee", tr("Employee"), True),
    ("at", tr("Happened"), False),
    ("received", tr("Received"), False),
    ("signature", tr("Signature"), False),
    ("decided", tr("Decided"), False),
)
_EVENT = 280
"""Height of the chosen call below the list, px at 100 % text."""
NEAR_END = 20
"""Rows before the end of the list at which more are asked for."""


class InboxView(QWidget):
    """``chosen`` gives the key of the row under the cursor; ``more`` asks for older events."""

    chosen = Signal(str)
    more = Signal()

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 16, 0, 0)
        listed, held = self._list(table), self._held_panel(table, names)
        side = self._side(table)
        outer.addWidget(MainAndSide(listed, side, held, below=_EVENT))
        self._grounds = (listed, side, held)
        self.show_event(None, {})

    def grounds(self) -> Sequence[QWidget]:
        """What wears the look by itself: list, call, and what the brake holds."""
        return self._grounds

    def _list(self, table: ActionTable) -> TitledPanel:
        """The calls of HR systems, and what stands in their place while there is none."""
        panel = TitledPanel(tr("Inbox"), padding=8)
        self.mark = StateMark()
        self.mark.hide()
        self.standing = StateMark()
        panel.head.addWidget(self.mark)
        panel.head.addWidget(self.standing)
        panel.head.addWidget(ActionButton(table, "hr.waiting", text=tr("Only what waits"), role="quiet"))
        columns: list[Column[InboxRow]] = [
            Column(tr("RECEIVED"), lambda row: date_time(row.at)[5:], 130, hint=lambda row: utc_time(row.at)),
            Column(tr("SIGNATURE"), lambda row: row.signature[1], 136, state=lambda row: row.signature[0],
                   hint=lambda row: row.hint),
            Column(tr("ACTION"), lambda row: row.action[1], 124, state=lambda row: row.action[0]),
            Column(tr("EVENT"), lambda row: row.what, 190, mono=True, spare=2),
            Column(tr("EMPLOYEE"), lambda row: row.employee, 92, mono=True, spare=1),
            Column(tr("SOURCE"), lambda row: row.source, 110, mono=True, dim=True, spare=3),
            Column(tr("WHY OR WHOM"), lambda row: row.why, least=150,
                   hint=lambda row: REASONS[row.event.reason] if row.event and row.event.reason else row.why),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = DataTable(
            self.rows,
            name=tr("Calls of HR systems, newest first"),
            marks=True,
            proof=lambda row: row.key if row.seq is None else row.seq,
        )
        self.table.selected.connect(self._choose_row)
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self.near_end())
        self.empty = EmptyState(
            "inbox",
            tr("No HR system has called yet."),
            tr(
                "When an employee is discharged, HR sends a signed call, and every node of theirs is burned "
                "within a second. Add the source with its secret, then send a signed test."
            ),
            table=table,
            action="hr.source_new",
        )
        self.no_call = EmptyState(
            "inbox",
            tr("The source has not called yet."),
            tr("Send a signed test to see that signature and clock are right: it burns nobody and stands here."),
            table=table,
            action="hr.source_test",
        )
        self.nothing = EmptyState(
            "circle-check", tr("Nothing waits for a person."), tr("Every discharge has come to its end.")
        )
        self.closed = EmptyState(
            "lock",
            tr("HR events need Citadel clearance."),
            tr("This console is connected with a Sovereign key: it sees neither who was discharged nor the sources."),
        )
        self.stack = Stack(120)
        for part in (self.table, self.empty, self.no_call, self.nothing, self.closed):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        panel.body.addWidget(BulkBar(self.table, tr("call"), tr("calls")))
        return panel

    def _held_panel(self, table: ActionTable, names: OperatorNames) -> TitledPanel:
        """The discharges that the brake holds."""
        panel = TitledPanel(tr("Held by the brake"), padding=12)
        for action, text in (
            ("hr.release", tr("Release")),
            ("hr.release_all", tr("Release all")),
            ("hr.burn", tr("Burn…")),
        ):
            panel.head.addWidget(ActionButton(table, action, text=text, role="quiet"))
        self.held_note = label("", "dim", wrap=True)
        panel.body.addWidget(self.held_note)
        columns: list[Column[Containment]] = [
            Column(tr("NODE"), lambda row: row.node_id, 130, mono=True),
            Column(tr("PERSON"), lambda row: row.display_name or "–", least=170),
            Column(tr("STATE"), lambda row: held_word(row)[1], 180, state=lambda row: held_word(row)[0]),
            Column(tr("SINCE"), lambda row: date_time(parse_time(row.since)), 164, dim=True, spare=1,
                   hint=lambda row: row.message or ""),
            who(names, tr("BY"), lambda row: row.actor.removeprefix("hr:"), 110, dim=True, spare=2),
        ]  # fmt: skip
        self.held_rows = RowsModel(columns, lambda row: row.containment_id)
        self.held_table = DataTable(
            self.held_rows, name=tr("Discharges that the brake holds"), sorts=True, proof=lambda one: one.containment_id
        )
        keep_lengths(self.held_table, lambda one: one.setFixedHeight(height_of(4)))
        panel.body.addWidget(self.held_table)
        return panel

    def _side(self, table: ActionTable) -> Side:
        """The chosen call: what was done about it, and its buttons."""
        side = Side(360)
        panel = TitledPanel(tr("Event"), padding=12)
        self.event_mark = StateMark()
        panel.head.addWidget(self.event_mark)
        self.name = ElidedLabel("", "mono")
        panel.body.addWidget(self.name)
        buttons = WrapRow()
        for action, text, role in (
            ("hr.close", tr("Decide and close"), "primary"),
            ("hr.open", tr("Open the burn"), ""),
            ("hr.person", tr("Find the person"), ""),
            ("hr.audit", tr("In the audit log"), ""),
        ):
            buttons.addWidget(ActionButton(table, action, text=text, role=role))
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        self.why = label("", "", wrap=True)
        self.facts = Facts(FACTS)
        self.done = RowsModel[HrMeasure](
            [
                *person_columns(self, lambda row: row.node_id, 120),
                Column(tr("DONE"), lambda row: MEASURES[row.measure][1], 100,
                       state=lambda row: MEASURES[row.measure][0]),
                Column(tr("RECORD"), lambda row: row.ref or tr("Not yet"), least=90, mono=True, dim=True,
                       hint=lambda row: row.ref or tr("It is being done.")),
            ],
            lambda row: row.node_id,
        )  # fmt: skip
        self.done_table = DataTable(self.done, name=tr("What was done to each node"), proof=lambda row: row.ref)
        panel.body.addWidget(self.why)
        panel.body.addWidget(self.facts)
        panel.body.addWidget(separator())
        panel.body.addWidget(self.done_table, 1)
        self._rest = QWidget()
        panel.body.addWidget(self._rest, 1)
        side.column.addWidget(panel, 1)
        return side

    # --- what the cursors are on -------------------------------------------------------------------------------------

    def _choose_row(self, at: int) -> None:
        self.chosen.emit(self.rows.rows[at].key if 0 <= at < len(self.rows.rows) else "")
        if at >= len(self.rows.rows) - NEAR_END:
            self.more.emit()

    def near_end(self) -> None:
        """Ask for more rows if the last ones that are there are in sight, or nearly."""
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - NEAR_END * theme.row_height():
            self.more.emit()

    @property
    def held(self) -> Containment | None:
        """The held discharge under the cursor."""
        return self.held_rows.get(self.held_table.currentIndex().row())

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_closed(self) -> None:
        """Say that the key of this console may not see any of it."""
        self.stack.setCurrentWidget(self.closed)
        self.rows.set_rows(())
        self.show_held(())
        self.standing.set(Meaning.IDLE, tr("Closed"))

    def show_rows(self, rows: Sequence[InboxRow], wanted: str, *, narrowed: bool, sources: bool) -> None:
        """Show these rows with the cursor on ``wanted``. ``narrowed``: only what waits; ``sources``: there is one."""
        to_table = self.table.hasFocus()
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        empty = self.nothing if narrowed else self.no_call if sources else self.empty
        self.stack.setCurrentWidget(self.table if rows else empty)
        if to_table and rows:
            self.table.setFocus()

    def show_held(self, rows: Sequence[Containment]) -> None:
        """Show the discharges that the brake holds."""
        self.held_rows.set_rows(rows)
        self.held_table.setVisible(bool(rows))
        if rows and self.held_table.currentIndex().row() < 0:
            self.held_table.selectRow(0)
        self.held_note.setText(
            tr(
                "Ask HR, by a way that you know, whether these discharges are real. Then burn or release "
                "each, and close the events."
            )
            if rows
            else tr(
                "Nothing is held. When a source discharges more people than its limit, they are held here "
                "instead of burned: a stolen HR secret must not lock everybody out."
            )
        )

    def show_event(self, row: InboxRow | None, held: dict[str, Containment]) -> None:
        """Show the chosen call; ``held``: what the brake still holds, by containment_id."""
        event = None if row is None else row.event
        self.event_mark.setVisible(row is not None)
        done = event is not None and bool(event.measures)
        self.done_table.setVisible(done)
        self._rest.setVisible(not done)
        self.facts.clear()
        if row is None:
            self.name.setText(tr("Choose a call in the list."))
            self.why.setText("")
            self.done.set_rows(())
            return
        self.event_mark.set(*row.action)
        self.facts.set("signature", row.signature[1])
        self.facts.set("received", date_time(row.at))
        if event is None:
            self.name.setText(tr("Refused, so nothing of it was kept"))
            self.why.setText(row.hint)
            self.facts.set("event", row.what)
            self.done.set_rows(())
            return
        self.event_mark.set(*action_of(event))
        self.name.setText(event.event_id)
        self.why.setText(story_of(event, held))
        self.facts.set("source", event.source)
        self.facts.set("event", event.event)
        self.facts.set("employee", event.employee_id or "")
        self.facts.set("at", date_time(parse_time(event.at)))
        if event.closed_at is not None:
            self.facts.set(
                "decided",
                tr(
                    "{time} by {actor}: {reason}",
                    time=date_time(parse_time(event.closed_at)),
                    actor=event.closed_by,
                    reason=event.closed_reason,
                ),
            )
        self.done.set_rows(event.measures)
