"""The prober: one handshake with every registered frame in each interval, evenly spread, on one thread.

Why a thread with its own selector: a full handshake costs about a millisecond of processor time, and its clock must not
wait behind the service's event loop. Probes are spread over the interval by the golden ratio, so that neither we nor a
rack of frames see a burst, and adding or removing a frame moves no other. At most ``RATE_MAX`` probes start per second:
with more frames than that the interval grows, and ``interval_s`` says so.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import heapq
import itertools
import logging
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from OpenSSL import SSL

from app.capabilities.infrastructure.handshake import (
    FrameTrust,
    Handshake,
    HandshakeRefused,
    KernelStamps,
    Measurement,
    numeric,
)
from app.capabilities.infrastructure.identity import RENEW_BEFORE, TlsIdentity
from app.registry.peers import PeerRow

log = logging.getLogger(__name__)

RATE_MAX = 200
"""Probes per second. Measured: 2 ms of processor time per probe, so 50 frames cost 0.1 of a core and this bound 0.4."""
TICK_S = 0.25
"""Measurements are handed over in batches this often."""
REFRESH_S = 60.0
"""How often the list of targets is read again without a call of ``refresh``, and the identity's end is checked."""
_GOLDEN = 0.6180339887498949
_RESOLVERS = 4

Sink = Callable[[Sequence[Measurement]], None]


@dataclass
class _ProbeSlot:
    """A target's place in the schedule."""

    target: PeerRow
    due: float
    running: _Running | None = None
    alive: bool = True


@dataclass
class _Running:
    """A probe under way. ``registered``: the events for which its socket is watched, 0 for none."""

    slot: _ProbeSlot
    deadline: float
    started: float
    resolution: concurrent.futures.Future[list[tuple[int, str]]] | None = None
    handshake: Handshake | None = None
    registered: int = 0
    timers: list[float] = field(default_factory=list)


class Prober:
    """Probes ``targets()`` until stopped.

    ``sink`` gets each tick's measurements on the prober's thread, even when there are none, and must be quick.
    ``identity()`` gives a fresh client identity, at the start and again before the old one ends. ``site_root`` (PEM) is
    the trusted root for a target that names none.
    """

    def __init__(
        self,
        *,
        targets: Callable[[], Sequence[PeerRow]],
        identity: Callable[[], TlsIdentity],
        site_root: bytes,
        sink: Sink,
        interval_s: float = 1.0,
    ) -> None:
        self._targets = targets
        self._make_identity = identity
        self._identity = identity()
        self._site_root = site_root
        self._sink = sink
        self._base_interval_s = interval_s
        self._trusts: dict[tuple[str | None, str | None], FrameTrust | ValueError] = {}
        self._slots: dict[str, _ProbeSlot] = {}
        self._queue: list[tuple[float, int, _ProbeSlot]] = []
        self._timers: list[tuple[float, int, _Running]] = []
        self._serial = itertools.count()
        self._phase = itertools.count()
        self._results: list[Measurement] = []
        self._resolved: deque[_Running] = deque()
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        self._resolvers = concurrent.futures.ThreadPoolExecutor(_RESOLVERS, thread_name_prefix="resolve")
        self._stopping = threading.Event()
        self._stale = threading.Event()
        self._thread = threading.Thread(target=self._run, name="prober", daemon=True)

    @property
    def interval_s(self) -> float:
        """Seconds between two probes of the same frame, as it is now."""
        return max(self._base_interval_s, len(self._slots) / RATE_MAX)

    @property
    def alive(self) -> bool:
        """Whether the thread runs. ``/readyz`` asks: with a dead prober no status is true."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread; the first probes start at once, spread over one interval."""
        self._thread.start()

    def refresh(self) -> None:
        """Read the list of targets now, because it has changed. From any thread."""
        self._stale.set()
        self._wake()

    def stop(self) -> None:
        """Cancel the probes under way and join the thread; finished measurements are still handed over."""
        self._stopping.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join()
        # A resolver that hangs in the C library cannot be cancelled, and is not waited for.
        self._resolvers.shutdown(wait=False, cancel_futures=True)

    def _wake(self) -> None:
        # Full: the thread is woken already. Closed: the thread has stopped.
        with contextlib.suppress(BlockingIOError, OSError):
            self._waker.send(b"x")

    def _run(self) -> None:
        """Start, follow and end probes until stopped; then release every probe and socket."""
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        next_tick = time.monotonic() + TICK_S
        next_refresh = 0.0
        stamps = KernelStamps()
        try:
            stamps.settle()
            while not self._stopping.is_set():
                now = time.monotonic()
                if now >= next_refresh or self._stale.is_set():
                    self._stale.clear()
                    self._refresh(now)
                    next_refresh = now + REFRESH_S
                if now >= next_tick:
                    self._hand_over()
                    next_tick = now + TICK_S
                self._start_due(now)
                wait = min(next_tick, next_refresh, *(heap[0][0] for heap in (self._queue, self._timers) if heap))
                for key, _events in self._selector.select(max(0.0, wait - time.monotonic())):
                    if key.data is None:
                        self._woken.recv(4096)
                    else:
                        self._ready(key.data)
                while self._resolved:
                    self._begin(self._resolved.popleft())
                self._fire_timers()
        except Exception:
            log.exception("the prober stopped")
        finally:
            for slot in self._slots.values():
                if slot.running is not None:
                    self._release(slot.running)
            self._hand_over()
            stamps.close()
            self._selector.close()
            self._woken.close()
            self._waker.close()

    def _refresh(self, now: float) -> None:
        """Bring slots and trusts in line with the registered targets, and renew an identity that ends soon."""
        if self._identity.expires_before(datetime.now(UTC) + RENEW_BEFORE):
            self._identity = self._make_identity()
            self._trusts.clear()
        try:
            wanted = {target.peer_id: target for target in self._targets()}
        except Exception:
            # The last list is still good enough; the store's health is reported elsewhere.
            log.exception("the list of server frames could not be read")
            return
        for peer_id in self._slots.keys() - wanted.keys():
            self._slots.pop(peer_id).alive = False
        for peer_id, target in wanted.items():
            slot = self._slots.get(peer_id)
            if slot is None:
                offset = (next(self._phase) * _GOLDEN) % 1.0
                slot = self._slots[peer_id] = _ProbeSlot(target, now + offset * self._base_interval_s)
                self._push(slot)
            else:
                slot.target = target
        used = {(target.ca, target.certificate) for target in wanted.values()}
        for key in self._trusts.keys() - used:
            del self._trusts[key]

    def _push(self, slot: _ProbeSlot) -> None:
        heapq.heappush(self._queue, (slot.due, next(self._serial), slot))

    def _start_due(self, now: float) -> None:
        while self._queue and self._queue[0][0] <= now:
            slot = heapq.heappop(self._queue)[2]
            if not slot.alive:
                continue
            interval = self.interval_s
            # After a suspend the missed turns are skipped: no probe was made, so the frame has not missed any.
            slot.due = max(slot.due + interval, now + interval * 0.5)
            self._push(slot)
            if slot.running is None:
                self._start(slot, now)

    def _start(self, slot: _ProbeSlot, now: float) -> None:
        """Start a probe: at once for an address, after resolving for a name."""
        running = _Running(slot, now + self._base_interval_s, time.perf_counter())
        slot.running = running
        host = slot.target.host
        family = numeric(host)
        if family is not None:
            self._begin(running, [(family, host)])
        else:
            running.resolution = self._resolvers.submit(_resolve, host, slot.target.port)

            def hand_back(_future: object) -> None:
                self._resolved.append(running)
                self._wake()

            running.resolution.add_done_callback(hand_back)
        self._timer(running, running.deadline)

    def _timer(self, running: _Running, when: float) -> None:
        heapq.heappush(self._timers, (when, next(self._serial), running))

    def _begin(self, running: _Running, addresses: list[tuple[int, str]] | None = None) -> None:
        """Connect to the addresses (None: those that the name resolved to), unless the probe has ended meanwhile."""
        if running.slot.running is not running:
            return
        target = running.slot.target
        resolve_ms = 0.0
        try:
            if addresses is None:
                if running.resolution is None or running.resolution.cancelled():
                    return
                addresses = running.resolution.result()
                resolve_ms = (time.perf_counter() - running.started) * 1000
            running.handshake = Handshake(target, self._trust(target), addresses, resolve_ms)
        except OSError as error:
            self._end(running, f"The name {target.host} does not resolve: {error.strerror or error}.")
        except (ValueError, HandshakeRefused, SSL.Error) as error:
            self._end(running, str(error))
        else:
            self._follow(running)

    def _trust(self, target: PeerRow) -> FrameTrust:
        """The target's trust, made once for all targets with the same certificates. ValueError for unreadable PEM."""
        key = (target.ca, target.certificate)
        trust = self._trusts.get(key)
        if trust is None:
            roots = target.ca.encode() if target.ca is not None else self._site_root
            try:
                trust = FrameTrust(self._identity, roots, target.certificate.encode() if target.certificate else None)
            except ValueError:
                trust = ValueError("The certificates registered for this frame cannot be read.")
            self._trusts[key] = trust
        if isinstance(trust, ValueError):
            raise trust
        return trust

    def _ready(self, running: _Running) -> None:
        if running.handshake is not None:
            before = running.handshake.wake_at
            running.handshake.ready()
            if running.handshake.wake_at is not None and running.handshake.wake_at != before:
                self._timer(running, running.handshake.wake_at)
            self._follow(running)

    def _follow(self, running: _Running) -> None:
        """Watch the socket for the events that the handshake wants next, or take its result."""
        handshake = running.handshake
        if handshake is None:
            return
        if handshake.result is not None and handshake.result.failure is not None:
            previous = handshake.socket
            self._unwatch(running)
            if not handshake.next_address():
                self._end(running)
                return
            previous.close()
        if handshake.result is not None:
            self._end(running)
        elif running.registered == 0:
            self._selector.register(handshake.socket, handshake.events, running)
            running.registered = handshake.events
        elif running.registered != handshake.events:
            self._selector.modify(handshake.socket, handshake.events, running)
            running.registered = handshake.events

    def _fire_timers(self) -> None:
        """Wake or end the probes whose time has come."""
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            running = heapq.heappop(self._timers)[2]
            if running.slot.running is not running:
                continue
            if running.handshake is None:
                if now >= running.deadline:
                    self._end(running, f"The name {running.slot.target.host} did not resolve in time.")
            elif now >= running.deadline:
                running.handshake.expire()
                self._end(running)
            else:
                running.handshake.wake()
                self._follow(running)

    def _unwatch(self, running: _Running) -> None:
        if running.registered and running.handshake is not None:
            self._selector.unregister(running.handshake.socket)
            running.registered = 0

    def _release(self, running: _Running) -> None:
        self._unwatch(running)
        if running.handshake is not None:
            running.handshake.close()
            # The timer of the deadline keeps the probe until it has passed; socket and OpenSSL's state must not stay.
            running.handshake = None
        if running.resolution is not None:
            running.resolution.cancel()
        running.slot.running = None

    def _end(self, running: _Running, failure: str | None = None) -> None:
        result = running.handshake.result if running.handshake is not None else None
        self._release(running)
        if failure is not None:
            result = Measurement(peer_id=running.slot.target.peer_id, at_us=time.time_ns() // 1000, failure=failure)
        if result is not None and running.slot.alive:
            self._results.append(result)

    def _hand_over(self) -> None:
        batch, self._results = self._results, []
        try:
            self._sink(batch)
        except Exception:
            log.exception("measurements were lost", extra={"count": len(batch)})


def _resolve(host: str, port: int) -> list[tuple[int, str]]:
    """Addresses of a name in the system's order. OSError (``socket.gaierror``) when there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [(int(family), str(address[0])) for family, _type, _protocol, _name, address in found]
