"""What `hardware.readers.waker.Waker` does, in a few plain lines: a flag, and lines that are asked each millisecond."""

from __future__ import annotations

import selectors
import time

from hardware.readers.waker import Watched

_POLL_SECONDS = 0.001


class ReferenceWaker:
    """The same methods with the same meaning as those of `Waker`."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._called = False

    def wake(self) -> None:
        self._called = True

    def watch(self, line: Watched, descriptor: int) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, line)

    def forget(self, descriptor: int) -> None:
        self._selector.unregister(descriptor)

    def wait(self, seconds: float, *, eager: bool) -> None:
        end = time.monotonic() + seconds
        while not self._called and time.monotonic() < end and not (eager and self._selector.select(0)):
            time.sleep(_POLL_SECONDS)
        for key, _ in self._selector.select(0):
            key.data.receive()
        self._called = False

    def close(self) -> None:
        self._selector.close()
