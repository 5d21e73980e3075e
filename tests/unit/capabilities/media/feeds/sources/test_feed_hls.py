"""HLS as ffmpeg makes it, served on loopback: streams of a master playlist, encrypted and fragmented segments, a window
that moves on, and what a hostile source makes of a playlist."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.feeds import reach
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.runner import FeedLimits
from app.capabilities.media.feeds.sources import hls
from app.capabilities.media.feeds.sources.hls import decrypt
from app.capabilities.media.feeds.state import FeedState
from tests.door_site import until
from tests.unit.capabilities.media.feeds.feed_site import WatchedFeeds, answer, ended, running, watched
from tests.unit.delivery.loopback_peer import serving

KEY = bytes(range(16))
VECTOR = "00112233445566778899aabbccddeeff"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds in four segments: plain, encrypted and fragmented MP4."""
    place = tmp_path_factory.mktemp("hls")
    (place / "k.key").write_bytes(KEY)
    (place / "key-info").write_text(f"k.key\nk.key\n{VECTOR}\n")
    base = ["ffmpeg", "-v", "error", "-threads", "1", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=4"]
    exact = ["-c:v", "mpeg2video", "-g", "5", "-fflags", "+bitexact", "-flags", "+bitexact"]
    to = ["-f", "hls", "-hls_time", "1", "-hls_list_size", "0"]
    for more in (
        [*exact, *to, "-hls_segment_filename", "plain%d.ts", "plain.m3u8"],
        [*exact, *to, "-hls_key_info_file", "key-info", "-hls_segment_filename", "locked%d.ts", "locked.m3u8"],
        [
            "-c:v",
            "mpeg4",
            "-g",
            "5",
            *to,
            "-hls_segment_type",
            "fmp4",
            "-hls_segment_filename",
            "cut%d.m4s",
            "cut.m3u8",
        ],
    ):
        subprocess.run([*base, *more], cwd=place, check=True, timeout=60)
    return place


def frames(segment: bytes) -> int:
    """How many pictures ffmpeg finds in a segment by itself."""
    asked = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", "-"]
    told = subprocess.run(asked, input=segment, capture_output=True, check=True, timeout=60)
    assert told.stderr == b""
    return int(told.stdout.split()[0].strip(b","))


def playlist(*lines: str, first: int = 0, target: float = 4) -> bytes:
    """A live playlist."""
    head = ["#EXTM3U", f"#EXT-X-TARGETDURATION:{target}", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
    return answer("\n".join([*head, *lines]).encode())


def segments(*numbers: int) -> bytes:
    """A live playlist of consecutive segments of four seconds."""
    return playlist(*(line for number in numbers for line in ("#EXTINF:4,", f"s{number}.ts")), first=numbers[0])


def packets(number: int) -> bytes:
    """What begins as MPEG-TS does."""
    return (b"\x47" + bytes([number]) * 187) * 2


def whole_feed(
    prepare: Callable[[WatchedFeeds], None], limits: FeedLimits | None = None
) -> tuple[WatchedFeeds, FeedState]:
    """A feed that ends by itself."""

    async def run() -> tuple[WatchedFeeds, FeedState]:
        async with watched() as site:
            prepare(site)
            runner = site.runner("hls", limits=limits or FeedLimits(stall_s=1e6))
            async with running(runner):
                await ended(runner)
            return site, runner.state

    return asyncio.run(run())


def failure(prepare: Callable[[WatchedFeeds], None]) -> tuple[str, str]:
    """Code and words of a feed that fails at its first try."""
    site, state = whole_feed(prepare, FeedLimits(stall_s=1e6, failures=1))
    assert site.looked == []
    assert state.failure is not None
    return state.failure.code, state.failure.detail


def recorded(place: Path, name: str) -> Callable[[WatchedFeeds], None]:
    """A playlist of ffmpeg's with all that it names."""

    def prepare(site: WatchedFeeds) -> None:
        for path in place.iterdir():
            site.source.routes[path.name] = answer(path.read_bytes())
        site.source.routes["feed"] = answer((place / name).read_bytes())

    return prepare


# What ffmpeg made


def test_the_newest_segments_of_a_stream_are_looked_at(made: Path) -> None:
    """The last two of four, and the end of the playlist completes the feed."""
    site, state = whole_feed(recorded(made, "plain.m3u8"))
    assert site.bodies() == [(made / f"plain{number}.ts").read_bytes() for number in (2, 3)]
    assert [piece.duration_s for piece in site.looked] == [1.0, 1.0]
    assert (state.status, state.end, site.source.paths()) == ("COMPLETED", "ended", ["feed", "plain2.ts", "plain3.ts"])


def test_encrypted_segments_are_those_that_were_encrypted(made: Path) -> None:
    """AES-128 as ffmpeg applies it; the key is asked for once."""
    site, _ = whole_feed(recorded(made, "locked.m3u8"))
    assert site.bodies() == [(made / f"plain{number}.ts").read_bytes() for number in (2, 3)]
    assert site.source.paths() == ["feed", "locked2.ts", "k.key", "locked3.ts"]


def test_fragments_stand_behind_what_they_begin_with(made: Path) -> None:
    """Each can be decoded by itself: ffmpeg finds its five pictures."""
    site, _ = whole_feed(recorded(made, "cut.m3u8"))
    assert [frames(body) for body in site.bodies()] == [5, 5]
    assert site.source.paths() == ["feed", "cut2.m4s", "init.mp4", "cut3.m4s"]


def test_the_best_stream_that_is_not_too_fast_is_taken(made: Path) -> None:
    """Addresses in it are relative to where it was found at last."""

    def prepare(site: WatchedFeeds) -> None:
        recorded(made, "plain.m3u8")(site)
        site.source.routes = {f"sub/{name}": route for name, route in site.source.routes.items()}
        lines = [
            line
            for bandwidth, name in ((9_000_000, "none"), (800, "none"), (7_000_000, "moved"))
            for line in (f"#EXT-X-STREAM-INF:BANDWIDTH={bandwidth}", name)
        ]
        site.source.routes["feed"] = answer("\n".join(["#EXTM3U", *lines]).encode())
        site.source.routes["moved"] = answer(b"", "Location: /sub/plain.m3u8", status=302)

    site, state = whole_feed(prepare)
    assert state.status == "COMPLETED"
    assert site.source.paths() == ["feed", "moved", "sub/plain.m3u8", "sub/plain2.ts", "sub/plain3.ts"]


def test_an_encrypted_initialization_is_decrypted(made: Path) -> None:
    """By the key of its segment (RFC 8216, 4.3.2.5)."""

    def prepare(site: WatchedFeeds) -> None:
        for name in ("init.mp4", "cut0.m4s"):
            locked = subprocess.run(
                ["openssl", "enc", "-aes-128-cbc", "-K", KEY.hex(), "-iv", VECTOR],
                input=(made / name).read_bytes(),
                capture_output=True,
                check=True,
            )
            site.source.routes[name] = answer(locked.stdout)
        site.source.routes["k.key"] = answer(KEY)
        key = f'#EXT-X-KEY:METHOD=AES-128,URI="k.key",IV=0x{VECTOR}'
        lines = [key, '#EXT-X-MAP:URI="init.mp4"', "#EXTINF:1,", "cut0.m4s", "#EXT-X-ENDLIST"]
        site.source.routes["feed"] = playlist(*lines)

    site, _ = whole_feed(prepare)
    assert site.bodies() == [(made / "init.mp4").read_bytes() + (made / "cut0.m4s").read_bytes()]


@pytest.mark.parametrize("obeyed", [True, False])
def test_a_segment_may_be_part_of_a_file(made: Path, obeyed: bool) -> None:
    """Also of a server that passes over ranges and sends all of it."""
    whole = b"".join((made / f"plain{number}.ts").read_bytes() for number in range(4))
    length = len(whole) // 4

    def prepare(site: WatchedFeeds) -> None:
        def file(head: str) -> bytes:
            asked = head.split("Range: bytes=")[1].split("\r\n")[0]
            first, last = map(int, asked.split("-"))
            return answer(whole[first : last + 1], status=206) if obeyed else answer(whole)

        site.source.routes["all.ts"] = file
        lines = ["#EXTINF:1,", f"#EXT-X-BYTERANGE:{length}@{length}", "all.ts"]
        lines += ["#EXTINF:1,", f"#EXT-X-BYTERANGE:{length}", "all.ts", "#EXT-X-ENDLIST"]
        site.source.routes["feed"] = playlist(*lines)

    site, _ = whole_feed(prepare)
    assert site.bodies() == [whole[length : 2 * length], whole[2 * length : 3 * length]]


# A window that moves on


def test_a_window_that_moves_on_is_read_at_its_pace() -> None:
    """After its target duration, and after half of it where nothing was new; what was passed over is counted."""

    async def run() -> None:
        async with watched() as site:
            for number in range(20):
                site.source.routes[f"s{number}.ts"] = answer(packets(number))
            site.source.routes["feed"] = segments(3, 4, 5)
            async with running(site.runner("hls", limits=FeedLimits(stall_s=1e6))) as runner:
                await until(lambda: len(site.looked) == 2)
                await until(lambda: site.clock.slept[-1] == 4.0)
                site.source.routes["feed"] = segments(4, 5, 6)
                await site.clock.advance(3.9)
                assert site.source.paths().count("feed") == 1
                await site.clock.advance(0.1)
                await until(lambda: len(site.looked) == 3)
                await until(lambda: 4.0 in site.clock.slept[-1:])
                await site.clock.advance(4)
                await until(lambda: 2.0 in site.clock.slept)
                site.source.routes["feed"] = segments(10, 11, 12)
                await site.clock.advance(2)
                await until(lambda: len(site.looked) == 5)
                assert site.bodies() == [packets(number) for number in (4, 5, 6, 11, 12)]
                assert (runner.state.pieces, runner.state.missed) == (5, 4)
                (entry,) = (one for one in runner.state.timeline if one.kind == "dropped")
                assert entry.count == 4

    asyncio.run(run())


def test_a_source_that_counts_anew_is_followed() -> None:
    """Its encoder was started again."""

    async def run() -> None:
        async with watched() as site:
            for number in (0, 90):
                site.source.routes[f"s{number}.ts"] = answer(packets(number))
            site.source.routes["feed"] = segments(90)
            async with running(site.runner("hls", limits=FeedLimits(stall_s=1e6))) as runner:
                await until(lambda: len(site.looked) == 1)
                site.source.routes["feed"] = segments(0)
                await site.clock.advance_until(lambda: len(site.looked) == 2)
                assert (site.bodies()[-1], runner.state.missed) == (packets(0), 0)

    asyncio.run(run())


def test_a_segment_that_is_gone_is_not_asked_for_again() -> None:
    """The feed goes on with the next one, and counts it."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["s2.ts"] = answer(packets(2))
            site.source.routes["feed"] = segments(1)
            async with running(site.runner("hls", limits=FeedLimits(stall_s=1e6))) as runner:
                await until(lambda: runner.state.failures == 1)
                site.source.routes["feed"] = segments(1, 2)
                await site.clock.advance_until(lambda: len(site.looked) == 1)
                await until(lambda: runner.state.status == "RUNNING")
                assert (site.source.paths().count("s1.ts"), runner.state.missed) == (1, 1)

    asyncio.run(run())


def test_a_playlist_that_stands_still_has_stalled() -> None:
    """After three of its target durations, where these are longer than the feed's patience."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["s0.ts"] = answer(packets(0))
            site.source.routes["feed"] = playlist("#EXTINF:4,", "s0.ts", target=20)
            async with running(site.runner("hls", limits=FeedLimits(stall_s=30))) as runner:
                await until(lambda: len(site.looked) == 1)
                began = site.clock.time
                for _ in range(59):
                    # At most one socket is under way while the time stands.
                    asked = len(site.source.asked)
                    waits = len(site.clock.slept)
                    await site.clock.advance(1)
                    if len(site.source.asked) > asked:
                        await until(lambda waits=waits: len(site.clock.slept) > waits)  # type: ignore[misc]
                assert runner.state.status == "RUNNING"
                await site.clock.advance_until(lambda: runner.state.failures == 1)
                assert site.clock.time >= began + 60
                assert runner.state.failure is not None
                assert runner.state.failure.code == "feed_stalled"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (["#EXTINF:4,", "http://169.254.169.254/latest", "#EXT-X-ENDLIST"], "fetch_refused", "could not be fetched"),
        (["#EXTINF:4,", "missing.ts", "#EXT-X-ENDLIST"], "feed_broken", "The source answered 404."),
        (["#EXT-X-ENDLIST"], "feed_broken", "The feed ended before anything of it came."),
    ],
)
def test_a_feed_that_ends_before_anything_came_has_failed(lines: list[str], code: str, words: str) -> None:
    """Although its source ended it and other tries were left: it must not look like one that was watched."""

    async def run() -> FeedState:
        async with watched() as site:
            site.source.routes["feed"] = playlist(*lines)
            runner = site.runner("hls", limits=FeedLimits(stall_s=1e6))
            async with running(runner) as going:
                await site.clock.advance_until(lambda: going.state.end is not None)
                await ended(runner)
            return runner.state

    state = asyncio.run(run())
    assert state.failure is not None
    assert (state.status, state.end, state.failure.code) == ("FAILED", "failed", code)
    assert words in state.failure.detail


# What a hostile source makes of it


def test_a_playlist_leads_to_no_address_that_may_not_be_reached() -> None:
    """Of a segment, a key, an initialization, a stream: nobody there is asked."""

    async def run() -> None:
        async with watched() as site, serving(answer(KEY)) as inner:
            site.source.routes["ok.ts"] = answer(packets(0))
            for lines in (
                ["#EXTINF:4,", inner.url],
                [f'#EXT-X-KEY:METHOD=AES-128,URI="{inner.url}"', "#EXTINF:4,", "ok.ts"],
                [f'#EXT-X-MAP:URI="{inner.url}"', "#EXTINF:4,", "ok.ts"],
                ["#EXT-X-STREAM-INF:BANDWIDTH=1", inner.url],
                ["#EXTINF:4,", "file:///etc/passwd"],
                ["#EXTINF:4,", "http://169.254.169.254/latest"],
            ):
                site.source.routes["feed"] = playlist(*lines)
                runner = site.runner("hls", limits=FeedLimits(failures=1))
                async with running(runner):
                    await ended(runner)
                assert runner.state.failure is not None
                assert (runner.state.failure.code, inner.connections) == ("fetch_refused", 0)
            assert site.looked == []

    asyncio.run(run())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['#EXT-X-KEY:METHOD=AES-128,URI="short"', "#EXTINF:4,", "ok.ts"], "The key of the feed has not 16 bytes."),
        (['#EXT-X-KEY:METHOD=AES-128,URI="long"', "#EXTINF:4,", "ok.ts"], "An answer of the feed is too long."),
        (['#EXT-X-KEY:METHOD=AES-128,URI="key"', "#EXTINF:4,", "ok.ts"], "is not encrypted as its playlist says"),
        (['#EXT-X-KEY:METHOD=AES-128,URI="key"', "#EXTINF:4,", "locked"], "cannot be decrypted by the key"),
        (["#EXTINF:4,", "page"], "neither MPEG-TS nor MP4"),
        (["#EXTINF:4,", "#EXT-X-BYTERANGE:99999999@0", "ok.ts"], "empty or too long"),
        (["#EXTINF:4,", "#EXT-X-BYTERANGE:0@0", "ok.ts"], "empty or too long"),
        (["#EXTINF:4,", "#EXT-X-BYTERANGE:10@1000", "ok.ts"], "another part of a file"),
        (["#EXT-X-STREAM-INF:BANDWIDTH=1", "feed"], "another playlist of streams"),
        (["#EXTINF:4,", "missing.ts"], "The source answered 404."),
    ],
)
def test_a_playlist_that_lies_breaks_the_feed(lines: list[str], words: str) -> None:
    """With what is wrong in words."""

    def prepare(site: WatchedFeeds) -> None:
        site.source.routes.update(
            {
                "feed": playlist(*lines),
                "ok.ts": answer(packets(0)),
                "key": answer(KEY),
                "short": answer(KEY[1:]),
                "long": answer(KEY + b"x"),
                "locked": answer(bytes(32)),
                "page": answer(b"<html>" + bytes(400)),
            }
        )

    assert words in failure(prepare)[1]


def test_a_segment_and_a_playlist_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte more is too much, whether its length is told or not."""
    monkeypatch.setattr(hls, "SEGMENT_LIMIT", 400)
    long = b"HTTP/1.1 200 OK\r\n\r\n" + packets(0) + bytes(100)

    def prepare(site: WatchedFeeds) -> None:
        site.source.routes.update({"feed": playlist("#EXTINF:4,", "long"), "long": long})

    assert failure(prepare)[0] == "feed_too_large"
    monkeypatch.setattr(hls, "PLAYLIST_LIMIT", 40)
    assert failure(prepare)[0] == "feed_too_large"


def test_an_answer_in_crumbs_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a segment within its length."""
    monkeypatch.setattr(reach, "_PARTS", 10)
    crumbs = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nG\r\n" * 30_000

    def prepare(site: WatchedFeeds) -> None:
        site.source.routes.update({"feed": playlist("#EXTINF:4,", "crumbs"), "crumbs": crumbs})

    assert failure(prepare)[1] == "An answer of the feed comes in too many pieces."


@given(st.binary(max_size=64), st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_any_bytes_are_decrypted_or_refused(body: bytes, key: bytes, iv: bytes) -> None:
    """Nothing else comes of them."""
    with contextlib.suppress(FeedBroken):
        assert len(decrypt(body, key, iv)) < len(body)


def test_what_openssl_encrypts_is_decrypted() -> None:
    """Whole blocks get one more of padding."""
    for plain in (b"", b"x" * 15, b"x" * 16, b"x" * 1000):
        told = subprocess.run(
            ["openssl", "enc", "-aes-128-cbc", "-K", KEY.hex(), "-iv", VECTOR],
            input=plain,
            capture_output=True,
            check=True,
        )
        assert decrypt(told.stdout, KEY, bytes.fromhex(VECTOR)) == plain
