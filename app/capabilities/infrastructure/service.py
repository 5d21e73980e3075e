"""The status of server frames: ties together the prober, the rules, the history, the events and the alarms."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import math
import threading
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from app.api.problems import Problem
from app.api.wire import rfc3339, unix_us
from app.capabilities.infrastructure.handshake import Measurement
from app.capabilities.infrastructure.history import History, Sketch
from app.capabilities.infrastructure.identity import TlsAuthority, client_identity, server_identity
from app.capabilities.infrastructure.listener import FrameServer, FrameSpec
from app.capabilities.infrastructure.messages import (
    Frame,
    FrameList,
    FramePhases,
    FrameStatus,
    HandshakeEvent,
    HandshakeSample,
    HistoryPoint,
    NodesQuery,
    StatusEvent,
    StatusRecord,
)
from app.capabilities.infrastructure.prober import Prober
from app.capabilities.infrastructure.status import BACK_AFTER, MEDIAN_FROM, MISSES_ALARM, FrameState
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.registry.peers import PeerRow
from app.registry.service import Registry
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

UNREACHABLE_ALARM = "frame.unreachable"
STEPS_MAX = 1440
POINTS_MAX = 100_000
_FIRST_US = unix_us("1000-01-01T00:00:00Z")
"""The earliest time that a timestamp of the wire can hold."""
_OWN = "~self"
"""Key of this node's own frame: no identifier of the registry begins with ``~``."""
_HOUR_US = 3_600_000_000
_MEDIAN_EVERY = 10
"""Probes of a frame between two computations of its hour's median."""
_FLUSH_S = 60.0
_ROLL_UPS = 8
"""Transactions of old minutes in one go: after a long stop the rest waits for the next minutes."""
_OWN_DAYS = 397


class Infrastructure:
    """Status and history of server frames.

    Order of life: construct before the registry starts; ``start()`` and ``stop()`` on the event loop. ``node_id`` names
    this node; ``training`` marks its certificates.
    """

    def __init__(
        self,
        *,
        registry: Registry,
        store: Store,
        bus: EventBus,
        alarms: AlarmBook,
        authority: TlsAuthority,
        node_id: str,
        training: bool,
        interval_s: float = 1.0,
    ) -> None:
        self._registry = registry
        self._store = store
        self._bus = bus
        self._alarms = alarms
        self._authority = authority
        self._node_id = node_id
        self._mark = "TRAINING " if training else ""
        self._interval_s = interval_s
        self._history = History(store)
        self._lock = threading.RLock()
        self._listing = threading.Lock()
        self._states: dict[str, FrameState] = {}
        self._by_node: dict[str, str] = {}
        self._written_last: dict[str, Measurement] = {}
        self._own: PeerRow | None = None
        self._prober: Prober | None = None
        self._listener: FrameServer | None = None
        self._flusher: asyncio.Task[None] | None = None
        self._alarmed: set[str] = set()
        self._alarming: concurrent.futures.Future[None] | None = None
        registry.peers_kind.on_change(self._peer_changed)

    # --- life ---

    async def start(self) -> None:
        """Opens this node's own frame and begins to probe."""
        await asyncio.to_thread(self._open)
        self._flusher = asyncio.create_task(self._keep_history(), name="frames-history")

    def _open(self) -> None:
        """Load what is stored, open this node's own frame and start the prober."""
        self._written_last = self._history.load_last()
        self._alarmed = self._alarms.keys(UNREACHABLE_ALARM)
        address = "127.0.0.1"
        identity = server_identity(self._authority, f"{self._mark}{self._node_id}", [address], days=_OWN_DAYS)
        self._listener = FrameServer([FrameSpec("own", identity, self._authority.root_pem(), host=address)])
        port = self._listener.start()["own"]
        self._own = PeerRow(_OWN, self._node_id, f"{address}:{port}", None, None, "sovereign", False, ())
        self._prober = Prober(
            targets=self._targets,
            identity=lambda: client_identity(self._authority, f"{self._mark}Prober {self._node_id}"),
            site_root=self._authority.root_pem(),
            sink=self._take,
            interval_s=self._interval_s,
        )
        self._targets()
        self._prober.start()

    async def stop(self) -> None:
        """Ends every probe in flight, writes what was measured, and closes this node's own frame."""
        if self._flusher is not None:
            self._flusher.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._flusher
            self._flusher = None
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        if self._prober is not None:
            self._prober.stop()
        if self._listener is not None:
            self._listener.stop()
        try:
            self._history.flush(everything=True)
        except StoreError:
            log.warning("the last minute of the frames' history could not be written", exc_info=True)

    def trouble(self) -> str | None:
        """For ``/readyz``: a sentence when no frame is probed any more, else None."""
        if self._prober is None or not self._prober.alive:
            return "Server frames are not probed; restart the service."
        return None

    async def _keep_history(self) -> None:
        """Write the history each minute, and turn its old minutes into hours."""
        while True:
            await asyncio.sleep(_FLUSH_S)
            try:
                await asyncio.to_thread(self._history.flush)
                for _part in range(_ROLL_UPS):
                    if not await asyncio.to_thread(self._history.roll_up):
                        break
            except StoreError:
                log.warning("the frames' history could not be written; it is tried again", exc_info=True)
            except Exception:
                log.exception("the frames' history could not be kept")

    # --- the calls ---

    async def status(self, node_id: str | None) -> StatusRecord:
        """The record of one frame, or of this node. 404 for a frame that is not registered."""
        if node_id is None or node_id == self._node_id:
            with self._lock:
                return self._record(self._state(_OWN))
        if node_id not in self._by_node:
            # It may have been registered a moment ago, and the prober's thread may not have read the list yet.
            await asyncio.to_thread(self._targets)
        with self._lock:
            peer_id = self._by_node.get(node_id)
            if peer_id is None:
                raise Problem("not_found", f"No server frame {node_id} is registered; PUT it under /v1/registry/peers.")
            return self._record(self._state(peer_id))

    async def nodes(self, query: NodesQuery) -> FrameList:
        """All frames with the history of the range."""
        return await asyncio.to_thread(self._nodes, query)

    def _nodes(self, query: NodesQuery) -> FrameList:
        """As ``nodes``; it reads the store, so it blocks."""
        to_us = unix_us(query.to) if query.to is not None else time.time_ns() // 1000
        if query.from_ is not None:
            from_us = unix_us(query.from_)
        else:
            from_us = max(to_us - min(_HOUR_US, STEPS_MAX * query.step * 1_000_000), _FIRST_US)
        self._targets()
        with self._lock:
            states = [self._states[key] for key in sorted(self._states.keys() - {_OWN})]
            frames = [self._frame(state) for state in states]
        steps_max = max(1, min(STEPS_MAX, POINTS_MAX // max(1, len(frames))))
        step_s = max(query.step, -(-(to_us - from_us) // (steps_max * 1_000_000)))
        history = self._history.read([frame.peer_id for frame in frames], from_us, to_us, step_s)
        for frame in frames:
            frame.span, points = history[frame.peer_id]
            frame.history = [HistoryPoint(at=rfc3339(point.start_us), handshake=point.handshake) for point in points]
        interval_s = self._prober.interval_s if self._prober is not None else self._interval_s
        return FrameList(
            items=frames,
            from_=rfc3339(from_us),
            to=rfc3339(to_us),
            step=step_s,
            probe_interval_ms=round(interval_s * 1000),
        )

    def _state(self, key: str) -> FrameState:
        state = self._states.get(key)
        if state is None:
            raise Problem("dependency_unavailable", "Frames are not probed yet.", headers={"Retry-After": "1"})
        return state

    def _record(self, state: FrameState) -> StatusRecord:
        """The frame's status record. The caller holds the lock."""
        good = state.good
        latency = good.phases.first_byte_ms if good is not None and good.phases is not None else math.nan
        return StatusRecord(
            node_id=state.target.node_id,
            status=state.status,
            handshake_latency="NaN ms" if math.isnan(latency) else f"{latency:.2f} ms",
            active_sovereign_nodes=sum(
                known.status == "OPERATIONAL" and known.target.level == "sovereign"
                for key, known in self._states.items()
                if key != _OWN
            ),
            uplink=_uplink(good),
            measured_at=rfc3339(good.at_us) if good is not None else None,
            reason=state.reason,
        )

    def _frame(self, state: FrameState) -> Frame:
        """The frame as the wire shows it, without its history. The caller holds the lock."""
        good = state.good
        phases = good.phases if good is not None else None
        empty = Sketch().percentiles()
        return Frame(
            peer_id=state.target.peer_id,
            record=self._record(state),
            phases=FramePhases(
                resolve_ms=round(phases.resolve_ms, 3),
                connect_ms=round(phases.connect_ms, 3),
                first_byte_ms=round(phases.first_byte_ms, 3),
                handshake_ms=round(phases.handshake_ms, 3),
            )
            if phases is not None
            else None,
            certificate_not_after=rfc3339(good.not_after_us)
            if good is not None and good.not_after_us is not None
            else None,
            group=good.group if good is not None else None,
            cipher=good.cipher if good is not None else None,
            protocol=good.protocol if good is not None else None,
            span=empty,
            history=[],
        )

    # --- the prober's thread ---

    def _targets(self) -> Sequence[PeerRow]:
        """The frames to probe as they are registered now; brings ``_states`` in line with them."""
        # An older list must not be taken in after a newer one.
        with self._listing:
            return self._read_targets()

    def _read_targets(self) -> Sequence[PeerRow]:
        """Read the registered frames; add, change and remove their states, and publish what changed."""
        registered = self._registry.peers()
        rows = (*registered, self._own) if self._own is not None else registered
        changes: list[Event] = []
        with self._lock:
            for key in self._states.keys() - {row.peer_id for row in rows}:
                del self._states[key]
                self._history.forget(key)
            for row in rows:
                state = self._states.get(row.peer_id)
                if state is None:
                    self._states[row.peer_id] = FrameState(row, self._written_last.get(row.peer_id))
                elif state.target != row:
                    before = state.status
                    state.target = row
                    state.judge()
                    changes += self._change(state, before)
            self._by_node = {row.node_id: row.peer_id for row in registered}
        for event in changes:
            self._bus.publish(event)
        return rows

    def _take(self, batch: Sequence[Measurement]) -> None:
        """Take in the measurements of one tick: history, states, events and alarms."""
        samples: list[HandshakeSample] = []
        changes: list[Event] = []
        with self._lock:
            for measurement in batch:
                state = self._states.get(measurement.peer_id)
                if state is None:
                    continue
                self._history.add(measurement)
                before = state.status
                if state.probed % _MEDIAN_EVERY == 0:
                    median, count = self._history.median(measurement.peer_id, measurement.at_us - _HOUR_US)
                    state.median_ms = median if count >= MEDIAN_FROM else None
                state.observe(measurement)
                changes += self._change(state, before)
                if measurement.peer_id != _OWN:
                    phases = measurement.phases
                    samples.append(
                        HandshakeSample(
                            peer_id=measurement.peer_id,
                            node_id=state.target.node_id,
                            at=rfc3339(measurement.at_us),
                            latency_ms=round(phases.first_byte_ms, 3) if phases is not None else None,
                            status=state.status,
                        )
                    )
        if samples:
            self._bus.publish(Event("handshake", HandshakeEvent(items=samples), time.time_ns() // 1000))
        for event in changes:
            self._bus.publish(event)
        self._match_alarms()

    def _change(self, state: FrameState, before: FrameStatus) -> list[Event]:
        if state.status == before or state.target.peer_id == _OWN:
            return []
        body = StatusEvent(peer_id=state.target.peer_id, before=before, record=self._record(state))
        return [Event("status", body, time.time_ns() // 1000)]

    def _match_alarms(self) -> None:
        """Brings the open alarms in line with the frames: one job at a time, tried again at the next tick.

        While this node misses its own frame, which is in this very process, it is this machine that is late, and no
        alarm is opened for the others."""
        if self._alarming is not None:
            if not self._alarming.done():
                return
            error = self._alarming.exception()
            if error is not None:
                log.warning("alarms of server frames could not be written; tried again", exc_info=error)
            self._alarming = None
        opening: dict[str, tuple[str, str]] = {}
        closing: set[str] = set()
        with self._lock:
            own = self._states.get(_OWN)
            late = own is not None and own.missed_in_a_row > 0
            for key, state in self._states.items():
                if key in self._alarmed:
                    if state.target.maintenance or state.good_in_a_row >= BACK_AFTER:
                        closing.add(key)
                elif key == _OWN or late or state.status != "UNREACHABLE":
                    continue
                elif state.missed_in_a_row >= MISSES_ALARM:
                    where = f"{state.target.node_id} ({state.target.url})"
                    opening[key] = (
                        state.target.node_id,
                        f"Server frame {where} does not answer. {state.failure or ''}",
                    )
            closing |= self._alarmed - self._states.keys()
        if not opening and not closing:
            return

        def job(tx: Transaction) -> None:
            for key, (node_id, text) in opening.items():
                self._alarms.raise_alarm(tx, UNREACHABLE_ALARM, key, text.strip(), node_id=node_id, ref=key)
            for key in closing:
                self._alarms.clear(tx, UNREACHABLE_ALARM, key)
            tx.after_commit(note)

        def note() -> None:
            with self._lock:
                self._alarmed = (self._alarmed | opening.keys()) - closing

        try:
            self._alarming = self._store.writer.submit(job)
        except StoreError:
            log.warning("alarms of server frames could not be written; tried again", exc_info=True)

    def _peer_changed(self, tx: Transaction, peer_id: str, before: Row[Any] | None) -> None:
        del peer_id, before
        prober = self._prober
        if prober is not None:
            tx.after_commit(prober.refresh)


def _uplink(good: Measurement | None) -> str:
    """Cipher suite and key exchange group. TLS 1.2 with a static key exchange has no group."""
    if good is None or good.cipher is None:
        return "none"
    return good.cipher if good.group is None else f"{good.cipher} / {good.group}"
