"""What happened at the site, as charts mark it: alarms, burns and restarts of the service, each with its time.

What was before comes from the audit log, what is now from the stream; that the service was started anew is what this
window saw itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from app.capabilities.burn.messages import BurnEvent, ContainmentEvent
from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.console.clock import api_time, parse_time
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_plot import ChartEvent
from app.delivery.messages import AlarmEvent

if TYPE_CHECKING:
    from app.console.session import WindowSession
    from app.console.telemetry.live import LiveEvent

RAISED, EXECUTED, CONTAINED = "alarm.raised", "burn.executed", "containment.contained"
"""Actions of the audit log."""
RESTART = tr("Restart")
"""Word of the event that the service was started anew."""
KEPT = 500
READ, PAGES = 100, 5
"""Entries in a page of each kind that are read of the past, and pages: more than that are not kept."""


class SiteEvents:
    """Those of one page, for the whole life of the window: a restart is seen while another page is shown, too.
    ``contained``: who was contained is among them."""

    def __init__(self, session: WindowSession, *, contained: bool = False) -> None:
        self._session = session
        self._contained = contained
        self.forgotten_until = 0.0
        """Unix time up to which events were dropped, because there are more than are kept; 0: none were."""
        self._found: dict[str, ChartEvent] = {}
        self._starts = session.service_starts
        session.live.subscribe("alarm", self._take_alarms)
        session.live.subscribe("burn", self._take_burns)
        if contained:
            session.live.subscribe("containment", self._take_contained)
        session.connected.connect(self._note_start)

    def all(self) -> list[ChartEvent]:
        """What is known, the oldest first."""
        return sorted(self._found.values(), key=lambda one: one.at)

    async def read(self, start: float, end: float) -> float:
        """Read what happened between these Unix times. Returns the time from which on all of it is known: a site with
        more than ``READ * PAGES`` events of a kind is not read to its beginning. Raises what the client raises."""
        (alarms, first), (burns, second), (contained, third) = await asyncio.gather(
            self._entries(RAISED, start, end),
            self._entries(EXECUTED, start, end),
            self._entries(CONTAINED, start, end) if self._contained else _no_entries(start),
        )
        for entry in contained:
            self._keep(
                f"containment {entry.detail.get('containment_id')}",
                _containment(parse_time(entry.timestamp), entry.node_id or ""),
            )
        for entry in alarms:
            text = str(entry.detail.get("text", ""))
            self._keep(f"alarm {entry.detail.get('alarm_id')}", _alarm(parse_time(entry.timestamp), text))
        for entry in burns:
            began, drill = parse_time(entry.timestamp), bool(entry.detail.get("drill"))
            self._keep(f"burn {entry.detail.get('burn_id')}", _burn(began, entry.node_id or "", drill=drill))
        return max(first, second, third)

    async def _entries(self, action: str, start: float, end: float) -> tuple[list[AuditEntry], float]:
        """The newest entries of an action, and the time from which on they are all."""
        span = AuditRange(from_=api_time(start), to=api_time(end))
        entries: list[AuditEntry] = []
        cursor: str | None = None
        for _page in range(PAGES):
            query = AuditQuery(range=span, criteria=AuditCriteria(action=action, limit=READ, cursor=cursor))
            page = await self._session.client.gateway_audit_log_query(query)
            entries += page.entries
            cursor = page.next
            if cursor is None:
                return entries, start
        return entries, parse_time(entries[-1].timestamp) if entries else end

    def _keep(self, key: str, event: ChartEvent) -> None:
        # The first time that is known of it: an alarm whose text is renewed was raised before.
        known = self._found.get(key)
        if known is None or event.at < known.at:
            self._found[key] = event
        if len(self._found) > KEPT:
            oldest = min(self._found, key=lambda one: self._found[one].at)
            self.forgotten_until = max(self.forgotten_until, self._found.pop(oldest).at)

    def _take_alarms(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                found = event.read(AlarmEvent)
                if found.state == "raised":
                    alarm = found.alarm
                    self._keep(f"alarm {alarm.alarm_id}", _alarm(parse_time(alarm.since), alarm.text))
            except (msgspec.DecodeError, ValueError):
                continue  # the log has it: the next reading finds it

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                burn = event.read(BurnEvent)
                began = parse_time(burn.at) - burn.elapsed_ms / 1000
            except (msgspec.DecodeError, ValueError):
                continue  # the log has it: the next reading finds it
            self._keep(f"burn {burn.burn_id}", _burn(began, burn.node_id, drill=burn.drill))

    def _take_contained(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                item = event.read(ContainmentEvent).containment
                if item.state == "contained":
                    self._keep(f"containment {item.containment_id}", _containment(parse_time(item.since), item.node_id))
            except (msgspec.DecodeError, ValueError):
                continue  # the log has it: the next reading finds it

    def _note_start(self) -> None:
        """A service answers: it was started anew unless it is the first one of this window."""
        starts = self._session.service_starts
        if starts > 1 and starts != self._starts:
            at = self._session.live.now()
            self._keep(f"start {starts}", ChartEvent(at, Meaning.IDLE, RESTART, tr("The service was started anew.")))
        self._starts = starts


def _alarm(at: float, text: str) -> ChartEvent:
    return ChartEvent(at, Meaning.BAD, tr("Alarm"), text)


def _containment(at: float, node_id: str) -> ChartEvent:
    return ChartEvent(at, Meaning.WARN, tr("Contained"), node_id)


async def _no_entries(start: float) -> tuple[list[AuditEntry], float]:
    return [], start


def _burn(at: float, node_id: str, *, drill: bool) -> ChartEvent:
    return ChartEvent(at, Meaning.IDLE if drill else Meaning.CRIT, tr("Drill") if drill else tr("Burn"), node_id)
