"""The light methods that the evaluation compares with."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from media_model.light_methods import DB8_HIGH, LIGHT, extremes, image_score, standing_out, wavelet_noise
from tests.unit.media_model.scenes import photo


def test_the_wavelet_has_eight_vanishing_moments() -> None:
    """Its filter is of norm 1, orthogonal to its even shifts, and kills polynomials of degree 7."""
    assert (DB8_HIGH**2).sum() == pytest.approx(1)
    for shift in range(2, 16, 2):
        assert DB8_HIGH[shift:] @ DB8_HIGH[:-shift] == pytest.approx(0, abs=1e-10)
    at = np.linspace(-1, 1, 16)
    for power in range(8):
        assert DB8_HIGH @ at**power == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("name", list(LIGHT))
def test_maps_lie_on_the_blocks(name: str) -> None:
    """Also where sides are no multiples of 8, and none is flat."""
    seen = LIGHT[name](photo(5, 331, 267))
    assert seen.shape == (33, 41)
    assert np.isfinite(seen).all()
    assert seen.std() > 0


def test_noise_is_measured_in_grey_levels() -> None:
    """White noise has the same deviation in each band of an orthonormal transform."""
    grey = np.clip(np.random.default_rng(1).normal(128, 6, (256, 256)), 0, 255).astype(np.uint8)
    assert np.median(wavelet_noise(cv2.merge([grey] * 3))) == pytest.approx(6, rel=0.05)


def test_a_single_high_value_is_an_extreme() -> None:
    """And its neighbours are none."""
    rgb = np.full((16, 16, 3), 100, np.uint8)
    rgb[3, 12] = 120
    assert (extremes(rgb) * 64).round(3).tolist() == [[0, 1], [0, 0]]


def test_what_differs_stands_out_both_ways() -> None:
    """A low region scores as a high one; a flat map scores nothing."""
    values = np.zeros((20, 20), np.float32)
    values[4:12, 4:12] = -1
    assert standing_out(values)[8, 8] == standing_out(values).max() == standing_out(-values)[8, 8]
    assert not standing_out(np.ones((20, 20), np.float32)).any()
    assert image_score(np.arange(100, dtype=np.float32).reshape(10, 10)) == 98.5
