"""The rows of scans, each step of a scan as one job of the writer: what is durable is here, and nothing is decided
elsewhere.

QUEUED -> RUNNING -> COMPLETED or FAILED; a caller makes it STOPPED before that. A feed goes from RUNNING to DEGRADED
and back, and its time makes it STOPPED, too. A step that comes too late, because the scan is over meanwhile, changes
nothing.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Row, delete, func, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.media.feeds.runner import FeedEvent
from app.capabilities.media.feeds.state import FeedState, read_state, write_state
from app.capabilities.media.messages import (
    MOST_REGIONS,
    RadarEvent,
    RadarEventData,
    RadarEventType,
    ScannedMedia,
    ScanReport,
    ScanStatus,
    TimelineEntry,
)
from app.capabilities.media.tables import media_picture, media_scan
from app.delivery.events import Event, EventBus
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import ACCEPTED, FAILED, Transaction

log = logging.getLogger(__name__)

REQUESTED: Final = "media.scan_requested"
COMPLETED: Final = "media.scan_completed"
NOT_SCANNED: Final = "media.scan_failed"
STOPPED: Final = "media.scan_stopped"
FEED_ENDED: Final = "media.feed_ended"
ERASED: Final = "media.scan_erased"
EXPIRED: Final = "media.scans_expired"

ATTEMPTS_MAX: Final = 3
"""So often a scan is begun: again each time that the service ended while it ran."""
KILLS_MAX: Final = 2
"""After so many workers that ended over a file it is given no other."""
SCANS_KEPT: Final = 100_000
"""Scans that are kept; beyond them the oldest that are over go."""
PICTURES_KEPT: Final = 2 << 30
"""Bytes of pictures that are kept; beyond them those of the oldest scans go."""
SWEPT: Final = 200
"""Scans that go in one transaction."""

OPEN: Final = ("QUEUED", "RUNNING", "DEGRADED")
"""States of a scan that is not over."""
STATUS_PATH: Final = "/v1/citadel/defense/radar"
_PURPOSE: Final = "media-scan"
_SERVICE: Final = "service"
_LOST: Final = "The service ended before the uploaded file was scanned, and keeps no file: upload it again."
_INTERRUPTED: Final = f"The service ended {ATTEMPTS_MAX} times while this file was scanned; it is not tried again."
_ASKED: Final = "A caller stopped the feed."

Callback = Callable[[Transaction, str, str, RadarEvent], None]
"""``callback(tx, kid, url, event)`` has the event sent to the URL once the transaction is durable, in the name of the
API key."""


@dataclass(frozen=True)
class ScanOrder:
    """A scan to be made. ``shown``: the URL without its query, or what an upload is called."""

    scan_id: str
    shown: str
    actor: str
    request_id: str
    url: str | None = field(default=None, repr=False)
    callback: str | None = field(default=None, repr=False)
    host: str | None = None
    continuous: bool = False


@dataclass(frozen=True)
class ScanWork:
    """A scan that has begun. ``url``: None of an upload."""

    scan_id: str
    shown: str
    url: str | None = field(repr=False)


@dataclass(frozen=True)
class WatchWork:
    """A feed to be watched. ``state``: what was seen of it before; None of one that is new."""

    scan_id: str
    url: str = field(repr=False)
    state: FeedState | None


@dataclass(frozen=True)
class ScanResult:
    """What came of a scan. ``pictures``: PNGs by layer."""

    media: ScannedMedia
    report: ScanReport
    pictures: Mapping[str, bytes]


@dataclass(frozen=True)
class ScanFailed:
    """Why nothing came of it. ``detail`` is for the caller, ``cause`` for the operator."""

    code: str
    detail: str
    cause: str | None = None


class ScanJournal:
    """Every change of a scan's row. Each method with ``tx`` runs as a job of the writer."""

    def __init__(self, sealer: FieldSealer, bus: EventBus, callback: Callback, *, days: int) -> None:
        """``days``: how long scans are kept."""
        self._sealer = sealer
        self._bus = bus
        self._callback = callback
        self._kept_us = days * 86_400 * 1_000_000

    # --- a scan's way ---

    def make(self, tx: Transaction, order: ScanOrder) -> None:
        """The row, QUEUED."""
        tx.connection.execute(
            insert(media_scan).values(
                scan_id=order.scan_id,
                source="upload" if order.url is None else "url",
                state="QUEUED",
                operator=order.actor,
                request_id=order.request_id,
                url=order.shown,
                url_sealed=self._seal(order.scan_id, "url", order.url),
                callback_sealed=self._seal(order.scan_id, "callback", order.callback),
                continuous=order.continuous,
                attempt=1,
                kills=0,
                made_us=tx.now_us,
            )
        )
        detail = {
            "scan_id": order.scan_id,
            "host": order.host,
            "continuous": order.continuous,
            "callback": order.callback is not None,
        }
        tx.audit(REQUESTED, actor=order.actor, request_id=order.request_id, detail=detail)

    def begin(self, tx: Transaction, scan_id: str) -> ScanWork | None:
        """RUNNING from here on; None if it is over already."""
        row = self._row(tx, scan_id)
        if row is None or row.state not in OPEN:
            return None
        _set(tx, scan_id, state="RUNNING", started_us=tx.now_us)
        return ScanWork(scan_id, row.url, self._open(scan_id, "url", row.url_sealed))

    def count_kill(self, tx: Transaction, scan_id: str) -> int:
        """One more worker ended over its file; how many that are."""
        row = self._row(tx, scan_id)
        kills = KILLS_MAX if row is None else row.kills + 1
        _set(tx, scan_id, kills=kills)
        return kills

    def complete(self, tx: Transaction, scan_id: str, result: ScanResult) -> None:
        """COMPLETED, with the report and the pictures."""
        row = self._row(tx, scan_id)
        if row is None or row.state not in OPEN:
            return
        report = result.report
        far = None if report.false_alarm_rate is None else report.false_alarm_rate.at_this_score
        digests = {name: hashlib.sha256(png).hexdigest() for name, png in result.pictures.items()}
        if result.pictures:
            parts = [
                {"scan_id": scan_id, "layer": name, "size": len(png), "png": png}
                for name, png in result.pictures.items()
            ]
            tx.connection.execute(insert(media_picture), parts)
        self._end(
            tx,
            row,
            "COMPLETED",
            kind=result.media.kind,
            verdict=report.verdict,
            score=report.score,
            far=far,
            media=json_text(result.media),
            report=json_text(report),
            pictures=json_text(digests),
        )
        detail = {"scan_id": scan_id, "sha256": result.media.sha256, "verdict": report.verdict, "score": report.score}
        tx.audit(COMPLETED, actor=_SERVICE, detail=detail)
        self._tell(tx, row, "radar.scan.completed", "COMPLETED", report, far)

    def fail(self, tx: Transaction, scan_id: str, failure: ScanFailed) -> None:
        """FAILED; the audit log also has the cause."""
        row = self._row(tx, scan_id)
        if row is None or row.state not in OPEN:
            return
        self._end(tx, row, "FAILED", code=failure.code, detail=failure.detail)
        detail = {"scan_id": scan_id, "code": failure.code, "cause": failure.cause or failure.detail}
        tx.audit(NOT_SCANNED, actor=_SERVICE, outcome=FAILED, detail=detail)
        self._tell(tx, row, "radar.scan.failed", "FAILED", None, None, failure.detail)

    def follow(self, tx: Transaction, event: FeedEvent) -> None:
        """What a feed has seen, and that it is over where it is."""
        row = self._row(tx, event.scan_id)
        if row is None:
            return
        state, ends = event.state, event.type == "radar.feed.stopped"
        report = report_of_feed(state)
        seen: dict[str, object] = {
            "kind": "feed",
            "verdict": report.verdict,
            "score": report.score,
            "feed": write_state(state).decode(),
            "media": json_text(ScannedMedia(url=row.url, kind="feed", frames=state.scanned)),
            "report": json_text(report),
        }
        if row.state not in OPEN:
            # A caller ended it, which was told then; what was seen until now is its result.
            if ends:
                _set(tx, event.scan_id, **seen)
            return
        if ends:
            failure = state.failure if state.end == "failed" else None
            if failure is not None:
                seen |= {"code": failure.code, "detail": failure.detail}
            self._end(tx, row, state.status, **seen)
            detail = {"scan_id": event.scan_id, "end": state.end, "frames": state.scanned, "cause": event.detail}
            tx.audit(FEED_ENDED, actor=_SERVICE, outcome=ACCEPTED if failure is None else FAILED, detail=detail)
        else:
            started = tx.now_us if row.started_us is None else row.started_us
            _set(tx, event.scan_id, state=state.status, started_us=started, **seen)
        self._tell_feed(tx, row, event)

    def _tell_feed(self, tx: Transaction, row: Row[Any], event: FeedEvent) -> None:
        """What a feed has seen, as its event."""
        state = event.state
        data = RadarEventData(
            scan_id=row.scan_id,
            status=state.status,
            verdict=state.verdict,
            score=state.score,
            status_url=status_url(row.scan_id),
            frames=state.scanned,
            dropped_frames=state.dropped + state.missed,
            region_ids=list(event.region_ids[:MOST_REGIONS]),
            at_s=max(0.0, (event.at_us - state.started_us) / 1e6),
            reason=event.detail,
        )
        self._send(tx, row, event.type, event.at_us, data)

    # --- what callers end ---

    def stop(self, tx: Transaction, scan_id: str, *, actor: str, request_id: str) -> ScanStatus:
        """STOPPED unless it is over; its state. 404 for an unknown one."""
        row = self._require(tx, scan_id)
        if row.state not in OPEN:
            state: ScanStatus = row.state
            return state
        self._end(tx, row, "STOPPED")
        if row.feed is not None:
            seen = replace(read_state(row.feed.encode()), status="STOPPED", end="asked")
            self._tell_feed(tx, row, FeedEvent("radar.feed.stopped", scan_id, tx.now_us, seen, _ASKED))
        tx.audit(STOPPED, actor=actor, request_id=request_id, detail={"scan_id": scan_id})
        return "STOPPED"

    def erase(self, tx: Transaction, scan_id: str, *, actor: str, request_id: str) -> ScanStatus:
        """Stops it, and takes it off the list with all that was found; the state that it had then. 404 for an unknown
        one."""
        state = self.stop(tx, scan_id, actor=actor, request_id=request_id)
        self._forget(tx, [scan_id])
        tx.audit(ERASED, actor=actor, request_id=request_id, detail={"scan_id": scan_id})
        tx.scrub()
        return state

    # --- starts, stops and the time ---

    def settle(self, tx: Transaction) -> list[str]:
        """Scans that are to be made after a start, oldest first; feeds are apart. What an ended process left
        RUNNING is QUEUED again; FAILED is what it left too often, and each upload, whose bytes are gone."""
        found = tx.connection.execute(
            select(media_scan)
            .where(media_scan.c.state.in_(OPEN), media_scan.c.continuous == 0)
            .order_by(media_scan.c.made_us, media_scan.c.scan_id)
        ).all()
        waiting = []
        for row in found:
            if row.source == "upload":
                self.fail(tx, row.scan_id, ScanFailed("media_lost", _LOST))
            elif row.state != "QUEUED" and row.attempt >= ATTEMPTS_MAX:
                self.fail(tx, row.scan_id, ScanFailed("interrupted", _INTERRUPTED))
            else:
                if row.state != "QUEUED":
                    _set(tx, row.scan_id, state="QUEUED", attempt=row.attempt + 1)
                waiting.append(row.scan_id)
        return waiting

    def feeds_to_watch(self, tx: Transaction) -> list[WatchWork]:
        """Feeds that are to be watched after a start, oldest first."""
        found = tx.connection.execute(
            select(media_scan)
            .where(media_scan.c.state.in_(OPEN), media_scan.c.continuous == 1)
            .order_by(media_scan.c.made_us, media_scan.c.scan_id)
        ).all()
        return [
            WatchWork(row.scan_id, url, None if row.feed is None else read_state(row.feed.encode()))
            for row in found
            if (url := self._open(row.scan_id, "url", row.url_sealed)) is not None
        ]

    def release(self, tx: Transaction, scan_ids: Sequence[str]) -> None:
        """QUEUED again: the service ends in order, and that is no failed attempt."""
        still = media_scan.c.scan_id.in_(scan_ids) & (media_scan.c.state == "RUNNING")
        tx.connection.execute(update(media_scan).where(still).values(state="QUEUED"))

    def sweep(self, tx: Transaction) -> int:
        """Takes out scans that are too old or too many, and pictures that are; of how many scans."""
        over = media_scan.c.state.not_in(OPEN)
        oldest = select(media_scan.c.scan_id).where(over).order_by(media_scan.c.made_us).limit(SWEPT)
        gone = list(tx.connection.scalars(oldest.where(media_scan.c.made_us < tx.now_us - self._kept_us)))
        if not gone:
            many = (tx.connection.scalar(select(func.count()).select_from(media_scan)) or 0) - SCANS_KEPT
            gone = list(tx.connection.scalars(oldest.limit(min(many, SWEPT)))) if many > 0 else []
        if gone:
            self._forget(tx, gone)
            tx.audit(EXPIRED, actor=_SERVICE, detail={"scans": len(gone)})
            return len(gone)
        return self._sweep_pictures(tx)

    @staticmethod
    def _sweep_pictures(tx: Transaction) -> int:
        """Takes out the pictures of the oldest scans while there are too many bytes of them; of how many scans."""
        c = media_picture.c
        excess = (tx.connection.scalar(select(func.sum(c.size))) or 0) - PICTURES_KEPT
        if excess <= 0:
            return 0
        sizes = (
            select(c.scan_id, func.sum(c.size).label("size"))
            .join(media_scan, media_scan.c.scan_id == c.scan_id)
            .group_by(c.scan_id)
            .order_by(media_scan.c.made_us)
            .limit(SWEPT)
        )
        gone: list[str] = []
        for row in tx.connection.execute(sizes):
            if excess <= 0:
                break
            gone.append(row.scan_id)
            excess -= row.size
        tx.connection.execute(delete(media_picture).where(c.scan_id.in_(gone)))
        return len(gone)

    @staticmethod
    def _forget(tx: Transaction, scan_ids: Sequence[str]) -> None:
        for table in (media_picture, media_scan):
            tx.connection.execute(delete(table).where(table.c.scan_id.in_(scan_ids)))

    # --- parts ---

    @staticmethod
    def _row(tx: Transaction, scan_id: str) -> Row[Any] | None:
        return tx.connection.execute(select(media_scan).where(media_scan.c.scan_id == scan_id)).one_or_none()

    def _require(self, tx: Transaction, scan_id: str) -> Row[Any]:
        row = self._row(tx, scan_id)
        if row is None:
            raise unknown_scan()
        return row

    def _end(self, tx: Transaction, row: Row[Any], state: ScanStatus, **values: object) -> None:
        """The scan is over: nothing will be fetched or called any more, so that nothing needs to be known for it."""
        _set(tx, row.scan_id, state=state, finished_us=tx.now_us, url_sealed=None, callback_sealed=None, **values)

    def _tell(
        self,
        tx: Transaction,
        row: Row[Any],
        kind: RadarEventType,
        status: ScanStatus,
        report: ScanReport | None,
        far: float | None,
        reason: str | None = None,
    ) -> None:
        """That a scan is over, as its event."""
        data = RadarEventData(
            scan_id=row.scan_id,
            status=status,
            verdict=None if report is None else report.verdict,
            score=None if report is None else report.score,
            far=far,
            status_url=status_url(row.scan_id),
            reason=reason,
        )
        self._send(tx, row, kind, tx.now_us, data)

    def _send(self, tx: Transaction, row: Row[Any], kind: RadarEventType, at_us: int, data: RadarEventData) -> None:
        """An event of Unix microseconds ``at_us``, to telemetry and to the callback. Heartbeats go to telemetry alone:
        a callback each minute would tell nothing that the next one does not tell."""
        event = RadarEvent(type=kind, timestamp=rfc3339(at_us), data=data)
        url = None if kind == "radar.feed.heartbeat" else self._open(row.scan_id, "callback", row.callback_sealed)
        if url is not None:
            self._callback(tx, row.operator, url, event)
        tx.after_commit(partial(self._bus.publish, Event("scan", event, at_us)))

    def _seal(self, scan_id: str, name: str, value: str | None) -> bytes | None:
        return None if value is None else self._sealer.seal(_PURPOSE, value.encode(), _context(scan_id, name))

    def _open(self, scan_id: str, name: str, sealed: bytes | None) -> str | None:
        return None if sealed is None else self._sealer.open(_PURPOSE, sealed, _context(scan_id, name)).decode()


def status_url(scan_id: str) -> str:
    """Where a scan is asked for."""
    return f"{STATUS_PATH}/{scan_id}"


def unknown_scan() -> Problem:
    """404 with what to do."""
    return Problem("not_found", "No scan has this identifier; list them to find it.")


def stored_report(column: str | None) -> ScanReport:
    """The report of a row; an empty one where there is none yet."""
    return ScanReport() if column is None else msgspec.json.decode(column, type=ScanReport)


def report_of_feed(state: FeedState) -> ScanReport:
    """What was found so far: verdict and score of the newest look, and the timeline of all."""
    limits = []
    if state.timeline_lost:
        limits.append(f"Older entries of the timeline that are no longer kept: {state.timeline_lost}.")
    if state.skipped:
        limits.append(
            f"Pieces that were left out, since more would have cost more than the feed's share: {state.skipped}."
        )
    if state.unreadable:
        limits.append(f"Pieces that could not be decoded: {state.unreadable}.")
    return ScanReport(
        verdict=state.verdict,
        score=state.score,
        timeline=[
            TimelineEntry(
                t0=entry.t0,
                t1=entry.t1,
                frame0=entry.frame0,
                frame1=entry.frame1,
                kind=entry.kind,
                score=entry.score,
                region_ids=list(entry.region_ids),
            )
            for entry in state.timeline
        ],
        limits_hit=limits,
        dropped_frames=state.dropped + state.missed,
        cpu_s=state.cpu_s,
    )


def _set(tx: Transaction, scan_id: str, **values: object) -> None:
    tx.connection.execute(update(media_scan).where(media_scan.c.scan_id == scan_id).values(**values))


def _context(scan_id: str, name: str) -> bytes:
    return f"media_scan.{name}|{scan_id}".encode()
