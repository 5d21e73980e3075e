"""What the loop thread of a reader group sleeps on: other threads wake it, and so does a line with bytes to read.

A panel asks each of its lines for bytes at every turn. One system call for each of them would be most of the cost of a
thousand readers on TCP. So lines are read here, when the system reports bytes, and the panel finds them in memory.

`tests/hardware/readers/reference_waker.py` says in a few plain lines what it does; a property test compares both.
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
        """Read the bytes that have come, without waiting; called on the thread that waits."""
        ...


class Waker:
    """`wake` may be called on any thread; every other method only on the one thread that waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self._selector = selectors.DefaultSelector()
        self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)
        self._selector.register(self._receiver, selectors.EVENT_READ)
        self._watched = 0
        self._called = False
        self._asleep = False
        self._by_lines = False

    def wake(self) -> None:
        """End the present `wait`, or else the next one."""
        # `wait` sets `_asleep` and then reads `_called`; `wake` sets `_called` and then reads `_asleep`. So at least
        # one of them sees the other, and waking a thread that is awake costs no system call.
        self._called = True
        if self._asleep:
            self._asleep = False
            if self._by_lines:
                with suppress(OSError):  # full: the thread wakes anyway; closed: no thread waits any more
                    self._sender.send(b"\0")
            else:
                with suppress(RuntimeError):  # another thread released it in between: the thread wakes anyway
                    self._lock.release()

    def watch(self, line: Watched, descriptor: int) -> None:
        """Have `line` read whenever bytes have come for it. OSError: the system cannot wait for this descriptor."""
        self._selector.register(descriptor, selectors.EVENT_READ, line)
        self._watched += 1

    def forget(self, descriptor: int) -> None:
        """Stop watching the descriptor; to be called before it is closed."""
        with suppress(KeyError):  # it could not be watched
            self._selector.unregister(descriptor)
            self._watched -= 1

    def wait(self, seconds: float, *, eager: bool) -> None:
        """Return when woken or after `seconds`, having read what has come over lines.

        `eager`: return also as soon as a line has bytes. Otherwise lines are read when the wait is over.
        """
        self._by_lines = eager and self._watched > 0
        self._asleep = True
        if self._called:
            seconds = 0.0
        if self._by_lines:
            self._read(seconds)
        else:
            # Waiting for a lock costs less than a selector, and lines that nothing is expected of are read in one go.
            self._lock.acquire(timeout=seconds)
            self._asleep = False
            if self._watched:
                self._read(0.0)
        self._asleep = False
        # A caller of `wake` has queued its work before, and the loop looks at its queue after this.
        self._called = False

    def _read(self, seconds: float) -> None:
        """Wait for bytes at most so long, and have every line read that has some."""
        ready = self._selector.select(seconds)
        self._asleep = False
        for key, _ in ready:
            if key.data is None:
                with suppress(BlockingIOError):
                    while self._receiver.recv(64):
                        pass
            else:
                key.data.receive()

    def close(self) -> None:
        """Give the descriptors back; no thread waits any more."""
        self._selector.close()
        self._receiver.close()
        self._sender.close()
