"""One feed from its first answer to its end, against sources on loopback that work, stall, die, come back, lie and
flood. The clock is the test's."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from app.capabilities.media.feeds.runner import FeedEvent, FeedLimits, PieceReport, pause_s
from app.capabilities.media.feeds.sources import FeedPiece
from app.capabilities.media.feeds.state import FeedState, read_state, write_state
from app.capabilities.media.worker.refusals import MediaNotSandboxed, MediaRefused, MediaUndecodable, MediaUnjudged
from app.delivery.addresses import AllowedReach
from tests.door_site import until
from tests.unit.capabilities.media.feeds.feed_site import (
    BEGAN_US,
    MJPEG_HEAD,
    MotionCamera,
    answer,
    ended,
    harmless,
    part,
    picture,
    running,
    watched,
)
from tests.unit.delivery.loopback_peer import Reader, Writer

PRIVATE = "http://10.0.0.1/"


def undecodable(_piece: FeedPiece) -> PieceReport:
    """What no decoder takes."""
    raise MediaUndecodable("It is cut off.")


# Still pictures


def test_a_still_picture_is_looked_at_when_it_is_new() -> None:
    """Its validators are sent back, and 304 is nothing new."""

    async def run() -> None:
        async with watched() as site:
            now = "first"

            def camera(head: str) -> bytes:
                if f'If-None-Match: "{now}"' in head and "If-Modified-Since: Mon" in head:
                    return answer(b"", status=304)
                return answer(picture(len(now)), f'ETag: "{now}"', "Last-Modified: Mon", "Content-Type: image/jpeg")

            site.source.routes["feed"] = camera
            async with running(site.runner("still")):
                await site.clock.advance_until(lambda: len(site.source.asked) >= 4)
                assert site.bodies() == [picture(5)]
                now = "second"
                await site.clock.advance_until(lambda: len(site.looked) == 2)
                assert site.bodies() == [picture(5), picture(6)]
                assert "If-None-Match" not in site.source.asked[0][1]

    asyncio.run(run())


def test_an_equal_picture_is_looked_at_once() -> None:
    """Also where the source has no validators."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            async with running(site.runner("still")) as runner:
                await site.clock.advance_until(lambda: runner.state.equal >= 2)
                assert (site.bodies(), runner.state.scanned) == ([picture()], 1)

    asyncio.run(run())


def test_a_picture_is_asked_for_each_two_seconds() -> None:
    """By the feed's clock."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            async with running(site.runner("still")):
                await until(lambda: 2.0 in site.clock.slept)

    asyncio.run(run())


def test_a_source_that_wants_a_name_is_given_the_sites() -> None:
    """With each request to its own host."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture(), 'ETag: "a"')
            site.authorization = "Basic YTpi"
            async with running(site.runner("still")):
                await site.clock.advance_until(lambda: len(site.source.asked) >= 2)
            assert all("Authorization: Basic YTpi" in head for _, head in site.source.asked)

    asyncio.run(run())


# Motion JPEG


def test_pictures_of_motion_jpeg_are_looked_at_as_they_come() -> None:
    """One after the other, and the closing boundary completes the feed."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            runner = site.runner("mjpeg")
            async with running(runner):
                for number in range(3):
                    await site.clock.advance(1)
                    camera.send(part(picture(number)))
                    await until(lambda number=number: len(site.looked) > number)  # type: ignore[misc]
                camera.send(b"--cut--")
                camera.hang_up()
                await ended(runner)
            assert site.bodies() == [picture(0), picture(1), picture(2)]
            assert site.types() == ["started", "finding", "stopped"]
            assert (runner.state.status, runner.state.end) == ("COMPLETED", "ended")
            assert site.events[-1].state == runner.state

    asyncio.run(run())


def test_what_waits_is_looked_at_before_the_feed_is_complete() -> None:
    """All that the queue holds."""

    async def run() -> None:
        async with watched() as site:
            body = b"".join(part(picture(number)) for number in range(3)) + b"--cut--"
            site.source.routes["feed"] = MJPEG_HEAD + body
            site.free.clear()
            runner = site.runner("mjpeg")
            async with running(runner):
                await until(lambda: runner.state.pieces == 3)
                site.free.set()
                await ended(runner)
            assert len(site.looked) == 3

    asyncio.run(run())


def test_a_flood_waits_no_longer_than_eight_pictures() -> None:
    """The oldest are dropped, counted, and stand in the timeline once."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            site.free.clear()
            async with running(site.runner("mjpeg")) as runner:
                camera.send(part(picture(0)))
                await until(lambda: site.began == 1)
                camera.send(b"".join(part(picture(number)) for number in range(1, 31)))
                await until(lambda: runner.state.pieces == 31)
                site.free.set()
                await until(lambda: runner.state.scanned == 9)
                assert site.bodies() == [picture(number) for number in (0, *range(23, 31))]
                assert runner.state.dropped == 22
                (entry,) = runner.state.timeline
                assert (entry.kind, entry.count, entry.frame1) == ("dropped", 22, 30)

    asyncio.run(run())


def test_a_flood_is_read_no_faster_than_it_may() -> None:
    """Beyond a second's bytes the source waits in its own buffers."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            limits = FeedLimits(stall_s=1e6, bytes_per_s=100_000)
            async with running(site.runner("mjpeg", limits=limits)) as runner:
                began = site.clock.time
                camera.send(part(picture(0) + bytes(400_000)))
                await site.clock.advance_until(lambda: runner.state.pieces == 1)
                # A second's bytes at once, and the last ones are not waited for.
                assert site.clock.time - began >= 2

    asyncio.run(run())


def test_a_flood_of_crumbs_is_read_no_faster_than_it_may() -> None:
    """Pictures of a few bytes count as more: each takes time of the event loop."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MJPEG_HEAD + b"".join(part(picture(number)) for number in range(3000))
            limits = FeedLimits(stall_s=1e6, bytes_per_s=32768 * 500)
            async with running(site.runner("mjpeg", limits=limits)) as runner:
                await site.clock.advance_until(lambda: runner.state.failures == 1, step=0.1)
                assert runner.state.pieces == 3000
                assert sum(seconds for seconds in site.clock.slept if seconds not in (0.25, 1.0)) > 4

    asyncio.run(run())


def test_one_of_several_pictures_is_looked_at_by_their_cost() -> None:
    """A look costs half a second; a picture each tenth of a second, and a quarter of a processor: one of twenty."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            site.report = lambda piece: PieceReport(0.1, "AUTHENTIC_CONSISTENT", (), 0.5)
            async with running(site.runner("mjpeg")) as runner:
                for number in range(60):
                    await site.clock.advance(0.1)
                    camera.send(part(picture(number)))
                    seen = number + 1
                    await until(lambda seen=seen: runner.state.pieces == seen)  # type: ignore[misc]
                    await until(lambda: runner.state.scanned == site.began)
                state = runner.state
                assert state.scanned + state.skipped == 60
                assert 3 <= state.scanned <= 6

    asyncio.run(run())


# What is told


def test_findings_are_told_no_more_than_each_ten_seconds() -> None:
    """Verdicts and new regions in between come together with the next one."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            boxes = [(0, 0, 10, 10), (1, 0, 10, 10), (500, 0, 10, 10), (0, 500, 10, 10)]
            site.report = lambda piece: PieceReport(0.9, "MANIPULATED", [(boxes[piece.body[-1]], 0.7)], 0.01)
            async with running(site.runner("mjpeg")):
                for number in range(2):
                    camera.send(part(picture(number)))
                await until(lambda: len(site.looked) == 2)
                await site.clock.advance(0.5)
                assert (site.types(), site.events[-1].region_ids) == (["started", "finding"], ("r0",))
                for number in (2, 3):
                    camera.send(part(picture(number)))
                await until(lambda: len(site.looked) == 4)
                await site.clock.advance(9)
                assert site.types() == ["started", "finding"]
                await site.clock.advance(1.5)
                assert (site.types(), site.events[-1].region_ids) == (["started", "finding", "finding"], ("r1", "r2"))
                await site.clock.advance(30)
                assert len(site.events) == 3
                assert {entry.kind for entry in site.events[-1].state.timeline} == {"finding"}

    asyncio.run(run())


def test_a_heartbeat_is_told_each_minute() -> None:
    """With the state that a row keeps, which goes through JSON and back."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MotionCamera()
            async with running(site.runner("mjpeg")):
                await until(lambda: len(site.source.asked) == 1)
                await site.clock.advance(181)
                assert site.types() == ["started", *["heartbeat"] * 3]
                assert site.events[-1].at_us == BEGAN_US + 180_000_000
                assert read_state(write_state(site.events[-1].state)) == site.events[-1].state

    asyncio.run(run())


def test_what_cannot_be_told_does_not_end_the_feed(caplog: pytest.LogCaptureFixture) -> None:
    """A store that fails is logged."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()

            async def tell(event: FeedEvent) -> None:
                await site_tell(event)
                raise OSError("full")

            site_tell, site.tell = site.tell, tell  # type: ignore[method-assign]
            async with running(site.runner("mjpeg")):
                camera.send(part(picture()))
                await until(lambda: len(site.looked) == 1)

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert "could not be told" in caplog.text


# What breaks


def test_a_feed_that_stalls_is_asked_again() -> None:
    """It is degraded with the reason; the first look after that makes it run again, which is told."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            async with running(site.runner("mjpeg", limits=FeedLimits())) as runner:
                camera.send(part(picture(0)))
                await until(lambda: len(site.looked) == 1)
                await site.clock.advance(29)
                assert runner.state.status == "RUNNING"
                await site.clock.advance(1.5)
                await until(lambda: site.types()[-1] == "degraded")
                assert runner.state.failure is not None
                assert (runner.state.failure.code, runner.state.failures) == ("feed_stalled", 1)
                await site.clock.advance(1)
                await until(lambda: camera.connections == 2)
                await until(lambda: site.source.peer.open == 1)
                camera.send(part(picture(1)))
                await until(lambda: len(site.looked) == 2)
                await site.clock.advance(1)
                await until(lambda: site.types()[-1] == "heartbeat")
                assert (runner.state.status, runner.state.failures, runner.state.failure) == ("RUNNING", 0, None)

    asyncio.run(run())


def test_a_slow_picture_is_as_good_as_none() -> None:
    """Bytes that come now and then keep no feed alive."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            async with running(site.runner("mjpeg", limits=FeedLimits())) as runner:
                camera.send(b"--cut\r\nContent-Length: 1000\r\n\r\n" + picture())
                await until(lambda: len(site.source.asked) == 1)
                for _ in range(31):
                    camera.send(b"x")
                    await site.clock.advance(1)
                await until(lambda: runner.state.failures == 1)
                assert runner.state.failure is not None
                assert runner.state.failure.code == "feed_stalled"

    asyncio.run(run())


def test_a_dead_source_fails_after_some_tries() -> None:
    """Pauses grow, one event tells of it, and the last one why it is over."""

    async def run() -> None:
        async with watched() as site:
            runner = site.runner("still", limits=FeedLimits(stall_s=1e6, failures=6))
            async with running(runner):
                await site.clock.advance_until(lambda: runner.state.status == "FAILED")
            assert len(site.source.asked) == 6
            assert [seconds for seconds in site.clock.slept if seconds >= 1] == [1, 2, 4, 8, 16]
            assert site.types() == ["started", "degraded", "stopped"]
            assert (runner.state.end, site.events[-1].detail) == ("failed", "The source answered 404.")

    asyncio.run(run())


def test_a_source_that_comes_back_is_watched_on() -> None:
    """After it has died twice."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            for _ in range(2):
                camera.hang_up()
            camera.send(part(picture()))
            async with running(site.runner("mjpeg")) as runner:
                await site.clock.advance_until(lambda: len(site.looked) == 1)
                assert camera.connections == 3
                await until(lambda: runner.state.failures == 0)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("kind", "route", "code"),
    [
        ("still", answer(b"<html>", "Content-Type: image/jpeg"), "feed_broken"),
        ("still", answer(b"", status=304), "feed_broken"),
        ("still", answer(picture() + bytes(8 << 20)), "feed_too_large"),
        ("still", answer(picture(), "Content-Encoding: gzip"), "fetch_refused"),
        ("still", answer(b"", f"Location: {PRIVATE}", status=302), "fetch_refused"),
        ("still", answer(b"", "Location: file:///etc/passwd", status=302), "fetch_refused"),
        ("still", answer(picture())[:-2], "fetch_refused"),
        ("mjpeg", answer(picture(), "Content-Type: image/jpeg"), "feed_broken"),
        ("mjpeg", MJPEG_HEAD + part(b"<html>"), "feed_broken"),
        ("mjpeg", MJPEG_HEAD + bytes(5000), "feed_broken"),
        ("mjpeg", MJPEG_HEAD + b"--cut\r\nContent-Length: 8388609\r\n\r\n", "feed_broken"),
        ("mjpeg", MJPEG_HEAD, "feed_broken"),
        ("mjpeg", b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace\r\n\r\n", "feed_broken"),
        ("mjpeg", b"no HTTP\r\n\r\n", "fetch_refused"),
    ],
)
def test_what_a_source_makes_up_has_a_name(kind: str, route: bytes, code: str) -> None:
    """And nothing of it is looked at."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = route
            runner = site.runner(kind, limits=FeedLimits(failures=1))
            async with running(runner):
                await ended(runner)
            assert runner.state.failure is not None
            assert (runner.state.status, runner.state.failure.code) == ("FAILED", code)
            assert site.looked == []

    asyncio.run(run())


def test_a_picture_without_an_end_is_bounded() -> None:
    """A source that never stops sending one is left."""

    async def endless(_reader: Reader, writer: Writer) -> None:
        writer.write(MJPEG_HEAD + b"--cut\r\n\r\n" + picture())
        try:
            while True:
                writer.write(bytes(1 << 16))
                await writer.drain()
        except ConnectionError:
            return

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = endless
            runner = site.runner("mjpeg", limits=FeedLimits(failures=1))
            async with running(runner):
                await ended(runner)
            assert runner.state.failure is not None
            assert runner.state.failure.detail == "A picture of the feed is too long."

    asyncio.run(run())


def test_pictures_that_nobody_can_decode_break_the_feed() -> None:
    """Five in a row; they are counted, and the next try begins with none."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            site.report = undecodable
            async with running(site.runner("mjpeg")) as runner:
                for number in range(5):
                    camera.send(part(picture(number)))
                await until(lambda: runner.state.failures == 1)
                assert runner.state.failure is not None
                assert (runner.state.failure.code, runner.state.unreadable) == ("feed_undecodable", 5)
                site.report = harmless
                await site.clock.advance(1)
                await until(lambda: camera.connections == 2 and site.source.peer.open == 1)
                camera.send(part(picture(5)))
                await until(lambda: runner.state.status == "RUNNING")

    asyncio.run(run())


def test_a_broken_picture_that_stays_the_same_breaks_the_feed() -> None:
    """It is looked at again each time, and no sign that the source works."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            site.report = undecodable
            async with running(site.runner("still")) as runner:
                await site.clock.advance_until(lambda: runner.state.failures == 2)
                assert (runner.state.equal, runner.state.unreadable >= 10) == (0, True)

    asyncio.run(run())


def test_an_equal_picture_shows_that_the_source_is_back() -> None:
    """It is not looked at again, and the feed runs."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            async with running(site.runner("still")) as runner:
                await until(lambda: runner.state.scanned == 1)
                del site.source.routes["feed"]
                await site.clock.advance_until(lambda: runner.state.status == "DEGRADED")
                site.source.routes["feed"] = answer(picture())
                await site.clock.advance_until(lambda: runner.state.status == "RUNNING")
                assert (runner.state.scanned, runner.state.failures) == (1, 0)

    asyncio.run(run())


def test_a_feed_of_which_nothing_could_be_decoded_has_failed() -> None:
    """Although its source ended it."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MJPEG_HEAD + part(picture()) + b"--cut--"
            site.report = undecodable
            runner = site.runner("mjpeg")
            async with running(runner):
                await ended(runner)
            assert (runner.state.status, runner.state.failure and runner.state.failure.code) == (
                "FAILED",
                "feed_undecodable",
            )

    asyncio.run(run())


@pytest.mark.parametrize("refusal", [MediaNotSandboxed, MediaUnjudged])
def test_a_service_that_can_look_at_nothing_says_so(refusal: type[MediaRefused]) -> None:
    """At the first picture: no other try is of use, and it is no fault of the source."""

    def unable(_piece: FeedPiece) -> PieceReport:
        raise refusal("The model is missing.")

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            site.report = unable
            runner = site.runner("still")
            async with running(runner):
                await ended(runner)
            assert runner.state.failure is not None
            assert (runner.state.status, runner.state.failure.code) == ("FAILED", refusal.code)

    asyncio.run(run())


def test_a_fault_of_our_own_ends_the_feed(caplog: pytest.LogCaptureFixture) -> None:
    """With a reason that tells nothing of it; the log does."""

    def faulty(_piece: FeedPiece) -> PieceReport:
        raise RuntimeError("secret")

    async def run() -> FeedState:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            site.report = faulty
            runner = site.runner("still")
            async with running(runner):
                await ended(runner)
            return runner.state

    state = asyncio.run(run())
    assert state.failure is not None
    assert (state.status, state.failure.code, "secret" in state.failure.detail) == ("FAILED", "internal_error", False)
    assert "secret" in caplog.text


def test_a_source_that_is_listed_no_more_is_not_asked_any_more() -> None:
    """In the one wording for all refused fetches."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            async with running(site.runner("still")) as runner:
                await until(lambda: runner.state.scanned == 1)
                site.allowed = [AllowedReach.of(["127.0.0.0/8"], [1])]
                await site.clock.advance_until(lambda: runner.state.failures > 2)
                assert len(site.source.asked) == 1
                assert runner.state.failure is not None
                assert runner.state.failure.detail == "The address could not be fetched."

    asyncio.run(run())


# Its end


def test_a_feed_ends_when_its_time_is_over() -> None:
    """Counted from its first start."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MotionCamera()
            runner = site.runner("mjpeg", limits=FeedLimits(ttl_s=50, stall_s=1e6))
            async with running(runner):
                await site.clock.advance(51)
                await ended(runner)
            assert (runner.state.status, runner.state.end) == ("STOPPED", "expired")

    asyncio.run(run())


def test_a_feed_ends_when_its_processor_time_is_used_up() -> None:
    """Of all looks together."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MJPEG_HEAD + part(picture())
            site.report = lambda piece: PieceReport(0.1, "INCONCLUSIVE", (), 7.0)
            runner = site.runner("mjpeg", limits=FeedLimits(cpu_s=7.0, stall_s=1e6))
            async with running(runner):
                await until(lambda: runner.state.scanned == 1)
                await site.clock.advance(0.5)
                await ended(runner)
            assert (runner.state.status, runner.state.end, runner.state.cpu_s) == ("STOPPED", "cpu_budget", 7.0)

    asyncio.run(run())


@pytest.mark.parametrize("route", [MotionCamera, None])
def test_a_feed_can_be_stopped_while_it_waits(route: Any) -> None:
    """For a look that does not end, or for the next try; no second passes on the feed's clock."""

    async def run() -> None:
        async with watched() as site:
            site.free.clear()
            if route is not None:
                camera = site.source.routes["feed"] = route()
                camera.send(part(picture()))
            runner = site.runner("mjpeg")
            runner.start()
            await until(lambda: site.began == 1 if route else runner.state.failures == 1)
            before = site.clock.time
            state = await runner.stop()
            assert (state.status, state.end, site.types()[-1]) == ("STOPPED", "asked", "stopped")
            assert site.clock.time == before
            assert site.cancelled == site.began
            assert await runner.stop() == state

    asyncio.run(run())


def test_a_feed_goes_on_at_the_live_edge_after_a_restart() -> None:
    """With a gap in its timeline, its counts, and the rest of its time."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            async with running(site.runner("mjpeg", limits=FeedLimits(ttl_s=100, stall_s=1e6))) as before:
                camera.send(part(picture(0)))
                await until(lambda: len(site.looked) == 1)
                await site.clock.advance(5)
                kept = await before.suspend()
            assert site.types()[-1] == "heartbeat"
            assert site.events[-1].state == kept
            assert (kept.status, kept.end) == ("RUNNING", None)
            await site.clock.advance(40)
            after = site.runner("mjpeg", limits=FeedLimits(ttl_s=100, stall_s=1e6), state=kept)
            async with running(after):
                await until(lambda: camera.connections == 2 and site.source.peer.open == 1)
                camera.send(part(picture(1)))
                await until(lambda: after.state.scanned == 2)
                gap = after.state.timeline[0]
                assert (gap.kind, gap.t0, gap.t1) == ("gap", 0.0, 45.0)
                assert (after.state.starts, after.state.pieces, after.state.cpu_s) == (2, 2, 0.02)
                await site.clock.advance(56)
                await ended(after)
                assert after.state.end == "expired"

    asyncio.run(run())


def test_pauses_double_up_to_five_minutes() -> None:
    """A fifth shorter at most, and never below a second."""
    assert [pause_s(failures, 0.0) for failures in (1, 2, 3, 9, 10, 1000)] == [1, 2, 4, 256, 300, 300]
    assert (pause_s(1, 1.0), pause_s(10, 1.0)) == (1, 240)


def test_the_limits_are_those_of_the_page() -> None:
    """What no caller sets."""
    assert FeedLimits() == FeedLimits(86_400, 14_400, 0.25, 2, 30, 12, 16_777_216)
