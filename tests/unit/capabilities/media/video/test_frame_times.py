"""When frames are shown, where reading ends, and what a header may say, of frames made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest

from app.capabilities.media.video import reading
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.reading import OpenedVideo, VideoLimits, open_video, read_frames
from tests.video_clips import drift, encode

FRAMES = drift(1, 4, 64, 48)
FILE = encode(FRAMES, "-c:v", "mpeg4", "-g", "2")


def _shown(
    monkeypatch: pytest.MonkeyPatch, times: Sequence[float | None], limits: VideoLimits, rate: float = 10
) -> Any:
    """When frames with these times are shown, and which limits were hit."""
    frames = [SimpleNamespace(width=4, height=2, time=time, key_frame=at % 2) for at, time in enumerate(times)]
    monkeypatch.setattr(reading, "_all_frames", lambda *_: iter(frames))
    monkeypatch.setattr(reading, "_luma", lambda _: np.zeros((2, 4), np.uint8))
    opened = OpenedVideo(None, None, "mov", "x", 4, 2, rate, 0)  # type: ignore[arg-type]
    read = list(read_frames(opened, limits))
    assert [one.index for one in read] == list(range(len(read)))
    assert [one.keyframe for one in read] == [bool(at % 2) for at in range(len(read))]
    assert opened.decoded == len(read)
    return [one.time_s for one in read], opened.limits_hit


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ([5.0, 5.1, 5.3], [0, 0.1, 0.3]),
        ([None, None, None], [0, 0.1, 0.2]),
        ([None, 7.0, 7.3], [0, 0.1, 0.3]),
        ([2.0, None, 2.3], [0, 0.1, 0.3]),
        ([2.0, 2.0, 1.0, 2.5], [0, 0.1, 0.2, 0.5]),
        ([0.0, 59.9, 119.8], [0, 59.9, 119.8]),
        ([0.0, 60.0, 60.1], [0, 0.1, 0.2]),
        ([0.0, 61.0, 0.25], [0, 0.1, 0.25]),
    ],
)
def test_times_go_on(monkeypatch: pytest.MonkeyPatch, times: list[float | None], shown: list[float]) -> None:
    """From the first one's; where they are missing, stand still, go back or leap a minute, by the rate."""
    assert _shown(monkeypatch, times, VideoLimits())[0] == pytest.approx(shown)


@pytest.mark.parametrize(("seconds", "count"), [(0.25, 3), (0.2, 3), (0.19, 2)])
def test_seconds_end_behind_the_last_that_is_shown_in_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float, count: int
) -> None:
    """A frame at the very end is read."""
    shown, told = _shown(monkeypatch, [0.0, 0.1, 0.2, 0.3], VideoLimits(duration_s=seconds))
    assert (len(shown), told) == (count, [f"Only the first {seconds:g} seconds were read."])


@pytest.mark.parametrize(("frames", "told"), [(3, ["Only the first 3 frames were read."]), (4, [])])
def test_as_many_frames_as_may_be_are_read(monkeypatch: pytest.MonkeyPatch, frames: int, told: list[str]) -> None:
    """And nothing is said if there are no more."""
    assert _shown(monkeypatch, [0.0, 0.1, 0.2, 0.3], VideoLimits(frames=frames)) == (
        pytest.approx([0.0, 0.1, 0.2, 0.3][:frames]),
        told,
    )


def test_the_limits_are_those_of_the_page() -> None:
    """Ten minutes, 18,000 frames, 600 of them compared, twelve keyframes in 128 MiB."""
    limits = VideoLimits()
    assert (limits.duration_s, limits.frames, limits.sampled, limits.packets) == (600, 18_000, 600, 200_000)
    assert (limits.cpu_s, limits.decoding_cpu_s, limits.keyframes) == (90, 50, 12)
    assert limits.keyframe_bytes == 134_217_728
    assert (reading.MAX_FRAME_PIXELS, reading.MAX_FRAME_SIDE, reading.MAX_STREAMS) == (40_000_000, 20_000, 8)


@pytest.mark.parametrize(
    ("width", "height", "fits"),
    [
        (0, 5, False),
        (1, 1, True),
        (20_000, 2000, True),
        (2000, 20_000, True),
        (20_001, 1, False),
        (1, 20_001, False),
        (8000, 5000, True),
        (8000, 5001, False),
    ],
)
def test_frames_have_forty_million_pixels_at_most(width: int, height: int, fits: bool) -> None:
    """And 20,000 a side."""
    if fits:
        reading._judge_size(width, height)
        return
    with pytest.raises(VideoRefused, match=f"{width} x {height} pixels"):
        reading._judge_size(width, height)


@pytest.mark.parametrize(
    "layout", ["yuv420p", "yuvj422p", "nv12", "gray", "yuv420p10le", "gray10le", "rgb24", "yuyv422"]
)
def test_luma_is_the_first_plane_where_it_has_eight_bits(layout: str) -> None:
    """Else it is converted, as FFmpeg does; rows are cut where lines are longer."""
    gray = np.random.default_rng(1).integers(30, 220, (6, 10)).astype(np.uint8)
    native = av.VideoFrame.from_ndarray(gray, format="gray").reformat(format=layout)
    found = reading._luma(native)
    plain = layout in ("yuv420p", "yuvj422p", "nv12", "gray")
    wanted = reading.pixels_of(native, "gray")
    if plain:
        plane = native.planes[0]
        rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
        wanted = rows[:6, :10]
    assert found.shape == (6, 10)
    np.testing.assert_array_equal(found, wanted)


def test_a_header_tells_its_frames_and_rate() -> None:
    """As the container has them."""
    opened = open_video(FILE)
    assert (opened.claimed_frames, opened.rate, opened.width, opened.height, opened.codec) == (4, 25, 64, 48, "mpeg4")
    stream = open_video(encode(FRAMES, "-c:v", "mpeg4", container="matroska"))
    assert stream.rate == 25


@pytest.mark.parametrize(
    ("stated", "rate"), [(0.1, 0.1), (1000.0, 1000), (0.0, 25), (0.09, 25), (1000.5, 25), (1e9, 25), (59.94, 59.94)]
)
def test_a_rate_that_cannot_be_is_25(stated: float, rate: float) -> None:
    """Below one frame in ten seconds, and above a thousand a second."""
    assert reading._usable_rate(stated) == rate


def test_reading_twice_gives_what_the_first_left() -> None:
    """All frames of the file, and none of it again."""
    opened = open_video(FILE)
    assert len(list(read_frames(opened, VideoLimits()))) == 4
    assert (opened.decoded, opened.broken, opened.limits_hit) == (4, 0, [])


def test_what_cannot_be_decoded_is_told_in_one_printable_line() -> None:
    """At most 300 characters."""
    told = str(reading._undecodable(ValueError("a\nb\x00" + "c" * 400)))
    assert told == f"The file cannot be decoded: ValueError: a b {'c' * 400}"[:300]
