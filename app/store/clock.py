"""The time of the store: the machine's clock, believed no further than the monotone clock allows.

A clock that jumps ahead for seconds would push the times of both logs, which never fall, and then hold them there for
as long as the jump was. So a jump ahead is not followed at once: the time goes on by the monotone clock, until the
machine's clock is back, or a witness elsewhere has signed a time beyond the jump, or the jump has lasted. A clock that
is set back is followed at once; what must never fall is the writer's matter. At its start the service has nothing to
compare the machine's clock with, and believes it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from app.running_clock import running_ns

JUMP_US: Final = 60 * 1_000_000
"""The machine's clock may get so far ahead of the monotone one in one step; beyond, it is not followed at once."""
LASTING_US: Final = 600 * 1_000_000
"""A jump that nobody vouches for is followed after so long on the monotone clock: a machine that slept unseen has no
other way to find its time again."""

log = logging.getLogger("arc.store")


def system_clock_us() -> int:
    """The machine's clock in microseconds since 1970."""
    return time.time_ns() // 1_000


def running_us() -> int:
    """Microseconds on the clock that nobody can set."""
    return running_ns() // 1_000


class SteadyClock:
    """Microseconds since 1970 when called. Safe on any thread."""

    def __init__(
        self,
        *,
        clock: Callable[[], int] = system_clock_us,
        running: Callable[[], int] = running_us,
        on_jump: Callable[[int], None] | None = None,
    ) -> None:
        """``on_jump(ahead_us)`` is called on the thread that noticed: once when a jump begins, and with 0 once it is
        over. It must be quick and must not call the clock."""
        self._clock = clock
        self._running = running
        self._on_jump = on_jump
        self._lock = threading.Lock()
        self._anchor = (clock(), running())
        """The last reading that was believed, on both clocks."""
        self._since: int | None = None
        """When the present jump was noticed, on the monotone clock."""

    def __call__(self) -> int:
        with self._lock:
            wall, running = self._clock(), self._running()
            ahead = wall - self._at(running)
            if ahead <= JUMP_US:
                return self._believe(wall, running)
            if self._since is None:
                self._since = running
                log.warning("the clock jumped ahead; the time goes on without it", extra={"ahead_us": ahead})
                self._tell(ahead)
            elif running - self._since >= LASTING_US:
                return self._believe(wall, running)
            return self._at(running)

    def vouch(self, at_us: int) -> None:
        """Somebody whose clock is not this machine's signed the time ``at_us``: a jump that lies before it is
        followed."""
        with self._lock:
            wall, running = self._clock(), self._running()
            if self._since is not None and at_us > self._at(self._since) + JUMP_US:
                self._believe(wall, running)

    def _at(self, running: int) -> int:
        """The time that the monotone clock gives."""
        wall, then = self._anchor
        return wall + running - then

    def _believe(self, wall: int, running: int) -> int:
        self._anchor = (wall, running)
        if self._since is not None:
            self._since = None
            self._tell(0)
        return wall

    def _tell(self, ahead_us: int) -> None:
        if self._on_jump is not None:
            try:
                self._on_jump(ahead_us)
            except Exception:
                log.exception("the alarm of a jump of the clock failed")
