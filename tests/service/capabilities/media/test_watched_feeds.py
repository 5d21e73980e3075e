"""Continuous scans in the service: a feed is watched, told of, ended by its caller, and goes on after a restart."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Iterator

import pytest

from app.api.problems import Problem
from app.capabilities.media import feed_jobs
from app.capabilities.media.feeds.collection import FEEDS_MAX
from app.capabilities.media.messages import RadarBody, RadarEvent, Scan, ScanReport
from tests.door_site import ACTOR, until
from tests.media_files import encoded, photo
from tests.service.capabilities.media.scan_site import ScanSite, scan_site
from tests.unit.capabilities.media.feeds.feed_site import MotionCamera, answer, part, source

HOOK = "https://partner.example/hook"
JPEG = part(encoded(photo(64, 48), "JPEG"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScanSite]:
    """A site with real workers; each test has feeds of its own."""
    with scan_site(tmp_path_factory.mktemp("feeds") / "site") as made:
        yield made


async def watch(site: ScanSite, url: str) -> Scan:
    """What a caller is answered who has a feed watched."""
    body = RadarBody(media_target_url=url, continuous_feed_scan=True, webhook_callback_url=HOOK)
    return await site.scans.scan(body, actor=ACTOR, request_id="req_1", wait_s=0)


def told(site: ScanSite, scan_id: str) -> list[RadarEvent]:
    """The events of a scan on the bus, but for heartbeats."""
    bodies = [event.body for event in site.doors.events]
    return [
        body
        for body in bodies
        if isinstance(body, RadarEvent) and body.data.scan_id == scan_id and not body.type.endswith("heartbeat")
    ]


def test_a_live_feed_is_watched_until_its_caller_ends_it(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its findings go to telemetry and to the callback; the row has what was seen, and the source is left alone."""
    monkeypatch.setattr(feed_jobs, "report_of", lambda _: ScanReport(verdict="MANIPULATED", score=0.9))

    async def run() -> None:
        async with source() as peer, site.running():
            site.open_loopback(peer.peer.port)
            camera = peer.routes["feed"] = MotionCamera()
            made = await watch(site, peer.url("feed"))
            # Its first look may have begun before the call is answered.
            assert made.status in ("QUEUED", "RUNNING")
            assert made.continuous_feed_scan
            await until(lambda: camera.connections == 2)
            camera.send(JPEG)
            await until(lambda: [one.type for one in told(site, made.scan_id)][-1:] == ["radar.feed.finding"])
            finding = told(site, made.scan_id)[-1].data
            assert (finding.status, finding.verdict, finding.score, finding.frames) == (
                "RUNNING",
                "MANIPULATED",
                0.9,
                1,
            )
            now = await site.scans.get(made.scan_id)
            assert (now.status, now.verdict, now.media.kind, now.media.frames) == ("RUNNING", "MANIPULATED", "feed", 1)
            assert [entry.kind for entry in now.timeline] == ["finding"]
            ended = await site.scans.delete(made.scan_id, erase=False, actor=ACTOR, request_id="req_2")
            assert ended.status == "STOPPED"
            await until(lambda: peer.peer.open == 0)
            types = [f"radar.feed.{word}" for word in ("started", "finding", "stopped")]
            assert [one.type for one in told(site, made.scan_id)] == types
            assert [one.type for _, _, one in site.called if one.data.scan_id == made.scan_id] == types
            after = await site.scans.get(made.scan_id)
            assert (after.status, after.verdict, after.failure) == ("STOPPED", "MANIPULATED", None)
            # It left no pictures, and its report is signed all the same.
            with zipfile.ZipFile(io.BytesIO(site.records.bundle(made.scan_id))) as bundle:
                assert not [name for name in bundle.namelist() if name.endswith(".png")]

    asyncio.run(run())


def test_a_feed_goes_on_when_the_service_starts_again(site: ScanSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the live edge, with a gap; nobody is told that it was stopped."""
    monkeypatch.setattr(feed_jobs, "report_of", lambda _: ScanReport(verdict="MANIPULATED", score=0.9))

    async def run() -> None:
        async with source() as peer:
            site.open_loopback(peer.peer.port)
            camera = peer.routes["feed"] = MotionCamera()
            async with site.running():
                made = await watch(site, peer.url("feed"))
                await until(lambda: camera.connections == 2)
                camera.send(JPEG)
                await until(lambda: site.records.get(made.scan_id).media.frames == 1)
            assert site.records.get(made.scan_id).status == "RUNNING"
            async with site.running():
                await until(lambda: camera.connections == 3)
                await until(
                    lambda: [entry.kind for entry in site.records.get(made.scan_id).timeline] == ["finding", "gap"]
                )
                assert site.records.get(made.scan_id).status == "RUNNING"
                await site.scans.delete(made.scan_id, erase=True, actor=ACTOR, request_id="req_2")
            types = [f"radar.feed.{word}" for word in ("started", "finding", "started", "stopped")]
            assert [one.type for one in told(site, made.scan_id)] == types
            async with site.running():
                await until(lambda: peer.peer.open == 0)
            assert camera.connections == 3

    asyncio.run(run())


def test_pictures_of_a_feed_are_read_by_a_worker(site: ScanSite) -> None:
    """A real one; its processor time, with that of its start, is the feed's."""

    async def run() -> None:
        async with source() as peer, site.running():
            site.open_loopback(peer.peer.port)
            peer.routes["feed"] = answer(JPEG + b"--cut--", "Content-Type: multipart/x-mixed-replace;boundary=cut")
            made = await watch(site, peer.url("feed"))
            await until(lambda: site.records.get(made.scan_id).status == "COMPLETED")
            scan = site.records.get(made.scan_id)
            assert (scan.media.frames, (scan.cpu_s or 0) >= feed_jobs.START_CPU_S) == (1, True)

    asyncio.run(run())


def test_what_is_no_feed_fails_with_its_name(site: ScanSite) -> None:
    """By its first answer; one wording for what was not reached."""
    mpd = b'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>'

    async def run() -> None:
        async with source() as peer, site.running():
            site.open_loopback(peer.peer.port)
            peer.routes["dash"] = answer(mpd, "Content-Type: application/dash+xml")
            for url, code, words in (
                (peer.url("dash"), "feed_unsupported", "DASH is not read yet"),
                (peer.url("gone"), "feed_broken", "The source answered 404."),
                ("http://camera.invalid/", "fetch_refused", "The address could not be fetched."),
            ):
                made = await watch(site, url)
                await until(lambda made=made: site.records.get(made.scan_id).status == "FAILED")  # type: ignore[misc]
                failure = site.records.get(made.scan_id).failure
                assert failure is not None
                assert (failure.code, words in failure.detail) == (code, True)
                # The row is committed before it is told of.
                await until(lambda made=made: bool(told(site, made.scan_id)))  # type: ignore[misc]
                assert told(site, made.scan_id)[-1].type == "radar.scan.failed"

    asyncio.run(run())


def test_a_manifest_of_dash_is_refused_at_once(site: ScanSite) -> None:
    """422 at the field, and no row; as the file that it is, it may be scanned."""

    async def run() -> None:
        async with site.running():
            with pytest.raises(Problem) as refused:
                await watch(site, "https://live.example/Manifest.mpd")
            assert refused.value.code == "invalid_body"
            assert "DASH is not read yet" in str(refused.value.errors)
            body = RadarBody(media_target_url="http://live.invalid/Manifest.mpd")
            made = await site.scans.scan(body, actor=ACTOR, request_id="req_1", wait_s=0)
            await until(lambda: site.records.get(made.scan_id).status == "FAILED")

    asyncio.run(run())


def test_a_feed_that_has_just_been_opened_counts_once(site: ScanSite) -> None:
    """For a turn of the loop it is watched and still being opened: others would be refused for it."""

    async def run() -> None:
        async with source() as peer, site.running():
            site.open_loopback(peer.peer.port)
            peer.routes["feed"] = MotionCamera()
            feeds, counted = site.scans._feeds, [0]

            async def count() -> None:
                while True:
                    counted.append(feeds.running)
                    await asyncio.sleep(0)

            # From before it is asked for: it may be open before the call is answered.
            counting = asyncio.create_task(count())
            scan = await watch(site, peer.url("feed"))
            await until(lambda: feeds.running == 1 and not feeds._opening)
            counting.cancel()
            assert max(counted) == 1
            await site.scans.delete(scan.scan_id, erase=True, actor=ACTOR, request_id="req_2")

    asyncio.run(run())


def test_there_are_no_more_feeds_than_there_may_be(site: ScanSite) -> None:
    """503 with when to try again; one that is ended makes room at once."""

    async def run() -> None:
        async with source() as peer, site.running():
            site.open_loopback(peer.peer.port)
            peer.routes["feed"] = MotionCamera()
            made = [await watch(site, peer.url("feed")) for _ in range(FEEDS_MAX)]
            with pytest.raises(Problem) as refused:
                await watch(site, peer.url("feed"))
            assert (refused.value.code, refused.value.headers) == ("dependency_unavailable", {"Retry-After": "60"})
            for scan in made:
                await site.scans.delete(scan.scan_id, erase=True, actor=ACTOR, request_id="req_2")
            again = await watch(site, peer.url("feed"))
            await site.scans.delete(again.scan_id, erase=True, actor=ACTOR, request_id="req_2")

    asyncio.run(run())
