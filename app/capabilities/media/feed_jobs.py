"""Continuous scans: feeds that are watched for as long as their rows are not over, and go on after each start."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from app.api.problems import Problem
from app.capabilities.media.feeds.collection import FEEDS_MAX, Feeds
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.kinds import find_kind
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.feeds.runner import FeedEvent, FeedLimits, FeedOrder, PieceReport
from app.capabilities.media.feeds.sources import FeedPiece
from app.capabilities.media.jobs import report_of, write_patiently
from app.capabilities.media.journal import ScanFailed, ScanJournal, WatchWork
from app.capabilities.media.worker.workers import ScanAnswer
from app.store.engine import Store

log = logging.getLogger(__name__)

START_CPU_S: Final = 0.5
"""Processor time of a worker's start, which its own count of a job does not have; each picture has its own worker."""


class FeedJobs:
    """The feeds of one event loop. Order of life: construct; ``start``; ``stop`` before the workers are closed."""

    def __init__(
        self,
        store: Store,
        journal: ScanJournal,
        reach: FeedReach,
        answer: Callable[[bytes], Awaitable[ScanAnswer]],
        *,
        limits: FeedLimits | None = None,
    ) -> None:
        """``answer(picture)`` has it read by a worker, when it is its turn; raises ``MediaRefused``."""
        self._store = store
        self._journal = journal
        self._reach = reach
        self._answer = answer
        self._feeds = Feeds(reach, self._look, self._tell, limits=limits)
        self._opening: dict[str, asyncio.Task[None]] = {}

    # --- life ---

    async def start(self) -> None:
        """Goes on with the feeds that ran when the service ended, at the live edge."""
        for work in await self._store.writer.run(self._journal.feeds_to_watch):
            self._begin(work)

    async def stop(self) -> None:
        """Ends all; what they have seen is stored, and they go on at the next start."""
        opening = list(self._opening.values())
        for task in opening:
            task.cancel()
        await asyncio.gather(*opening, return_exceptions=True)
        await self._feeds.stop()

    # --- what callers do ---

    @property
    def running(self) -> int:
        """Feeds that are watched, or asked what they are: for a turn of the loop one is both."""
        return len(self._feeds.states().keys() | self._opening.keys())

    def require_room(self) -> None:
        """503 if as many feeds are watched as there may be."""
        if self.running >= FEEDS_MAX:
            raise Problem(
                "dependency_unavailable",
                f"{FEEDS_MAX} feeds are watched, which is as many as there may be: end one of them first.",
                headers={"Retry-After": "60"},
            )

    def add(self, scan_id: str, url: str) -> None:
        """The feed of this row, which is QUEUED, is watched."""
        self._begin(WatchWork(scan_id, url, None))

    async def leave(self, scan_id: str) -> None:
        """Ends the feed of a row that is over."""
        task = self._opening.get(scan_id)
        if task is not None:
            task.cancel()
        await self._feeds.end(scan_id)

    # --- the work ---

    def _begin(self, work: WatchWork) -> None:
        task = asyncio.create_task(self._open(work), name=f"feed {work.scan_id}")
        self._opening[work.scan_id] = task
        task.add_done_callback(partial(self._end_opening, work.scan_id))

    def _end_opening(self, scan_id: str, task: asyncio.Task[None]) -> None:
        del self._opening[scan_id]
        if not task.cancelled() and task.exception() is not None:
            log.error("the feed %s was given up; the next start takes it up", scan_id, exc_info=task.exception())

    async def _open(self, work: WatchWork) -> None:
        """A feed that was watched before goes on as it was; of a new one the first answer says what it is."""
        if work.state is not None:
            self._feeds.resume(FeedOrder(work.scan_id, work.url, work.state.kind), work.state)
            return
        try:
            kind = await find_kind(self._reach, work.url)
        except FeedBroken as broken:
            failure = ScanFailed(broken.code, str(broken))
            await write_patiently(self._store, lambda tx: self._journal.fail(tx, work.scan_id, failure))
        else:
            self._feeds.begin(FeedOrder(work.scan_id, work.url, kind))

    async def _look(self, piece: FeedPiece) -> PieceReport:
        """What a worker finds in a piece."""
        answer = await self._answer(piece.body)
        report = report_of(answer)
        regions = [(_box(region.bbox), region.score) for region in report.regions]
        return PieceReport(report.score, report.verdict, regions, answer.cpu_s + START_CPU_S)

    async def _tell(self, event: FeedEvent) -> None:
        """The row and the event in one transaction. What the next event tells again may be lost, but not the end."""
        if event.type == "radar.feed.stopped":
            await write_patiently(self._store, lambda tx: self._journal.follow(tx, event))
        else:
            await self._store.writer.run(lambda tx: self._journal.follow(tx, event))


def _box(corners: Sequence[int]) -> tuple[int, int, int, int]:
    left, top, width, height = corners
    return left, top, width, height
