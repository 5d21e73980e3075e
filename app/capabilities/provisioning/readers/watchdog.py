"""Cards that do not answer: how long each reader's present command has been under way.

An APDU that never returns blocks its reader's thread: nothing more is known of that reader until the card is pulled.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from hardware.cards.backend import CardBackend, CardConnection, ReaderWatch


class CardWatchdog:
    """The clock of all readers. Safe on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: dict[str, float] = {}

    def seconds(self, reader: str) -> float:
        """For how long the reader's card has not answered its present command; 0 while no command is under way."""
        with self._lock:
            since = self._since.get(reader)
        return 0.0 if since is None else time.monotonic() - since

    @contextmanager
    def time(self, reader: str) -> Iterator[None]:
        """Times one command of the reader."""
        with self._lock:
            self._since[reader] = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._since.pop(reader, None)


class WatchedBackend:
    """``backend`` with each transmit and each opening of its cards timed."""

    def __init__(self, backend: CardBackend, watchdog: CardWatchdog) -> None:
        self._backend = backend
        self._watchdog = watchdog

    def readers(self) -> list[str]:
        """See ``CardBackend.readers``."""
        return self._backend.readers()

    def open(self, reader: str) -> CardConnection:
        """See ``CardBackend.open``."""
        with self._watchdog.time(reader):
            return _WatchedConnection(self._backend.open(reader), self._watchdog)

    def watch(self) -> ReaderWatch:
        """See ``CardBackend.watch``."""
        return self._backend.watch()


class _WatchedConnection:
    def __init__(self, connection: CardConnection, watchdog: CardWatchdog) -> None:
        self._connection = connection
        self._watchdog = watchdog

    @property
    def reader(self) -> str:
        return self._connection.reader

    @property
    def atr(self) -> bytes:
        return self._connection.atr

    def transmit(self, apdu: bytes) -> bytes:
        with self._watchdog.time(self.reader):
            return self._connection.transmit(apdu)

    def reconnect_fresh(self) -> None:
        with self._watchdog.time(self.reader):
            self._connection.reconnect_fresh()

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
