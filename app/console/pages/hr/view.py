"""The HR page's parts: the inbox with what the brake holds, the sources, the roster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.capabilities.burn.messages import Containment
from app.capabilities.lifecycle.messages import Difference, HrEvent, HrMeasure, Roster
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, date_time, parse_time, utc_time
from app.console.page import PageView
from app.console.pages.hr.signing import SCHEME_HINTS, SCHEMES
from app.console.pages.hr.words import (
    DIFFERENCES,
    MEASURES,
    REASONS,
    InboxRow,
    action_of,
    held_word,
    secret_hint,
    secret_word,
)
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.registry.messages.hr_sources import HrSource

SECTIONS = ("inbox", "sources", "roster")
FACTS = (
    ("source", "Source", True),
    ("event", "Event", True),
    ("employee", "Employee", True),
    ("at", "Happened", False),
    ("received", "Received", False),
    ("signature", "Signature", False),
    ("decided", "Decided", False),
)
ROSTER = (
    ("posted", "Posted", False),
    ("actor", "By the key", True),
    ("employees", "Employees", False),
    ("unlinked", "Without employee", False),
)
NEAR_END = 20
_SCHEMES = dict(SCHEMES)

RowT = TypeVar("RowT")


class HrView(PageView):
    """``chosen`` gives the key of the inbox row under the cursor; ``more`` asks for older events."""

    chosen = Signal(str)
    more = Signal()

    def __init__(self, session: WindowSession) -> None:
        super().__init__("HR events")
        table = session.actions
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Sections of the HR events")
        for part, title in (
            (self._inbox(table), "Inbox"),
            (self._sources(table), "Sources"),
            (self._roster(table), "Roster"),
        ):
            self.tabs.addTab(part, title)
        self.body.addWidget(self.tabs, 1)
        self.show_event(None, {})

    @property
    def section(self) -> str:
        """The section that is shown."""
        return SECTIONS[self.tabs.currentIndex()]

    def show_section(self, section: str) -> None:
        """Show a section; an unknown one is ignored."""
        if section in SECTIONS:
            self.tabs.setCurrentIndex(SECTIONS.index(section))

    # --- parts -------------------------------------------------------------------------------------------------------

    def _inbox(self, table: ActionTable) -> QWidget:
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 16, 0, 0)
        row.setSpacing(12)
        left = QVBoxLayout()
        left.setSpacing(12)
        left.addWidget(self._events(table), 1)
        left.addWidget(self._held(table))
        row.addLayout(left, 1)
        row.addWidget(self._side(table))
        return made

    def _events(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Inbox", padding=8)
        self.mark = StateMark()
        self.mark.hide()
        self.standing = StateMark()
        panel.head.addWidget(self.mark)
        panel.head.addWidget(self.standing)
        panel.head.addWidget(ActionButton(table, "hr.waiting", text="Only what waits", role="quiet"))
        columns: list[Column[InboxRow]] = [
            Column("RECEIVED", lambda row: date_time(row.at)[5:], 130, hint=lambda row: utc_time(row.at)),
            Column("SIGNATURE", lambda row: row.signature[1], 140, state=lambda row: row.signature[0],
                   hint=lambda row: row.hint),
            Column("ACTION", lambda row: row.action[1], 124, state=lambda row: row.action[0]),
            Column("EVENT", lambda row: row.what, 190, mono=True, spare=2),
            Column("EMPLOYEE", lambda row: row.employee, 92, mono=True, spare=1),
            Column("SOURCE", lambda row: row.source, 110, mono=True, dim=True, spare=3),
            Column("WHY OR WHOM", lambda row: row.why, least=180,
                   hint=lambda row: REASONS[row.event.reason] if row.event and row.event.reason else row.why),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = DataTable(self.rows, name="Calls of HR systems, newest first")
        self.table.selected.connect(self._selected)
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self.near_end())
        self.empty = EmptyState(
            "inbox",
            "No HR system has called yet.",
            "When an employee is discharged, HR sends a signed call, and every node of theirs is burned within a "
            "second. Add the source with its secret, then send a signed test.",
            table=table,
            action="hr.source_new",
        )
        self.no_call = EmptyState(
            "inbox",
            "The source has not called yet.",
            "Send a signed test to see that signature and clock are right: it burns nobody and stands here.",
            table=table,
            action="hr.source_test",
        )
        self.nothing = EmptyState("circle-check", "Nothing waits for a person.", "Every discharge has come to its end.")
        self.closed = EmptyState(
            "lock",
            "HR events need Citadel clearance.",
            "This console is connected with a Sovereign key: it sees neither who was discharged nor the sources.",
        )
        self.stack = Stack(theme.px(120))
        for part in (self.table, self.empty, self.no_call, self.nothing, self.closed):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        return panel

    def _held(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Held by the brake", padding=12)
        for action, text in (
            ("hr.release", "Release"),
            ("hr.release_all", "Release all"),
            ("hr.burn", "Burn…"),
        ):
            panel.head.addWidget(ActionButton(table, action, text=text, role="quiet"))
        self.held_note = label("", "dim", wrap=True)
        panel.body.addWidget(self.held_note)
        columns: list[Column[Containment]] = [
            Column("NODE", lambda row: row.node_id, 130, mono=True),
            Column("PERSON", lambda row: row.display_name or "–", least=170),
            Column("STATE", lambda row: held_word(row)[1], 180, state=lambda row: held_word(row)[0]),
            Column("SINCE", lambda row: date_time(parse_time(row.since)), 164, dim=True, spare=1,
                   hint=lambda row: row.message or ""),
            Column("BY", lambda row: row.actor.removeprefix("hr:"), 110, mono=True, dim=True, spare=2),
        ]  # fmt: skip
        self.held_rows = RowsModel(columns, lambda row: row.containment_id)
        self.held_table = DataTable(self.held_rows, name="Discharges that the brake holds")
        self.held_table.setFixedHeight(theme.px(32) + 4 * theme.row_height() + 8)
        panel.body.addWidget(self.held_table)
        return panel

    def _side(self, table: ActionTable) -> Side:
        side = Side(360)
        panel = TitledPanel("Event", padding=12)
        self.event_mark = StateMark()
        panel.head.addWidget(self.event_mark)
        self.name = ElidedLabel("", "mono")
        panel.body.addWidget(self.name)
        buttons = QGridLayout()
        buttons.setSpacing(8)
        for at, (action, text, role) in enumerate(
            (
                ("hr.close", "Decide and close", "primary"),
                ("hr.open", "Open the burn", ""),
                ("hr.person", "Find the person", ""),
                ("hr.audit", "In the audit log", ""),
            )
        ):
            buttons.addWidget(ActionButton(table, action, text=text, role=role), at // 2, at % 2)
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        self.why = label("", "", wrap=True)
        self.facts = Facts(FACTS)
        self.done = RowsModel[HrMeasure](
            [
                Column("NODE", lambda row: row.node_id, 120, mono=True),
                Column("DONE", lambda row: MEASURES[row.measure][1], 100, state=lambda row: MEASURES[row.measure][0]),
                Column("RECORD", lambda row: row.ref or "Not yet", least=90, mono=True, dim=True,
                       hint=lambda row: row.ref or "It is being done."),
            ],
            lambda row: row.node_id,
        )  # fmt: skip
        self.done_table = DataTable(self.done, name="What was done to each node")
        panel.body.addWidget(self.why)
        panel.body.addWidget(self.facts)
        panel.body.addWidget(separator())
        panel.body.addWidget(self.done_table, 1)
        self._rest = QWidget()
        panel.body.addWidget(self._rest, 1)
        side.column.addWidget(panel, 1)
        return side

    def _sources(self, table: ActionTable) -> QWidget:
        panel = TitledPanel("Sources", padding=12)
        for action, role in (
            ("hr.source_delete", "quiet"),
            ("hr.source_finish", "quiet"),
            ("hr.source_rotate", "quiet"),
            ("hr.source_change", "quiet"),
            ("hr.source_test", "quiet"),
            ("hr.source_new", "primary"),
        ):
            panel.head.addWidget(ActionButton(table, action, role=role))
        columns: list[Column[HrSource]] = [
            Column("SOURCE", lambda row: row.hr_source_id, 180, mono=True),
            Column("NAME", lambda row: row.display_name or "–"),
            Column("SIGNS BY", lambda row: _SCHEMES[row.scheme], 170, hint=lambda row: SCHEME_HINTS[row.scheme]),
            Column("SECRET", lambda row: secret_word(row)[1], 150, state=lambda row: secret_word(row)[0],
                   hint=secret_hint),
            Column("BRAKE ABOVE", lambda row: f"{row.max_discharges_per_minute} a minute", 130, right=True,
                   hint=lambda _row: "More discharges are contained, not burned; above five times as many, queued."),
            Column("CHANGED", lambda row: date_time(parse_time(row.changed_at)), 165, dim=True, spare=1),
        ]  # fmt: skip
        self.source_rows = RowsModel(columns, lambda row: row.hr_source_id)
        self.source_table = DataTable(self.source_rows, name="HR sources")
        self.no_source = EmptyState(
            "key-round",
            "No HR system is believed yet.",
            "A source is an HR system with the secret that it signs with. Its calls are refused until it stands here.",
            table=table,
            action="hr.source_new",
        )
        self.source_stack = Stack(theme.px(160))
        self.source_stack.addWidget(self.source_table)
        self.source_stack.addWidget(self.no_source)
        panel.body.addWidget(self.source_stack, 1)
        foot = QHBoxLayout()
        self.address = label("", "small", selectable=True)
        foot.addWidget(self.address, 1)
        foot.addWidget(ActionButton(table, "hr.copy", role="quiet"))
        panel.body.addLayout(foot)
        return _tab(panel)

    def _roster(self, table: ActionTable) -> QWidget:
        panel = TitledPanel("Roster", padding=12)
        self.roster_mark = StateMark()
        panel.head.addWidget(self.roster_mark)
        for action in ("hr.difference_person", "hr.difference_burn"):
            panel.head.addWidget(ActionButton(table, action, role="quiet"))
        self.roster_facts = Facts(ROSTER)
        panel.body.addWidget(self.roster_facts)
        columns: list[Column[Difference]] = [
            Column("DIFFERENCE", lambda row: DIFFERENCES[row.kind][1], 230, state=lambda row: DIFFERENCES[row.kind][0],
                   hint=lambda row: DIFFERENCES[row.kind][2]),
            Column("EMPLOYEE", lambda row: row.employee_id, 150, mono=True),
            Column("NODE", lambda row: row.node_id, mono=True),
            Column("SINCE", lambda row: date_time(parse_time(row.since)), 170, dim=True),
        ]  # fmt: skip
        self.difference_rows = RowsModel(columns, lambda row: f"{row.kind} {row.node_id}")
        self.difference_table = DataTable(self.difference_rows, name="Where the roster and the nodes differ")
        self.no_roster = EmptyState(
            "users",
            "No roster was posted yet.",
            "Have HR post everybody whom it employs each night (POST /v1/citadel/lifecycle/roster). A source whose "
            "events stopped looks like a quiet day; the roster tells.",
        )
        self.agrees = EmptyState(
            "circle-check", "Roster and nodes agree.", "Every active node belongs to somebody whom HR employs."
        )
        self.roster_stack = Stack(theme.px(160))
        for part in (self.difference_table, self.no_roster, self.agrees):
            self.roster_stack.addWidget(part)
        panel.body.addWidget(self.roster_stack, 1)
        self.roster_note = label("", "small", wrap=True)
        panel.body.addWidget(self.roster_note)
        return _tab(panel)

    # --- what the cursors are on -------------------------------------------------------------------------------------

    def _selected(self, at: int) -> None:
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
        return _at(self.held_table, self.held_rows.rows)

    @property
    def source(self) -> HrSource | None:
        """The source under the cursor."""
        return _at(self.source_table, self.source_rows.rows)

    @property
    def difference(self) -> Difference | None:
        """The difference under the cursor."""
        return _at(self.difference_table, self.difference_rows.rows)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_closed(self) -> None:
        """The key of this console may not see any of it."""
        self.stack.setCurrentWidget(self.closed)
        self.rows.set_rows(())
        self.show_held(())
        self.standing.set(Meaning.IDLE, "Closed")

    def show_rows(self, rows: Sequence[InboxRow], wanted: str, *, narrowed: bool, sources: bool) -> None:
        """These rows, with the cursor on ``wanted``."""
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
        """Discharges that the brake holds."""
        self.held_rows.set_rows(rows)
        self.held_table.setVisible(bool(rows))
        if rows and self.held_table.currentIndex().row() < 0:
            self.held_table.selectRow(0)
        self.held_note.setText(
            "Ask HR, by a way that you know, whether these discharges are real. Then burn or release each, and close "
            "the events."
            if rows
            else "Nothing is held. When a source discharges more people than its limit, they are held here instead of "
            "burned: a stolen HR secret must not lock everybody out."
        )

    def show_event(self, row: InboxRow | None, held: dict[str, Containment]) -> None:
        """The chosen call; ``held`` by containment_id tells what is still open."""
        event = None if row is None else row.event
        self.event_mark.setVisible(row is not None)
        done = event is not None and bool(event.measures)
        self.done_table.setVisible(done)
        self._rest.setVisible(not done)
        self.facts.clear()
        if row is None:
            self.name.setText("Choose a call in the list.")
            self.why.setText("")
            self.done.set_rows(())
            return
        self.event_mark.set(*row.action)
        self.facts.set("signature", row.signature[1])
        self.facts.set("received", date_time(row.at))
        if event is None:
            self.name.setText("Refused, so nothing of it was kept")
            self.why.setText(row.hint)
            self.facts.set("event", row.what)
            self.done.set_rows(())
            return
        self.event_mark.set(*action_of(event))
        self.name.setText(event.event_id)
        self.why.setText(_story(event, held))
        self.facts.set("source", event.source)
        self.facts.set("event", event.event)
        self.facts.set("employee", event.employee_id or "")
        self.facts.set("at", date_time(parse_time(event.at)))
        if event.closed_at is not None:
            self.facts.set(
                "decided", f"{date_time(parse_time(event.closed_at))} by {event.closed_by}: {event.closed_reason}"
            )
        self.done.set_rows(event.measures)

    def show_sources(self, rows: Sequence[HrSource], wanted: str) -> None:
        """Every source."""
        self.source_rows.set_rows(rows)
        self.source_stack.setCurrentWidget(self.source_table if rows else self.no_source)
        at = self.source_rows.row_of(wanted)
        if rows and (at >= 0 or self.source_table.currentIndex().row() < 0):
            self.source_table.selectRow(max(at, 0))

    def show_roster(self, roster: Roster | None, now: float) -> None:
        """What the newest roster came to; None before the first."""
        self.roster_facts.setVisible(roster is not None)
        if roster is None:
            self.roster_mark.set(Meaning.IDLE, "None yet")
            self.roster_note.setText("")
            self.difference_rows.set_rows(())
            self.roster_stack.setCurrentWidget(self.no_roster)
            return
        posted = parse_time(roster.posted_at)
        word = "Agrees" if not roster.count else f"{roster.count:,} difference{'' if roster.count == 1 else 's'}"
        self.roster_mark.set(Meaning.WARN if roster.count else Meaning.OK, word)
        self.roster_facts.set("posted", f"{date_time(posted)}, {age(max(0.0, now - posted))} ago")
        self.roster_facts.set("actor", roster.actor)
        self.roster_facts.set("employees", f"{roster.employees:,}, of whom {roster.employed:,} are employed now")
        self.roster_facts.set(
            "unlinked",
            f"{roster.unlinked:,} active nodes name no employee: HR cannot end them" if roster.unlinked
            else "None: every active node names its employee",
        )  # fmt: skip
        self.difference_rows.set_rows(roster.differences)
        if roster.differences and self.difference_table.currentIndex().row() < 0:
            self.difference_table.selectRow(0)
        self.roster_stack.setCurrentWidget(self.difference_table if roster.differences else self.agrees)
        more = roster.count - len(roster.differences)
        listed = f" {more:,} more are not listed." if more > 0 else ""
        self.roster_note.setText(f"Nobody is ever burned by a roster: look at each and decide.{listed}")


def _tab(panel: TitledPanel) -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 16, 0, 0)
    column.addWidget(panel)
    return made


def _at(table: DataTable, rows: Sequence[RowT]) -> RowT | None:
    at = table.currentIndex().row()
    return rows[at] if 0 <= at < len(rows) else None


def _story(event: HrEvent, held: dict[str, Containment]) -> str:
    """What came of an event, in a sentence or two."""
    if event.reason is not None:
        words = REASONS[event.reason]
        open_ = sum(measure.ref in held for measure in event.measures)
        if event.closed_at is None and event.measures and not open_:
            words += " Nothing of it is held any more: close it."
        return words
    if event.action == "burn":
        return "The discharge was signed, and every node of the employee was burned."
    return "Only EMPLOYEE_DISCHARGE acts; this was noted, and nothing was done."
