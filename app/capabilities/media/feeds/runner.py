"""One feed from its first answer to its end: it is read, looked at and told of, and goes on after what breaks.

Three tasks: one reads the source, again and again after pauses that grow; one has the newest pieces looked at; one
watches the time. What they find is in one frozen state, which each event carries.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from msgspec.structs import replace

from app.capabilities.media.feeds.clock import FeedClock, RunningClock
from app.capabilities.media.feeds.errors import FeedBroken, FeedStalled, FeedUnreadable, FeedUnsupported
from app.capabilities.media.feeds.kinds import FeedKind
from app.capabilities.media.feeds.pace import PiecePace, PieceQueue
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.feeds.sources import FeedPiece, FeedSource
from app.capabilities.media.feeds.sources.hls import HlsSource
from app.capabilities.media.feeds.sources.mjpeg import MjpegSource
from app.capabilities.media.feeds.sources.still import StillSource
from app.capabilities.media.feeds.state import (
    REASON_MAX,
    Box,
    FeedEnd,
    FeedFailure,
    FeedState,
    FeedStatus,
    FeedTimelineEntry,
    with_entry,
    with_regions,
)
from app.capabilities.media.messages import ScanVerdict
from app.capabilities.media.worker.refusals import MediaNotSandboxed, MediaRefused, MediaUnjudged

FeedEventType = Literal[
    "radar.feed.started", "radar.feed.finding", "radar.feed.heartbeat", "radar.feed.degraded", "radar.feed.stopped"
]

FINDING_S: Final = 10.0
"""Findings are told no more often."""
HEARTBEAT_S: Final = 60.0
UNREADABLE_MAX: Final = 5
"""Pieces in a row that no decoder takes; then the source counts as broken."""
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 300.0
_JITTER: Final = 0.2
_TICK_S: Final = 0.25
_END_S: Final = 0.5
"""What was cancelled has so long to end."""
_STATUS: Final[dict[FeedEnd, FeedStatus]] = {
    "asked": "STOPPED",
    "ended": "COMPLETED",
    "expired": "STOPPED",
    "cpu_budget": "STOPPED",
    "failed": "FAILED",
}
_WHY: Final[dict[FeedEnd, str]] = {
    "asked": "The feed was stopped.",
    "ended": "The source ended the feed.",
    "expired": "The feed ran for as long as it may.",
    "cpu_budget": "The feed used up its processor time.",
}

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FeedLimits:
    """``ttl_s``: of a feed, over all its restarts. ``cpu_s``: processor seconds of all its looks. ``cpu_share``: of one
    processor, on average (0..1). ``stall_s``: without anything new. ``failures``: in a row. ``bytes_per_s``: of motion
    JPEG."""

    ttl_s: float = 86_400.0
    cpu_s: float = 14_400.0
    cpu_share: float = 0.25
    poll_s: float = 2.0
    stall_s: float = 30.0
    failures: int = 12
    bytes_per_s: float = 16 << 20


@dataclass(frozen=True)
class FeedOrder:
    """What is to be watched. ``url``: as ``judge_feed_url`` takes it."""

    scan_id: str
    url: str
    kind: FeedKind


@dataclass(frozen=True)
class PieceReport:
    """What a look at a piece found. ``score``: 0..1; it and ``verdict`` are None where nothing tells. ``regions``: box
    in px and score 0..1, the most striking first. ``cpu_s``: seconds of a processor that it took."""

    score: float | None
    verdict: ScanVerdict | None
    regions: Sequence[tuple[Box, float]]
    cpu_s: float


@dataclass(frozen=True)
class FeedEvent:
    """Something that is told of a feed. ``state`` is what a row keeps; ``region_ids``: the regions that are new since
    the finding before."""

    type: FeedEventType
    scan_id: str
    at_us: int
    state: FeedState
    detail: str
    region_ids: tuple[str, ...] = ()


class PieceScan(Protocol):
    """Looks at one piece. Raises ``MediaRefused`` where it cannot be decoded; one that is cancelled ends at once."""

    def __call__(self, piece: FeedPiece) -> Awaitable[PieceReport]: ...


Tell = Callable[[FeedEvent], Awaitable[None]]


def pause_s(failures: int, drawn: float) -> float:
    """How long to wait after so many failures in a row (1 or more): 1 s, doubled each time up to 5 min, and up to a
    fifth less by ``drawn`` (0..1), so that feeds of one source do not all come back at once."""
    whole = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(failures - 1, 20))
    return max(FIRST_PAUSE_S, whole * (1 - _JITTER * drawn))


class FeedRunner:
    """``start()`` once, on the event loop; then ``stop()`` (for good) or ``suspend()`` (until the next start of the
    service). It may end by itself before."""

    def __init__(
        self,
        order: FeedOrder,
        reach: FeedReach,
        scan: PieceScan,
        tell: Tell,
        *,
        state: FeedState | None = None,
        limits: FeedLimits | None = None,
        clock: FeedClock | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """``state``: of a feed that goes on after a restart, as its last event had it. ``tell`` that raises is logged,
        and the next event has all that the lost one had but its ``region_ids``."""
        self.order = order
        self._scan = scan
        self._tell = tell
        self._limits = limits or FeedLimits()
        self._clock = clock or RunningClock()
        self._draw = draw
        self._source = _source(order, reach, self._clock, self._limits)
        self._queue = PieceQueue()
        self._pace = PiecePace(self._limits.cpu_share)
        self._state = self._begin(state)
        self._digest = b""
        self._unreadable_in_a_row = 0
        self._heard_at = self._clock.now()
        self._fault: asyncio.Future[None] | None = None
        self._told_verdict = None if state is None else state.verdict
        self._new_regions: tuple[str, ...] = ()
        self._finding_at: float | None = None
        self._told_at = self._clock.now()
        self._telling = asyncio.Lock()
        self._outcome: asyncio.Future[FeedEnd | None] | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def state(self) -> FeedState:
        """What it has seen so far."""
        return self._state

    def start(self) -> asyncio.Task[None]:
        """Begins; the task ends with the feed, after its last event was told."""
        if self._task is None:
            self._outcome = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run(self._outcome))
        return self._task

    async def stop(self) -> FeedState:
        """Ends the feed for good; the last state, which was told with ``radar.feed.stopped``."""
        return await self._leave("asked")

    async def suspend(self) -> FeedState:
        """Ends it as the service ends: the state that was told last lets it go on."""
        return await self._leave(None)

    async def _leave(self, end: FeedEnd | None) -> FeedState:
        self._end(end)
        if self._task is not None:
            await asyncio.wait([self._task])
        return self._state

    def _begin(self, before: FeedState | None) -> FeedState:
        """The first state, or the next one with the gap since the service heard of the source last."""
        now = self._clock.wall_us()
        if before is None:
            return FeedState(self.order.kind, now, now + round(self._limits.ttl_s * 1e6), now)
        going = replace(before, status="RUNNING", failures=0, failure=None, end=None, starts=before.starts + 1)
        gap = FeedTimelineEntry(
            "gap",
            max(0.0, (before.heard_us - before.started_us) / 1e6),
            max(0.0, (max(now, before.heard_us) - before.started_us) / 1e6),
            before.pieces,
            before.pieces,
        )
        return replace(with_entry(going, gap), heard_us=max(now, before.heard_us))

    async def _run(self, outcome: asyncio.Future[FeedEnd | None]) -> None:
        """The feed's life. Its tasks end before the last event."""
        await self._say("radar.feed.started", "The feed is watched.")
        tasks = [asyncio.create_task(part) for part in (self._read(), self._look(), self._watch())]
        for task in tasks:
            task.add_done_callback(self._check)
        try:
            end = await outcome
        finally:
            for task in tasks:
                task.cancel()
            _, late = await asyncio.wait(tasks, timeout=_END_S)
            if late:
                log.error("%d tasks of feed %s do not end", len(late), self.order.scan_id)
        if end is None:
            await self._say("radar.feed.heartbeat", "The service ends; the feed goes on when it starts again.")
            return
        self._state = replace(self._state, end=end, status=_STATUS[end])
        failure = self._state.failure
        detail = failure.detail if end == "failed" and failure is not None else _WHY[end]
        await self._say("radar.feed.stopped", detail, self._new_regions)

    def _check(self, task: asyncio.Task[None]) -> None:
        """A task of the feed has ended; none may end by an exception."""
        if not task.cancelled() and (broken := task.exception()) is not None:
            log.error("feed %s broke", self.order.scan_id, exc_info=broken)
            self._fail(FeedFailure("internal_error", "The feed ended by a fault of this service."))

    def _end(self, end: FeedEnd | None) -> None:
        """The first reason counts."""
        if self._outcome is not None and not self._outcome.done():
            self._outcome.set_result(end)

    def _fail(self, failure: FeedFailure) -> None:
        if self._outcome is not None and not self._outcome.done():
            self._state = replace(self._state, failure=failure)
            self._outcome.set_result("failed")

    # Reading

    async def _read(self) -> None:
        """Tries until the feed ends, or has failed too often."""
        while True:
            try:
                await self._attempt()
                self._queue.close()
                return
            except FeedBroken as error:
                failure = FeedFailure(error.code, str(error)[:REASON_MAX])
                failures = self._state.failures + 1
                self._state = replace(self._state, failures=failures)
                if isinstance(error, FeedUnsupported) or failures >= self._limits.failures:
                    self._fail(failure)
                    return
            first = self._state.status == "RUNNING"
            self._state = replace(self._state, status="DEGRADED", failure=failure)
            if first:
                await self._say("radar.feed.degraded", failure.detail)
            await self._clock.sleep(pause_s(failures, self._draw()))

    async def _attempt(self) -> None:
        """One try, until the source ends or breaks, or the watch or the decoder finds fault with it."""
        self._heard_at = self._clock.now()
        self._unreadable_in_a_row = 0
        self._fault = fault = asyncio.get_running_loop().create_future()
        reading = asyncio.create_task(self._take_all())
        try:
            await asyncio.wait([reading, fault], return_when=asyncio.FIRST_COMPLETED)
            if fault.done():
                await fault
            if reading.cancelled():
                raise FeedStalled("The source took too long.")
            await reading
        finally:
            self._fault = None
            fault.cancel()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _take_all(self) -> None:
        """Nothing is awaited between two pieces: the time limit of an answer that is being read ends this task where
        it waits, which must be inside the source."""
        async with contextlib.aclosing(self._source.pieces()) as pieces:
            async for piece in pieces:
                self._heard_at = self._clock.now()
                self._state = replace(self._state, heard_us=max(self._state.heard_us, self._clock.wall_us()))
                if piece is not None:
                    self._take(piece)
                elif not self._unreadable_in_a_row:
                    self._recover()

    def _take(self, piece: FeedPiece) -> None:
        """Counts a piece, and lets it wait to be looked at unless it is left out."""
        state = self._state
        number, before = state.pieces, state.equal
        state = replace(state, pieces=number + 1, missed=state.missed + piece.missed)
        dropped = piece.missed
        if not self._pace.take(self._heard_at, piece.duration_s):
            state = replace(state, skipped=state.skipped + 1)
        elif (digest := hashlib.sha256(piece.body).digest()) == self._digest:
            state = replace(state, equal=state.equal + 1)
        else:
            self._digest = digest
            pushed = self._queue.put(number, piece)
            state = replace(state, dropped=state.dropped + pushed)
            dropped += pushed
        if dropped:
            at = self._seconds()
            first = max(0, number - dropped)
            state = with_entry(state, FeedTimelineEntry("dropped", at, at, first, number, count=dropped))
        self._state = state
        if state.equal > before:
            self._recover()

    def _recover(self) -> None:
        """The source works: what went wrong before counts no more."""
        if self._state.failures:
            self._state = replace(self._state, failures=0, status="RUNNING", failure=None)
            self._told_at = self._clock.now() - HEARTBEAT_S

    def _blame(self, error: FeedBroken) -> None:
        """Ends the present try."""
        if self._fault is not None and not self._fault.done():
            self._fault.set_exception(error)

    # Looking

    async def _look(self) -> None:
        """Has the pieces looked at, until nothing more will come."""
        while (waited := await self._queue.get()) is not None:
            number, piece = waited
            at = self._seconds()
            try:
                report = await self._scan(piece)
            except (MediaNotSandboxed, MediaUnjudged) as error:
                # No picture of any feed can be looked at.
                self._fail(FeedFailure(error.code, str(error)[:REASON_MAX]))
                return
            except MediaRefused as error:
                self._state = replace(self._state, unreadable=self._state.unreadable + 1)
                self._unreadable_in_a_row += 1
                # The same bytes once more are no sign that the source works.
                self._digest = b""
                if self._unreadable_in_a_row >= UNREADABLE_MAX:
                    self._blame(FeedUnreadable(f"What the feed sends cannot be read: {error}"))
                continue
            self._unreadable_in_a_row = 0
            self._recover()
            self._note(piece, number, at, report)
        state = self._state
        if state.unreadable and not state.scanned:
            self._fail(FeedFailure(FeedUnreadable.code, "Nothing of what the feed sent could be decoded."))
        elif not state.pieces:
            # A source that ends after its only piece could not be had must not look like one that was watched.
            self._fail(state.failure or FeedFailure(FeedBroken.code, "The feed ended before anything of it came."))
        self._end("ended")

    def _note(self, piece: FeedPiece, number: int, at: float, report: PieceReport) -> None:
        """What a look found, in state and timeline."""
        self._pace.spend(report.cpu_s)
        state, found, new = with_regions(self._state, report.regions)
        score = None if report.score is None else min(1.0, max(0.0, report.score))
        scores = [one for one in (score, state.worst_score) if one is not None]
        state = replace(
            state,
            scanned=state.scanned + 1,
            cpu_s=state.cpu_s + max(0.0, report.cpu_s),
            score=score,
            worst_score=max(scores, default=None),
            verdict=report.verdict,
        )
        if found or report.verdict in ("SUSPICIOUS", "MANIPULATED"):
            entry = FeedTimelineEntry(
                "finding", at, at + piece.duration_s, number, number, score, report.verdict, found
            )
            state = with_entry(state, entry)
        self._state = state
        self._new_regions += new

    # Watching

    async def _watch(self) -> None:
        """What time brings: the end of the feed, a source that sends nothing, and what is to be told."""
        while True:
            await self._clock.sleep(_TICK_S)
            now, state = self._clock.now(), self._state
            if self._clock.wall_us() >= state.expires_us:
                self._end("expired")
            elif state.cpu_s >= self._limits.cpu_s:
                self._end("cpu_budget")
            elif now - self._heard_at >= self._source.patience_s:
                self._blame(FeedStalled("The source has sent nothing new for too long."))
            due = self._finding_at is None or now - self._finding_at >= FINDING_S
            if due and (self._new_regions or state.verdict != self._told_verdict):
                self._finding_at = now
                self._told_verdict = state.verdict
                new, self._new_regions = self._new_regions, ()
                await self._say("radar.feed.finding", _words(state), new)
            elif now - self._told_at >= HEARTBEAT_S:
                self._told_at = now
                await self._say("radar.feed.heartbeat", "The feed is watched.")

    async def _say(self, kind: FeedEventType, detail: str, region_ids: tuple[str, ...] = ()) -> None:
        """One event after the other."""
        async with self._telling:
            event = FeedEvent(kind, self.order.scan_id, self._clock.wall_us(), self._state, detail, region_ids)
            try:
                await self._tell(event)
            except Exception:
                # What is told is in the next event's state; a feed does not end for that.
                log.exception("an event of feed %s could not be told", self.order.scan_id)

    def _seconds(self) -> float:
        """Since the feed began."""
        return max(0.0, (self._clock.wall_us() - self._state.started_us) / 1e6)


def _source(order: FeedOrder, reach: FeedReach, clock: FeedClock, limits: FeedLimits) -> FeedSource:
    """The source of its kind."""
    match order.kind:
        case "still":
            return StillSource(reach, order.url, clock, limits.poll_s, limits.stall_s)
        case "mjpeg":
            return MjpegSource(
                reach,
                order.url,
                clock,
                bytes_per_s=limits.bytes_per_s,
                connection_s=limits.ttl_s,
                patience_s=limits.stall_s,
            )
        case "hls":
            return HlsSource(reach, order.url, clock, limits.stall_s)


def _words(state: FeedState) -> str:
    """The finding in a sentence."""
    return f"The newest look says {state.verdict} with a score of {state.score or 0.0:.2f}."
