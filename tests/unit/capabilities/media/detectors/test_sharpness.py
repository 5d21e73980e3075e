"""Sharpness of blocks on drawn scenes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from app.capabilities.media.detectors.blocks import detrend
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.detectors.sharpness import sharpness_maps
from tests.unit.capabilities.media.detectors.traced_scenes import Pixels, found, judged, pasted, scene, with_mute_blocks


def blur(rgb: Pixels, deviation: float) -> Pixels:
    """With a Gaussian, px."""
    return np.asarray(cv2.GaussianBlur(rgb, (0, 0), deviation), np.uint8)


def log_energy(band: FloatMap) -> FloatMap:
    """log(.01 + block mean of squares), in plain words."""
    height, width = band.shape
    squares = np.square(band.astype(np.float64)).reshape(height // 8, 8, width // 8, 8)
    return np.log(0.01 + squares.mean(axis=(1, 3))).astype(np.float32)


def test_values_are_those_of_plain_words() -> None:
    """Differences of the log energies of octave bands, less what the lower band and light explain."""
    image, texture_map, light_map, telling = judged(with_mute_blocks(scene(40, 256, 256)))
    y = image.luma
    first, second, third = (cv2.GaussianBlur(y, (0, 0), s) for s in (0.7, 1.4, 2.8))
    fine, middle, coarse = (log_energy(band) for band in (y - first, first - second, second - third))
    seen = sharpness_maps(image, texture_map, light_map, telling)
    for name, upper, lower in (("sharpness_a", fine, middle), ("sharpness_b", middle, coarse)):
        sharper = (upper - lower)[telling]
        rest = detrend(sharper, lower[telling], light_map[telling])
        np.testing.assert_allclose(seen.maps[name][telling], rest, atol=1e-4, rtol=1e-4)
        assert seen.globals[f"{name}_level"] == pytest.approx(np.median(sharper), abs=1e-5)


@pytest.mark.parametrize(("name", "deviation"), [("sharpness_a", 0.8), ("sharpness_b", 1.4)])
def test_a_blurred_region_is_low(name: str, deviation: float) -> None:
    """Each band sees blur of its own scale; in a blurred image a sharp region is high."""
    sharp = scene(41)
    soft = blur(sharp, deviation)
    assert found(sharpness_maps(*judged(pasted(sharp, soft))).maps[name]) < 0.1
    assert found(sharpness_maps(*judged(pasted(soft, sharp))).maps[name]) > 0.85


def test_a_region_that_was_scaled_up_is_low() -> None:
    """By 1.6, bicubic: the finest band is weaker."""
    host = scene(42)
    donor = cv2.resize(scene(43, 165, 175), (280, 264), interpolation=cv2.INTER_CUBIC)
    assert found(sharpness_maps(*judged(pasted(host, donor))).maps["sharpness_a"]) < 0.15


def test_the_level_tells_how_sharp_the_image_is() -> None:
    """A blurred image has lower levels in both."""
    rgb = scene(44)
    sharp, soft = sharpness_maps(*judged(rgb)).globals, sharpness_maps(*judged(blur(rgb, 1.0))).globals
    for name in ("sharpness_a_level", "sharpness_b_level"):
        assert soft[name] < sharp[name] - 0.3


def test_texture_does_not_show() -> None:
    """Neither map finds anything where nothing was changed, nor follows the energy of its lower band."""
    image, texture_map, light_map, telling = judged(scene(45))
    first, second, third = (cv2.GaussianBlur(image.luma, (0, 0), s) for s in (0.7, 1.4, 2.8))
    seen = sharpness_maps(image, texture_map, light_map, telling).maps
    for name, lower in (("sharpness_a", first - second), ("sharpness_b", second - third)):
        assert abs(np.corrcoef(seen[name].ravel(), log_energy(lower).ravel())[0, 1]) < 0.1
        assert 0.35 < found(seen[name]) < 0.65
