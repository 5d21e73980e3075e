"""The judge with the shipped model: small, plain and large images, and what it needs of the machine."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from app.capabilities.media.analysis import judge as judging
from app.capabilities.media.analysis import measure as measuring
from app.capabilities.media.analysis.judge import (
    DETECTORS,
    ImageJudge,
    copies_strength,
    cut_of,
    likeliest_life,
    scale_heatmap,
    tail_mean,
)
from app.capabilities.media.analysis.judgement import THRESHOLD
from app.capabilities.media.detectors.image import DecodedImage
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture

SHIPPED = Path(__file__).parents[5] / "resources" / "media"


@pytest.fixture(scope="module")
def judge() -> ImageJudge:
    """The shipped one."""
    return ImageJudge.load(SHIPPED)


@pytest.fixture(scope="module")
def image() -> DecodedImage:
    """A JPEG with a copied place."""
    rgb = texture_picture(6, 272, 328)
    rgb[168:232, 200:280] = rgb[16:80, 24:104]
    return as_jpeg(rgb, 85)


def test_a_judgement_has_one_value_for_each_block(judge: ImageJudge, image: DecodedImage) -> None:
    """All maps are between 0 and 1, and so is the score."""
    seen = judge.judge(image)
    for values in (seen.heatmap, *seen.layers.values()):
        assert values.shape == seen.reliable.shape == image.grid
        assert values.min() >= 0
        assert values.max() <= 1
    assert 0 <= seen.score <= 1
    assert seen.threshold == THRESHOLD
    assert seen.after_life in judge.facts.after_lives
    assert seen.globals["tiles"] == 1


@pytest.mark.parametrize(("floor", "share"), [(0.3, 0.5), (0.05, 0.5), (0.2, 0.0)])
def test_scaling_keeps_the_order_and_puts_the_cut_at_the_threshold(floor: float, share: float) -> None:
    """From zero to one, with the border of its image in the middle."""
    values = np.linspace(0, 0.9, 1001, dtype=np.float32)[None]
    seen = scale_heatmap(values, floor, share)
    assert (np.diff(seen[0]) > 0).all()
    assert (seen[0, 0], scale_heatmap(np.ones((4, 4), np.float32), floor, share).max()) == (0, 1)
    np.testing.assert_array_equal(seen >= THRESHOLD, values >= cut_of(values, floor, share))


def test_a_jpeg_was_not_written_without_loss() -> None:
    """The likeliest life that is left; a file without loss may have any life behind it."""
    chances = {"jpeg": 0.2, "png": 0.5, "resized": 0.3}
    assert likeliest_life(chances, True) == "resized"
    assert likeliest_life(chances, False) == "png"
    assert likeliest_life(chances | {"jpeg": 0.6}, False) == "jpeg"
    assert likeliest_life({"png": 1.0}, True) == "png"


def test_the_same_image_is_judged_alike(judge: ImageJudge, image: DecodedImage) -> None:
    """To the bit."""
    first, again = judge.judge(image), judge.judge(image)
    np.testing.assert_array_equal(first.heatmap, again.heatmap)
    assert (first.score, first.traces, first.globals) == (again.score, again.traces, again.globals)


def test_each_detector_has_its_outcome(judge: ImageJudge, image: DecodedImage) -> None:
    """Applicable ones with a layer, a strength and a p-value, others with a reason."""
    seen = judge.judge(image)
    assert tuple(trace.name for trace in seen.traces) == DETECTORS
    of = {trace.name: trace for trace in seen.traces}
    assert of["cfa"].not_applicable is not None
    assert of["cfa"].p_value is None
    assert set(seen.layers) == {name for name, trace in of.items() if trace.not_applicable is None}
    for name in seen.layers:
        assert 0 <= of[name].strength <= 1
        assert 0 < (of[name].p_value or 0) <= 1
    assert of["ela"].strength == pytest.approx(tail_mean(seen.layers["ela"]))
    assert of["copy_move"].strength == copies_strength(seen.copies[0].inliers) > 0


def test_nothing_is_opened_and_no_thread_begun_after_loading(judge: ImageJudge, image: DecodedImage) -> None:
    """A judgement under a limit of no more files, and with as many threads as before."""
    threads = len(list(Path("/proc/self/task").iterdir()))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        seen = judge.judge(image)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert seen.globals["tiles"] == 1
    assert len(list(Path("/proc/self/task").iterdir())) == threads


@pytest.mark.parametrize("shape", [(1, 1), (7, 300), (63, 64)])
def test_a_tiny_image_is_not_measured(judge: ImageJudge, shape: tuple[int, int]) -> None:
    """No block of it is reliable, and each detector says why."""
    seen = judge.judge(DecodedImage(np.full((*shape, 3), 90, np.uint8)))
    assert seen.heatmap.shape == (shape[0] // 8, shape[1] // 8)
    assert not seen.heatmap.any()
    assert not seen.reliable.any()
    assert (seen.score, seen.grid, seen.copies) == (0, None, ())
    assert {trace.not_applicable for trace in seen.traces} == {"a side is shorter than 64 px"}


@pytest.mark.parametrize("shape", [(64, 64), (65, 200), (256, 64)])
def test_a_small_image_is_judged(judge: ImageJudge, shape: tuple[int, int]) -> None:
    """Also where most detectors say nothing, and where nothing is in the image."""
    for rgb in (texture_picture(7, *shape), np.zeros((*shape, 3), np.uint8)):
        seen = judge.judge(DecodedImage(rgb))
        assert np.isfinite(seen.heatmap).all()
        assert 0 <= seen.score <= 1


def test_a_large_image_is_put_together_from_tiles(
    judge: ImageJudge, image: DecodedImage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tile of 264 px the heatmap is near that of the whole, and copies are found across tiles."""
    whole = judge.judge(image)
    monkeypatch.setattr(measuring, "TILE", 264)
    monkeypatch.setattr(measuring, "OVERLAP", 192)
    monkeypatch.setattr(judging, "OVERLAP", 192)
    seen = judge.judge(image)
    assert seen.globals["tiles"] == 4
    assert seen.heatmap.shape == image.grid
    assert np.corrcoef(seen.heatmap.ravel(), whole.heatmap.ravel())[0, 1] > 0.5
    np.testing.assert_array_equal(seen.reliable, whole.reliable)
    assert [copy.inliers for copy in seen.copies] == [copy.inliers for copy in whole.copies]
    assert seen.grid is not None
    assert seen.grid.counts.shape == (*image.grid, 64)


def test_the_calibration_is_of_a_thousand_images(judge: ImageJudge) -> None:
    """So that a rate of one percent can be stated."""
    assert sum(len(some) for some in judge.facts.scores.values()) >= 1000
    rate = judge.calibration.false_alarm_rate(1.0, "jpeg")
    assert rate.rate <= 0.01
