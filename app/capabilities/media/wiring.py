"""How media scans join a site."""

from __future__ import annotations

from app.capabilities.media import operations
from app.capabilities.media.evidence import ScanEvidence
from app.capabilities.media.feed_jobs import FeedJobs
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.jobs import ScanJobs, parallel_scans
from app.capabilities.media.journal import ScanJournal
from app.capabilities.media.messages import RadarEvent
from app.capabilities.media.records import ScanRecords
from app.capabilities.media.service import MediaScans
from app.capabilities.media.worker.workers import MediaWorkers, WorkerLimits
from app.delivery.guarded import GuardedFetch
from app.registry.media_sources import MediaAccess
from app.store.writer import Transaction
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Gauge, Life, Wired


def wire(parts: Parts) -> Wired:
    """Scans of files at URLs and of uploaded ones, and feeds that are watched."""

    def access(url: str) -> MediaAccess:
        with parts.store.read() as connection:
            return parts.registry.media_sources.access_to(connection, url)

    def callback(tx: Transaction, kid: str, url: str, event: RadarEvent) -> None:
        parts.outbox.put(tx, kid=kid, url=url, event_type=event.type, data=event.data, subject=event.data.scan_id)

    journal = ScanJournal(parts.store.sealer, parts.bus, callback, days=parts.site.settings.media_history_days)
    fetch = GuardedFetch()
    jobs = ScanJobs(parts.store, journal, fetch, MediaWorkers(WorkerLimits()), access, parallel=parallel_scans())
    feeds = FeedJobs(parts.store, journal, FeedReach(fetch, access), jobs.look)
    records = ScanRecords(parts.site, parts.store, parts.cursors, parts.documents)
    parts.evidence_sources.append(ScanEvidence(parts.store, records))
    scans = MediaScans(parts.store, journal, records, jobs, access, parts.outbox.refusal_of, feeds)
    return Wired(
        services={"media": scans},
        lives=[Life(scans.start, scans.stop)],
        sweeps=[journal.sweep],
        gauges=[
            Gauge("media_scans_waiting", "Media scans that wait for their turn.", lambda: jobs.waiting),
            Gauge("media_scans_running", "Media scans that are fetched or scanned.", lambda: jobs.running),
            Gauge("media_feeds", "Media feeds that are watched.", lambda: feeds.running),
        ],
    )


MEDIA = Capability("media", operations.OPERATIONS, wire)
