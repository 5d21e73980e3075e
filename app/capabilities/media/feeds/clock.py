"""The time of a feed, which a test can hold in its own hands."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from app.store.clock import system_clock_us


class FeedClock(Protocol):
    """What a feed reads time from, and waits by."""

    def now(self) -> float:
        """Seconds on a clock that nobody can set."""
        ...

    def wall_us(self) -> int:
        """Microseconds since 1970."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Returns after that time."""
        ...


class RunningClock:
    """The machine's own time."""

    def now(self) -> float:
        """Seconds on the monotonic clock."""
        return time.monotonic()

    def wall_us(self) -> int:
        """Microseconds since 1970."""
        return system_clock_us()

    async def sleep(self, seconds: float) -> None:
        """Waits on the event loop."""
        await asyncio.sleep(seconds)
