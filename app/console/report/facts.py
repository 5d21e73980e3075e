"""What a report says: everything is read from the service, at one time, and what it does not know is not made up."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from app.capabilities.burn.messages import Burn, BurnListQuery, BurnSpeedQuery, BurnSpeedReport
from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.capabilities.infrastructure.messages import Frame, FrameList, NodesQuery
from app.client import ApiError
from app.console.audit_sentences import by_words
from app.console.clock import age
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.pages.dashboard.attention_words import attention_rows

if TYPE_CHECKING:
    from app.console.session import WindowSession
    from app.delivery.messages import Alarm

STEPS = 240
"""Steps of the latency chart."""
LEAST_STEP_S = 60
PAGE = 500
MOST_READ = 10_000
"""Entries of the log that are read to say who acted, and of each kind of entry that tells of burns and alarms."""
MOST_PROVEN = 500
"""Entries that one bundle takes."""
MOST_BURNS = 200
TIMED_BURNS = 30
"""So many burns, the newest ones, are asked for the proof of each door."""
READER = "reader"
PROVEN = ("revoked", "already")
FINAL = (*PROVEN, "delivered", "unlinked", "closed")
RAISED, TAKEN, CLEARED, EXECUTED = "alarm.raised", "alarm.taken", "alarm.cleared", "burn.executed"
TOLD = (RAISED, TAKEN, CLEARED, EXECUTED, "burn.complete", "burn.sealed", "burn.lifted")
"""Actions of the log that tell of burns and alarms."""
NameOf = Callable[[str | None, str | None], str]
"""The name of an actor, which the service may have said beside it (``OperatorNames.of``)."""
NOBODY = frozenset({"service", "training"})
"""Actors that are no person and no key: the program itself."""


@dataclass(frozen=True)
class ChartStep:
    """One step of the latency chart, Unix seconds: the median of the frames' p50 and the largest p99 of a frame, both
    ms; None: no frame had a sample."""

    at: float
    p50: float | None
    p99: float | None


@dataclass(frozen=True)
class ReportedBurn:
    """A burn of the span. ``doors``: how it stands with its doors, and how long the last of them took, in words."""

    at: float
    burn: Burn
    name: str
    ordered_by: str
    doors: str


@dataclass(frozen=True)
class ReportedAlarm:
    """An alarm that was open in the span. ``raised``: None, before the span; ``closed``: None while it is open. Unix
    seconds."""

    raised: float | None
    closed: float | None
    text: str
    owner: str
    note: str
    step: str


@dataclass(frozen=True)
class ReportedActor:
    """Who acted, how often, how often in vain, and what most often."""

    name: str
    acts: int
    in_vain: int
    most: str


@dataclass(frozen=True)
class SiteReport:
    """All of it. Times are Unix seconds; ``read_at``: when it was read, by the service's clock."""

    site: str
    training: bool
    low: float
    high: float
    read_at: float
    asked_by: str
    frames: Sequence[Frame]
    step_s: int
    steps: Sequence[ChartStep]
    newest_sample: float | None
    speed: BurnSpeedReport
    burns: Sequence[ReportedBurn]
    alarms: Sequence[ReportedAlarm]
    actors: Sequence[ReportedActor]
    entries_read: int
    cut: bool
    """The log has more entries in the span than were read."""
    checkpoint: str
    leaves: Sequence[int]
    """Entries of the log that tell of its burns and alarms: the newest ``MOST_PROVEN``."""
    leaves_left_out: int

    @property
    def unsampled_s(self) -> float:
        """Seconds of the span in which no frame had a sample."""
        return sum(one.p99 is None for one in self.steps) * float(self.step_s)


async def read_report(session: WindowSession, low: float, high: float) -> SiteReport:
    """Everything about the half-open span, in Unix seconds. Raises what the client raises."""
    client, now = session.client, session.live.now()
    high = min(high, now)
    step_s = max(LEAST_STEP_S, -(-int(high - low) // STEPS))
    frames, speed, open_, ready = await asyncio.gather(
        client.infrastructure_nodes(query=NodesQuery(from_=api_time(low), to=api_time(high), step=step_s)),
        client.burn_speed(query=BurnSpeedQuery(from_=api_time(low), to=api_time(high))),
        client.gateway_alarms(),
        client.health_ready(),
    )
    told, cut = await _read_told(session, low, now)
    entries, more, checkpoint = await _read_log(session, low, high, "")
    burns = await _read_burns(session, low, high, told)
    within = [one for one in told if parse_time(one.timestamp) < high]
    return SiteReport(
        site=ready.site_id,
        training=ready.profile == "training",
        low=low,
        high=high,
        read_at=now,
        asked_by="" if session.operator is None else session.operator.display_name,
        frames=sorted(frames.items, key=_worst_first),
        step_s=frames.step,
        steps=chart_steps(frames, low, high),
        newest_sample=max(
            (parse_time(one.record.measured_at) for one in frames.items if one.record.measured_at is not None),
            default=None,
        ),
        speed=speed,
        burns=burns,
        alarms=alarms_of(told, open_.items, high, session.names.of),
        actors=actors_of(entries, session.names.of),
        entries_read=len(entries),
        cut=cut or more,
        checkpoint=checkpoint,
        leaves=sorted(one.seq for one in within[:MOST_PROVEN]),
        leaves_left_out=max(0, len(within) - MOST_PROVEN),
    )


def _worst_first(frame: Frame) -> tuple[bool, float, str]:
    """The frame with the largest p99 first, those without a sample last."""
    return frame.span.p99 is None, -(frame.span.p99 or 0.0), frame.peer_id


# --- the log ----------------------------------------------------------------------------------------------------------


async def _read_log(session: WindowSession, low: float, high: float, action: str) -> tuple[list[AuditEntry], bool, str]:
    """Entries of the span, newest first, whether there are more, and the checkpoint that they are of."""
    found: list[AuditEntry] = []
    cursor: str | None = None
    while True:
        query = AuditQuery(
            range=AuditRange(from_=api_time(low), to=api_time(high)),
            criteria=AuditCriteria(action=action or None, limit=PAGE, cursor=cursor),
        )
        page = await session.client.gateway_audit_log_query(query)
        found += page.entries
        cursor = page.next
        if cursor is None or len(found) >= MOST_READ:
            return found, cursor is not None, page.checkpoint


async def _read_told(session: WindowSession, low: float, high: float) -> tuple[list[AuditEntry], bool]:
    """Entries that tell of burns and alarms, newest first, and whether there are more."""
    found: list[AuditEntry] = []
    cut = False
    for action in TOLD:
        entries, more, _ = await _read_log(session, low, high, action)
        found += entries
        cut = cut or more
    return sorted(found, key=lambda one: one.seq, reverse=True), cut


def _say(entry: AuditEntry, key: str) -> str:
    value = entry.detail.get(key)
    return value if isinstance(value, str) else ""


# --- latency ----------------------------------------------------------------------------------------------------------


def chart_steps(frames: FrameList, low: float, high: float) -> list[ChartStep]:
    """Every step of the span, those without a sample, too."""
    step_s = frames.step
    p50: dict[int, list[float]] = {}
    p99: dict[int, float] = {}
    for frame in frames.items:
        for point in frame.history:
            at = round((parse_time(point.at) - low) // step_s)
            if point.handshake.p50 is not None and point.handshake.p99 is not None:
                p50.setdefault(at, []).append(point.handshake.p50)
                p99[at] = max(p99.get(at, 0.0), point.handshake.p99)
    count = max(1, -(-int(high - low) // step_s))
    return [ChartStep(low + at * step_s, median(p50[at]) if at in p50 else None, p99.get(at)) for at in range(count)]


# --- burns ------------------------------------------------------------------------------------------------------------


async def _read_burns(
    session: WindowSession, low: float, high: float, told: Sequence[AuditEntry]
) -> list[ReportedBurn]:
    """The burns of the span, newest first, each with who ordered it; drills, too, which say so."""
    client = session.client
    found: list[Burn] = []
    cursor: str | None = None
    while len(found) < MOST_BURNS:
        page = await client.burn_list(query=BurnListQuery(limit=100, cursor=cursor))
        found += [one for one in page.items if low <= parse_time(one.timestamp) < high]
        cursor = page.next
        if cursor is None or (page.items and parse_time(page.items[-1].timestamp) < low):
            break
    ordered = {_say(one, "burn_id"): one for one in told if one.action == EXECUTED}
    names = await _names_of(session, {one.node_id for one in found})
    made = []
    for at, burn in enumerate(found):
        entry = ordered.get(burn.burn_id)
        doors = doors_of(await client.burn_get(burn.burn_id)) if at < TIMED_BURNS else tr("see the page Burn")
        made.append(
            ReportedBurn(
                parse_time(burn.timestamp),
                burn,
                names.get(burn.node_id, ""),
                "" if entry is None else who(entry, session.names.of),
                doors,
            )
        )
    return made


async def _names_of(session: WindowSession, node_ids: Iterable[str]) -> Mapping[str, str]:
    """What people call these nodes; an id that nobody has is left out."""
    found: dict[str, str] = {}
    for node_id in sorted(node_ids):
        with contextlib.suppress(ApiError):
            found[node_id] = (await session.client.registry_get_node(node_id)).display_name
    return found


def doors_of(burn: Burn) -> str:
    """How the burn stands with its doors: when the last one was proven, or how many are not."""
    doors = [one for one in burn.targets if one.kind == READER]
    proven = [one for one in doors if one.state in PROVEN]
    waiting = sum(one.state not in FINAL for one in doors)
    if not doors:
        return tr("no doors")
    if waiting:
        return tr("{count} of {total} doors without proof: the clock runs", count=waiting, total=len(doors))
    if len(proven) < len(doors):
        return tr("{count} of {total} doors closed without proof", count=len(doors) - len(proven), total=len(doors))
    last = max((one.latency_ms or 0.0 for one in proven), default=0.0)
    return tr("{count} doors, the last after {time}", count=len(doors), time=milliseconds(last))


def milliseconds(ms: float | None) -> str:
    """``41.2 ms``, ``412 ms``, ``1.25 s``, ``3 min``; a dash where there is none."""
    if ms is None:
        return "-"
    if ms < 1000:
        return tr("{ms:.1f} ms", ms=ms) if ms < 100 else tr("{ms:.0f} ms", ms=ms)
    return tr("{seconds:.2f} s", seconds=ms / 1000) if ms < 90_000 else age(ms / 1000)


def who(entry: AuditEntry, name_of: NameOf) -> str:
    """Who acted: an operator by name, any other in the words of the log's sentences."""
    name = name_of(entry.actor, entry.actor_name)
    return by_words(entry).removeprefix(tr(" by {actor_name}", actor_name="")) if name == entry.actor else name


# --- alarms and actors ------------------------------------------------------------------------------------------------


def alarms_of(told: Iterable[AuditEntry], open_: Iterable[Alarm], high: float, name_of: NameOf) -> list[ReportedAlarm]:
    """The alarms that were open in the span, the open ones first, then the newest first."""
    found: dict[str, ReportedAlarm] = {}
    for entry in sorted(told, key=lambda one: one.seq):
        at, alarm_id = parse_time(entry.timestamp), _say(entry, "alarm_id")
        known = found.get(alarm_id)
        if entry.action == RAISED and at < high:
            # An alarm whose text is renewed is raised again: it is one, from its first time on.
            raised = at if known is None else known.raised
            found[alarm_id] = ReportedAlarm(raised, None, _say(entry, "text"), "", "", "")
        elif entry.action == TAKEN and known is not None:
            owner = who(entry, name_of)
            found[alarm_id] = replace(known, owner=owner, note=_say(entry, "note"))
        elif entry.action == CLEARED and (known is not None or at < high):
            before = known or ReportedAlarm(None, None, f"{_say(entry, 'kind')}: {_say(entry, 'key')}", "", "", "")
            found[alarm_id] = replace(before, closed=at)
    for alarm in open_:
        since = parse_time(alarm.since)
        if since < high:
            known = found.get(alarm.alarm_id)
            raised = since if known is None else known.raised
            owner = name_of(alarm.taken_by, alarm.taken_by_name)
            steps = [row.step for row in attention_rows([alarm], (), (), {})]
            found[alarm.alarm_id] = ReportedAlarm(raised, None, alarm.text, owner, alarm.note or "", *steps)
    return sorted(found.values(), key=lambda one: (one.closed is not None, -(one.raised or 0.0)))


def actors_of(entries: Iterable[AuditEntry], name_of: NameOf) -> list[ReportedActor]:
    """Who acted, the busiest first; what the service does by itself is left out."""
    acts: dict[str, Counter[str]] = {}
    in_vain: Counter[str] = Counter()
    for entry in entries:
        if entry.actor in NOBODY:
            continue
        name = who(entry, name_of)
        acts.setdefault(name, Counter())[entry.action] += 1
        in_vain[name] += entry.outcome != "ACCEPTED"
    made = [
        ReportedActor(
            name,
            counts.total(),
            in_vain[name],
            ", ".join(
                f"{action.replace('_', ' ').replace('.', ' ')} {count}" for action, count in counts.most_common(3)
            ),
        )
        for name, counts in acts.items()
    ]
    return sorted(made, key=lambda one: (-one.acts, one.name))
