"""How a feed takes an answer, and a part of one: by status, length and the number of pieces."""

from __future__ import annotations

import asyncio

import pytest

from app.capabilities.media.feeds.errors import FeedBroken, FeedTooLarge, FeedUnreached
from app.capabilities.media.feeds.playlist import ByteRange
from app.capabilities.media.feeds.reach import FeedReach
from app.delivery.addresses import AllowedReach
from app.registry.media_sources import MediaAccess
from tests.unit.capabilities.media.feeds.feed_site import FETCH, answer
from tests.unit.delivery.loopback_peer import Misbehaviour, Reader, Writer, serving

WHOLE = bytes(range(200))
PART = ByteRange(50, 20)


def taken(answered: bytes | Misbehaviour, limit: int = 1000, part: ByteRange | None = None) -> bytes:
    """The body that ``take`` gives of an answer."""

    async def run() -> bytes:
        async with serving(answered) as peer:

            def access(_url: str) -> MediaAccess:
                reach = AllowedReach.of(["127.0.0.0/8"], [peer.port])
                return MediaAccess("127.0.0.1", (reach,), None)

            url, body = await FeedReach(FETCH, access).take(peer.url, limit, part)
            assert url == peer.url
            return body

    return asyncio.run(run())


@pytest.mark.parametrize("answered", [answer(WHOLE[50:70], status=206), answer(WHOLE)])
def test_a_part_is_the_same_whether_a_server_cuts_or_not(answered: bytes) -> None:
    """It may pass over a range and send the whole (RFC 9110, 14.2)."""
    assert taken(answered, part=PART) == WHOLE[50:70]


@pytest.mark.parametrize(
    ("answered", "part", "words"),
    [
        (answer(WHOLE[:60], status=200), PART, "another part"),
        (answer(WHOLE[50:69], status=206), PART, "another part"),
        (answer(WHOLE, status=206), None, "The source answered 206."),
        (answer(WHOLE, status=203), None, "The source answered 203."),
        (answer(WHOLE, status=203), PART, "The source answered 203."),
    ],
)
def test_another_answer_is_none(answered: bytes, part: ByteRange | None, words: str) -> None:
    """Too short for what was asked, a part that nobody asked for, and every other status."""
    with pytest.raises(FeedBroken, match=words):
        taken(answered, part=part)


@pytest.mark.parametrize(("limit", "fits"), [(199, False), (200, True)])
def test_an_answer_may_be_as_long_as_its_bound(limit: int, fits: bool) -> None:
    """And no byte longer, also where a server passes over a range."""
    for part, wanted in ((None, WHOLE), (PART, WHOLE[50:70])):
        if fits:
            assert taken(answer(WHOLE), limit, part) == wanted
        else:
            with pytest.raises(FeedTooLarge):
                taken(answer(WHOLE), limit, part)


def test_a_part_may_be_as_long_as_it_was_asked_for() -> None:
    """A server that sends more of it sends another one."""
    with pytest.raises(FeedTooLarge):
        taken(answer(WHOLE[50:71], status=206), part=PART)


@pytest.mark.parametrize(("length", "fits"), [(0, False), (1, True), (20, True), (21, False)])
def test_a_part_is_asked_for_within_its_bound(length: int, fits: bool) -> None:
    """One byte at least; what is beyond is not asked for."""
    part = ByteRange(50, length)
    if fits:
        assert taken(answer(WHOLE), 1000 if length < 20 else 200, part) == WHOLE[50 : 50 + length]
    else:
        with pytest.raises(FeedTooLarge, match="empty or too long"):
            taken(answer(b""), 20, part)


def test_an_answer_that_breaks_off_was_not_reached() -> None:
    """The server ends the connection one byte too early. The words are the same for every cause."""

    async def break_off(_reader: Reader, writer: Writer) -> None:
        writer.write(answer(WHOLE)[:-1])
        await writer.drain()
        writer.close()

    with pytest.raises(FeedUnreached, match=r"^The address could not be fetched\.$"):
        taken(break_off)


@pytest.mark.parametrize(("limit", "pieces", "fits"), [(0, 0, True), (5000, 1004, True), (5000, 1005, False)])
def test_crumbs_are_counted(limit: int, pieces: int, fits: bool) -> None:
    """A thousand parts, and one for each KiB of the bound: each takes time of the event loop."""

    async def spoon(_reader: Reader, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 Said\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(pieces):
            writer.write(b"1\r\na\r\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def run() -> None:
        async with serving(spoon) as peer:
            reach = AllowedReach.of(["127.0.0.0/8"], [peer.port])
            asked = FeedReach(FETCH, lambda _url: MediaAccess("127.0.0.1", (reach,), None)).take(peer.url, limit)
            if fits:
                assert (await asked)[1] == b"a" * pieces
            else:
                with pytest.raises(FeedBroken, match="too many pieces"):
                    await asked

    asyncio.run(run())
