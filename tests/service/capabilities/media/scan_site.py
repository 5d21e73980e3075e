"""Media scans on a small real site in this process: store, ledger, real workers; callbacks are noted. No HTTP."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import delete, func, select

from app.capabilities.media.feed_jobs import FeedJobs
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.jobs import ScanJobs
from app.capabilities.media.journal import OPEN, ScanJournal, ScanOrder
from app.capabilities.media.messages import RadarEvent, Scan
from app.capabilities.media.records import ScanRecords
from app.capabilities.media.service import MediaScans
from app.capabilities.media.tables import media_picture, media_scan
from app.capabilities.media.worker.workers import MediaWorkers, WorkerLimits
from app.delivery.guarded import GuardedFetch
from app.ledger.tables import audit_entry
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority
from app.registry.media_sources import MediaAccess
from app.registry.messages.media_sources import MediaSourceBody
from app.store.cursor import Cursors
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.media_model import shared_model

SCAN = "scan_" + "0" * 20


@dataclass
class ScanSite:
    """One site; ``running`` starts its scans."""

    doors: DoorSite
    journal: ScanJournal
    records: ScanRecords
    jobs: ScanJobs
    scans: MediaScans
    called: list[tuple[str, str, RadarEvent]] = field(default_factory=list)
    """Key, URL and event of each callback that was put."""
    since: int = -1
    """The newest leaf before the present test."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Started, and stopped at the end."""
        await self.scans.start()
        try:
            yield
        finally:
            await self.scans.stop()

    def empty(self) -> None:
        """Without scans, and with nothing to tell of earlier ones."""

        def job(tx: Transaction) -> None:
            for table in (media_picture, media_scan):
                tx.connection.execute(delete(table))
            self.since = tx.connection.scalar(select(func.max(audit_entry.c.seq))) or 0

        self.doors.write(job)
        self.called.clear()
        self.doors.events.clear()

    def make(self, scan_id: str = SCAN, **fields: Any) -> str:
        """The row of a scan, QUEUED; of an upload unless ``url`` is given. Its id."""
        order = ScanOrder(**{"scan_id": scan_id, "shown": "x", "actor": ACTOR, "request_id": "req_1", **fields})
        self.doors.write(lambda tx: self.journal.make(tx, order))
        return scan_id

    def open_loopback(self, *ports: int) -> None:
        """Media may be fetched from this machine at these ports."""
        body = MediaSourceBody(cidrs=["127.0.0.0/8"], ports=list(ports))
        kind = self.doors.registry.media_sources
        self.doors.write(lambda tx: kind.put_in(tx, "loopback", body, ACTOR))

    async def over(self, scan_id: str = SCAN) -> Scan:
        """The scan once it is over."""
        await until(lambda: self.records.get(scan_id).status not in OPEN)
        return self.records.get(scan_id)

    def leaves(self, action: str) -> list[dict[str, Any]]:
        """Details of the audit leaves of this action, oldest first."""
        c = audit_entry.c
        query = select(c.header, c.payload).where(c.seq > self.since).order_by(c.seq)
        with self.doors.store.read() as connection:
            rows = connection.execute(query).all()
        return [
            msgspec.json.decode(payload)["detail"]
            for header, payload in rows
            if msgspec.json.decode(header)["action"] == action
        ]


@contextlib.contextmanager
def scan_site(data_dir: Path, model: Path | None = None) -> Iterator[ScanSite]:
    """Opens (or makes) the site in ``data_dir``; closes it at the end. ``model``: else one that nobody trained."""
    with door_site(data_dir) as doors:
        called: list[tuple[str, str, RadarEvent]] = []

        def access(url: str) -> MediaAccess:
            with doors.store.read() as connection:
                return doors.registry.media_sources.access_to(connection, url)

        def callback(tx: Transaction, kid: str, url: str, event: RadarEvent) -> None:
            tx.after_commit(lambda: called.append((kid, url, event)))

        authority, _ = open_authority(doors.site, doors.store, doors.keys)
        journal = ScanJournal(doors.store.sealer, doors.bus, callback, days=30)
        workers = MediaWorkers(WorkerLimits(model=model or shared_model()))
        fetch = GuardedFetch()
        jobs = ScanJobs(doors.store, journal, fetch, workers, access, parallel=1)
        feeds = FeedJobs(doors.store, journal, FeedReach(fetch, access), jobs.look)
        documents = DocumentSigner.open(doors.store, doors.keys, authority)
        records = ScanRecords(doors.site, doors.store, Cursors(doors.keys.secret("cursor")), documents)
        scans = MediaScans(doors.store, journal, records, jobs, access, lambda _url, _kid: None, feeds)
        yield ScanSite(doors, journal, records, jobs, scans, called)
