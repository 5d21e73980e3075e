"""What happened to a person: the audit log's entries about them and what doors decided, on one clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.capabilities.credentials.messages import DoorDecisionQuery
from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.client import ApiError
from app.console.audit_sentences import LANES, Lane, Names, saying
from app.console.clock import utc_time
from app.console.failures import NothingRead, Superseded
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.pages.people.history_view import HistoryPanel
from app.console.pages.people.words import DOOR_REASONS
from app.console.part import Host, Part
from app.console.past_standing import INSTANT_S
from app.console.telemetry.live import Listener
from app.console.theme.tokens import Meaning, sentence_case
from app.console.widgets.lanes import DAY_S, LaneMark
from app.registry.messages.access import AccessEvent

PAGE = 200
MOST = 2000
"""Of each kind in the range; the foot says when there are more."""
HOUR_S = 3600.0
LEAST_DRAWN_S = 4 * HOUR_S
REPEATED = "registry.standing_change"
"""Follows from a containment or a burn that stands beside it, and would say each of them twice."""


STEP = "burn.confirmed"


@dataclass(frozen=True)
class PersonEvent:
    """One line: ``at`` in Unix seconds; ``hint`` has the codes; ``door``: the reader that decided, else empty; ``seq``:
    the entry of the audit log that it is, None for what a door decided."""

    key: str
    at: float
    lane: Lane
    state: Meaning
    text: str
    detail: str
    hint: str
    door: str = ""
    seq: int | None = None


def of_entry(entry: AuditEntry, names: Names) -> PersonEvent:
    """An entry of the audit log as a line."""
    said = saying(entry, names)
    at = parse_time(entry.timestamp)
    hint = tr(
        "{time}\n{action}, leaf {leaf:,}\n{actor}",
        time=utc_time(at),
        action=entry.action,
        leaf=entry.seq,
        actor=entry.actor,
    )
    return PersonEvent(f"leaf {entry.seq}", at, said.lane, said.state, said.text, said.detail, hint, seq=entry.seq)


def of_decision(event: AccessEvent) -> PersonEvent:
    """What a door decided as a line."""
    at = parse_time(event.at)
    hint = tr(
        "{time}\n{decision} {reason} at {reader}, epoch {epoch}",
        time=utc_time(at),
        decision=event.decision,
        reason=event.reason,
        reader=event.reader_id,
        epoch=event.epoch,
    )
    took = (
        tr("decided in {ms:.1f} ms", ms=event.latency_ms) if event.latency_ms >= 0.1 else tr("decided in under 0.1 ms")
    )
    if event.decision == "GRANT":
        text, detail, state = tr("Let in at {reader}", reader=event.reader_id), took, Meaning.OK
    else:
        why = DOOR_REASONS.get(event.reason, sentence_case(event.reason).lower())
        text, detail = tr("Not let in at {reader}", reader=event.reader_id), why
        state = Meaning.CRIT if event.reason == "burned" else Meaning.IDLE
    return PersonEvent(
        f"door {event.at} {event.reader_id}",
        at,
        "Doors",
        state,
        text,
        detail,
        hint,
        event.reader_id,
    )


def without_repeats(entries: Sequence[AuditEntry]) -> list[AuditEntry]:
    """The entries without changes of standing that a containment or a burn among them tells itself, and without the
    steps on the way of a burn that is complete."""
    acts = {entry.detail.get(key) for entry in entries for key in ("containment_id", "burn_id")} - {None}
    complete = {entry.detail.get("burn_id") for entry in entries if entry.action == "burn.complete"}
    return [
        one
        for one in entries
        if not (one.action == REPEATED and one.detail.get("ref") in acts)
        and not (one.action == STEP and one.detail.get("burn_id") in complete)
    ]


class HistoryPart(Part):
    """``names``: what people call the ids in an entry's detail; ``open_event`` follows a line elsewhere."""

    every_s = 10.0
    ticks_a_paint = 5
    kinds = frozenset({"nodes", "cards", "grants", "burns", "containments", "seals"})

    view: HistoryPanel

    def __init__(
        self, host: Host, view: HistoryPanel, names: Callable[[], Names], open_event: Callable[[PersonEvent], None]
    ) -> None:
        super().__init__(host, view.mark)
        self.view = view
        self._names = names
        self.node_id = ""
        self._days = 1
        self._lane = ""
        self._begin = self.range()[0]
        self._entries: dict[int, AuditEntry] = {}
        self._decisions: dict[str, AccessEvent] = {}
        self._more = False
        self._doors_hidden = False
        view.days_changed.connect(self._take_days)
        view.lane_changed.connect(self._take_lane)
        view.chart.ranged.connect(lambda _low, _high: self.paint_all())
        view.opened.connect(open_event)
        host.session.shown_time.changed.connect(self._take_moment)

    def open(self, node_id: str) -> None:
        """Show the history of another person."""
        if node_id != self.node_id:
            self.node_id = node_id
            self._forget()
        self.read_now()

    def _forget(self) -> None:
        self._entries, self._decisions, self._more = {}, {}, False
        self.view.chart.go_out()
        self.paint_all()

    def _take_days(self, days: int) -> None:
        self._days = days
        self._forget()
        self.read_now()

    def _take_moment(self) -> None:
        """Another moment is shown, or now again: what came after it is not shown."""
        same = datetime.fromtimestamp(self._now()).date() == datetime.fromtimestamp(self.session.live.now()).date()
        self.view.name_day(today=same)
        if not self.node_id:
            return
        begin = self.range()[0]
        if begin != self._begin:
            # Another day, of which nothing was read: what is known already would end the reading too early.
            self._begin = begin
            self._forget()
        else:
            self.paint_all()
        self.read_now()

    def _now(self) -> float:
        """The moment that is shown: now, or one of the past."""
        at = self.session.shown_time.at
        return self.session.live.now() if at is None else at

    def _take_lane(self, lane: str) -> None:
        self._lane = lane
        self.paint_all()

    # --- reading -----------------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return dict.fromkeys(("access", "burn", "containment", "card", "alarm"), lambda _events: self.read_now())

    def range(self) -> tuple[float, float]:
        """From the first midnight of the days that are shown to the end of the hour after the moment that is shown."""
        now = self._now()
        midnight = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        return midnight - (self._days - 1) * DAY_S, (now // HOUR_S + 1) * HOUR_S

    def _span(self, events: Sequence[PersonEvent]) -> tuple[float, float]:
        """What the lanes show: of one day no hours before the first event, but some at least."""
        low, high = self.range()
        if self._days == 1:
            first = min((one.at for one in events), default=high)
            low = max(low, min(first // HOUR_S * HOUR_S, high - LEAST_DRAWN_S))
        return low, high

    async def read(self) -> None:
        node_id, days = self.node_id, self._days
        if not node_id or not self.host.shown():
            raise NothingRead
        low, high = self.range()
        entries, more = await self._read_entries(node_id, low, high)
        decisions, more_doors = await self._read_decisions(node_id, low)
        if (node_id, days) != (self.node_id, self._days):
            raise Superseded
        self._entries |= entries
        self._decisions |= decisions
        self._more = self._more or more or more_doors

    async def _read_entries(self, node_id: str, low: float, high: float) -> tuple[dict[int, AuditEntry], bool]:
        """Newest first, until one is known already; whether there are more than are shown."""
        found: dict[int, AuditEntry] = {}
        cursor: str | None = None
        while len(found) < MOST:
            query = AuditQuery(
                range=AuditRange(from_=api_time(low), to=api_time(high)),
                criteria=AuditCriteria(node_id=node_id, limit=PAGE, cursor=cursor),
            )
            page = await self.session.client.gateway_audit_log_query(query)
            found |= {entry.seq: entry for entry in page.entries}
            cursor = page.next
            if cursor is None or any(entry.seq in self._entries for entry in page.entries):
                return found, False
        return found, True

    async def _read_decisions(self, node_id: str, low: float) -> tuple[dict[str, AccessEvent], bool]:
        """The same of doors; an operator who may not see them sees the rest."""
        self._doors_hidden = not self.session.permissions.may("door_decisions_list")
        if self._doors_hidden:
            return {}, False
        found: dict[str, AccessEvent] = {}
        cursor: str | None = None
        while len(found) < MOST:
            query = DoorDecisionQuery(node_id=node_id, limit=PAGE, cursor=cursor)
            try:
                page = await self.session.client.door_decisions_list(query=query)
            except ApiError as refused:
                self._doors_hidden = refused.code == "insufficient_clearance"
                if not self._doors_hidden:
                    raise
                return {}, False
            mine = [one for one in page.items if parse_time(one.at) >= low]
            found |= {f"{one.at} {one.reader_id}": one for one in mine}
            cursor = page.next
            known = any(f"{one.at} {one.reader_id}" in self._decisions for one in mine)
            if cursor is None or known or len(mine) < len(page.items):
                return found, False
        return found, True

    # --- painting ----------------------------------------------------------------------------------------------------

    def events(self) -> list[PersonEvent]:
        """Everything in the range, newest first."""
        names = self._names()
        entries, decisions = list(self._entries.values()), list(self._decisions.values())
        at = self.session.shown_time.at
        if at is not None:
            entries = [one for one in entries if parse_time(one.timestamp) <= at + INSTANT_S]
            decisions = [one for one in decisions if parse_time(one.at) <= at + INSTANT_S]
        found = [of_entry(entry, names) for entry in without_repeats(entries)]
        found += map(of_decision, decisions)
        return sorted(found, key=lambda one: (one.at, one.key), reverse=True)

    def paint_all(self) -> None:
        events = self.events()
        chart = self.view.chart
        chart.set_range(*self._span(events))
        marks = [
            LaneMark(one.key, one.at, LANES.index(one.lane), one.state, f"{one.text}. {one.detail}".strip())
            for one in reversed(events)
        ]
        chart.show_marks(marks, self._now())
        low, high = chart.shown
        shown = [one for one in events if self._lane in ("", one.lane) and low <= one.at <= high]
        self.view.show_events(shown, self._now(), self._foot(len(shown), len(events)))

    def _foot(self, shown: int, known: int) -> str:
        if shown != known:
            said = tr("{count:,} of {known:,} events", count=shown, known=known)
        else:
            said = tr("1 event") if shown == 1 else tr("{count:,} events", count=shown)
        said += tr(", the newest {most:,} of a kind", most=MOST) * self._more
        return said + tr(". What doors decided is not shown to your roles.") * self._doors_hidden
