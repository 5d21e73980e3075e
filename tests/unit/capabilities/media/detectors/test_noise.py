"""Noise of blocks on drawn scenes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from app.capabilities.media.detectors.blocks import detrend
from app.capabilities.media.detectors.noise import noise_maps
from tests.unit.capabilities.media.detectors.traced_scenes import Pixels, found, judged, pasted, scene, with_mute_blocks


def noisier(rgb: Pixels, deviation: float) -> Pixels:
    """With normal noise, the same in all three colours."""
    noise = np.random.default_rng(9).normal(0, deviation, rgb.shape[:2])[:, :, None]
    return np.clip(np.rint(rgb + noise), 0, 255).astype(np.uint8)


def test_values_are_those_of_plain_words() -> None:
    """Immerkaer's residual pixel by pixel, log(.08 + its mean), the mean of 3x3 telling blocks, less the trend."""
    image, texture_map, light_map, telling = judged(with_mute_blocks(scene(30, 256, 256)))
    y = np.pad(image.luma.astype(np.float64), 1, mode="reflect")
    corners = y[:-2, :-2] + y[:-2, 2:] + y[2:, :-2] + y[2:, 2:]
    edges = y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:]
    size = np.abs((corners - 2 * edges + 4 * y[1:-1, 1:-1]) / 6).reshape(32, 8, 32, 8).mean(axis=(1, 3))
    logs = np.pad(np.where(telling, np.log(0.08 + size), np.nan), 1, mode="symmetric")
    near = np.stack([logs[r : r + 32, c : c + 32] for r in range(3) for c in range(3)])
    level = np.nanmean(near[:, telling], axis=0).astype(np.float32)
    seen = noise_maps(image, texture_map, light_map, telling)
    rest = detrend(level, texture_map[telling], light_map[telling])
    np.testing.assert_allclose(seen.maps["noise"][telling], rest, atol=1e-4, rtol=1e-4)
    assert seen.globals["noise_deviation"] == pytest.approx(1.2533141 * np.median(size[telling]), rel=1e-5)


def test_the_deviation_is_that_of_the_noise() -> None:
    """On a soft ramp with white noise, grey levels."""
    ramp = np.repeat(np.tile(np.linspace(80, 160, 272), (264, 1))[:, :, None], 3, axis=2)
    for deviation in (3.0, 8.0):
        noisy = noisier(ramp.astype(np.uint8), deviation)
        assert noise_maps(*judged(noisy)).globals["noise_deviation"] == pytest.approx(deviation, rel=0.05)


def test_a_noisier_region_stands_out() -> None:
    """A region with a little more noise is high; in a noisy image one without it is low."""
    quiet = scene(31)
    loud = noisier(quiet, 3)
    assert found(noise_maps(*judged(pasted(quiet, loud))).maps["noise"]) > 0.95
    assert found(noise_maps(*judged(pasted(loud, quiet))).maps["noise"]) < 0.05


def test_texture_and_light_do_not_show() -> None:
    """Texture raises the residual; the map neither follows it nor finds anything where nothing was changed."""
    image, texture_map, light_map, telling = judged(scene(32))
    seen = noise_maps(image, texture_map, light_map, telling).maps["noise"]
    raw = np.abs(cv2.Laplacian(image.luma, cv2.CV_32F)).reshape(33, 8, 35, 8).mean(axis=(1, 3))
    assert np.corrcoef(raw.ravel(), texture_map.ravel())[0, 1] > 0.6
    assert abs(np.corrcoef(seen.ravel(), texture_map.ravel())[0, 1]) < 0.1
    assert 0.35 < found(seen) < 0.65
