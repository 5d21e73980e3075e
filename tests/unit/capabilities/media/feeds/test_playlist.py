"""Playlists of HTTP Live Streaming: the examples of RFC 8216, section 8, and what a hostile source makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.playlist import (
    ByteRange,
    MasterPlaylist,
    MediaPlaylist,
    MediaSegment,
    SegmentKey,
    Variant,
    read_playlist,
)

HERE = "https://media.example.com/live/list.m3u8"


def media(*lines: str, target: str = "#EXT-X-TARGETDURATION:10") -> MediaPlaylist:
    """The segments of a playlist of these lines."""
    found = read_playlist("\n".join(["#EXTM3U", target, *lines]).encode(), HERE)
    assert isinstance(found, MediaPlaylist)
    return found


def test_a_simple_playlist() -> None:
    """RFC 8216, 8.1."""
    found = read_playlist(
        b"#EXTM3U\r\n#EXT-X-TARGETDURATION:10\r\n#EXT-X-VERSION:3\r\n#EXTINF:9.009,\r\n"
        b"http://media.example.com/first.ts\r\n#EXTINF:9.009,\r\nhttp://media.example.com/second.ts\r\n"
        b"#EXTINF:3.003,\r\nthird.ts\r\n#EXT-X-ENDLIST\r\n",
        HERE,
    )
    assert found == MediaPlaylist(
        (
            MediaSegment(0, "http://media.example.com/first.ts", 9.009),
            MediaSegment(1, "http://media.example.com/second.ts", 9.009),
            MediaSegment(2, "https://media.example.com/live/third.ts", 3.003),
        ),
        10.0,
        True,
    )


def test_a_live_playlist_with_encrypted_segments() -> None:
    """RFC 8216, 8.2 and 8.3: numbers that go on, a key for those that follow it, its own or its number as vector."""
    found = media(
        "#EXT-X-MEDIA-SEQUENCE:7794",
        '#EXT-X-KEY:METHOD=AES-128,URI="https://priv.example.com/key.php?r=52"',
        "#EXTINF:2.833,",
        "a.ts",
        '#EXT-X-KEY:METHOD=AES-128,URI="/k,2",IV=0x00ff',
        "#EXTINF:15,a title, with two, commas",
        "b.ts",
        "#EXT-X-KEY:METHOD=NONE",
        "#EXT-X-DISCONTINUITY",
        "#EXTINF:1,",
        "c.ts",
        "#EXTINF:1,",
        "d.ts",
    )
    assert [(one.sequence, one.key, one.discontinuity) for one in found.segments] == [
        (7794, SegmentKey("https://priv.example.com/key.php?r=52", (7794).to_bytes(16)), False),
        (7795, SegmentKey("https://media.example.com/k,2", b"\0" * 14 + b"\x00\xff"), False),
        (7796, None, True),
        (7797, None, False),
    ]
    assert not found.ended


def test_a_master_playlist_names_the_streams() -> None:
    """RFC 8216, 8.4: least bandwidth first, and attributes with commas in quotes."""
    found = read_playlist(
        b'#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=2560000,CODECS="a,b"\nmid.m3u8\n\n'
        b'#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000,URI="low/iframe.m3u8"\n'
        b"#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=1,BANDWIDTH=1280000,BANDWIDTH=5\n# a comment\nlow.m3u8\nnobody.m3u8\n",
        HERE,
    )
    assert found == MasterPlaylist(
        (
            Variant("https://media.example.com/live/low.m3u8", 1_280_000),
            Variant("https://media.example.com/live/mid.m3u8", 2_560_000),
        )
    )


def test_ranges_of_one_file_go_on() -> None:
    """A start of their own, or where the segment before it ended; an initialization for those that follow it."""
    found = media(
        '#EXT-X-MAP:URI="init.mp4",BYTERANGE="720@10"',
        "#EXT-X-BYTERANGE:100@50",
        "#EXTINF:1,",
        "all.mp4",
        "#EXT-X-BYTERANGE:30",
        "#EXTINF:1,",
        "all.mp4",
        '#EXT-X-MAP:URI="init2.mp4",BYTERANGE="5"',
        "#EXTINF:1,",
        "all.mp4",
        '#EXT-X-MAP:URI="init3.mp4"',
        "#EXTINF:1,",
        "all.mp4",
    )
    base = "https://media.example.com/live/"
    assert [(one.byte_range, one.initialization) for one in found.segments] == [
        (ByteRange(50, 100), (base + "init.mp4", ByteRange(10, 720))),
        (ByteRange(150, 30), (base + "init.mp4", ByteRange(10, 720))),
        (None, (base + "init2.mp4", ByteRange(0, 5))),
        (None, (base + "init3.mp4", None)),
    ]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["a.ts"], "no duration of a segment"),
        (["#EXTINF:1,", "a.ts", "b.ts"], "no duration of a segment"),
        (["#EXTINF:,", "a.ts"], "a duration that is none"),
        (["#EXTINF:-1,", "a.ts"], "a duration that is none"),
        (["#EXTINF:nan,", "a.ts"], "a duration that is none"),
        (["#EXTINF:3600.1,", "a.ts"], "a duration that is none"),
        (["#EXT-X-MEDIA-SEQUENCE:x"], "where a number belongs"),
        (["#EXT-X-MEDIA-SEQUENCE:"], "where a number belongs"),
        (["#EXT-X-MEDIA-SEQUENCE:" + "9" * 20], "where a number belongs"),
        (["#EXTINF:1,", "a.ts", "#EXT-X-MEDIA-SEQUENCE:5"], "after the first of them"),
        (["#EXT-X-KEY:METHOD=SAMPLE-AES,URI=k"], "other than AES-128"),
        (["#EXT-X-KEY:URI=k"], "other than AES-128"),
        (['#EXT-X-KEY:METHOD=AES-128,URI="k",KEYFORMAT="com.example"'], "other than AES-128"),
        (["#EXT-X-KEY:METHOD=AES-128"], "empty or too long"),
        (["#EXT-X-KEY:METHOD=AES-128,URI=k,IV=12"], "initialization vector"),
        (["#EXT-X-KEY:METHOD=AES-128,URI=k,IV=0x" + "1" * 33], "initialization vector"),
        (["#EXT-X-MAP:BYTERANGE=5"], "empty or too long"),
        (["#EXT-X-MAP:URI=a,BYTERANGE=5@"], "a range that is none"),
        (["#EXT-X-BYTERANGE:-5"], "a range that is none"),
        (["#EXT-X-BYTERANGE:5", "#EXTINF:1,", "a.ts"], "begins nowhere"),
        (["#EXTINF:1,", "a.ts", "#EXT-X-BYTERANGE:5", "#EXTINF:1,", "a.ts"], "begins nowhere"),
        (["#EXT-X-BYTERANGE:5@0", "#EXTINF:1,", "a.ts", "#EXT-X-BYTERANGE:5", "#EXTINF:1,", "b.ts"], "begins nowhere"),
        (["#EXTINF:1,", "http://[a/x.ts"], "that is none"),
        (["#EXTINF:1,", "a" * 2049], "empty or too long"),
    ],
)
def test_what_a_source_gets_wrong_is_told(lines: list[str], words: str) -> None:
    """Each as a broken feed, with a sentence."""
    with pytest.raises(FeedBroken, match=words):
        media(*lines)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "no playlist"),
        (b"<html>", "no playlist"),
        (b"\n#EXTM3U\n", "no playlist"),
        (b"#EXTM3U8\n", "no playlist"),
        (b"#EXTM3U\n\xff", "UTF-8"),
        (b"#EXTM3U\n", "no target duration"),
        (b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n", "no stream"),
        (b"#EXTM3U\n#EXT-X-STREAM-INF:CODECS=x\na.m3u8", "where a number belongs"),
        (b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n" + b"#" * 1048576, "too long"),
    ],
)
def test_what_is_no_playlist_is_told(raw: bytes, words: str) -> None:
    """Before anything that it names is asked for."""
    with pytest.raises(FeedBroken, match=words):
        read_playlist(raw, HERE)


def test_the_longest_that_is_taken() -> None:
    """To the byte, the segment, the second and the letter."""
    head = "#EXTM3U\n#EXT-X-TARGETDURATION:3600\n"
    body = "#EXTINF:3600,\na\n" * 5000
    full = (head + body).ljust(1048576, "\n").encode()
    assert len(read_playlist(full, HERE).segments) == 5000  # type: ignore[union-attr]
    with pytest.raises(FeedBroken, match="too many"):
        read_playlist((head + body + "#EXTINF:1,\na\n").encode(), HERE)
    variants = "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n" * 5000
    assert len(read_playlist(b"#EXTM3U\n" + variants.encode(), HERE).variants) == 5000  # type: ignore[union-attr]
    with pytest.raises(FeedBroken, match="too many"):
        read_playlist(b"#EXTM3U\n" + variants.encode() + b"#EXT-X-STREAM-INF:BANDWIDTH=1\na\n", HERE)
    assert media("#EXTINF:1,", "a" * 2048).segments[0].url.endswith("a" * 2048)
    assert media("#EXT-X-MEDIA-SEQUENCE:" + "9" * 19, "#EXTINF:1,", "a").segments[0].sequence == int("9" * 19)


@given(
    st.lists(
        st.sampled_from(
            [
                *("#EXTM3U", "#EXTINF:1,", "a.ts", "#EXT-X-TARGETDURATION:5", "#EXT-X-ENDLIST", "#EXT-X-DISCONTINUITY"),
                *("#EXT-X-KEY:METHOD=AES-128,URI=k,IV=0x1", "#EXT-X-KEY:METHOD=NONE", "#EXT-X-BYTERANGE:5@1", "\xe9"),
                *(
                    "#EXT-X-BYTERANGE:5",
                    '#EXT-X-MAP:URI="',
                    "#EXT-X-STREAM-INF:BANDWIDTH=3",
                    "//host/x",
                    "file:///x",
                    "",
                ),
            ]
        )
        | st.text(max_size=20)
    )
)
def test_any_text_is_a_playlist_or_a_broken_feed(lines: list[str]) -> None:
    """No other error, and every segment has a number, a length and an address."""
    try:
        found = read_playlist("\n".join(["#EXTM3U", *lines]).encode("utf-8", "surrogatepass"), HERE)
    except FeedBroken:
        return
    if isinstance(found, MediaPlaylist):
        assert [one.sequence - found.segments[0].sequence for one in found.segments] == [*range(len(found.segments))]
        assert all(one.url and 0 <= one.duration_s <= 3600 for one in found.segments)
    else:
        assert found.variants
