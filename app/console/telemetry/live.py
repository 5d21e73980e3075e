"""The live data of a window: ONE telemetry stream, rings of measurements, ONE repaint timer.

Events are gathered as they come and handed out once a tick, 100 ms apart: a callback costs about 15 us, so a burst of
a thousand events must not become a thousand repaints. Nothing is painted while the window is hidden.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.capabilities.gateway.telemetry.messages import GapEvent
from app.capabilities.infrastructure.messages import (
    FrameList,
    HandshakeEvent,
    NodesQuery,
    StatusEvent,
    StatusRecord,
)
from app.client import Client, ClientError, ServerEvent
from app.console.clock import Freshness, ServiceClock
from app.console.failures import failure_of
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.shown_time import KEPT_S, REACH_S
from app.console.telemetry.phase_log import PhaseLog
from app.console.telemetry.rings import MINUTE_S, Rings, spread
from app.running_clock import running_s

TICK_MS = 100
HEARTBEAT_S = 15.0
REPORT_S = 0.35
"""How late a probe may be reported: the service reports every 250 ms, we look every 100 ms. A missed probe ends one
interval after it began, so two after the one before: without this slack a frame would flicker at every miss."""
WATCH_EVERY_S = 10.0
DOUBT_WAIT_S = 1.0
AHEAD_S = 5.0
"""What is measured may be so far ahead of the service's clock as it is known here."""
SEED_S, SEED_STEP_S = 600, 5
PAST_STEP_S = 20
"""Seconds of a point of the history that is read when somebody looks at the past."""
UNHEARD_S = 30
"""Where nothing of any frame was measured for so long, this window was not listening."""
CHARTED_S = 600
"""What charts show before a moment of the past."""
RING_S = KEPT_S + CHARTED_S
"""Seconds that are kept: of a moment that was an hour ago when it was chosen, and is looked at for a while."""
SLICE_S = 0.008
FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0
LIVED_S = 30.0
"""A stream that lived so long was healthy: the next one is waited for as little as the first."""
QUEUE_LIMIT = 65_536
AT_ONCE = 250
"""Events that go out in one turn while the window is shown: some 5 ms of work of all listeners."""
MessageT = TypeVar("MessageT", bound=msgspec.Struct)


class TelemetrySource(Protocol):
    """Opens the stream; a new proof is signed for each connect."""

    def follow(self, last_event_id: str, heard: Callable[[], None]) -> AsyncIterator[ServerEvent]:
        """Events after ``last_event_id``; ``heard`` is called for every piece of the stream, heartbeats included.
        Raises what ``failures.failure_of`` knows."""
        ...


@dataclass(frozen=True)
class LiveEvent:
    """One event of the stream: ``data`` is its JSON, ``received`` our Unix time."""

    kind: str
    data: bytes
    received: float
    _messages: dict[type, object] = field(default_factory=dict, compare=False, repr=False)

    def read(self, message: type[MessageT]) -> MessageT:
        """The event as its message (``HandshakeEvent``, ``BurnEvent``), which all listeners share: none changes it.
        Raises msgspec.DecodeError."""
        known = self._messages.get(message)
        if known is None:
            known = self._messages[message] = msgspec.json.decode(self.data, type=message)
        return cast("MessageT", known)


Listener = Callable[[Sequence[LiveEvent]], None]


class Live(QObject):
    """The live side of one window."""

    state_changed = Signal(str)
    """``connecting``, ``live`` or ``lost``."""
    tick = Signal()
    """Every 100 ms while the window is shown, after the events of that time were handed out."""

    def __init__(self, clock: ServiceClock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = "connecting"
        self.trouble = ""
        """Why the stream is not live, one sentence."""
        self.stream = Freshness(HEARTBEAT_S)
        """The pulse of the service: while it probes frames it reports each interval, otherwise it sends heartbeats."""
        self.handshakes = Rings(RING_S)
        self.phases = PhaseLog()
        self.frames: dict[str, StatusRecord] = {}
        """Newest status record of each server frame, by ``peer_id``."""
        self.latency: dict[str, float] = {}
        """Newest handshake of each frame, ms, by ``peer_id``; a frame whose probe was missed has none."""
        self._fresh: dict[str, Freshness] = {}
        self.probe_interval_s = 1.0
        self.lost = 0
        """Events that the service or we had to drop."""
        self.received = 0
        self.lag_s: float | None = None
        """Age of the newest event when it came, by the service's clock; None before the first, and while that clock is
        in doubt."""
        self._clock = clock
        self._doubted = asyncio.Event()
        """Set: our clock was set or stood still since the service's was measured."""
        self._listeners: dict[str, list[Listener]] = {}
        self._queue: deque[LiveEvent] = deque()
        self._last_id = ""
        self._alive = False
        self._alive_since = 0.0
        self._ticked_at = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self.drain)

    # --- for pages -------------------------------------------------------------------------------------------------

    def subscribe(self, kind: str, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with the events of ``kind`` (``*``: all kinds) once a tick; the returned callable ends
        it."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    @property
    def stale(self) -> bool:
        """True when the stream is not connected, or when neither a report nor a heartbeat came for two intervals."""
        return self.state != "live" or self.stream.stale

    def fresh(self, peer_id: str) -> Freshness:
        """Freshness of a server frame: stale when no probe of it was reported for two intervals."""
        made = self._fresh.get(peer_id)
        if made is None:
            made = self._fresh[peer_id] = Freshness(self.probe_interval_s, REPORT_S)
        return made

    def now(self) -> float:
        """Unix time by the service's clock, by ours before it was measured: the time axis of the rings."""
        return self._clock.now()

    def take_frames(self, frames: FrameList) -> None:
        """Take a list of frames from the API: their status and the probe interval, not their history. Frames that the
        list does not name are gone."""
        self.probe_interval_s = frames.probe_interval_ms / 1000
        named = {frame.peer_id for frame in frames.items}
        for gone in set(self.frames) - named:
            del self.frames[gone]
            self.latency.pop(gone, None)
        # The slower of both is no measure of silence: the stream has a pulse of its own where probes are seldom.
        probed = bool(frames.items) and self.probe_interval_s < HEARTBEAT_S
        self.stream.interval_s = self.probe_interval_s if probed else HEARTBEAT_S
        self.stream.slack_s = REPORT_S if probed else 0.0
        self.handshakes.advance(self.now())
        self.phases.take(frames.items)
        for frame in frames.items:
            self.frames[frame.peer_id] = frame.record
            self.handshakes.row(frame.peer_id)
            self.fresh(frame.peer_id).interval_s = self.probe_interval_s
            if frame.record.measured_at is not None:
                self.fresh(frame.peer_id).touch(max(0.0, self.now() - parse_time(frame.record.measured_at)))

    async def watch(self, client: Client) -> None:
        """Read the frames and the last ten minutes after a connect. Go on to measure the service's clock every
        ``WATCH_EVERY_S``, and at once when ours was set. Where the stream is silent the frames are taken from that
        answer: the last one may be gone, and the reports with it. Ends by cancellation; only the first reading raises
        what the client raises."""
        await self._read_recent(client)
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._doubted.wait(), WATCH_EVERY_S)
            with suppress(ClientError):
                frames = await self.measure(client)
                if self.stale and self.state == "live":
                    self.take_frames(frames)
                if self._turn_back():
                    await self._read_recent(client)
            if self._doubted.is_set():
                # It could not be measured: the event would have it asked for without a pause.
                await asyncio.sleep(DOUBT_WAIT_S)

    async def measure(self, client: Client) -> FrameList:
        """Measure the service's clock with one call; the answer has the frames, without a history. Raises what the
        client raises."""
        return await self._ask(client, NodesQuery(from_=api_time(self.now()), step=MINUTE_S))

    async def _ask(self, client: Client, query: NodesQuery) -> FrameList:
        """The frames, and the service's clock with the call that reads them."""
        sent = running_s()
        frames = await client.infrastructure_nodes(query=query)
        self._clock.sample(sent, running_s(), parse_time(frames.to))
        if not self._clock.doubtful:
            self._doubted.clear()
        return frames

    async def _read_recent(self, client: Client) -> None:
        """Read the frames, and what they measured in the last ten minutes."""
        # From a whole minute on: so the minutes that the service keeps as one begin where their step begins.
        start = self.now() // MINUTE_S * MINUTE_S - SEED_S
        frames = await self._ask(client, NodesQuery(from_=api_time(start), step=SEED_STEP_S))
        self.take_frames(frames)
        await self._fill(frames)

    def _turn_back(self) -> bool:
        """Where the service's clock was set back, what was measured is of times to come: it would push away all that
        is measured from now on. True when it was dropped."""
        if (self.handshakes.end or 0.0) <= self.now() + AHEAD_S:
            return False
        self.handshakes, self.phases = Rings(RING_S), PhaseLog()
        return True

    async def read_past(self, client: Client) -> None:
        """Read the last hour, and what charts show before it, where this window was not listening. What it measured
        itself stays: a probe that it saw missed is not covered by the median around it. Raises what the client
        raises."""
        start = self.now() // MINUTE_S * MINUTE_S - REACH_S - CHARTED_S
        found = await client.infrastructure_nodes(query=NodesQuery(from_=api_time(start), step=PAST_STEP_S))
        await self._fill(found, unheard_alone=True)

    async def _fill(self, frames: FrameList, *, unheard_alone: bool = False) -> None:
        """Put the history into the rings, a slice at a time: the window answers in between."""
        start = float(round(parse_time(frames.from_)))
        seconds = round(parse_time(frames.to) - start) + 1
        began = time.monotonic()
        heard = self.handshakes.find_listened(start, seconds, UNHEARD_S) if unheard_alone else None
        for frame in frames.items:
            values = spread(frame.history, start, seconds, frames.step, self.probe_interval_s)
            if heard is not None:
                values[heard] = math.nan
            self.handshakes.fill(frame.peer_id, start, values)
            if time.monotonic() - began > SLICE_S:
                await asyncio.sleep(0)
                began = time.monotonic()

    def _take_handshakes(self, event: HandshakeEvent) -> None:
        """Take measured handshakes into rings, latencies and records; a missed one removes the latency."""
        for sample in event.items:
            at = parse_time(sample.at)
            self.fresh(sample.peer_id).touch(max(0.0, self.now() - at))
            record = self.frames.get(sample.peer_id)
            if sample.latency_ms is None:
                self.latency.pop(sample.peer_id, None)
                self.handshakes.row(sample.peer_id)
                if record is not None:
                    # The latency of the record stays that of the last success, and so does the time of it.
                    self.frames[sample.peer_id] = msgspec.structs.replace(record, status=sample.status)
                continue
            self.latency[sample.peer_id] = sample.latency_ms
            self.handshakes.put(sample.peer_id, at, sample.latency_ms)
            if record is not None:
                self.frames[sample.peer_id] = msgspec.structs.replace(
                    record,
                    status=sample.status,
                    handshake_latency=f"{sample.latency_ms:.2f} ms",
                    measured_at=sample.at,
                )

    # --- the tick --------------------------------------------------------------------------------------------------

    def look(self, looking: bool) -> None:
        """Say whether the window is shown. While it is hidden, events are kept up to a bound and nothing is painted."""
        if looking:
            self._timer.start()
        else:
            self._timer.stop()

    def drain(self) -> None:
        """Hand out what came since the last tick, then let every view paint once. Of a burst no more than ``AT_ONCE``
        go out in one turn: between two turns the window answers."""
        most = min(AT_ONCE, len(self._queue)) if self._timer.isActive() else len(self._queue)
        batch = [self._queue.popleft() for _ in range(most)]
        by_kind: dict[str, list[LiveEvent]] = {}
        for event in batch:
            by_kind.setdefault(event.kind, []).append(event)
            self._follow_frames(event)
        if self._doubts_clock():
            self.lag_s = None
        else:
            self.handshakes.advance(self.now())
        for kind, events in by_kind.items():
            for listener in (*self._listeners.get(kind, ()), *self._listeners.get("*", ())):
                listener(events)
        if self._queue:
            # Not after 0 ms: Qt posts that as an event, two of which come between two rounds of the timers.
            QTimer.singleShot(1, self, self._drain_rest)
        if not self._queue or time.monotonic() - self._ticked_at >= TICK_MS / 1000:
            self._ticked_at = time.monotonic()
            self.tick.emit()

    def _drain_rest(self) -> None:
        if self._queue and self._timer.isActive():
            self.drain()

    def _follow_frames(self, event: LiveEvent) -> None:
        try:
            if event.kind == "handshake":
                self._take_handshakes(event.read(HandshakeEvent))
            elif event.kind == "status":
                change = event.read(StatusEvent)
                self.frames[change.peer_id] = change.record
        except (msgspec.DecodeError, ValueError):
            self.lost += 1

    # --- the stream ------------------------------------------------------------------------------------------------

    async def follow(self, source: TelemetrySource) -> None:
        """Follow the stream for ever, reconnecting with jitter and a backoff of 0.2 to 5 s that grows unless a stream
        lived ``LIVED_S``. Ends by cancellation."""
        wait = 0.0
        while True:
            self._say("lost" if wait else "connecting")
            self._alive = False
            try:
                async with aclosing(source.follow(self._last_id, self._note_pulse)) as events:  # type: ignore[type-var]
                    async for event in events:
                        self._take(event.event, event.data)
                        self._last_id = event.id or self._last_id
                self.trouble = tr("The service ended the stream.")
            except asyncio.CancelledError:
                raise
            except Exception as error:  # every error is shown, and the stream is tried again
                self.trouble = failure_of(error).sentence
            self._say("lost")
            lived_s = time.monotonic() - self._alive_since if self._alive else 0.0
            wait = next_wait(wait, lived_s)
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))

    def _doubts_clock(self) -> bool:
        """Whether the service's clock is to be measured anew; if it is, ``watch`` does."""
        if self._clock.doubtful:
            self._doubted.set()
            return True
        return False

    def _note_pulse(self) -> None:
        self.stream.touch()
        if self.state != "live":
            self._alive = True
            self._alive_since = time.monotonic()
            self.trouble = ""
            self._say("live")

    def _say(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def restart(self) -> None:
        """Another service process answers: its event ids begin anew."""
        self._last_id = ""
        self._say("connecting")

    def _take(self, kind: str, data: str) -> None:
        """Take one event of the stream into the queue, and note losses and the event's age."""
        self.received += 1
        raw = data.encode("utf-8", "replace")
        now = time.time()
        try:
            if kind == "gap":
                lost = msgspec.json.decode(raw, type=GapEvent).lost
                self.lost += 1 if lost is None else lost
            elif kind == "handshake":
                samples = msgspec.json.decode(raw, type=HandshakeEvent).items
                # Below zero is the error of the clock's offset and means "at once".
                lag_s = max(0.0, self.now() - max(parse_time(sample.at) for sample in samples))
                self.lag_s = None if self._doubts_clock() else lag_s
        except (msgspec.DecodeError, ValueError):
            self.lost += 1
            return
        if len(self._queue) >= QUEUE_LIMIT:
            self._queue.popleft()
            self.lost += 1
        self._queue.append(LiveEvent(kind, raw, now))


def next_wait(before_s: float, lived_s: float) -> float:
    """Seconds to the next try after a stream that lived ``lived_s``, where the wait before it was ``before_s`` (0:
    there was none)."""
    if before_s == 0 or lived_s >= LIVED_S:
        return FIRST_WAIT_S
    return min(before_s * 2, LONGEST_WAIT_S)
