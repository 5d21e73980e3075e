"""All feeds of a site: how many there may be, and who ends them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Final

from app.capabilities.media.feeds.clock import FeedClock, RunningClock
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.feeds.runner import FeedLimits, FeedOrder, FeedRunner, PieceScan, Tell
from app.capabilities.media.feeds.state import FeedState

FEEDS_MAX: Final = 8
"""Feeds at the same time: each may hold 8 pictures of 8 MiB, or 2 segments of 24 MiB."""


class TooManyFeeds(Exception):
    """As many feeds as there may be are watched."""


class Feeds:
    """Runs feeds. ``stop()`` as the service ends; those that still run are told as running, and are given to
    ``resume`` at the next start. Used on the event loop only."""

    def __init__(
        self,
        reach: FeedReach,
        scan: PieceScan,
        tell: Tell,
        *,
        limits: FeedLimits | None = None,
        maximum: int = FEEDS_MAX,
        clock: FeedClock | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self._reach = reach
        self._scan = scan
        self._tell = tell
        self._limits = limits or FeedLimits()
        self._maximum = maximum
        self._clock = clock or RunningClock()
        self._draw = draw
        self._running: dict[str, FeedRunner] = {}

    @property
    def full(self) -> bool:
        """Whether ``begin`` would refuse another feed."""
        return len(self._running) >= self._maximum

    def begin(self, order: FeedOrder) -> FeedState:
        """Watches a feed from now on. Raises ``TooManyFeeds``; ``ValueError`` for a scan that has its feed already."""
        return self._run(order, None)

    def resume(self, order: FeedOrder, state: FeedState) -> FeedState:
        """Goes on with a feed that ran when the service ended, at the live edge; ``state``: that of its last event.
        Raises as ``begin``."""
        return self._run(order, state)

    async def end(self, scan_id: str) -> FeedState | None:
        """Stops a feed for good, within a second; its last state. None if no such feed runs."""
        runner = self._running.get(scan_id)
        return None if runner is None else await runner.stop()

    def states(self) -> Mapping[str, FeedState]:
        """The feeds that run, by their scans."""
        return {scan_id: runner.state for scan_id, runner in self._running.items()}

    async def stop(self) -> None:
        """Ends all as the service ends."""
        await asyncio.gather(*(runner.suspend() for runner in self._running.values()))

    def _run(self, order: FeedOrder, state: FeedState | None) -> FeedState:
        """A runner that leaves the collection as it ends."""
        if order.scan_id in self._running:
            raise ValueError(f"scan {order.scan_id} has a feed")
        if self.full:
            raise TooManyFeeds(f"{self._maximum} feeds are watched, which is as many as there may be.")
        runner = FeedRunner(
            order,
            self._reach,
            self._scan,
            self._tell,
            state=state,
            limits=self._limits,
            clock=self._clock,
            draw=self._draw,
        )
        self._running[order.scan_id] = runner
        runner.start().add_done_callback(lambda _: self._running.pop(order.scan_id, None))
        return runner.state
