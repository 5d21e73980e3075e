"""The inbox of the HR page: reads the calls and what the brake holds; decides, releases, closes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.capabilities.burn.messages import Containment, ContainmentListQuery
from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.capabilities.lifecycle.messages import HrCloseBody, HrCloseReply, HrEvent, HrEventPage, HrEventQuery
from app.console.actions import Action, Effect
from app.console.containment import release, released_words
from app.console.growing import Growing
from app.console.language import tr
from app.console.moments import api_time
from app.console.operations import Operation
from app.console.pages.hr.forms import CloseForm
from app.console.pages.hr.inbox_view import InboxView
from app.console.pages.hr.words import KIND, REFUSED, InboxRow, inbox_rows, is_of_hr, waiting_words, waits
from app.console.part import Host, Part
from app.console.session import MessageWay
from app.console.telemetry.live import Listener, LiveEvent
from app.console.widgets.confirm import ConfirmDialog

PAGE = 100
MOST_SOUGHT = 2000
"""Events that are read until the one that another page has named is among them."""
MOST_HELD = 500
MOST_CLOSED = 500
REFUSED_S = 86_400.0
"""Refused calls of so many seconds are shown."""


class HrInboxPart(Part):
    """``has_sources`` tells whether an HR system is registered."""

    every_s = 15.0
    kinds = frozenset({KIND, "burns", "containments", "nodes"})

    def __init__(self, host: Host, view: InboxView, has_sources: Callable[[], bool]) -> None:
        super().__init__(host, view.mark)
        self.view: InboxView = view
        self._has_sources = has_sources
        self._events: Growing[HrEvent] = Growing(self._ask, lambda event: event.event_id, page=PAGE)
        self._refused: list[AuditEntry] = []
        self._held: dict[str, Containment] = {}
        self._waiting = False
        self._chosen = ""
        self._sought = ""
        view.chosen.connect(self._choose)
        view.more.connect(self._grow)
        view.held_table.selected.connect(lambda _row: self.session.actions.refresh())

    # --- what can be done --------------------------------------------------------------------------------------------

    @property
    def row(self) -> InboxRow | None:
        """The call under the cursor."""
        at = self.view.rows.row_of(self._chosen)
        return self.view.rows.rows[at] if at >= 0 else None

    @property
    def event(self) -> HrEvent | None:
        """The event of the call under the cursor; None for calls that were refused."""
        row = self.row
        return None if row is None else row.event

    def actions(self) -> Sequence[Action]:
        here = "hr"
        return [
            Action(
                "hr.waiting", tr("Only what waits, or everything"), self._switch, "funnel", ("Ctrl+O",), here,
                when=self._open, hint=tr("Discharges that wait for a person."),
            ),
            Action(
                "hr.close", tr("Decide and close"), self._ask_close, "check", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=self._can_close, effect=Effect.CHANGE, hint=tr("With a reason. Its alarm ends."),
                calls=("lifecycle_close_events",),
            ),
            Action(
                "hr.release", tr("Release the held discharge"), self._ask_release, "lock-open", ("F7",), here,
                when=self._can_release, effect=Effect.CHANGE, hint=tr("Asks first. The node is denied no longer."),
                calls=("containments_release",),
            ),
            Action(
                "hr.release_all", tr("Release all that is held"), self._ask_release_all, "lock-open", ("Shift+F7",),
                here, when=self._can_release, effect=Effect.CHANGE,
                hint=tr("Asks first. Only when HR has said that none is real."),
                calls=("containments_release",),
            ),
            Action(
                "hr.burn", tr("Burn the held discharge"), self._burn, "flame", ("F8",), here,
                when=self._can_release, hint=tr("Opens Burn filled in: nothing is burned before you hold."),
            ),
            Action(
                "hr.open", tr("Open the burn"), self._open_burn, "flame", ("Ctrl+B",), here,
                when=lambda: self._open() and bool(self._burn_id()),
            ),
            Action(
                "hr.person", tr("Find the person"), self._find_person, "users", ("Ctrl+D",), here,
                when=lambda: self._open() and self.event is not None and bool(self.event.employee_id),
                hint=tr("Opens People with this employee id."),
            ),
            Action(
                "hr.audit", tr("Find it in the audit log"), self._find_in_audit, "scroll-text", ("Ctrl+I",), here,
                when=lambda: self._open() and self.row is not None,
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.table

    def _open(self) -> bool:
        return self.host.may_write and self.host.shown()

    def _can_close(self) -> bool:
        return self._open() and self.event is not None and waits(self.event)

    def _can_release(self) -> bool:
        return self._open() and self.view.held is not None

    # --- reading -----------------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return dict.fromkeys(("hr", "containment", "burn"), self._read_soon)

    def _read_soon(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("event_id"):
            self._chosen = self._sought = arguments["event_id"]
            self._waiting = False

    async def read(self) -> None:
        """Read everything that was loaded anew, on until the event that another page has named is there."""
        await self._events.read(self._goes_on)
        self._sought = ""
        self._refused = [] if self._waiting else await self._read_refused()
        query = ContainmentListQuery(cause="brake", limit=MOST_HELD)
        held = await self.session.client.containments_list(query=query)
        self._held = {one.containment_id: one for one in held.items}

    def _goes_on(self, rows: Mapping[str, HrEvent]) -> bool:
        return bool(self._sought) and self._sought not in rows and len(rows) < MOST_SOUGHT

    async def _ask(self, cursor: str | None, limit: int) -> HrEventPage:
        query = HrEventQuery(open=self._waiting, limit=limit, cursor=cursor)
        return await self.session.client.lifecycle_list_events(query=query)

    async def _read_refused(self) -> list[AuditEntry]:
        now = self.session.live.now()
        query = AuditQuery(
            range=AuditRange(from_=api_time(now - REFUSED_S), to=api_time(now + 60)),
            criteria=AuditCriteria(action=REFUSED, text="hr_sync", limit=PAGE),
        )
        page = await self.session.client.gateway_audit_log_query(query)
        return [entry for entry in page.entries if is_of_hr(entry)]

    def _grow(self) -> None:
        if self._events.can_grow and self.host.may_write:
            self.host.spawn(self._read_more(), name="more HR events")

    async def _read_more(self) -> None:
        if await self._events.grow():
            self.show_answer()

    def _switch(self) -> None:
        self._waiting = not self._waiting
        self._events.forget()
        self.view.table.scrollToTop()
        self.read_now()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        view, held = self.view, list(self._held.values())
        rows = inbox_rows(self._events.rows.values(), self._refused)
        keys = {row.key for row in rows}
        self._chosen = self._chosen if self._chosen in keys else rows[0].key if rows else ""
        view.show_held(held)
        view.show_rows(rows, self._chosen, narrowed=self._waiting, sources=self._has_sources())
        view.standing.set(*waiting_words(rows, held))
        view.show_event(self.row, self._held)
        view.near_end()

    def paint_again(self) -> None:
        """Paint again what was read: the first source, or the last, changes what an empty inbox says."""
        if self.fresh.since is not None:
            self.paint_all()

    def _choose(self, key: str) -> None:
        if key and key != self._chosen:
            self._chosen = key
            self.view.show_event(self.row, self._held)
        self.session.actions.refresh()

    # --- closing and releasing ---------------------------------------------------------------------------------------

    def _ask_close(self) -> None:
        """Ask for the reason; on request, close all that wait of the same source with it."""
        event = self.event
        if event is None:
            return
        others = [
            one.event_id
            for one in self._events.rows.values()
            if one.source == event.source and one.event_id != event.event_id and waits(one)
        ][: MOST_CLOSED - 1]
        form = CloseForm(self.view.window(), event.event_id, len(others), event.source)

        def close(reason: str, all_: bool) -> None:
            body = HrCloseBody(event_ids=[event.event_id, *(others if all_ else ())], reason=reason)
            operation: Operation[HrCloseReply] = Operation(
                lambda client, key: client.lifecycle_close_events(body, idempotency_key=key),
                title=tr("Close HR events"),
                changes=(KIND, "alarms"),
                asks=True,
            )
            operation.success(finish).failure(form.show_failure).run(self.session, form)

        def finish(reply: HrCloseReply) -> None:
            form.accept()
            count = len(reply.closed)
            self.session.notify(tr("1 event closed.") if count == 1 else tr("{count} events closed.", count=count))

        form.asked.connect(close)
        form.open()

    def _release(self, held: Containment) -> None:
        operation = release(held, held.node_id)
        way = MessageWay("people", {"node_id": held.node_id})
        operation.success(lambda one: self.session.notify(released_words(one.node_id), subject=one.node_id, way=way))
        operation.failure(self.host.show_failure).run(self.session, self.view)

    def _ask_release(self) -> None:
        """Ask whether the person who is held may go on, and release them then."""
        held = self.view.held
        if held is not None:
            ConfirmDialog(
                self.view.window(),
                tr("Release {person}?", person=held.node_id),
                tr(
                    "{person} is denied no longer, and what the node may do it may do again. Ask HR "
                    "first, by a way that you know.",
                    person=held.display_name or held.node_id,
                ),
                tr("Release it"),
                lambda: self._release(held),
            ).open()

    def _ask_release_all(self) -> None:
        """Ask before everything that was held at this moment is released."""
        held = list(self._held.values())

        def release_all() -> None:
            for one in held:
                self._release(one)

        ConfirmDialog(
            self.view.window(),
            tr("Release all {count}?", count=len(held)),
            tr(
                "None of these discharges is carried out. Do it only when HR has said, by a way that you "
                "know, that none of them is real."
            ),
            tr("Release all"),
            release_all,
        ).open()

    # --- other pages -------------------------------------------------------------------------------------------------

    def _burn(self) -> None:
        if (held := self.view.held) is not None:
            self.session.navigate("burn", node_id=held.node_id)

    def _burn_id(self) -> str:
        """The first burn that the event came to; empty: none."""
        measures = self.event.measures if self.event is not None else []
        return next((one.ref for one in measures if one.measure == "burn" and one.ref), "")

    def _open_burn(self) -> None:
        self.session.navigate("burn", burn_id=self._burn_id())

    def _find_person(self) -> None:
        if self.event is not None and self.event.employee_id:
            self.session.navigate("people", text=self.event.employee_id)

    def _find_in_audit(self) -> None:
        self.session.navigate("audit", text=REFUSED if self.event is None else self.event.event_id)
