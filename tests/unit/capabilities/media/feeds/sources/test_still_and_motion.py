"""Still pictures and motion JPEG by themselves: what is asked, what comes of it, and how fast it is read."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.sources.mjpeg import MjpegSource
from app.capabilities.media.feeds.sources.still import StillSource
from tests.unit.capabilities.media.feeds.feed_site import (
    MJPEG_HEAD,
    ManualClock,
    WatchedFeeds,
    answer,
    part,
    picture,
    watched,
)

TAG, DATE = 'ETag: "a"', "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT"


def _still(site: WatchedFeeds, poll_s: float = 2, patience_s: float = 3) -> StillSource:
    return StillSource(site.reach, site.source.url("feed"), site.clock, poll_s, patience_s)


@pytest.mark.parametrize(("poll_s", "patience_s", "waited"), [(2, 3, 4), (2, 4, 4), (2, 5, 5)])
def test_a_still_source_is_waited_for_two_polls_at_least(poll_s: float, patience_s: float, waited: float) -> None:
    """Or as long as was said."""

    async def run() -> None:
        async with watched() as site:
            assert _still(site, poll_s, patience_s).patience_s == waited

    asyncio.run(run())


async def _polls(site: WatchedFeeds, *answers: bytes) -> list[bytes | None]:
    """What comes of these answers, one a poll."""
    left = iter(answers)
    site.source.routes["feed"] = lambda _: next(left)
    pieces, told = _still(site).pieces(), []
    for _ in answers:
        waiting = asyncio.ensure_future(anext(pieces))
        while not waiting.done():
            await asyncio.sleep(0.001)
            if site.clock.slept:
                site.clock.slept.clear()
                await site.clock.advance(2)
        piece = waiting.result()
        told.append(None if piece is None else piece.body)
    await pieces.aclose()
    return told


def _conditions(head: str) -> dict[str, str]:
    """The conditions of a request, by name in small letters."""
    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    return {name.lower(): value for name, value in fields.items() if name.lower().startswith("if-")}


def test_a_picture_is_asked_for_by_what_the_source_said_of_it() -> None:
    """Both validators go back; an answer of 304 has no picture, and the next question is the same."""

    async def run() -> None:
        async with watched() as site:
            told = await _polls(
                site,
                answer(picture(1), TAG, DATE),
                answer(b"", status=304),
                answer(picture(2), DATE),
                answer(picture(3)),
            )
            assert told == [picture(1), None, picture(2), picture(3)]
            both = {"if-none-match": '"a"', "if-modified-since": DATE.split(": ")[1]}
            asked = [_conditions(head) for _, head in site.source.asked]
            assert asked == [{}, both, both, {"if-modified-since": DATE.split(": ")[1]}]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("tag", "echoed"), [("x" * 256, True), ("x" * 257, False), ("~ !", True), ("x\x7f", False), ("x\xe9", False)]
)
def test_only_printable_validators_of_256_signs_go_back(tag: str, echoed: bool) -> None:
    """Others are as good as none."""

    async def run() -> None:
        async with watched() as site:
            first = answer(picture(), "X: y").replace(b"X: y", b"ETag: " + tag.encode("latin-1"))
            await _polls(site, first, answer(picture()))
            assert ("if-none-match" in _conditions(site.source.asked[1][1])) == echoed

    asyncio.run(run())


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (answer(b"", status=304), "304"),
        (answer(picture(), status=206), "206"),
        (answer(picture(), status=404), "404"),
        (answer(b"a text"), "no picture that can be decoded"),
    ],
)
def test_what_is_no_picture_breaks_a_still_source(reply: bytes, said: str) -> None:
    """An answer that nothing was changed among them, if nothing was there before."""

    async def run() -> None:
        async with watched() as site:
            with pytest.raises(FeedBroken, match=said):
                await _polls(site, reply)

    asyncio.run(run())


async def _motion(site: WatchedFeeds, reply: bytes, rate: float = 1e9) -> list[bytes]:
    """The pictures of an answer; time passes as is waited for."""
    site.source.routes["feed"] = reply
    source = MjpegSource(
        site.reach, site.source.url("feed"), site.clock, bytes_per_s=rate, connection_s=60, patience_s=7
    )
    assert source.patience_s == 7
    told: list[bytes] = []

    async def collect() -> None:
        told.extend([piece.body async for piece in source.pieces() if piece is not None])

    collecting, passed = asyncio.ensure_future(collect()), 0
    while not collecting.done():
        await asyncio.sleep(0.001)
        if len(site.clock.slept) > passed:
            await site.clock.advance(sum(site.clock.slept[passed:]))
            passed = len(site.clock.slept)
    collecting.result()
    return told


@pytest.mark.parametrize(
    ("piece", "charged"),
    [
        # Small ones count as 4 KiB, each picture that ends in one as 32 KiB, and large ones as they are.
        (b"\r\n", 4096),
        (part(picture()), 32_768),
        (part(picture(1)) + part(picture(2)), 65_536),
        (part(picture() + b"x" * 40_000), len(part(picture() + b"x" * 40_000))),
    ],
)
def test_pieces_of_motion_jpeg_are_charged(piece: bytes, charged: int) -> None:
    """Of what is sent after the second that a source may use at once: it is read so much later."""

    class Answer:
        """A piece that uses up the second, this one, and one that ends it."""

        status, headers = 200, {"content-type": "multipart/x-mixed-replace; boundary=cut"}

        async def parts(self) -> AsyncIterator[bytes]:
            """One after the other."""
            for sent in (b"\r\n" * 2000, piece, b"\r\n--cut--"):
                yield sent

    class Reach:
        """Gives that answer."""

        @contextlib.asynccontextmanager
        async def open(self, _url: str, **_how: object) -> AsyncIterator[Answer]:
            """It."""
            yield Answer()

    class Clock(ManualClock):
        """Time stands but for what is waited."""

        async def sleep(self, seconds: float) -> None:
            self.slept.append(seconds)
            self.time += seconds

    async def run() -> list[float]:
        clock = Clock()
        rate = 4096.0
        source = MjpegSource(Reach(), "x", clock, bytes_per_s=rate, connection_s=60, patience_s=7)  # type: ignore[arg-type]
        assert len([one async for one in source.pieces()]) == piece.count(b"Content-Length")
        return [seconds * rate for seconds in clock.slept]

    assert asyncio.run(run()) == [pytest.approx(charged)]


def test_motion_jpeg_ends_with_its_last_boundary() -> None:
    """All pictures before it, in order."""

    async def run() -> None:
        async with watched() as site:
            parts = b"".join(part(picture(number)) for number in range(3))
            assert await _motion(site, MJPEG_HEAD + parts + b"--cut--\r\n") == [picture(number) for number in range(3)]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (MJPEG_HEAD + part(picture()), "closed the feed in the middle"),
        (MJPEG_HEAD + part(b"a text"), "no picture that can be decoded"),
        (MJPEG_HEAD.replace(b"200", b"206") + part(picture()), "206"),
        (answer(b"", status=404), "404"),
    ],
)
def test_what_is_no_motion_jpeg_breaks_it(reply: bytes, said: str) -> None:
    """Another status, another kind of part, and an end in the middle."""

    async def run() -> None:
        async with watched() as site:
            with pytest.raises(FeedBroken, match=said):
                await _motion(site, reply)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("count", "size", "charged"), [(1, 8, 32768), (3, 8, 3 * 32768), (1, 60_000, 60_000), (0, 100, 4096)]
)
def test_what_was_read_is_paid_for(count: int, size: int, charged: int) -> None:
    """Pictures count as 32 KiB at least and anything as 4; a second is there from the beginning."""

    async def run() -> None:
        async with watched() as site:
            body = b"".join(part(picture() + bytes(size - 8)) for _ in range(count)) or bytes(size)
            with pytest.raises(FeedBroken):
                await _motion(site, MJPEG_HEAD + body, rate=1000.0)
            paid = 1 + sum(site.clock.slept)
            # What is around the pictures is read too, and may come in more than one piece.
            assert charged / 1000 <= paid <= charged / 1000 + 4.096 * 3 + 0.3

    asyncio.run(run())
