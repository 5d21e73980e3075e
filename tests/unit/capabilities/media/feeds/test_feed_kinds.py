"""Which kind of feed an address is, and the words for those that are not read."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.feeds.errors import FeedBroken, FeedUnreached, FeedUnsupported
from app.capabilities.media.feeds.kinds import find_kind, judge_feed_url, kind_of_answer
from tests.media_files import FORMATS, encoded, photo
from tests.unit.capabilities.media.feeds.feed_site import MotionCamera, answer, watched

PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
MPD = b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- x -->\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="dynamic">'


@pytest.mark.parametrize("url", ["http://camera/a.jpg", "HTTPS://host/live.m3u8?x=a.mpd", "http://host"])
def test_web_addresses_may_be_feeds(url: str) -> None:
    """What they are, their answer says."""
    judge_feed_url(url)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("rtsp://camera/1", "RTSP is not read yet"),
        ("RTSPS://camera/1", "RTSP is not read yet"),
        ("rtmp://camera/1", "RTMP"),
        ("srt://camera/1", "SRT"),
        ("udp://239.0.0.1:1234", "http:// and https:// alone"),
        ("file:///dev/video0", "http:// and https:// alone"),
        ("camera.jpg", "http:// and https:// alone"),
        ("https://host/live/Manifest.MPD?token=1", "DASH is not read yet"),
        ("http://[::1/a", "is none"),
    ],
)
def test_other_addresses_are_refused_by_their_name(url: str, words: str) -> None:
    """Before anybody is asked."""
    with pytest.raises(FeedUnsupported, match=words):
        judge_feed_url(url)


@pytest.mark.parametrize("name", FORMATS)
def test_a_picture_of_each_format_is_a_still_feed(name: str) -> None:
    """As its encoder writes it, also where the source calls it another."""
    assert kind_of_answer("text/plain", encoded(photo(8, 8), name)[:512]) == "still"


@pytest.mark.parametrize(
    ("content_type", "beginning", "kind"),
    [
        ("multipart/x-mixed-replace;boundary=x", b"", "mjpeg"),
        ("Multipart/X-Mixed-Replace; Boundary=--x", b"--x", "mjpeg"),
        ("application/vnd.apple.mpegurl", PLAYLIST, "hls"),
        ("text/plain", PLAYLIST, "hls"),
    ],
)
def test_a_feed_is_known_by_its_answer(content_type: str, beginning: bytes, kind: str) -> None:
    """By its bytes, and motion JPEG by its type."""
    assert kind_of_answer(content_type, beginning) == kind


@pytest.mark.parametrize(
    ("content_type", "beginning", "words"),
    [
        ("application/dash+xml", b"", "DASH is not read yet"),
        ("text/xml", MPD, "DASH is not read yet"),
        ("", b"\xef\xbb\xbf<MPD>", "DASH is not read yet"),
        ("video/mp4", b"\0\0\0\x18ftypisom", "that of a file"),
        ("application/octet-stream", b"\x47" + bytes(187) + b"\x47", "that of a file"),
        ("video/webm", b"\x1a\x45\xdf\xa3", "that of a file"),
        ("image/jpeg", b"<html>", "calls a picture what is none"),
        ("audio/mpegurl", b"<html>", "calls a playlist"),
        ("multipart/form-data; boundary=x", b"--x", "multipart/x-mixed-replace"),
        ("multipart/x-mixed-replace", b"--x", "boundary"),
        ("text/html", b"<html>", "no picture, no motion JPEG and no HLS"),
        ("", b"", "no picture, no motion JPEG and no HLS"),
    ],
)
def test_what_is_no_feed_is_refused_in_words(content_type: str, beginning: bytes, words: str) -> None:
    """So that a caller knows what to give instead."""
    with pytest.raises(FeedUnsupported, match=words):
        kind_of_answer(content_type, beginning)


@given(st.text(max_size=60), st.one_of(st.binary(max_size=300), st.binary(max_size=100).map(lambda rest: MPD + rest)))
def test_any_answer_is_a_kind_or_refused(content_type: str, beginning: bytes) -> None:
    """Nothing else comes of it."""
    with contextlib.suppress(FeedUnsupported):
        assert kind_of_answer(content_type, beginning) in ("still", "mjpeg", "hls")


@given(st.text(max_size=60), st.sampled_from(["", "http:", "https://", "http://[", "rtsp:"]))
def test_any_text_is_an_address_or_refused(text: str, scheme: str) -> None:
    """Nothing else comes of it."""
    with contextlib.suppress(FeedUnsupported):
        judge_feed_url(scheme + text)


def test_an_address_is_asked_once() -> None:
    """A motion JPEG that sends no picture yet is known by its head; a body that is long is not read to its end."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes.update(
                {
                    "still": answer(encoded(photo(400, 400), "PNG")),
                    "mjpeg": MotionCamera(),
                    "hls": answer(PLAYLIST),
                    "mpd": answer(MPD),
                    "gone": answer(b"", status=410),
                }
            )
            for kind in ("still", "mjpeg", "hls"):
                assert await find_kind(site.reach, site.source.url(kind)) == kind
            with pytest.raises(FeedUnsupported, match="DASH"):
                await find_kind(site.reach, site.source.url("mpd"))
            with pytest.raises(FeedBroken, match="answered 410"):
                await find_kind(site.reach, site.source.url("gone"))
            with pytest.raises(FeedUnreached):
                await find_kind(site.reach, "http://127.0.0.1:1/")
            with pytest.raises(FeedUnsupported, match="RTSP"):
                await find_kind(site.reach, "rtsp://127.0.0.1/")
            assert site.source.paths() == ["still", "mjpeg", "hls", "mpd", "gone"]

    asyncio.run(run())
