"""Scans in the service: what is durable at which step, and what becomes of those that are interrupted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select, update

from app.api.problems import Problem
from app.capabilities.media import jobs as media_jobs
from app.capabilities.media import journal as media_journal
from app.capabilities.media.feeds.runner import FeedEvent, FeedEventType
from app.capabilities.media.feeds.state import FeedFailure, FeedState
from app.capabilities.media.journal import (
    ATTEMPTS_MAX,
    COMPLETED,
    ERASED,
    EXPIRED,
    FEED_ENDED,
    NOT_SCANNED,
    REQUESTED,
    ScanFailed,
    ScanResult,
)
from app.capabilities.media.messages import RadarBody, RadarEvent, ScannedMedia, ScanReport, UploadQuery
from app.capabilities.media.tables import media_picture, media_scan
from app.capabilities.media.worker import workers
from app.capabilities.media.worker.protocol import ImageMeasures, WorkerReady, frame
from app.store.writer import Transaction
from tests.door_site import ACTOR
from tests.media_files import encoded, photo
from tests.receiver import Receiver
from tests.service.capabilities.media.scan_site import SCAN, ScanSite, scan_site
from tests.worker_program import program_of

JPEG = encoded(photo(64, 48), "JPEG")
OTHER = "scan_" + "1" * 20
SECRET_URL = "http://127.0.0.1:1/a.jpg?token=very-secret"
HOOK = "https://partner.example/hook?key=also-secret"
FAILURE = ScanFailed("undecodable", "It is broken.", "a cause")
RESULT = ScanResult(
    ScannedMedia(url="x", sha256="0" * 64, kind="image"),
    ScanReport(verdict="SUSPICIOUS", score=0.5),
    {"preview": b"png", "fused": b"other"},
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScanSite]:
    """A site."""
    with scan_site(tmp_path_factory.mktemp("scans") / "site") as made:
        yield made


@pytest.fixture
def site(shared: ScanSite) -> ScanSite:
    """Without any scan."""
    shared.empty()
    return shared


def speaking(*messages: bytes) -> str:
    """A program that says this and ends."""
    return f"import os; os.write(1, bytes.fromhex('{b''.join(messages).hex()}'))"


READY = b"".join(frame(WorkerReady()))
MEASURES = b"".join(frame(ImageMeasures(width=1, height=1)))


def test_a_file_that_ends_two_workers_is_given_no_third(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAILED with ``poison``; the operator's leaf says how they ended."""
    monkeypatch.setattr(workers, "child", program_of(speaking(READY, MEASURES)))

    async def scanned() -> str:
        async with site.running():
            made = await site.scans.upload(JPEG, UploadQuery(), actor=ACTOR, request_id="req_1", wait_s=0)
            return (await site.over(made.scan_id)).scan_id

    scan_id = asyncio.run(scanned())
    failure = site.records.get(scan_id).failure
    assert failure is not None
    assert failure.code == "poison"
    with site.doors.store.read() as connection:
        assert connection.scalar(select(media_scan.c.kills)) == 2
    (leaf,) = site.leaves(NOT_SCANNED)
    assert "ended early" in leaf["cause"]


def test_a_worker_that_does_not_start_is_no_fault_of_the_file(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some tries FAILED with ``no_worker``, and nothing is counted against the file."""
    monkeypatch.setattr(workers, "child", program_of(""))
    monkeypatch.setattr(media_jobs, "PATIENCE_S", 0.0)

    async def scanned() -> None:
        async with site.running():
            made = await site.scans.upload(JPEG, UploadQuery(), actor=ACTOR, request_id="req_1", wait_s=0)
            await site.over(made.scan_id)

    asyncio.run(scanned())
    with site.doors.store.read() as connection:
        assert connection.execute(select(media_scan.c.code, media_scan.c.kills)).all() == [("no_worker", 0)]


def test_a_scan_that_was_cut_off_is_made_at_the_next_start(tmp_path: Path) -> None:
    """The row of a process that was killed while it ran counts one attempt more, and its file is fetched again."""
    with Receiver(lambda _: (200, {}, JPEG)).listening() as server:
        port = int(server.url.split(":")[2].strip("/"))
        with scan_site(tmp_path / "site") as first:
            first.open_loopback(port)
            first.make(url=f"{server.url}a.jpg")
            first.doors.write(lambda tx: first.journal.begin(tx, SCAN))
        with scan_site(tmp_path / "site") as second:

            async def scanned() -> None:
                async with second.running():
                    await second.over()

            asyncio.run(scanned())
            scan = second.records.get(SCAN)
    assert (scan.status, scan.attempt, len(server.calls)) == ("COMPLETED", 2, 1)
    assert scan.media.bytes == len(JPEG)


def test_a_scan_is_begun_three_times_at_most(site: ScanSite) -> None:
    """What ended the service as often is not tried again."""
    site.make(url=SECRET_URL)
    attempts = []
    for _ in range(ATTEMPTS_MAX):
        site.doors.write(lambda tx: site.journal.begin(tx, SCAN))
        site.doors.write(site.journal.settle)
        scan = site.records.get(SCAN)
        attempts.append((scan.status, scan.attempt))
    assert attempts == [("QUEUED", 2), ("QUEUED", 3), ("FAILED", 3)]
    assert scan.failure is not None
    assert scan.failure.code == "interrupted"


def test_an_orderly_end_is_no_attempt(site: ScanSite) -> None:
    """A scan that is under way when the service stops is QUEUED again as it was."""
    came, go = threading.Event(), threading.Event()

    def answer(_: object) -> tuple[int, dict[str, str], bytes]:
        came.set()
        go.wait(30)
        return 200, {}, JPEG

    async def stopped(url: str) -> str:
        async with site.running():
            body = RadarBody(media_target_url=url)
            made = await site.scans.scan(body, actor=ACTOR, request_id="req_1", wait_s=0)
            await asyncio.to_thread(came.wait, 30)
            assert site.records.get(made.scan_id).status == "RUNNING"
        return made.scan_id

    with Receiver(answer).listening() as server:
        site.open_loopback(int(server.url.split(":")[2].strip("/")))
        scan = site.records.get(asyncio.run(stopped(server.url)))
        go.set()
    assert (scan.status, scan.attempt) == ("QUEUED", 1)


def test_an_upload_is_lost_with_its_process(site: ScanSite) -> None:
    """Nothing keeps its bytes: FAILED, and the caller is told what to do."""
    site.make()
    site.doors.write(site.journal.settle)
    failure = site.records.get(SCAN).failure
    assert failure is not None
    assert failure.code == "media_lost"
    assert "upload it again" in failure.detail


def test_addresses_are_sealed_and_go_with_the_end(site: ScanSite) -> None:
    """The whole URLs stand in no file in plain, and in no row once the scan is over."""
    site.make(url=SECRET_URL, callback=HOOK, shown="http://127.0.0.1:1/a.jpg?...")
    begun = []
    site.doors.write(lambda tx: begun.append(site.journal.begin(tx, SCAN)))
    assert begun[0] is not None
    assert begun[0].url == SECRET_URL
    assert "very-secret" not in repr(begun)
    site.doors.write(lambda tx: site.journal.fail(tx, SCAN, FAILURE))
    path = site.doors.store.path
    written = path.read_bytes() + path.with_name("store.db-wal").read_bytes()
    assert [word for word in (b"very-secret", b"also-secret") if word in written] == []
    with site.doors.store.read() as connection:
        row = connection.execute(select(media_scan.c.url_sealed, media_scan.c.callback_sealed)).one()
    assert tuple(row) == (None, None)


def test_an_end_is_told_once_to_telemetry_and_to_the_callback(site: ScanSite) -> None:
    """The same event to both, in the name of the key that asked; a later end changes nothing."""
    site.make(url=SECRET_URL, callback=HOOK)
    for _ in range(2):
        site.doors.write(lambda tx: site.journal.complete(tx, SCAN, RESULT))
        site.doors.write(lambda tx: site.journal.fail(tx, SCAN, FAILURE))
    ((kid, url, event),) = site.called
    told = [one.body for one in site.doors.events if one.kind == "scan"]
    assert (kid, url, told) == (ACTOR, HOOK, [event])
    assert isinstance(event, RadarEvent)
    assert (event.type, event.data.status, event.data.verdict) == ("radar.scan.completed", "COMPLETED", "SUSPICIOUS")
    assert (len(site.leaves(COMPLETED)), site.leaves(NOT_SCANNED)) == (1, [])


def test_a_failed_scan_tells_callers_less_than_the_log(site: ScanSite) -> None:
    """The cause, which may name addresses, stands in the leaf alone."""
    site.make(url=SECRET_URL, callback=HOOK)
    site.doors.write(lambda tx: site.journal.fail(tx, SCAN, FAILURE))
    event = site.called[0][2]
    assert (event.type, event.data.reason) == ("radar.scan.failed", "It is broken.")
    assert site.leaves(NOT_SCANNED) == [{"scan_id": SCAN, "code": "undecodable", "cause": "a cause"}]


def test_a_leaf_names_the_host_and_not_the_address(site: ScanSite) -> None:
    """What stands in the log stays: neither path nor query of what was asked for."""

    async def asked() -> None:
        async with site.running():
            made = await site.scans.scan(
                RadarBody(media_target_url="https://media.example/person.jpg?t=1"),
                actor=ACTOR,
                request_id="req_1",
                wait_s=0,
            )
            await site.scans.delete(made.scan_id, erase=False, actor=ACTOR, request_id="req_2")

    asyncio.run(asked())
    (leaf,) = site.leaves(REQUESTED)
    assert leaf["host"] == "media.example"
    assert "person" not in str(leaf)


def test_a_stopped_scan_stays_stopped(site: ScanSite) -> None:
    """A result that comes later is no result; to stop it again changes nothing."""
    site.make(url=SECRET_URL)
    for _ in range(2):
        told = asyncio.run(site.scans.delete(SCAN, erase=False, actor=ACTOR, request_id="req_1"))
        site.doors.write(lambda tx: site.journal.complete(tx, SCAN, RESULT))
        assert (told.status, site.records.get(SCAN).status) == ("STOPPED", "STOPPED")
    assert site.called == []


def test_an_erased_scan_leaves_its_leaves_alone(site: ScanSite) -> None:
    """Row and pictures are gone, and 404; the log says who erased it."""
    site.make()
    site.doors.write(lambda tx: site.journal.complete(tx, SCAN, RESULT))
    assert site.records.picture(SCAN, "fused") == b"other"
    site.doors.write(lambda tx: site.journal.erase(tx, SCAN, actor=ACTOR, request_id="req_1"))
    with pytest.raises(Problem) as gone:
        site.records.get(SCAN)
    assert gone.value.code == "not_found"
    with site.doors.store.read() as connection:
        assert connection.scalar(select(func.count()).select_from(media_picture)) == 0
    assert site.leaves(ERASED) == [{"scan_id": SCAN}]


@pytest.mark.parametrize(
    ("ready", "layer", "code"),
    [(False, "fused", "state_conflict"), (True, "grid", "not_found"), (True, "fused", "gone")],
)
def test_a_picture_that_is_not_there_is_told_why(ready: bool, layer: str, code: str, site: ScanSite) -> None:
    """Not yet, never, or no longer."""
    site.make()
    if ready:
        site.doors.write(lambda tx: site.journal.complete(tx, SCAN, RESULT))
        site.doors.write(lambda tx: tx.connection.execute(media_picture.delete()))
    with pytest.raises(Problem) as refused:
        site.records.picture(SCAN, layer)
    assert refused.value.code == code


def test_old_scans_go_by_themselves(site: ScanSite) -> None:
    """After the days of the setting, if they are over; their pictures go with them."""
    for scan_id in (SCAN, OTHER):
        site.make(scan_id)
    site.doors.write(lambda tx: site.journal.complete(tx, SCAN, RESULT))
    swept: list[int] = []
    site.doors.write(lambda tx: swept.append(site.journal.sweep(tx)))
    site.doors.write(lambda tx: tx.connection.execute(update(media_scan).values(made_us=0)))
    for _ in range(2):
        site.doors.write(lambda tx: swept.append(site.journal.sweep(tx)))
    with site.doors.store.read() as connection:
        assert connection.scalars(select(media_scan.c.scan_id)).all() == [OTHER]
    assert swept == [0, 1, 0]


@pytest.mark.parametrize(("beyond_us", "gone"), [(0, 0), (1, 1)])
def test_a_scan_is_kept_for_thirty_days(beyond_us: int, gone: int, site: ScanSite) -> None:
    """To the microsecond."""
    site.make()
    site.doors.write(lambda tx: site.journal.complete(tx, SCAN, RESULT))
    swept: list[int] = []

    def job(tx: Transaction) -> None:
        old_us = tx.now_us - 30 * 86_400 * 1_000_000 - beyond_us
        tx.connection.execute(update(media_scan).values(made_us=old_us))
        swept.append(site.journal.sweep(tx))

    site.doors.write(job)
    assert swept == [gone]


def test_two_hundred_scans_go_in_one_transaction(site: ScanSite) -> None:
    """The oldest first; a leaf says how many."""
    site.make()
    site.doors.write(lambda tx: site.journal.fail(tx, SCAN, FAILURE))
    swept: list[int] = []

    def job(tx: Transaction) -> None:
        row = tx.connection.execute(select(media_scan)).one()._mapping
        more = [{**row, "scan_id": f"scan_{at:020x}", "made_us": at} for at in range(1, 202)]
        tx.connection.execute(media_scan.insert(), more)
        for _ in range(3):
            swept.append(site.journal.sweep(tx))
            left = tx.connection.scalar(select(func.count()).select_from(media_scan))
            swept.append(left or 0)

    site.doors.write(job)
    assert swept == [200, 2, 1, 1, 0, 1]
    assert [leaf["scans"] for leaf in site.leaves(EXPIRED)] == [200, 1]


def test_a_feed_keeps_when_it_began(site: ScanSite) -> None:
    """Its first event says when; its last one why it ended, and it is told as it was."""
    site.make(url=SECRET_URL, callback=HOOK, continuous=True)
    state = FeedState("mjpeg", 1_000_000, 10**15, 1_000_000)

    def follow(kind: FeedEventType, state: FeedState, at_us: int) -> None:
        event = FeedEvent(kind, SCAN, at_us, state, "Why.", ("r1",))
        site.doors.write(lambda tx: site.journal.follow(tx, event))

    follow("radar.feed.started", state, 1_500_000)
    began = site.records.get(SCAN).started_at
    assert began is not None
    seen = replace(state, scanned=3, dropped=1, missed=4, verdict="SUSPICIOUS", score=0.5)
    follow("radar.feed.finding", seen, 3_000_000)
    follow("radar.feed.heartbeat", seen, 3_500_000)
    failed = replace(seen, status="FAILED", end="failed", failure=FeedFailure("feed_stalled", "It stalled."))
    follow("radar.feed.stopped", failed, 500_000)
    follow("radar.feed.stopped", replace(failed, scanned=4), 4_000_000)
    scan = site.records.get(SCAN)
    assert (scan.status, scan.started_at, scan.media.frames) == ("FAILED", began, 4)
    assert scan.failure is not None
    assert (scan.failure.code, scan.failure.detail) == ("feed_stalled", "It stalled.")
    told = [(event.type, event.data.frames, event.data.dropped_frames, event.data.at_s) for _, _, event in site.called]
    assert told == [
        ("radar.feed.started", 0, 0, 0.5),
        ("radar.feed.finding", 3, 5, 2.0),
        ("radar.feed.stopped", 3, 5, 0.0),
    ]
    (leaf,) = site.leaves(FEED_ENDED)
    assert leaf == {"scan_id": SCAN, "end": "failed", "frames": 3, "cause": "Why."}


def test_pictures_beyond_the_bound_go_oldest_first(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scans stay; one that is within the bound keeps its pictures."""
    for scan_id in (SCAN, OTHER):
        site.make(scan_id)
        site.doors.write(lambda tx, scan_id=scan_id: site.journal.complete(tx, scan_id, RESULT))
    monkeypatch.setattr(media_journal, "PICTURES_KEPT", 8)
    swept: list[int] = []
    for _ in range(2):
        site.doors.write(lambda tx: swept.append(site.journal.sweep(tx)))
    with site.doors.store.read() as connection:
        assert set(connection.scalars(select(media_picture.c.scan_id))) == {OTHER}
    assert swept == [1, 0]
    assert site.records.get(SCAN).status == "COMPLETED"


def test_scans_beyond_the_bound_go_oldest_first(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """But none that is still to be made."""
    for scan_id in (SCAN, OTHER):
        site.make(scan_id, url=SECRET_URL)
    monkeypatch.setattr(media_journal, "SCANS_KEPT", 1)
    swept: list[int] = []
    site.doors.write(lambda tx: swept.append(site.journal.sweep(tx)))
    site.doors.write(lambda tx: site.journal.fail(tx, OTHER, FAILURE))
    site.doors.write(lambda tx: swept.append(site.journal.sweep(tx)))
    with site.doors.store.read() as connection:
        assert connection.scalars(select(media_scan.c.scan_id)).all() == [SCAN]
    assert swept == [0, 1]


def test_a_full_queue_is_told(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 with the time to wait, before anything is written; the same for uploads, which wait in memory."""
    monkeypatch.setattr(media_jobs, "UPLOADS_MAX", len(JPEG))

    async def refused() -> list[tuple[str, dict[str, str]]]:
        found = []
        made = await site.scans.upload(JPEG, UploadQuery(), actor=ACTOR, request_id="req_1", wait_s=0)
        for bound in ("UPLOADS_MAX", "WAITING_MAX"):
            monkeypatch.setattr(media_jobs, bound, 1)
            with pytest.raises(Problem) as full:
                await site.scans.upload(JPEG, UploadQuery(), actor=ACTOR, request_id="req_2", wait_s=0)
            found.append((full.value.code, dict(full.value.headers)))
            monkeypatch.setattr(media_jobs, bound, 10**9)
        site.jobs.leave(made.scan_id)
        assert site.jobs.waiting == 0
        return found

    assert asyncio.run(refused()) == [("dependency_unavailable", {"Retry-After": "60"})] * 2
    assert len(site.leaves(REQUESTED)) == 1
