"""What the loop thread of a reader group sleeps on: other threads ring, and so does a line that has something to read.

A panel asks each of its lines for bytes at every turn. With a system call for each that is most of what a thousand
readers on TCP cost; so lines are read here, when the system says that something has come, and the panel finds it in
memory.
"""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress
from typing import Protocol


class Watched(Protocol):
    """A line with a descriptor."""

    def receive(self) -> None:
        """Read what has come, without waiting; called on the thread that waits."""
        ...


class Bell:
    """`ring`: any thread. Everything else: the one thread that sleeps on it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._watched = 0
        self._rung = False
        self._asleep = False
        self._by_lines = False

    def ring(self) -> None:
        """End the present `wait`, or else the next one."""
        # The sleeper says that it sleeps and then looks whether it was rung; here it is the other way about. So one of
        # both sees the other, and whoever is awake costs nobody a system call.
        self._rung = True
        if self._asleep:
            self._asleep = False
            if self._by_lines:
                with suppress(OSError):  # full: it wakes anyway; closed: nobody sleeps any more
                    self._waker.send(b"\0")
            else:
                with suppress(RuntimeError):  # somebody else released it in between: the thread wakes anyway
                    self._lock.release()

    def watch(self, line: Watched, descriptor: int) -> None:
        """Have `line` read whenever something has come for it. OSError: this descriptor cannot be waited for."""
        self._selector.register(descriptor, selectors.EVENT_READ, line)
        self._watched += 1

    def forget(self, descriptor: int) -> None:
        """Watch it no more; before it is closed."""
        with suppress(KeyError):  # it could not be watched
            self._selector.unregister(descriptor)
            self._watched -= 1

    def wait(self, seconds: float, *, eager: bool) -> None:
        """Return when rung or after so long, having read what has come over lines; `eager`: as soon as any has."""
        self._by_lines = eager and self._watched > 0
        self._asleep = True
        if self._rung:
            seconds = 0.0
        if self._by_lines:
            self._read(seconds)
        else:
            # A lock is the cheaper bed, and idle lines are read many at a time.
            self._lock.acquire(timeout=seconds)
            self._asleep = False
            if self._watched:
                self._read(0.0)
        self._asleep = False
        # Whoever rings has said before what for, and it is looked for after this.
        self._rung = False

    def _read(self, seconds: float) -> None:
        ready = self._selector.select(seconds)
        self._asleep = False
        for key, _ in ready:
            if key.data is None:
                with suppress(BlockingIOError):
                    while self._woken.recv(64):
                        pass
            else:
                key.data.receive()

    def close(self) -> None:
        """Give the descriptors back; nobody waits any more."""
        self._selector.close()
        self._woken.close()
        self._waker.close()
