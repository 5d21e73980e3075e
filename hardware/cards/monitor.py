"""Reports which readers there are and what is in them at every change, through any number of restarts of the
service."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hardware.cards.backend import CardBackend, CardError, ReaderSnapshot, ReaderWatch

logger = logging.getLogger(__name__)

WAIT: Final = 1.0
"""Longest time in seconds until a change is seen that the system does not report."""

RETRY: Final = 0.3
"""Seconds before a new attempt after the service failed."""


@dataclass(frozen=True, slots=True)
class CardReaderState:
    """One reader now.

    `atr` is empty if no (answering) card is in it. `changes` never falls while the monitor lives and grows with every
    event that may have put another card into the reader, a restart of the service included: what is known about a card
    is valid only while the number stays the same.
    """

    reader: str
    atr: bytes
    present: bool
    changes: int


class CardMonitor:
    """Watches backends, one thread each. `on_change` gets all readers of all backends, in the backends' order.

    It is called on a watching thread, never twice at once: once for every backend soon after `start`, and then at every
    difference. It must not block for long; an error that it raises is logged and stops nothing.
    """

    def __init__(self, backends: Sequence[CardBackend], on_change: Callable[[list[CardReaderState]], None]) -> None:
        self._on_change = on_change
        self._stop = threading.Event()
        # Held while `on_change` runs, so that callers see changes in the order in which they happened.
        self._lock = threading.RLock()
        self._parts: list[_Part] = [_Part(backend, self) for backend in backends]
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start watching; once only."""
        for part in self._parts:
            thread = threading.Thread(target=part.run, args=(self._stop,), name="card monitor", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """Stop watching. After it returns `on_change` is not called again, unless a thread hangs past `timeout`."""
        self._stop.set()
        for part in self._parts:
            part.cancel()
        for thread in self._threads:
            thread.join(timeout)

    def states(self) -> list[CardReaderState]:
        """All readers as last seen."""
        with self._lock:
            return [state for part in self._parts for state in part.states]

    def services(self) -> list[str | None]:
        """For each backend why its readers cannot be seen; None where they can."""
        with self._lock:
            return [part.failure for part in self._parts]

    def restarts(self) -> list[int]:
        """For each backend how often its service came back after a failure."""
        with self._lock:
            return [part.restarts for part in self._parts]

    def publish(self, part: "_Part", states: list[CardReaderState], failure: str | None) -> None:
        with self._lock:
            if part.published and (states, failure) == (part.states, part.failure):
                return
            if part.published and failure is None and part.failure is not None:
                part.restarts += 1
            part.published, part.states, part.failure = True, states, failure
            if self._stop.is_set():
                return
            try:
                self._on_change(self.states())
            except Exception:
                logger.exception("the handler of card changes failed")


class _Part:
    """One backend's watch and what it last saw."""

    def __init__(self, backend: CardBackend, monitor: CardMonitor) -> None:
        self.states: list[CardReaderState] = []
        self.failure: str | None = None
        self.published = False
        self.restarts = 0
        self._backend = backend
        self._monitor = monitor
        self._watch: ReaderWatch | None = None
        self._watch_lock = threading.Lock()
        # Per reader the last raw view and our own count. Kept for readers that are gone: `changes` must never fall.
        self._raw: dict[str, tuple[bytes, bool, int] | None] = {}
        self._changes: dict[str, int] = {}

    def run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                watch = self._backend.watch()
            except CardError as error:
                self._monitor.publish(self, [], str(error))
                stop.wait(RETRY)
                continue
            with self._watch_lock:
                self._watch = watch
            try:
                while not stop.is_set():
                    self._monitor.publish(self, self._translate(watch.wait(WAIT)), None)
            except CardError as error:
                self._forget()
                self._monitor.publish(self, [], str(error))
                stop.wait(RETRY)
            finally:
                with self._watch_lock:
                    self._watch = None
                watch.close()

    def cancel(self) -> None:
        with self._watch_lock:
            if self._watch is not None:
                self._watch.cancel()

    def _forget(self) -> None:
        """The service failed and its counters restart, so every card may be another one."""
        for reader in self._raw:
            self._raw[reader] = None

    def _translate(self, snapshots: list[ReaderSnapshot]) -> list[CardReaderState]:
        """The backend's view with `changes` counted on: they never fall, also when the service's own counters do."""
        seen = {snapshot.reader for snapshot in snapshots}
        for reader in self._raw.keys() - seen:
            self._raw[reader] = None
        states: list[CardReaderState] = []
        for snapshot in snapshots:
            raw = (snapshot.atr, snapshot.present, snapshot.events)
            if self._raw.get(snapshot.reader) != raw:
                self._raw[snapshot.reader] = raw
                self._changes[snapshot.reader] = self._changes.get(snapshot.reader, 0) + 1
            states.append(
                CardReaderState(snapshot.reader, snapshot.atr, snapshot.present, self._changes[snapshot.reader])
            )
        return states
