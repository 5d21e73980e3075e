"""Limits of a worker's job."""

import pytest

from app.capabilities.media.worker.protocol import ImageMeasures, VideoMeasures
from app.capabilities.media.worker.workers import WorkerLimits


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (WorkerLimits(), 20),
        (WorkerLimits(cpu_s=200.0), 120),
        (WorkerLimits(cpu_s=0.0, cpu_s_per_mp=0.1), 1),
        (WorkerLimits(cpu_s=0.0, cpu_s_per_mp=2.0), 2),
    ],
)
def test_processor_time_is_by_the_pixels_of_an_image(limits: WorkerLimits, seconds: int) -> None:
    """1.2 * 10^6 pixels: 15 s and 4 s for each 10^6; at least 1 s, and at most 120 s."""
    assert limits.processor_time(ImageMeasures(20_000, 60)) == seconds


def test_a_video_may_take_all_that_a_worker_has() -> None:
    """Frames are read as long as there is time, not by the pixels of one."""
    assert WorkerLimits(cpu_s=0.0).processor_time(VideoMeasures()) == 120
