"""Scans under way: which begin when, how many at a time, and what each one does.

A scan is fetched, given to a worker of its own, and written down. Its bytes are in memory for that time alone. After a
kill the next process begins with the rows that are not over (``ScanJournal.settle``).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import msgspec

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.excerpt import ExcerptEnd, FeedExcerpt, collect_excerpt
from app.capabilities.media.feeds.kinds import is_motion
from app.capabilities.media.feeds.motion import motion_video
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.journal import KILLS_MAX, ScanFailed, ScanJournal, ScanResult, ScanWork
from app.capabilities.media.messages import MOST_SENTENCES, ScannedMedia, ScanReport
from app.capabilities.media.worker.protocol import MEDIA_MAX, VIDEO_TYPES, ImageFacts, VideoFacts
from app.capabilities.media.worker.refusals import MediaRefused, MediaUnready, MediaWorkerDied
from app.capabilities.media.worker.workers import MediaWorkers, ScanAnswer
from app.delivery.guarded import FetchLimits, FetchRefused, GuardedFetch, UrlRefused
from app.registry.media_sources import MediaAccess
from app.registry.service import now_us
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

WAITING_MAX: Final = 500
"""Scans that may wait."""
UPLOADS_MAX: Final = 4 * MEDIA_MAX
"""Bytes of uploaded files that may wait: they are in memory."""
FETCHING: Final = 3
"""Files that are fetched while others are scanned, so that a slow server does not hold up the rest."""
PATIENCE_S: Final = 5.0
"""Between two tries while the store takes nothing, or no worker starts."""
STARTS: Final = 3
"""Tries to start a worker for one file."""
SHOWN_MAX: Final = 2000
_PLAYLIST: Final = b"#EXTM3U"
_TS_SYNC: Final = b"\x47"
_JPEG: Final = b"\xff\xd8\xff"
_CUT: Final[dict[ExcerptEnd, str]] = {
    "bytes": "Only the beginning of the stream was scanned: the rest is more than a scan takes.",
    "pieces": "Only the beginning of the stream was scanned: the rest is more than a scan takes.",
    "seconds": "Only the first half minute of the stream was scanned.",
    "broken": "The stream broke off: what came before was scanned.",
}

T = TypeVar("T")
Access = Callable[[str], MediaAccess]
"""How a URL may be fetched now. Blocks."""


def parallel_scans() -> int:
    """Workers at a time: one for every two processors that this process may use, 1 to 4; each may take 1.5 GiB. The
    other half is left to doors and callers."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(4, usable // 2))


@dataclass(frozen=True)
class _Media:
    """The bytes of a file, and where they are from unless they were uploaded. ``mime``: as the source declared it,
    where ``body`` is what this service made of a stream; ``cut``: why it is not all of it, a sentence."""

    body: bytes = field(repr=False)
    final_url: str | None = None
    fetched_us: int | None = None
    mime: str | None = None
    cut: str | None = None


class ScanJobs:
    """The queue and the tasks of one event loop. Order of life: construct; ``start``; ``stop``."""

    def __init__(
        self,
        store: Store,
        journal: ScanJournal,
        fetch: GuardedFetch,
        workers: MediaWorkers,
        access: Access,
        *,
        parallel: int,
    ) -> None:
        """``parallel``: workers at a time."""
        self._store = store
        self._journal = journal
        self._fetch = fetch
        self._workers = workers
        self._access = access
        self._at_once = parallel + FETCHING
        self._working = asyncio.Semaphore(parallel)
        self._waiting: deque[str] = deque()
        self._uploads: dict[str, bytes] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._over: dict[str, asyncio.Event] = {}
        self._open = False

    # --- life ---

    async def start(self) -> None:
        """Goes on with the scans that an earlier process did not end."""
        self._waiting.extend(await self._store.writer.run(self._journal.settle))
        self._open = True
        self._begin_more()

    async def stop(self) -> None:
        """Ends the tasks; their scans begin anew at the next start, and uploads that were not scanned are lost."""
        self._open = False
        begun = list(self._tasks)
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._workers.close()
        if begun:
            try:
                await self._store.writer.run(lambda tx: self._journal.release(tx, begun))
            except StoreError:
                log.warning("scans could not be set back; the next start counts one attempt more", exc_info=True)

    # --- what callers do ---

    @property
    def waiting(self) -> int:
        """Scans in the queue."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Scans that are fetched or scanned."""
        return len(self._tasks)

    def require_room(self, size: int = 0) -> None:
        """503 if no further scan may wait, or no upload of ``size`` bytes."""
        if len(self._waiting) >= WAITING_MAX:
            raise _full("Too many scans wait")
        if size and sum(map(len, self._uploads.values())) + size > UPLOADS_MAX:
            raise _full("Too many uploaded files wait")

    def hold(self, scan_id: str, media: bytes) -> None:
        """Keeps an uploaded file until it is scanned or ``leave`` is called."""
        self._uploads[scan_id] = media

    def add(self, scan_id: str) -> asyncio.Event:
        """The scan of this row, which is QUEUED, waits for its turn. The event is set when it is over."""
        over = self._over[scan_id] = asyncio.Event()
        self._waiting.append(scan_id)
        self._begin_more()
        return over

    async def look(self, picture: bytes) -> ScanAnswer:
        """What a worker finds in a picture of a feed, when it is its turn. Raises ``MediaRefused``."""
        async with self._working:
            return await self._answer(picture)

    def leave(self, scan_id: str) -> None:
        """Ends the work on a scan whose row is over."""
        if scan_id in self._waiting:
            self._waiting.remove(scan_id)
        task = self._tasks.get(scan_id)
        if task is not None:
            task.cancel()
        self._forget(scan_id)

    def _forget(self, scan_id: str) -> None:
        self._uploads.pop(scan_id, None)
        over = self._over.pop(scan_id, None)
        if over is not None:
            over.set()

    # --- the work ---

    def _begin_more(self) -> None:
        while self._open and self._waiting and len(self._tasks) < self._at_once:
            scan_id = self._waiting.popleft()
            task = asyncio.create_task(self._scan(scan_id), name=f"media {scan_id}")
            self._tasks[scan_id] = task
            task.add_done_callback(partial(self._end, scan_id))

    def _end(self, scan_id: str, task: asyncio.Task[None]) -> None:
        del self._tasks[scan_id]
        self._forget(scan_id)
        if not task.cancelled() and task.exception() is not None:
            log.error("the scan %s was given up; the next start takes it up again", scan_id, exc_info=task.exception())
        self._begin_more()

    async def _scan(self, scan_id: str) -> None:
        """One scan from its first step to its end."""
        work = await write_patiently(self._store, lambda tx: self._journal.begin(tx, scan_id))
        if work is None:
            return
        try:
            result: ScanResult | ScanFailed = await self._result(work)
        except (UrlRefused, FetchRefused) as refused:
            cause = refused.cause if isinstance(refused, FetchRefused) else str(refused)
            log.warning("the media of %s was not fetched: %s", scan_id, cause)
            # One wording for every cause: another one would tell which addresses and ports answer.
            result = ScanFailed("fetch_refused", str(FetchRefused(cause)), cause)
        except (MediaRefused, FeedBroken) as refused:
            result = ScanFailed(refused.code, str(refused))
        except Exception:
            log.exception("the scan %s failed", scan_id)
            result = ScanFailed("internal_error", "Something failed here: tell the operator the scan_id.")
        if isinstance(result, ScanFailed):
            failure = result
            await write_patiently(self._store, lambda tx: self._journal.fail(tx, scan_id, failure))
        else:
            found = result
            await write_patiently(self._store, lambda tx: self._journal.complete(tx, scan_id, found))

    async def _result(self, work: ScanWork) -> ScanResult | ScanFailed:
        """Fetches the file and has it read. Raises ``UrlRefused``, ``FetchRefused`` and ``MediaRefused``."""
        media = await self._media_of(work)
        async with self._working:
            while True:
                try:
                    answer = await self._answer(media.body)
                except MediaWorkerDied as died:
                    kills = await write_patiently(self._store, lambda tx: self._journal.count_kill(tx, work.scan_id))
                    if kills < KILLS_MAX:
                        continue
                    detail = f"{KILLS_MAX} processes ended while they read this file; it is given no other."
                    return ScanFailed("poison", detail, str(died))
                return _result_of(work, media, answer)

    async def _media_of(self, work: ScanWork) -> _Media:
        """The file: of a playlist of HLS, and of motion JPEG, the first half minute of its stream."""
        if work.url is None:
            return _Media(self._uploads[work.scan_id])
        access = await asyncio.to_thread(self._access, work.url)
        headers = None if access.authorization is None else {"Authorization": access.authorization}
        limits = FetchLimits(body=MEDIA_MAX)
        async with self._fetch.open(work.url, allowed=access.allowed, limits=limits, headers=headers) as answer:
            final_url, motion = redact(answer.final_url), is_motion(answer.headers.get("content-type", ""))
            body = b"" if motion and answer.status == 200 else (await answer.whole()).body
        reach = FeedReach(self._fetch, self._access)
        if motion:
            return _motion(await collect_excerpt(reach, work.url, "mjpeg"), final_url)
        if body.startswith(_PLAYLIST):
            excerpt = await collect_excerpt(reach, work.url, "hls")
            pieces = [piece.body for piece in excerpt.pieces]
            # Segments of a transport stream make one stream; each other one is a file of its own.
            body = b"".join(pieces) if all(piece.startswith(_TS_SYNC) for piece in pieces) else pieces[0]
        return _Media(body, final_url, now_us())

    async def _answer(self, media: bytes) -> ScanAnswer:
        """By a worker of its own. A worker that does not start says nothing of the file."""
        for _ in range(STARTS - 1):
            try:
                return await self._workers.answer(media)
            except MediaUnready as unready:
                log.warning("no worker for media: %s", unready)
                await asyncio.sleep(PATIENCE_S)
        return await self._workers.answer(media)


async def write_patiently(store: Store, job: Callable[[Transaction], T]) -> T:
    """The result of a job of the writer, as soon as the store takes it."""
    while True:
        try:
            return await store.writer.run(job)
        except StoreError as error:
            log.warning("a scan waits for the store: %s", error)
            await asyncio.sleep(PATIENCE_S)


def redact(url: str) -> str:
    """A URL as it is shown: its query, which may be a secret, is replaced, and it ends after 2000 characters."""
    plain, mark, _ = url.partition("#")[0].partition("?")
    return f"{plain[:SHOWN_MAX]}?..." if mark else plain[:SHOWN_MAX]


def _motion(excerpt: FeedExcerpt, final_url: str) -> _Media:
    """Pictures of motion JPEG as a video; as the first of them alone where they are no JPEG, or no more came."""
    pictures = [piece.body for piece in excerpt.pieces]
    several = len(pictures) > 1 and all(one.startswith(_JPEG) for one in pictures)
    if not several:
        return _Media(pictures[0], final_url, now_us())
    video = motion_video(pictures, excerpt.span_s)
    return _Media(video, final_url, now_us(), "multipart/x-mixed-replace", _CUT.get(excerpt.end))


def _result_of(work: ScanWork, media: _Media, answer: ScanAnswer) -> ScanResult:
    """What a worker found, with what is known of its file."""
    facts = answer.facts
    scanned = ScannedMedia(
        url=work.shown,
        final_url=media.final_url,
        sha256=facts.sha256,
        kind="image" if isinstance(facts, ImageFacts) else "video",
        mime=media.mime or _mime(facts),
        width=facts.width,
        height=facts.height,
        orientation=facts.orientation if isinstance(facts, ImageFacts) else None,
        frames=1 if isinstance(facts, ImageFacts) else facts.frames,
        duration_s=None if isinstance(facts, ImageFacts) else facts.duration_s,
        bytes=len(media.body),
        fetched_at=None if media.fetched_us is None else rfc3339(media.fetched_us),
    )
    report = report_of(answer)
    if media.cut is not None:
        report.limits_hit = [media.cut, *report.limits_hit][:MOST_SENTENCES]
    return ScanResult(scanned, report, answer.pictures)


def report_of(answer: ScanAnswer) -> ScanReport:
    """What a worker found in one picture."""
    return msgspec.structs.replace(answer.report, cpu_s=answer.cpu_s)


def _mime(facts: ImageFacts | VideoFacts) -> str:
    """Of the format that was decoded, and not as the server declared it (IANA media types)."""
    return f"image/{facts.format.lower()}" if isinstance(facts, ImageFacts) else VIDEO_TYPES[facts.format]


def _full(what: str) -> Problem:
    return Problem("dependency_unavailable", f"{what}: try again in a minute.", headers={"Retry-After": "60"})
