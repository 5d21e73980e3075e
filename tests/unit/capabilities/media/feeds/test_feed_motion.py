"""Pictures of motion JPEG as a video file, by what decodes it."""

from __future__ import annotations

from io import BytesIO

import av
import numpy as np
import pytest

from app.capabilities.media.feeds.motion import motion_video
from app.capabilities.media.video.reading import VideoLimits, open_video, read_frames
from tests.media_files import encoded, photo

# Of odd and even lengths: a chunk of a RIFF file begins at an even place.
PICTURES = [encoded(photo(96, 80), "JPEG", quality=quality) for quality in (60, 75, 90, 95)]


def test_each_picture_is_a_frame_with_its_time() -> None:
    """Four within one and a half seconds are two a second."""
    opened = open_video(motion_video(PICTURES, 1.5))
    found = [(one.time_s, one.keyframe, one.rgb().shape) for one in read_frames(opened, VideoLimits())]
    assert (opened.format, opened.codec, opened.rate, opened.broken) == ("avi", "mjpeg", 2.0, 0)
    assert found == [(at / 2, True, (80, 96, 3)) for at in range(4)]


def test_no_picture_is_changed() -> None:
    """The packets are the files, to the byte."""
    assert {len(one) % 2 for one in PICTURES} == {0, 1}
    with av.open(BytesIO(motion_video(PICTURES, 1.5))) as container:
        packets = [bytes(one) for one in container.demux(video=0) if one.size]
    assert packets == PICTURES


@pytest.mark.parametrize(("span_s", "rate"), [(0.0, 25.0), (0.001, 60.0), (1000.0, 0.1), (1.0, 3.0)])
def test_a_rate_is_one_that_a_camera_may_have(span_s: float, rate: float) -> None:
    """All at once, or hardly ever."""
    assert open_video(motion_video(PICTURES, span_s)).rate == pytest.approx(rate)


def test_pictures_may_change_their_size() -> None:
    """A camera that is turned over in the middle."""
    opened = open_video(motion_video([PICTURES[0], encoded(photo(80, 96), "JPEG")], 1.0))
    assert [one.luma.shape for one in read_frames(opened, VideoLimits())] == [(80, 96), (96, 80)]
    assert np.all([opened.width, opened.height])
