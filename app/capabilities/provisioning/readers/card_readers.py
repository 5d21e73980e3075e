"""The site's readers and the card in each: identified once per insertion, listed at any time, and written by one
thread per reader."""

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

from app.capabilities.provisioning.readers.watchdog import CardWatchdog, WatchedBackend
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
class CardReader:
    """One reader, by its name, with the card in it. ``identity`` is None while the reader is empty or its card is not
    identified yet; ``fault`` says why it stays None. ``changes`` counts what may have put another card in.
    ``writing`` is the provisioning that holds the reader."""

    name: str
    atr: bytes
    present: bool
    changes: int
    simulated: bool
    identity: CardIdentity | None = None
    fault: str | None = None
    writing: str | None = None


@dataclass(frozen=True)
class ReaderFamily:
    """The readers of one backend. ``service``: whether the backend is the PC/SC service, so that its absence is that
    service's absence. ``required``: whether the site is set to use that service, so that a card that is not found may
    be behind it."""

    backend: CardBackend
    simulated: bool
    service: bool
    required: bool = False


@dataclass(frozen=True)
class ReaderError:
    """The last thing that went wrong at a reader: microseconds since 1970, and words for people."""

    at_us: int
    words: str


class CardReaders:
    """All readers of the site. ``on_change`` is called on a card thread with each reader that changed; it must return
    quickly."""

    def __init__(
        self,
        families: Sequence[ReaderFamily],
        authorities: Sequence[x509.Certificate],
        on_change: Callable[[CardReader], None],
    ) -> None:
        self._watchdog = CardWatchdog()
        self._families = tuple(replace(one, backend=WatchedBackend(one.backend, self._watchdog)) for one in families)
        self._errors: dict[str, ReaderError] = {}
        self._authorities = tuple(authorities)
        self._on_change = on_change
        self._memory = FormatMemory()
        self._workers = CardWorkers()
        self._lock = threading.RLock()
        self._updated = threading.Condition(self._lock)
        self._readers: dict[str, CardReader] = {}
        # Apart from the readers: one that is unplugged and plugged in again during a write is still held by it.
        self._holds: dict[str, str] = {}
        self._pending: dict[Future[None], str] = {}
        self._unseen = set(range(len(self._families)))
        self._monitors = [
            CardMonitor([family.backend], functools.partial(self._update_family, index))
            for index, family in enumerate(self._families)
        ]

    @property
    def memory(self) -> FormatMemory:
        """Which kinds of card take extended APDUs, as learnt so far."""
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
        for family, monitor in zip(self._families, self._monitors, strict=True):
            if family.service:
                failure = monitor.services()[0]
                return ("up", None) if failure is None else ("down", failure)
        return "off", "PC/SC is not used (--no-pcsc)."

    @property
    def restarts(self) -> int:
        """How often the PC/SC service came back since this service started."""
        pairs = zip(self._families, self._monitors, strict=True)
        return sum(monitor.restarts()[0] for family, monitor in pairs if family.service)

    def silent_s(self, name: str) -> float:
        """Seconds for which the reader's card has been asked something without an answer."""
        return self._watchdog.seconds(name)

    def last_error(self, name: str) -> ReaderError | None:
        """The last thing that went wrong at the reader since this service started."""
        with self._lock:
            return self._errors.get(name)

    @property
    def service_required(self) -> bool:
        """Whether the site is set to use the PC/SC service."""
        return any(family.required for family in self._families)

    @property
    def has_simulated(self) -> bool:
        """Whether there are simulated readers beside the PC/SC service's."""
        return any(family.simulated for family in self._families)

    def all(self) -> list[CardReader]:
        """All readers as known now, in the order in which they were first seen."""
        with self._lock:
            return list(self._readers.values())

    def get(self, name: str) -> CardReader | None:
        """One reader as known now."""
        with self._lock:
            return self._readers.get(name)

    async def settle(self, *, again: bool = False) -> list[CardReader]:
        """All readers, once every family was looked at and the identifications under way have ended (after at most
        ``SETTLE_S``). A reader that is being written is not waited for: its identification comes after the write.

        ``again``: cards that could not be used at the last look (held by another program, unreadable, locked, foreign)
        are looked at once more, because the cause may be over although the card was not moved.
        """
        if self._unseen:
            await asyncio.to_thread(self._first_look)
        if again:
            with self._lock:
                waited = set(self._pending.values()) | self._holds.keys()
                for reader in self._readers.values():
                    usable = reader.identity is not None and reader.identity.state in _USABLE
                    if reader.present and not usable and reader.name not in waited:
                        self._look(reader.name)
        with self._lock:
            pending = [future for future, name in self._pending.items() if name not in self._holds]
        if pending:
            await asyncio.wait([asyncio.wrap_future(future) for future in pending], timeout=SETTLE_S)
        return self.all()

    def _first_look(self) -> None:
        with self._updated:
            self._updated.wait_for(lambda: not self._unseen, SETTLE_S)

    async def wait_for_card(self, name: str, *, present: bool) -> None:
        """Returns when the insertion of a card into the reader, or its removal, was noticed (after at most
        ``SETTLE_S``). For the code that moved the card: it must not outrun the monitor."""

        def agrees() -> bool:
            reader = self._readers.get(name)
            return reader is not None and reader.present == present

        def wait() -> None:
            with self._updated:
                self._updated.wait_for(agrees, SETTLE_S)

        await asyncio.to_thread(wait)

    def hold(self, name: str, provision_id: str) -> None:
        """Marks the reader as held by a provisioning."""
        with self._lock:
            self._holds[name] = provision_id
        self._update(name, lambda reader: replace(reader, writing=provision_id))

    def release(self, name: str) -> None:
        """Ends the hold of the reader."""
        with self._lock:
            self._holds.pop(name, None)
        self._update(name, lambda reader: replace(reader, writing=None))

    def ask(self, reader: CardReader, job: Callable[[CardConnection], T]) -> Future[T]:
        """Runs ``job``, which must change nothing, on the reader's thread with its card held exclusively.

        The future raises what kept the card from being held, ``WrongCard`` if another card than ``reader``'s is in
        the reader, and what ``job`` raised.
        """

        def run() -> T:
            with self._family(reader.name).backend.open(reader.name) as connection:
                self._require_same_card(connection, reader)
                return job(connection)

        return self._workers.run(reader.name, run)

    def write(self, reader: CardReader, job: Callable[[CardConnection], T]) -> Future[tuple[T, CardIdentity | None]]:
        """Runs ``job`` on the reader's thread with its card held exclusively, then identifies the card again, also when
        the job failed. The result is the job's value and the new identity, None for a card that is gone.

        The future raises what kept the card from being held, ``WrongCard`` if another card than ``reader``'s is in
        the reader, and what ``job`` raised.
        """
        name = reader.name

        def run() -> tuple[T, CardIdentity | None]:
            try:
                with self._family(name).backend.open(name) as connection:
                    now = self._require_same_card(connection, reader)
                    value = job(connection)
                    try:
                        # Power off and on: PIN and 9B states end with the job, and the tries can be asked for again.
                        connection.reconnect_fresh()
                        identity = identify(connection, self._authorities, self._memory)
                    except CardError:
                        return value, None
                    self._learn(name, now.changes, identity)
                    return value, identity
            finally:
                # After the hold: a torn card must be opened anew before it can be identified. A change that the
                # monitor has noticed by now has an identification of its own.
                known = self.get(name)
                if known is not None and known.changes == reader.changes and known.identity is reader.identity:
                    self._identify(name)

        return self._workers.run(name, run)

    # --- card threads ---

    def _require_same_card(self, connection: CardConnection, reader: CardReader) -> CardReader:
        """The reader as it is now, with the same card in it. One that was out and in again is the same card: a write
        that tore counts as that, and may be noticed after the next call has begun."""
        now = self.get(reader.name)
        if now is None:
            raise NoSuchReader(f"{reader.name}: the reader was disconnected")
        moved = now.changes != reader.changes
        if moved and identify(connection, self._authorities, self._memory) != reader.identity:
            raise WrongCard("the card was exchanged before it could be used")
        return now

    def _family(self, name: str) -> ReaderFamily:
        reader = self.get(name)
        for family in self._families:
            if reader is not None and family.simulated == reader.simulated:
                return family
        raise NoSuchReader(f"{name}: the reader is not connected")

    def _update_family(self, index: int, states: Sequence[CardReaderState]) -> None:
        """Takes the monitor's view of one family, and queues an identification of each card that may be another."""
        family = self._families[index]
        changed: list[CardReader] = []
        with self._lock:
            self._unseen.discard(index)
            now = {state.reader for state in states}
            for name in [name for name, reader in self._readers.items() if reader.simulated == family.simulated]:
                if name not in now:
                    gone = self._readers.pop(name)
                    changed.append(replace(gone, present=False, atr=b"", identity=None))
            for state in states:
                known = self._readers.get(state.reader)
                if known is not None and (known.changes, known.present) == (state.changes, state.present):
                    continue
                writing = self._holds.get(state.reader)
                fresh = CardReader(
                    state.reader, state.atr, state.present, state.changes, family.simulated, writing=writing
                )
                self._readers[state.reader] = fresh
                changed.append(fresh)
                if state.present:
                    self._look(state.reader)
            self._updated.notify_all()
        for reader in changed:
            self._tell(reader)

    def _look(self, name: str) -> None:
        """Queues an identification. The caller holds the lock."""
        future = self._workers.run(name, functools.partial(self._identify, name))
        self._pending[future] = name
        future.add_done_callback(self._forget)

    def _forget(self, future: Future[None]) -> None:
        with self._lock:
            self._pending.pop(future, None)

    def _identify(self, name: str) -> None:
        """Reads the card's names. A failure becomes the reader's ``fault``, which is shown to people."""
        reader = self.get(name)
        if reader is None:
            return
        try:
            backend = self._family(name).backend
            identity = identify_reader(backend, name, self._authorities, self._memory)
            if identity.state is CardState.BUSY:
                self._note(name, identity.detail or "the card is held by another program")
            self._learn(name, reader.changes, identity)
        except Exception as error:
            if not isinstance(error, CardError):
                log.exception("a card could not be identified", extra={"reader": name})
            remedy = error.remedy() if isinstance(error, CardError) else CardError.REMEDY
            if not isinstance(error, NoCard):  # pulled out meanwhile: nothing is wrong with the reader
                self._note(name, str(error))
            self._learn(name, reader.changes, None, f"{error}. {remedy}")

    def _note(self, name: str, words: str) -> None:
        with self._lock:
            self._errors[name] = ReaderError(time.time_ns() // 1000, words.removeprefix(f"{name}: "))

    def _learn(self, name: str, changes: int, identity: CardIdentity | None, fault: str | None = None) -> None:
        # With another count the identity is of a card that is gone; the present card has its own identification.
        self._update(
            name,
            lambda reader: replace(reader, identity=identity, fault=fault) if reader.changes == changes else reader,
        )

    def _update(self, name: str, change: Callable[[CardReader], CardReader]) -> None:
        with self._lock:
            reader = self._readers.get(name)
            if reader is None:
                return
            after = self._readers[name] = change(reader)
        if after != reader:
            self._tell(after)

    def _tell(self, reader: CardReader) -> None:
        try:
            self._on_change(reader)
        except Exception:
            log.exception("a card change could not be told")
