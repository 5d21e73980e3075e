"""What happened at the site, as charts mark it: alarms, burns and restarts of the service, each with its time.

What was before comes from the audit log, what is now from the stream; that the service was started anew is what this
window saw itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from app.capabilities.burn.messages import BurnEvent, ContainmentEvent
from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.console.language import tr
from app.console.moments import api_time, parse_time
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
LONGEST_S, AHEAD_S = 365 * 86_400.0, 86_400.0
"""How far back one question to the log reaches, and how far its clock may be ahead, seconds."""
READ, PAGES = 100, 5
"""Entries in a page of each kind that are read of the past, and pages: more than that are not kept."""


@dataclass(frozen=True)
class PastEvents:
    """What happened in a stretch of the past, by what names it; what is past does not change any more."""

    found: dict[str, ChartEvent]
    since: float
    """Unix time from which on all of it is known: a site with more than ``READ * PAGES`` events of a kind is not read
    to its beginning."""

    def all(self) -> list[ChartEvent]:
        """All of it, the oldest first."""
        return sorted(self.found.values(), key=lambda one: one.at)


async def read_events(session: WindowSession, start: float, end: float, *, contained: bool = True) -> PastEvents:
    """Read from the audit log what happened between these Unix times; ``contained``: who was contained, too. Raises
    what the client raises."""
    (alarms, first), (burns, second), (held, third) = await asyncio.gather(
        _entries(session, RAISED, start, end),
        _entries(session, EXECUTED, start, end),
        _entries(session, CONTAINED, start, end) if contained else _no_entries(start),
    )
    found: dict[str, ChartEvent] = {}
    for entry in held:
        key = f"containment {entry.detail.get('containment_id')}"
        _keep_first(found, key, _containment(parse_time(entry.timestamp), entry.node_id or "", key))
    for entry in alarms:
        text = str(entry.detail.get("text", ""))
        key = f"alarm {entry.detail.get('alarm_id')}"
        _keep_first(found, key, _alarm(parse_time(entry.timestamp), text, key))
    for entry in burns:
        began, drill = parse_time(entry.timestamp), bool(entry.detail.get("drill"))
        key = f"burn {entry.detail.get('burn_id')}"
        _keep_first(found, key, _burn(began, entry.node_id or "", key, drill=drill))
    return PastEvents(found, max(first, second, third))


async def first_entry(session: WindowSession) -> float | None:
    """Unix time of the first entry of the audit log; None: there is none, or it is longer ago than a question to the
    log reaches. Raises what the client raises."""
    now = session.live.now()
    span = AuditRange(from_=api_time(now - LONGEST_S), to=api_time(now + AHEAD_S))
    query = AuditQuery(range=span, criteria=AuditCriteria(order="asc", limit=1))
    entries = (await session.client.gateway_audit_log_query(query)).entries
    return parse_time(entries[0].timestamp) if entries and entries[0].seq == 0 else None


async def _entries(session: WindowSession, action: str, start: float, end: float) -> tuple[list[AuditEntry], float]:
    """The newest entries of an action, and the time from which on they are all."""
    span = AuditRange(from_=api_time(start), to=api_time(end))
    entries: list[AuditEntry] = []
    cursor: str | None = None
    for _page in range(PAGES):
        query = AuditQuery(range=span, criteria=AuditCriteria(action=action, limit=READ, cursor=cursor))
        page = await session.client.gateway_audit_log_query(query)
        entries += page.entries
        cursor = page.next
        if cursor is None:
            return entries, start
    return entries, parse_time(entries[-1].timestamp) if entries else end


def _keep_first(found: dict[str, ChartEvent], key: str, event: ChartEvent) -> None:
    """The first time that is known of it: an alarm whose text is renewed was raised before."""
    known = found.get(key)
    if known is None or event.at < known.at:
        found[key] = event


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
        """Read what happened between these Unix times. Returns the time from which on all of it is known. Raises what
        the client raises."""
        read = await read_events(self._session, start, end, contained=self._contained)
        for key, event in read.found.items():
            self._keep(key, event)
        return read.since

    def _keep(self, key: str, event: ChartEvent) -> None:
        _keep_first(self._found, key, event)
        if len(self._found) > KEPT:
            oldest = min(self._found, key=lambda one: self._found[one].at)
            self.forgotten_until = max(self.forgotten_until, self._found.pop(oldest).at)

    def _take_alarms(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                found = event.read(AlarmEvent)
                if found.state == "raised":
                    alarm = found.alarm
                    key = f"alarm {alarm.alarm_id}"
                    self._keep(key, _alarm(parse_time(alarm.since), alarm.text, key))
            except (msgspec.DecodeError, ValueError):
                continue  # the log has it: the next reading finds it

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                burn = event.read(BurnEvent)
                began = parse_time(burn.at) - burn.elapsed_ms / 1000
            except (msgspec.DecodeError, ValueError):
                continue  # the log has it: the next reading finds it
            key = f"burn {burn.burn_id}"
            self._keep(key, _burn(began, burn.node_id, key, drill=burn.drill))

    def _take_contained(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                item = event.read(ContainmentEvent).containment
                if item.state == "contained":
                    key = f"containment {item.containment_id}"
                    self._keep(key, _containment(parse_time(item.since), item.node_id, key))
            except (msgspec.DecodeError, ValueError):
                continue  # the log has it: the next reading finds it

    def _note_start(self) -> None:
        """A service answers: it was started anew unless it is the first one of this window."""
        starts = self._session.service_starts
        if starts > 1 and starts != self._starts:
            at = self._session.live.now()
            self._keep(f"start {starts}", ChartEvent(at, Meaning.IDLE, RESTART, tr("The service was started anew.")))
        self._starts = starts


def _trace(key: str) -> str:
    """The id in what names an event."""
    return key.partition(" ")[2]


def _alarm(at: float, text: str, key: str) -> ChartEvent:
    return ChartEvent(at, Meaning.BAD, tr("Alarm"), text, _trace(key))


def _containment(at: float, node_id: str, key: str) -> ChartEvent:
    return ChartEvent(at, Meaning.WARN, tr("Contained"), node_id, _trace(key))


async def _no_entries(start: float) -> tuple[list[AuditEntry], float]:
    return [], start


def _burn(at: float, node_id: str, key: str, *, drill: bool) -> ChartEvent:
    state, word = (Meaning.IDLE, tr("Drill")) if drill else (Meaning.CRIT, tr("Burn"))
    return ChartEvent(at, state, word, node_id, _trace(key))
