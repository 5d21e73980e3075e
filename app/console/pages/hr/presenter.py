"""Brings the HR page to life: reads the inbox, what the brake holds and the roster; decides, releases, closes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.capabilities.burn.messages import Containment, ContainmentListQuery
from app.capabilities.gateway.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.capabilities.lifecycle.messages import HrCloseBody, HrCloseReply, HrEvent, HrEventQuery, Roster
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import Freshness, api_time
from app.console.failures import failure_of
from app.console.live import LiveEvent
from app.console.operations import Change, Operation
from app.console.page import Presenter
from app.console.pages.hr.forms import CloseForm
from app.console.pages.hr.sources import SourcesSection
from app.console.pages.hr.view import HrView
from app.console.pages.hr.words import REFUSED, InboxRow, inbox, is_of_hr, waiting_words, waits
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog

EVERY_S = 15.0
"""Seconds between two readings: an event of the stream wakes earlier."""
PAGE = 100
MOST_SOUGHT = 2000
"""Events that are read until the one that another page has named is among them."""
MOST_HELD = 500
MOST_CLOSED = 500
REFUSED_S = 86_400.0
"""Refused calls of so many seconds are shown."""
KIND = "hr"
"""What an operation of this page changes."""


class HrPresenter(Presenter):
    """Reads, shows, and changes by ``Operation`` alone."""

    view: HrView

    def __init__(self, session: WindowSession, view: HrView) -> None:
        super().__init__(session, view)
        self._wake: asyncio.Event | None = None
        self._events: dict[str, HrEvent] = {}
        self._refused: list[AuditEntry] = []
        self._next: str | None = None
        self._waiting = False
        self._chosen = ""
        self._sought = ""
        self._growing = False
        self._generation = 0
        self._held: dict[str, Containment] = {}
        self._roster: Roster | None = None
        self._fresh = Freshness(EVERY_S)
        self.sources = SourcesSection(session, view, self._read_now, self.spawn, self.show_failure)
        view.chosen.connect(self._choose)
        view.more.connect(self._grow)
        for table in (view.held_table, view.source_table, view.difference_table):
            table.selected.connect(lambda _row: session.actions.refresh())
        view.tabs.currentChanged.connect(lambda _at: session.actions.refresh())

    # --- what can be done --------------------------------------------------------------------------------------------

    @property
    def _allowed(self) -> bool:
        return self.session.is_connected and self.session.clearance.lower() == "citadel"

    @property
    def row(self) -> InboxRow | None:
        """The call under the cursor."""
        at = self.view.rows.row_of(self._chosen)
        return self.view.rows.rows[at] if at >= 0 else None

    @property
    def taken(self) -> HrEvent | None:
        """The taken call under the cursor."""
        row = self.row
        return None if row is None else row.event

    def actions(self) -> Sequence[Action]:
        here, view = "hr", self.view

        def inbox_shown() -> bool:
            return self._allowed and view.section == "inbox"

        def held() -> bool:
            return inbox_shown() and view.held is not None

        def to_decide() -> bool:
            event = self.taken
            return inbox_shown() and event is not None and waits(event)

        def differs() -> bool:
            return self._allowed and view.section == "roster" and view.difference is not None

        made = [
            Action("hr.inbox", "Inbox", lambda: self._show("inbox", view.table), "inbox", ("Alt+1",), here),
            Action("hr.sources", "Sources", lambda: self._show("sources", view.source_table), "key-round",
                   ("Alt+2",), here),
            Action("hr.roster", "Roster", lambda: self._show("roster", view.difference_table), "users",
                   ("Alt+3",), here),
            Action("hr.held", "Go to the held discharges", lambda: self._show("inbox", view.held_table), "pause",
                   ("Alt+4",), here),
            Action(
                "hr.waiting", "Only what waits, or everything", self._switch, "funnel", ("Ctrl+O",), here,
                when=inbox_shown, hint="Discharges that wait for a person.",
            ),
            Action(
                "hr.close", "Decide and close", self._ask_close, "check", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=to_decide, effect=Effect.CHANGE, hint="With a reason. Its alarm ends.",
            ),
            Action(
                "hr.release", "Release the held discharge", self._ask_release, "lock-open", ("F7",), here,
                when=held, effect=Effect.CHANGE, hint="Asks first. The node is denied no longer.",
            ),
            Action(
                "hr.release_all", "Release all that is held", self._ask_release_all, "lock-open", ("Shift+F7",), here,
                when=held, effect=Effect.CHANGE, hint="Asks first. Only when HR has said that none is real.",
            ),
            Action(
                "hr.burn", "Burn the held discharge", self._burn, "flame", ("F8",), here,
                when=held, hint="Opens Burn filled in: nothing is burned before you hold.",
            ),
            Action(
                "hr.open", "Open the burn", self._open_burn, "flame", ("Ctrl+B",), here,
                when=lambda: inbox_shown() and bool(self._burn_of()),
            ),
            Action(
                "hr.person", "Find the person", self._person, "users", ("Ctrl+D",), here,
                when=lambda: inbox_shown() and self.taken is not None and bool(self.taken.employee_id),
                hint="Opens the people of the settings with this employee id.",
            ),
            Action(
                "hr.audit", "Find it in the audit log", self._audit, "scroll-text", ("Ctrl+I",), here,
                when=lambda: inbox_shown() and self.row is not None,
            ),
            Action(
                "hr.difference_person", "Find the person who differs", self._differing, "users", ("Ctrl+Shift+D",),
                here, when=differs,
            ),
            Action(
                "hr.difference_burn", "Burn who is not employed", self._burn_differing, "flame", ("F9",), here,
                when=lambda: differs() and view.difference is not None and view.difference.kind == "not_employed",
                hint="Opens Burn filled in: nothing is burned before you hold.",
            ),
        ]  # fmt: skip
        return [*made, *self.sources.actions(lambda: view.show_section("sources"))]

    def first_control(self) -> QWidget:
        return self.view.table

    def _show(self, section: str, focus: QWidget) -> None:
        self.view.show_section(section)
        focus.setFocus()

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._wake = asyncio.Event()
        self.view.show_section(arguments.get("section", ""))
        if arguments.get("event_id"):
            self._chosen = self._sought = arguments["event_id"]
            self._waiting = False
        stop = [self.session.live.subscribe(kind, self._heard) for kind in ("hr", "containment", "burn")]
        try:
            await self._keep_reading(self._wake)
        finally:
            for unsubscribe in stop:
                unsubscribe()

    async def _keep_reading(self, wake: asyncio.Event) -> None:
        failing = False
        if not self.session.live.stale:
            self._fresh.resume()
        while True:
            try:
                if self._allowed:
                    await self._read()
            except Exception as error:  # told at the head of the page; the next turn tries again
                failing = True
                self.show_failure(failure_of(error))
            else:
                if failing:
                    failing = False
                    self.view.banner.clear()
                self._show_all()
            await woken(wake, EVERY_S)

    async def _read(self) -> None:
        """Everything that was loaded, anew."""
        client = self.session.client
        self._generation += 1
        waiting, loaded = self._waiting, max(PAGE, len(self._events))
        found: dict[str, HrEvent] = {}
        cursor: str | None = None
        while True:
            page = await client.lifecycle_list_events(query=self._query(cursor))
            if waiting != self._waiting:
                return  # whoever changed what is asked for has also woken this
            found |= {event.event_id: event for event in page.items}
            cursor = page.next
            enough = len(found) >= (MOST_SOUGHT if self._sought and self._sought not in found else loaded)
            if cursor is None or enough:
                break
        self._sought = ""
        self._refused = [] if waiting else await self._read_refused()
        held = await client.containments_list(query=ContainmentListQuery(cause="brake", limit=MOST_HELD))
        self._held = {one.containment_id: one for one in held.items}
        try:
            self._roster = await client.rosters_get()
        except ApiError as error:
            if error.code != "not_found":
                raise
            self._roster = None
        await self.sources.read()
        self._events, self._next = found, cursor
        self._fresh.touch()

    async def _read_refused(self) -> list[AuditEntry]:
        now = self.session.live.now()
        query = AuditQuery(
            range=AuditRange(from_=api_time(now - REFUSED_S), to=api_time(now + 60)),
            criteria=AuditCriteria(action=REFUSED, text="hr_sync", limit=PAGE),
        )
        page = await self.session.client.gateway_audit_log_query(query)
        return [entry for entry in page.entries if is_of_hr(entry)]

    def _query(self, cursor: str | None) -> HrEventQuery:
        return HrEventQuery(open=self._waiting, limit=PAGE, cursor=cursor)

    def _grow(self) -> None:
        if self._next is not None and not self._growing and self._allowed:
            self._growing = True
            self.spawn(self._read_more(), name="more HR events")

    async def _read_more(self) -> None:
        generation, cursor = self._generation, self._next
        try:
            page = await self.session.client.lifecycle_list_events(query=self._query(cursor))
        finally:
            self._growing = False
        if generation == self._generation and cursor == self._next:
            self._events |= {event.event_id: event for event in page.items}
            self._next = page.next
            self._show_all()

    def _heard(self, events: Sequence[LiveEvent]) -> None:
        del events
        self._read_now()

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def take_change(self, change: Change) -> None:
        if change.kinds & {KIND, "burns", "containments", "nodes"}:
            self._read_now()

    # --- painting ----------------------------------------------------------------------------------------------------

    def repaint(self) -> None:
        stale = self._fresh.words()
        self.view.mark.setVisible(bool(stale))
        if stale:
            self.view.mark.set(Meaning.IDLE, stale)

    def _show_all(self) -> None:
        view = self.view
        if not self._allowed:
            if self.session.is_connected:
                view.show_closed()
            return
        rows = inbox(self._events.values(), self._refused)
        keys = {row.key for row in rows}
        wanted = self._chosen if self._chosen in keys else rows[0].key if rows else ""
        self._chosen = wanted
        view.show_held(list(self._held.values()))
        self.sources.show()
        view.show_rows(rows, wanted, narrowed=self._waiting, sources=bool(view.source_rows.rows))
        view.standing.set(*waiting_words(rows, list(self._held.values())))
        view.show_event(self.row, self._held)
        view.show_roster(self._roster, self.session.live.now())
        self.session.actions.refresh()
        self.repaint()
        view.near_end()

    def _choose(self, key: str) -> None:
        if key and key != self._chosen:
            self._chosen = key
            self.view.show_event(self.row, self._held)
        self.session.actions.refresh()

    def _switch(self) -> None:
        self._waiting = not self._waiting
        self._events, self._next = {}, None
        self.view.table.scrollToTop()
        self._read_now()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _ask_close(self) -> None:
        event = self.taken
        if event is None:
            return
        others = [
            one.event_id
            for one in self._events.values()
            if one.source == event.source and one.event_id != event.event_id and waits(one)
        ][: MOST_CLOSED - 1]
        form = CloseForm(self.view.window(), event.event_id, len(others), event.source)

        def asked(reason: str, all_: bool) -> None:
            body = HrCloseBody(event_ids=[event.event_id, *(others if all_ else ())], reason=reason)
            operation: Operation[HrCloseReply] = Operation(
                lambda client, key: client.lifecycle_close_events(body, idempotency_key=key),
                title="Close HR events",
                changes=(KIND, "alarms"),
                asks=True,
            )
            operation.success(closed).failure(form.show_failure).run(self.session, form)

        def closed(reply: HrCloseReply) -> None:
            form.accept()
            count = len(reply.closed)
            self.session.notify(f"{count} event{'' if count == 1 else 's'} closed.")

        form.asked.connect(asked)
        form.open()

    def _release(self, held: Containment) -> None:
        operation: Operation[Containment] = Operation(
            lambda client, _key: client.containments_release(held.containment_id),
            title=f"Release {held.node_id}",
            changes=(KIND, "containments", "nodes"),
            asks=True,
        )
        operation.success(lambda reply: self.session.notify(f"{reply.node_id} is released."))
        operation.failure(self.show_failure).run(self.session, self)

    def _ask_release(self) -> None:
        held = self.view.held
        if held is not None:
            ConfirmDialog(
                self.view.window(),
                f"Release {held.node_id}?",
                f"{held.display_name or held.node_id} is denied no longer, and what the node may do it may do again. "
                "Ask HR first, by a way that you know.",
                "Release it",
                lambda: self._release(held),
            ).open()

    def _ask_release_all(self) -> None:
        held = list(self._held.values())

        def agreed() -> None:
            for one in held:
                self._release(one)

        ConfirmDialog(
            self.view.window(),
            f"Release all {len(held)}?",
            "None of these discharges is carried out. Do it only when HR has said, by a way that you know, that none "
            "of them is real.",
            "Release all",
            agreed,
        ).open()

    def _burn(self) -> None:
        if (held := self.view.held) is not None:
            self.session.navigate("burn", node_id=held.node_id)

    def _burn_of(self) -> str:
        event = self.taken
        measures = event.measures if event is not None else []
        return next((one.ref for one in measures if one.measure == "burn" and one.ref), "")

    def _open_burn(self) -> None:
        self.session.navigate("burn", burn_id=self._burn_of())

    def _person(self) -> None:
        if self.taken is not None and self.taken.employee_id:
            self.session.navigate("settings", section="people", text=self.taken.employee_id)

    def _audit(self) -> None:
        event = self.taken
        self.session.navigate("audit", text=REFUSED if event is None else event.event_id)

    def _differing(self) -> None:
        if (one := self.view.difference) is not None:
            self.session.navigate("settings", section="people", text=one.node_id)

    def _burn_differing(self) -> None:
        if (one := self.view.difference) is not None:
            self.session.navigate("burn", node_id=one.node_id)
