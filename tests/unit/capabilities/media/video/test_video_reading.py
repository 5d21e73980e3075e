"""Frames from the bytes of a file: every format that is read, and what hostile files do instead."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.video import reading
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.judge import judge_video
from app.capabilities.media.video.reading import ReadFrame, VideoLimits, open_video, read_frames
from tests.media_files import encoded, mutated, photo
from tests.video_clips import RATE, drift, encode

FRAMES = drift(1, 10, 64, 48)
SMALL = encode(FRAMES, "-c:v", "mpeg4", "-g", "5")


def frames_of(file: bytes, limits: VideoLimits | None = None) -> list[ReadFrame]:
    """All of them."""
    return list(read_frames(open_video(file), limits or VideoLimits()))


FORMATS = [
    ("mp4", "mov", ("-c:v", "libx264", "-threads", "1", "-pix_fmt", "yuv420p")),
    ("mov", "mov", ("-c:v", "mpeg4", "-movflags", "frag_keyframe+empty_moov")),
    ("webm", "matroska", ("-c:v", "libvpx", "-b:v", "1M", "-threads", "1")),
    ("matroska", "matroska", ("-c:v", "libx264", "-threads", "1", "-pix_fmt", "yuv420p10le")),
    ("avi", "avi", ("-c:v", "mjpeg", "-q:v", "2")),
    ("mpegts", "mpegts", ("-c:v", "mpeg2video", "-q:v", "2")),
    ("mjpeg", "mjpeg", ("-c:v", "mjpeg", "-q:v", "2")),
]


@pytest.mark.parametrize(("container", "found", "options"), FORMATS, ids=[row[0] for row in FORMATS])
def test_each_format_is_read(container: str, found: str, options: tuple[str, ...]) -> None:
    """Every frame, in order, with its time and its light as it was encoded."""
    opened = open_video(encode(FRAMES, *options, container=container))
    read = list(read_frames(opened, VideoLimits()))
    assert (opened.format, opened.width, opened.height, opened.broken, opened.limits_hit) == (found, 64, 48, 0, [])
    assert [one.index for one in read] == list(range(len(FRAMES)))
    assert [one.time_s for one in read] == pytest.approx(np.arange(len(FRAMES)) / RATE, abs=0.002)
    assert read[0].keyframe
    for one, wanted in zip(read, FRAMES, strict=True):
        assert np.corrcoef(one.luma.ravel(), wanted.ravel())[0, 1] > 0.95
        assert one.luma.shape == (48, 64)
    assert read[3].rgb().shape == (48, 64, 3)


def box(kind: bytes, *parts: bytes) -> bytes:
    """A box of an MP4."""
    body = b"".join(parts)
    return struct.pack("!I", 8 + len(body)) + kind + body


REFUSED = [
    ("empty", b"", "unsupported_format"),
    ("text", b"This is a text.\n" * 20, "unsupported_format"),
    ("HLS", b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n", "unsupported_format"),
    ("concat", b"ffconcat version 1.0\nfile /etc/passwd\n", "unsupported_format"),
    ("DASH", b'<?xml version="1.0"?><MPD><BaseURL>http://127.0.0.1:9/</BaseURL></MPD>', "unsupported_format"),
    ("SDP", b"v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n", "unsupported_format"),
    ("subtitles", b"1\n00:00:00,000 --> 00:00:09,000\nhttp://127.0.0.1/\n", "unsupported_format"),
    ("WAV", b"RIFF\x24\0\0\0WAVEfmt ", "unsupported_format"),
    ("PNG", encoded(photo(9, 9), "PNG"), "unsupported_format"),
    ("a header alone", SMALL[:32], "undecodable"),
    ("MP4 without tracks", box(b"ftyp", b"isom" + bytes(4)) + box(b"moov"), "undecodable"),
    ("Matroska of zeros", b"\x1a\x45\xdf\xa3" + bytes(200), "undecodable"),
    ("AVI of a playlist", b"RIFF\xff\xff\xff\x7fAVI #EXTM3U\nhttp://127.0.0.1:9/a.ts\n", "undecodable"),
]


@pytest.mark.parametrize(("file", "code"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_no_video_is_refused(file: bytes, code: str) -> None:
    """Playlists and lists of files among them: their formats are never tried."""
    with pytest.raises(VideoRefused) as refused:
        judge_video(file)
    assert refused.value.code in (code, "unsupported_format" if code == "undecodable" else code)
    assert len(str(refused.value)) <= 300


def test_an_mp4_that_names_another_file_does_not_get_it() -> None:
    """A data reference to a file elsewhere (ISO/IEC 14496-12, 8.7.2): no frame, and nothing is opened."""
    whole = encode(FRAMES, "-c:v", "mpeg4", "-movflags", "frag_keyframe+empty_moov+default_base_moof")
    own, other = box(b"url ", b"\0\0\0\1"), box(b"url ", b"\0\0\0\0file:///etc/passwd\0")
    named = bytearray(whole.replace(own, other))
    for kind in (b"moov", b"trak", b"mdia", b"minf", b"dinf", b"dref"):
        place = whole.index(kind) - 4
        longer = int.from_bytes(whole[place : place + 4], "big") + len(other) - len(own)
        named[place : place + 4] = longer.to_bytes(4, "big")
    assert len(frames_of(bytes(named))) in (0, len(FRAMES))


@pytest.mark.parametrize("kind", ["hls", "concat"])
def test_a_demuxer_of_lists_would_reach_nothing(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Were one let in, neither an address nor a file in its list would be opened."""
    (tmp_path / "a.ts").write_bytes(encode(FRAMES, "-c:v", "mpeg2video", container="mpegts"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/a.ts"
        lists = {
            "hls": f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{address}\n#EXT-X-ENDLIST\n",
            "concat": f"ffconcat version 1.0\nfile {tmp_path / 'a.ts'}\n",
        }
        monkeypatch.setitem(reading.VIDEO_FORMATS, kind, re.compile(rb"#EXTM3U|ffconcat"))
        with pytest.raises(VideoRefused):
            judge_video(lists[kind].encode())
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_attachments_are_not_looked_at() -> None:
    """A font or page in a Matroska file is a stream of its own; the video is read."""
    whole = encode(
        FRAMES, "-c:v", "mpeg4", "-attach", "README.md", "-metadata:s:t", "mimetype=text/plain", container="matroska"
    )
    assert len(frames_of(whole)) == len(FRAMES)


def test_more_streams_than_eight_are_refused() -> None:
    """Nine of video."""
    maps = ("-map", "0:v") * 9
    with pytest.raises(VideoRefused, match="9 streams"):
        open_video(encode(FRAMES[:2], *maps, "-c:v", "mpeg4", container="matroska"))


def test_a_file_without_video_is_refused() -> None:
    """Sound alone."""
    sound = ("-f", "lavfi", "-i", "sine=d=0.1", "-map", "1:a", "-c:a", "flac")
    with pytest.raises(VideoRefused, match="no video"):
        open_video(encode(FRAMES[:1], *sound, container="matroska"))


@pytest.mark.parametrize("kept", [0.4, 0.7, 0.95])
def test_of_a_file_that_is_cut_off_the_beginning_is_read(kept: float) -> None:
    """What is there, and no more."""
    stream = encode(FRAMES, "-c:v", "mpeg2video", container="mpegts")
    assert 0 < len(frames_of(stream[: int(len(stream) * kept)])) <= len(FRAMES)


def test_sizes_may_change_within_a_stream() -> None:
    """Two JPEG sizes in one stream: each frame has its own, and the change is no finding."""
    other = drift(1, 10, 96, 80)
    mixed = b"".join(encode(each, "-c:v", "mjpeg", container="mjpeg") for each in (FRAMES, other))
    assert [one.luma.shape for one in frames_of(mixed)] == [(48, 64)] * 10 + [(80, 96)] * 10
    assert judge_video(mixed).frames == 20


def test_frames_of_too_many_pixels_are_refused() -> None:
    """A JPEG's header that says 60000 x 60000, at once and in the middle."""
    one = encoded(photo(64, 48), "JPEG")
    place = one.index(b"\xff\xc0") + 5
    large = one[:place] + struct.pack("!HH", 60_000, 60_000) + one[place + 4 :]
    with pytest.raises(VideoRefused):
        judge_video(large * 3)
    assert len(frames_of(one * 3 + large + one)) <= 4


def test_a_header_that_lies_of_its_length_does_no_harm() -> None:
    """Hours, none at all, and a rate of a billion."""
    whole = encode(FRAMES, "-c:v", "mpeg4", "-movflags", "+faststart", container="avi")
    rate = whole.index(b"strh") + 8 + 20
    for scale, speed, length in ((1, 25, 2**31), (1, 25, 0), (1, 10**9, 10), (10**9, 1, 10), (0, 0, 0)):
        lying = whole[:rate] + struct.pack("<III", scale, speed, 0) + struct.pack("<I", length) + whole[rate + 16 :]
        read = frames_of(lying)
        assert len(read) <= len(FRAMES)
        assert all(0 <= one.time_s <= 600 for one in read)


LIMITED = [
    (VideoLimits(frames=4), 4, "first 4 frames"),
    (VideoLimits(duration_s=0.2), 6, "first 0.2 seconds"),
    (VideoLimits(packets=3), 3, "first 3 packets"),
    (VideoLimits(decoding_cpu_s=-1), 0, "took too long"),
]


@pytest.mark.parametrize(("limits", "count", "sentence"), LIMITED, ids=["frames", "seconds", "packets", "processor"])
def test_a_limit_ends_the_reading(limits: VideoLimits, count: int, sentence: str) -> None:
    """After so many frames, and it is told."""
    opened = open_video(SMALL)
    assert len(list(read_frames(opened, limits))) == count
    assert len(opened.limits_hit) == 1
    assert sentence in opened.limits_hit[0]


VIDEOS = [
    SMALL,
    encode(FRAMES[:4], "-c:v", "mjpeg", container="avi"),
    encode(FRAMES[:4], "-c:v", "mpeg4", container="matroska"),
]


@given(st.integers(0, 2**32), st.sampled_from(VIDEOS))
def test_changed_files_end_in_frames_or_a_refusal(seed: int, file: bytes) -> None:
    """No bytes raise anything else, and times go on."""
    read: list[ReadFrame] = []
    with contextlib.suppress(VideoRefused):
        read = frames_of(mutated(file, seed), VideoLimits(frames=40, packets=200))
    times = [one.time_s for one in read]
    assert times == sorted(times)
    assert len(read) <= 40
