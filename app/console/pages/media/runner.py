"""Works through the queue: sends each file or address, follows its scan to the end, and goes on with the next one.

The work is the window's, not the page's: it goes on when the page is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.capabilities.media.messages import RadarBody, Scan, UploadQuery
from app.client import Unreachable
from app.console.failures import Failure, NotConnected, failure_of
from app.console.files import read_some
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.media.scan_queue import QueueEntry, QueueStage, ScanQueue
from app.console.pages.media.words import KIND, OVER, VERDICTS
from app.console.session import WindowSession
from app.console.shown_time import PAST_SHOWN

if TYPE_CHECKING:
    from app.client import Client

MOST_BYTES = 64 << 20
"""Of a file that the service takes."""
LOOK_S = 1.0
"""Between two looks at a scan that runs."""
NO_ROOM_S = 5.0
"""Before a service that has no room is asked again, unless it says how long."""
_NO_ROOM = frozenset({"dependency_unavailable", "rate_limited", PAST_SHOWN})
"""Nor does a scan that waits for its turn fail because somebody looks at the past."""


class FileUnfit(Exception):
    """The file cannot be sent; the text is a sentence."""


class QueueRunner(QObject):
    """``changed`` when an entry or the queue has changed; ``begun`` with an entry whose scan the service has taken."""

    changed = Signal()
    begun = Signal(object)

    def __init__(self, session: WindowSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.queue = ScanQueue()

    def add(self, sources: Iterable[Path | str]) -> tuple[list[QueueEntry], int]:
        """Take sources in and begin; as ``ScanQueue.add``."""
        found = self.queue.add(sources)
        self.work()
        return found

    def pause(self, paused: bool) -> None:
        """Begin nothing more, or go on."""
        self.queue.paused = paused
        self.work()

    def cancel(self, keys: Iterable[str] | None = None) -> None:
        """Take entries out of the work; scans of them that run are stopped at their next look."""
        self.queue.cancel(keys)
        self.work()

    def retry(self, keys: Iterable[str]) -> None:
        """Have failed or cancelled ones wait again."""
        for key in keys:
            self.queue.retry(key)
        self.work()

    def forget_finished(self) -> None:
        """Leave out what is over, save what failed."""
        self.queue.forget_finished()
        self.changed.emit()

    def work(self) -> None:
        """Begin what may begin now."""
        while (entry := self.queue.begin_next()) is not None:
            self._session.tasks.spawn(self._drive(entry), name=f"scan {entry.name}")
        self.changed.emit()

    async def _drive(self, entry: QueueEntry) -> None:
        """Scan one entry; its row tells what became of it."""
        try:
            await self._scan(entry)
        except FileUnfit as error:
            self.queue.fail(entry.key, str(error))
        except Exception as error:  # one entry must not take the others with it
            self.queue.fail(entry.key, failure_of(error).sentence)
        self.work()

    async def _scan(self, entry: QueueEntry) -> None:
        """Send the entry, then look at its scan until it is over or nobody wants it any more."""
        scan = await self._send(entry)
        if scan is None:
            return
        entry.scan_id = scan.scan_id
        self.begun.emit(entry)
        self.changed.emit()
        while scan.status not in OVER:
            if entry.stage is QueueStage.CANCELLED:
                await self._stop(scan.scan_id)
                return
            await asyncio.sleep(LOOK_S)
            try:
                scan = await self._session.client.media_get(scan.scan_id)
            except (Unreachable, NotConnected):
                await self._session.wait_connected()
        if scan.status == "FAILED":
            self.queue.fail(entry.key, scan.failure.detail if scan.failure else tr("The scan failed."))
        else:
            self.queue.finish(entry.key, VERDICTS[scan.verdict][1] if scan.verdict else tr("Stopped"))

    async def _send(self, entry: QueueEntry) -> Scan | None:
        """The scan that the service made of it; None: it is wanted no more, or the row says why there is none."""
        data = None if isinstance(entry.source, str) else await asyncio.to_thread(_read, entry.source)

        async def request(client: Client, key: str) -> Scan:
            if data is None:
                return await client.media_scan(RadarBody(media_target_url=str(entry.source)), idempotency_key=key)
            return await client.media_upload(data, query=UploadQuery(name=entry.name[:200]), idempotency_key=key)

        while entry.stage is QueueStage.SCANNING:
            refused: list[Failure] = []
            operation: Operation[Scan] = Operation(
                request, title=tr("Scan {name}", name=entry.name), changes=(KIND,), asks=True
            )
            operation.success(lambda _scan: None).failure(refused.append)
            scan = await operation.run(self._session)
            if scan is not None:
                return scan
            failure = refused[0] if refused else Failure("console_error", tr("The scan was not asked for."))
            if failure.code not in _NO_ROOM:
                self.queue.fail(entry.key, failure.fields[0][1] if failure.fields else failure.sentence)
                return None
            await asyncio.sleep(failure.retry_after_s or NO_ROOM_S)
        return None

    async def _stop(self, scan_id: str) -> None:
        operation = Operation(
            lambda client, _key: client.media_stop(scan_id), title=tr("Stop the scan"), changes=(KIND,)
        )
        operation.success(lambda _done: None).run(self._session)


def _read(path: Path) -> bytes:
    """The whole file. Raises FileUnfit. Blocks on the disk."""
    try:
        data = read_some(path, MOST_BYTES + 1)
    except OSError as error:
        raise FileUnfit(tr("The file cannot be read: {error}.", error=error.strerror or error)) from error
    if not data:
        raise FileUnfit(tr("The file is empty."))
    if len(data) > MOST_BYTES:
        raise FileUnfit(
            tr(
                "The file is larger than {most} MB, which is the most that is scanned.",
                most=MOST_BYTES >> 20,
            )
        )
    return data
