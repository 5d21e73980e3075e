"""Blocks, robust scores and the trend: against numpy's plain words for the same."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.detectors.blocks import (
    CLIP,
    block_mean,
    detrend,
    light,
    robust_score,
    texture,
)
from app.capabilities.media.detectors.image import DecodedImage, TraceMaps

DRAWN = np.random.default_rng(5)


def test_only_whole_blocks_count() -> None:
    """Pixels at the right and the bottom that fill no block belong to none."""
    values = DRAWN.random((19, 30), np.float32)
    assert block_mean(values).shape == (2, 3)
    assert block_mean(values)[1, 2] == pytest.approx(values[8:16, 16:24].mean(), rel=1e-6)


def test_luma_is_that_of_the_standard() -> None:
    """BT.601: 0.299 R + 0.587 G + 0.114 B."""
    rgb = DRAWN.integers(0, 256, (16, 24, 3), np.uint8)
    image = DecodedImage(rgb)
    assert image.grid == (2, 3)
    np.testing.assert_allclose(image.luma, rgb @ np.array([0.299, 0.587, 0.114]), atol=0.01)
    assert light(image)[0, 1] == pytest.approx(image.luma[:8, 8:16].mean() / 255)


def test_texture_is_zero_on_flat_blocks_and_grows_with_edges() -> None:
    """A grey picture has none; one with an edge has it where the edge is."""
    rgb = np.full((32, 32, 3), 90, np.uint8)
    assert not texture(DecodedImage(rgb)).any()
    rgb[:, 20:] = 200
    seen = texture(DecodedImage(rgb))
    assert (seen[:, 2] > 3).all()
    assert not seen[:, 0].any()


def test_what_texture_and_light_explain_is_taken_out() -> None:
    """A map that is a function of both leaves nothing; an outlier stays and does not bend the rest."""
    t, of_light = DRAWN.random((20, 30), np.float32) * 4, DRAWN.random((20, 30), np.float32)
    explained = (1 + 2 * t - 0.5 * t * t + of_light - 3 * t * of_light + of_light**2).astype(np.float32)
    noise = DRAWN.normal(0, 0.01, t.shape).astype(np.float32)
    odd = explained + noise
    odd[3:6, 4:7] += 5
    rest = detrend(odd, t, of_light)
    assert (rest[3:6, 4:7] > 4.8).all()
    rest[3:6, 4:7] = 0
    assert np.abs(rest).max() < 0.06


def test_a_robust_score_counts_deviations() -> None:
    """The median is 0, a normal map has unit spread, outliers are clipped, a flat map says nothing."""
    values = DRAWN.normal(10, 3, (60, 60)).astype(np.float32)
    values[0, 0] = 1e6
    score = robust_score(values)
    assert abs(float(np.median(score))) < 1e-6
    assert float(score[1:].std()) == pytest.approx(1, abs=0.1)
    assert score[0, 0] == CLIP
    assert not robust_score(np.full((4, 4), 7, np.float32)).any()


def test_a_detector_that_cannot_say_anything_says_why() -> None:
    """No maps, and one sentence."""
    nothing = TraceMaps.none("the picture has no JPEG past")
    assert (dict(nothing.maps), dict(nothing.globals)) == ({}, {})
    assert nothing.not_applicable == "the picture has no JPEG past"
