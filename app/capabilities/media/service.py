"""Media scans (specification 4.2): what callers ask for, and what they are told.

A scan changes no standing of anybody. Its file is kept nowhere: what stays is the row, the report and its pictures.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets as random
from collections.abc import Callable

from app.api.problems import Problem, invalid_field
from app.capabilities.media.feed_jobs import FeedJobs
from app.capabilities.media.feeds.errors import FeedUnsupported
from app.capabilities.media.feeds.kinds import judge_feed_url, judge_scheme
from app.capabilities.media.jobs import SHOWN_MAX, Access, ScanJobs, redact
from app.capabilities.media.journal import ScanJournal, ScanOrder
from app.capabilities.media.messages import (
    MediaCalibration,
    RadarBody,
    Scan,
    ScanDeleted,
    ScanListQuery,
    ScanPage,
    UploadQuery,
)
from app.capabilities.media.records import ScanRecords
from app.delivery.guarded import UrlRefused
from app.store.engine import Store
from app.store.errors import SealBroken


class MediaScans:
    """Serves the rows of ``media``. Order of life: construct; ``start`` on the loop; ``stop``."""

    def __init__(
        self,
        store: Store,
        journal: ScanJournal,
        records: ScanRecords,
        jobs: ScanJobs,
        access: Access,
        no_callback: Callable[[str, str], str | None],
        feeds: FeedJobs,
    ) -> None:
        """``no_callback(url, kid)``: why nothing would be delivered there for this API key; blocks."""
        self._store = store
        self._journal = journal
        self._records = records
        self._jobs = jobs
        self._access = access
        self._no_callback = no_callback
        self._feeds = feeds

    async def start(self) -> None:
        """Goes on with what is not over."""
        await self._jobs.start()
        await self._feeds.start()

    async def stop(self) -> None:
        """Ends the work; what was not over is begun again at the next start."""
        await self._feeds.stop()
        await self._jobs.stop()

    async def scan(self, body: RadarBody, *, actor: str, request_id: str, wait_s: float) -> Scan:
        """A scan of what is at a URL: over if it was done within ``wait_s``; a feed is watched until it
        is ended. 422 for a URL that may not be fetched as it is written; what is found behind it is never told so, but
        by FAILED with one wording."""
        judge = judge_feed_url if body.continuous_feed_scan else judge_scheme
        try:
            judge(body.media_target_url)
        except FeedUnsupported as unsupported:
            raise invalid_field("/media_target_url", str(unsupported)) from unsupported
        host = await asyncio.to_thread(self._judge, body.media_target_url)
        await self._judge_callback(body.webhook_callback_url, actor)
        if body.continuous_feed_scan:
            self._feeds.require_room()
        else:
            self._jobs.require_room()
        order = ScanOrder(
            scan_id=_new_id(),
            shown=redact(body.media_target_url),
            actor=actor,
            request_id=request_id,
            url=body.media_target_url,
            callback=body.webhook_callback_url,
            host=host,
            continuous=body.continuous_feed_scan,
        )
        if body.continuous_feed_scan:
            await self._store.writer.run(lambda tx: self._journal.make(tx, order))
            self._feeds.add(order.scan_id, body.media_target_url)
            return await self.get(order.scan_id)
        return await self._make(order, wait_s)

    async def upload(self, media: bytes, query: UploadQuery, *, actor: str, request_id: str, wait_s: float) -> Scan:
        """A scan of a file that came with the call. 422 for an empty one."""
        if not media:
            raise Problem("invalid_body", "The body is empty: send the file.")
        await self._judge_callback(query.webhook_callback_url, actor)
        self._jobs.require_room(len(media))
        order = ScanOrder(
            scan_id=_new_id(),
            shown=f"upload:{query.name or 'file'}"[:SHOWN_MAX],
            actor=actor,
            request_id=request_id,
            callback=query.webhook_callback_url,
        )
        self._jobs.hold(order.scan_id, media)
        try:
            return await self._make(order, wait_s)
        except BaseException:
            self._jobs.leave(order.scan_id)
            raise

    async def get(self, scan_id: str) -> Scan:
        """The scan as it stands; 404 for an unknown one."""
        return await asyncio.to_thread(self._records.get, scan_id)

    async def page(self, query: ScanListQuery) -> ScanPage:
        """Scans, newest first."""
        return await asyncio.to_thread(self._records.page, query)

    async def calibration(self) -> MediaCalibration:
        """As ``ScanRecords.calibration``."""
        return await asyncio.to_thread(self._records.calibration)

    async def picture(self, scan_id: str, layer: str) -> bytes:
        """As ``ScanRecords.picture``."""
        return await asyncio.to_thread(self._records.picture, scan_id, layer)

    async def bundle(self, scan_id: str) -> bytes:
        """As ``ScanRecords.bundle``."""
        return await asyncio.to_thread(self._records.bundle, scan_id)

    async def delete(self, scan_id: str, *, erase: bool, actor: str, request_id: str) -> ScanDeleted:
        """Stops a scan that is not over; with ``erase`` takes it off the list, too. 404 for an unknown one."""
        act = self._journal.erase if erase else self._journal.stop
        status = await self._store.writer.run(lambda tx: act(tx, scan_id, actor=actor, request_id=request_id))
        self._jobs.leave(scan_id)
        await self._feeds.leave(scan_id)
        return ScanDeleted(scan_id=scan_id, status=status, erased=erase)

    async def _make(self, order: ScanOrder, wait_s: float) -> Scan:
        await self._store.writer.run(lambda tx: self._journal.make(tx, order))
        over = self._jobs.add(order.scan_id)
        if wait_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), wait_s)
        return await self.get(order.scan_id)

    async def _judge_callback(self, url: str | None, kid: str) -> None:
        """422 for a URL that nothing would be delivered to."""
        why = None if url is None else await asyncio.to_thread(self._no_callback, url, kid)
        if why is not None:
            raise invalid_field("/webhook_callback_url", why)

    def _judge(self, url: str) -> str:
        """The host of a URL that may be fetched as it is written; 422 otherwise. Blocks."""
        try:
            return self._access(url).host
        except UrlRefused as refused:
            raise invalid_field("/media_target_url", str(refused)) from refused
        except SealBroken as broken:
            raise Problem("dependency_unavailable", str(broken)) from broken


def _new_id() -> str:
    return f"scan_{random.token_hex(10)}"
