"""The readers and what lies in them: identified once an insertion, listed at once, written by one thread a reader."""

from __future__ import annotations

import asyncio
import functools
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from cryptography import x509

from app.capabilities.provisioning.readers.watchdog import Silence, TimedBackend
from hardware.cards.apdu import FormatMemory
from hardware.cards.backend import CardBackend, CardConnection, CardError, NoCard, NoSuchReader, WrongCard
from hardware.cards.identify import CardIdentity, CardState, identify, identify_reader
from hardware.cards.monitor import CardMonitor, CardReaderState
from hardware.cards.worker import CardWorkers

T = TypeVar("T")
ServiceState = Literal["up", "down", "off"]
SETTLE_S = 5.0
"""Longest wait for cards that are being identified; a reader that takes longer is listed as it is."""

_USABLE = (CardState.BLANK, CardState.TORN, CardState.PROVISIONED)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CardSeat:
    """One reader. ``identity`` is None while it is empty or not identified yet; ``fault`` says why it stays None.
    ``writing`` names the provisioning that holds it."""

    reader: str
    atr: bytes
    present: bool
    changes: int
    simulated: bool
    identity: CardIdentity | None = None
    fault: str | None = None
    writing: str | None = None


@dataclass(frozen=True)
class RoomBackend:
    """A family of readers in the room. ``service``: whether its absence is the reader service's absence; ``required``:
    whether the site was told to use that service, so that a card that is not found may be behind it."""

    backend: CardBackend
    simulated: bool
    service: bool
    required: bool = False


@dataclass(frozen=True)
class Mishap:
    """The last thing that went wrong at a reader: microseconds since 1970, and words for people."""

    at_us: int
    words: str


class CardRoom:
    """All readers of the site. ``on_change`` hears each seat that changed, on a card thread; it must be quick."""

    def __init__(
        self,
        backends: Sequence[RoomBackend],
        authorities: Sequence[x509.Certificate],
        on_change: Callable[[CardSeat], None],
    ) -> None:
        self._silence = Silence()
        self._backends = tuple(replace(one, backend=TimedBackend(one.backend, self._silence)) for one in backends)
        self._mishaps: dict[str, Mishap] = {}
        self._authorities = tuple(authorities)
        self._on_change = on_change
        self._memory = FormatMemory()
        self._workers = CardWorkers()
        self._lock = threading.RLock()
        self._noticed = threading.Condition(self._lock)
        self._seats: dict[str, CardSeat] = {}
        # Apart from the seats: a reader that is unplugged and plugged in again during a write is still held by it.
        self._holds: dict[str, str] = {}
        self._pending: dict[Future[None], str] = {}
        self._unseen = set(range(len(self._backends)))
        self._monitors = [
            CardMonitor([entry.backend], functools.partial(self._seen, index))
            for index, entry in enumerate(self._backends)
        ]

    @property
    def memory(self) -> FormatMemory:
        """What kinds of card were learnt to take."""
        return self._memory

    def start(self) -> None:
        """Begins to watch."""
        for monitor in self._monitors:
            monitor.start()

    def stop(self) -> None:
        """Stops watching and ends the readers' threads; an APDU that never returns keeps its thread (a daemon)."""
        for monitor in self._monitors:
            monitor.stop()
        self._workers.close()

    def service(self) -> tuple[ServiceState, str | None]:
        """Whether the PC/SC service answers, and why not."""
        for entry, monitor in zip(self._backends, self._monitors, strict=True):
            if entry.service:
                failure = monitor.services()[0]
                return ("up", None) if failure is None else ("down", failure)
        return "off", "PC/SC is not used (--no-pcsc)."

    @property
    def restarts(self) -> int:
        """How often the PC/SC service came back since this service started."""
        pairs = zip(self._backends, self._monitors, strict=True)
        return sum(monitor.restarts()[0] for entry, monitor in pairs if entry.service)

    def silent_s(self, reader: str) -> float:
        """Seconds for which the reader's card has been asked something without an answer."""
        return self._silence.seconds(reader)

    def mishap(self, reader: str) -> Mishap | None:
        """The last thing that went wrong at the reader since this service started."""
        with self._lock:
            return self._mishaps.get(reader)

    @property
    def service_required(self) -> bool:
        """Whether the site was told to use the PC/SC service."""
        return any(entry.required for entry in self._backends)

    @property
    def has_simulated(self) -> bool:
        """Whether there are simulated readers beside the PC/SC service's."""
        return any(entry.simulated for entry in self._backends)

    def seats(self) -> list[CardSeat]:
        """All readers as known now, in the order in which they were first seen."""
        with self._lock:
            return list(self._seats.values())

    def seat(self, reader: str) -> CardSeat | None:
        """One reader as known now."""
        with self._lock:
            return self._seats.get(reader)

    async def settled(self, *, again: bool = False) -> list[CardSeat]:
        """All readers, after every family of readers was looked at once and the identifications under way have ended
        (at most ``SETTLE_S``). A reader that is being written is not waited for: its identification comes after.

        ``again``: cards that could not be used when they were looked at (held by another program, unreadable, locked,
        foreign) are looked at once more, because what was wrong may be over without the card having been moved.
        """
        if self._unseen:
            await asyncio.to_thread(self._first_look)
        if again:
            with self._lock:
                waited = set(self._pending.values()) | self._holds.keys()
                for seat in self._seats.values():
                    usable = seat.identity is not None and seat.identity.state in _USABLE
                    if seat.present and not usable and seat.reader not in waited:
                        self._look(seat.reader)
        with self._lock:
            pending = [future for future, reader in self._pending.items() if reader not in self._holds]
        if pending:
            await asyncio.wait([asyncio.wrap_future(future) for future in pending], timeout=SETTLE_S)
        return self.seats()

    def _first_look(self) -> None:
        with self._noticed:
            self._noticed.wait_for(lambda: not self._unseen, SETTLE_S)

    async def shows(self, reader: str, *, present: bool) -> None:
        """Returns when the room has noticed that a card was put into the reader, or taken out (at most ``SETTLE_S``).
        For whoever moved it: a program that inserts a card must not outrun the monitor."""

        def noticed() -> bool:
            seat = self._seats.get(reader)
            return seat is not None and seat.present == present

        def wait() -> None:
            with self._noticed:
                self._noticed.wait_for(noticed, SETTLE_S)

        await asyncio.to_thread(wait)

    def hold(self, reader: str, provision_id: str) -> None:
        """Marks the reader as held by a provisioning."""
        with self._lock:
            self._holds[reader] = provision_id
        self._update(reader, lambda seat: replace(seat, writing=provision_id))

    def release(self, reader: str) -> None:
        """The provisioning that held the reader is over."""
        with self._lock:
            self._holds.pop(reader, None)
        self._update(reader, lambda seat: replace(seat, writing=None))

    def ask(self, seat: CardSeat, job: Callable[[CardConnection], T]) -> Future[T]:
        """Runs ``job``, which must change nothing, on the reader's thread with its card held exclusively.

        The future raises what kept the card from being held, ``WrongCard`` if it may be another one than ``seat``'s,
        and what ``job`` raised.
        """

        def run() -> T:
            with self._entry(seat.reader).backend.open(seat.reader) as connection:
                now = self.seat(seat.reader)
                if now is None or now.changes != seat.changes:
                    raise WrongCard("the card was exchanged before it could be asked")
                return job(connection)

        return self._workers.run(seat.reader, run)

    def write(self, seat: CardSeat, job: Callable[[CardConnection], T]) -> Future[tuple[T, CardIdentity | None]]:
        """Runs ``job`` on the reader's thread with its card held exclusively, then identifies the card again, whatever
        came of the job; gives both, the identity ``None`` for a card that is gone.

        The future raises what kept the card from being held, ``WrongCard`` if it may be another one than ``seat``'s,
        and what ``job`` raised.
        """

        def run() -> tuple[T, CardIdentity | None]:
            try:
                with self._entry(seat.reader).backend.open(seat.reader) as connection:
                    now = self.seat(seat.reader)
                    if now is None:
                        raise NoSuchReader(f"{seat.reader}: the reader was disconnected")
                    moved = now.changes != seat.changes
                    if moved and identify(connection, self._authorities, self._memory) != seat.identity:
                        raise WrongCard("the card was exchanged before it could be written")
                    value = job(connection)
                    try:
                        # Power off and on: PIN and 9B states end with the job, and the tries can be asked for again.
                        connection.reconnect_fresh()
                        identity = identify(connection, self._authorities, self._memory)
                    except CardError:
                        return value, None
                    self._learn(seat.reader, now.changes, identity)
                    return value, identity
            finally:
                # After the hold: a torn card must be opened anew before it can be asked who it is. What the monitor
                # has noticed by now is identified by its own job.
                known = self.seat(seat.reader)
                if known is not None and known.changes == seat.changes and known.identity is seat.identity:
                    self._identify(seat.reader)

        return self._workers.run(seat.reader, run)

    # --- card threads ---

    def _entry(self, reader: str) -> RoomBackend:
        seat = self.seat(reader)
        for entry in self._backends:
            if seat is not None and entry.simulated == seat.simulated:
                return entry
        raise NoSuchReader(f"{reader}: the reader is not connected")

    def _seen(self, index: int, states: Sequence[CardReaderState]) -> None:
        entry = self._backends[index]
        changed: list[CardSeat] = []
        with self._lock:
            self._unseen.discard(index)
            now = {state.reader for state in states}
            for reader in [name for name, seat in self._seats.items() if seat.simulated == entry.simulated]:
                if reader not in now:
                    gone = self._seats.pop(reader)
                    changed.append(replace(gone, present=False, atr=b"", identity=None))
            for state in states:
                seat = self._seats.get(state.reader)
                if seat is not None and (seat.changes, seat.present) == (state.changes, state.present):
                    continue
                writing = self._holds.get(state.reader)
                fresh = CardSeat(
                    state.reader, state.atr, state.present, state.changes, entry.simulated, writing=writing
                )
                self._seats[state.reader] = fresh
                changed.append(fresh)
                if state.present:
                    self._look(state.reader)
            self._noticed.notify_all()
        for seat in changed:
            self._tell(seat)

    def _look(self, reader: str) -> None:
        """Queues an identification. Under the lock."""
        future = self._workers.run(reader, functools.partial(self._identify, reader))
        self._pending[future] = reader
        future.add_done_callback(self._forget)

    def _forget(self, future: Future[None]) -> None:
        with self._lock:
            self._pending.pop(future, None)

    def _identify(self, reader: str) -> None:
        """Reads the card's names. What goes wrong is the seat's fault, shown to people."""
        seat = self.seat(reader)
        if seat is None:
            return
        try:
            backend = self._entry(reader).backend
            identity = identify_reader(backend, reader, self._authorities, self._memory)
            if identity.state is CardState.BUSY:
                self._note(reader, identity.detail or "the card is held by another program")
            self._learn(reader, seat.changes, identity)
        except Exception as error:
            if not isinstance(error, CardError):
                log.exception("a card could not be identified", extra={"reader": reader})
            remedy = error.remedy() if isinstance(error, CardError) else CardError.REMEDY
            if not isinstance(error, NoCard):  # pulled while it was looked at: nothing is wrong with the reader
                self._note(reader, str(error))
            self._learn(reader, seat.changes, None, f"{error}. {remedy}")

    def _note(self, reader: str, words: str) -> None:
        with self._lock:
            self._mishaps[reader] = Mishap(time.time_ns() // 1000, words.removeprefix(f"{reader}: "))

    def _learn(self, reader: str, changes: int, identity: CardIdentity | None, fault: str | None = None) -> None:
        # Of another count it would be told of a card that is gone; the present one's own identification follows.
        self._update(
            reader,
            lambda seat: replace(seat, identity=identity, fault=fault) if seat.changes == changes else seat,
        )

    def _update(self, reader: str, change: Callable[[CardSeat], CardSeat]) -> None:
        with self._lock:
            seat = self._seats.get(reader)
            if seat is None:
                return
            after = self._seats[reader] = change(seat)
        if after != seat:
            self._tell(after)

    def _tell(self, seat: CardSeat) -> None:
        try:
            self._on_change(seat)
        except Exception:
            log.exception("a card change could not be told")
