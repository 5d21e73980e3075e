"""The first half minute of a feed, for a scan that has an end."""

from __future__ import annotations

import asyncio

import pytest

from app.capabilities.media.feeds import excerpt
from app.capabilities.media.feeds.errors import FeedBroken, FeedStalled
from app.capabilities.media.feeds.excerpt import FeedExcerpt, collect_excerpt
from app.capabilities.media.feeds.kinds import FeedKind
from tests.door_site import until
from tests.unit.capabilities.media.feeds.feed_site import (
    MJPEG_HEAD,
    MotionCamera,
    WatchedFeeds,
    answer,
    part,
    picture,
    watched,
)


def collecting(site: WatchedFeeds, kind: FeedKind) -> asyncio.Task[FeedExcerpt]:
    """An excerpt that is under way."""
    return asyncio.create_task(collect_excerpt(site.reach, site.source.url("feed"), kind, clock=site.clock))


def packets(number: int) -> bytes:
    """What begins as MPEG-TS does."""
    return (b"\x47" + bytes([number]) * 187) * 2


def test_a_still_feed_gives_one_picture() -> None:
    """And is asked once."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = answer(picture())
            found = await collecting(site, "still")
            assert ([piece.body for piece in found.pieces], found.end) == ([picture()], "ended")
            assert len(site.source.asked) == 1

    asyncio.run(run())


def test_all_pictures_of_thirty_seconds_are_taken() -> None:
    """With the time from the first to the last one; the connection ends with the time."""

    async def run() -> None:
        async with watched() as site:
            camera = site.source.routes["feed"] = MotionCamera()
            task = collecting(site, "mjpeg")
            await until(lambda: camera.connections == 1)
            for number in range(8):
                reads = site.clock.reads
                camera.send(part(picture(number)))
                await until(lambda reads=reads: site.clock.reads > reads)  # type: ignore[misc]
                await site.clock.advance(0.25)
            await site.clock.advance(30)
            found = await task
            assert (found.end, found.span_s) == ("seconds", 7 * 0.25)
            assert [piece.body for piece in found.pieces] == [picture(number) for number in range(8)]
            await until(lambda: site.source.peer.open == 0)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "value", "end", "count"), [("EXCERPT_BYTES", 30, "bytes", 3), ("EXCERPT_PIECES", 2, "pieces", 2)]
)
def test_an_excerpt_is_bounded(monkeypatch: pytest.MonkeyPatch, name: str, value: int, end: str, count: int) -> None:
    """In bytes and in pieces."""

    async def run() -> None:
        async with watched() as site:
            lines = "".join(f"#EXTINF:1,\ns{number}.ts\n" for number in range(5))
            site.source.routes["feed"] = answer(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n{lines}".encode())
            site.source.routes.update({f"s{number}.ts": answer(b"\0\0\0\x08ftyp" + b"xx") for number in range(5)})
            found = await collecting(site, "hls")
            assert (found.end, len(found.pieces)) == (end, count)

    monkeypatch.setattr(excerpt, name, value)
    asyncio.run(run())


def test_pictures_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A source that sends as fast as it can."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MJPEG_HEAD + b"".join(part(picture(number)) for number in range(5))
            found = await collecting(site, "mjpeg")
            assert (found.end, [piece.body for piece in found.pieces]) == ("pieces", [picture(at) for at in range(3)])

    monkeypatch.setattr(excerpt, "EXCERPT_PICTURES", 3)
    asyncio.run(run())


@pytest.mark.parametrize(("ended", "numbers"), [(True, range(3)), (False, range(7, 10))])
def test_segments_of_thirty_seconds_are_taken(ended: bool, numbers: range) -> None:
    """The first of a stream that has ended, the newest of one that goes on."""

    async def run() -> None:
        async with watched() as site:
            lines = "".join(f"#EXTINF:9,\ns{number}.ts\n" for number in range(10)) + "#EXT-X-ENDLIST" * ended
            site.source.routes["feed"] = answer(f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n{lines}".encode())
            site.source.routes.update({f"s{number}.ts": answer(packets(number)) for number in range(10)})
            found = await collecting(site, "hls")
            assert [piece.body for piece in found.pieces] == [packets(number) for number in numbers]
            assert found.end == "ended"

    asyncio.run(run())


def test_what_came_before_a_feed_broke_is_an_excerpt() -> None:
    """But a feed that broke at once is none."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MJPEG_HEAD + part(picture()) + part(b"<html>")
            found = await collecting(site, "mjpeg")
            assert ([piece.body for piece in found.pieces], found.end) == ([picture()], "broken")
            site.source.routes["feed"] = MJPEG_HEAD
            with pytest.raises(FeedBroken, match="closed the feed"):
                await collecting(site, "mjpeg")

    asyncio.run(run())


def test_a_feed_that_sends_nothing_has_no_excerpt() -> None:
    """After its time."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MotionCamera()
            task = collecting(site, "mjpeg")
            await until(lambda: len(site.source.asked) == 1)
            await site.clock.advance(31)
            with pytest.raises(FeedStalled):
                await task

    asyncio.run(run())
