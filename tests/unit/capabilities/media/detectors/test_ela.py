"""Error level analysis on drawn scenes."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.detectors.blocks import detrend
from app.capabilities.media.detectors.ela import ela_maps
from app.capabilities.media.detectors.recompress import recompression_error, whole_luma
from tests.unit.capabilities.media.detectors.traced_scenes import (
    found,
    judged,
    pasted,
    scene,
    through_jpeg,
    with_mute_blocks,
)


def test_values_are_those_of_plain_words() -> None:
    """log(.05 + block mean of the error), less its trend; the level is the median before that."""
    image, texture_map, light_map, telling = judged(with_mute_blocks(scene(20, 256, 256)))
    seen = ela_maps(image, texture_map, light_map, telling)
    for quality in (70, 85, 95):
        error = recompression_error(whole_luma(image), quality)
        lost = np.array([[error[r : r + 8, c : c + 8].mean() for c in range(0, 256, 8)] for r in range(0, 256, 8)])
        logs = np.log(0.05 + lost).astype(np.float32)[telling]
        rest = detrend(logs, texture_map[telling], light_map[telling])
        np.testing.assert_allclose(seen.maps[f"ela_{quality}"][telling], rest, atol=1e-4, rtol=1e-4)
        assert seen.globals[f"ela_{quality}_level"] == pytest.approx(np.median(logs), abs=1e-5)


def test_a_region_without_the_past_of_its_image_loses_more() -> None:
    """The image was compressed at 85, the region never: at 85 and 95 it stands out."""
    raw = scene(21)
    seen = ela_maps(*judged(pasted(through_jpeg(raw, 85), raw)))
    assert found(seen.maps["ela_85"]) > 0.95
    assert found(seen.maps["ela_95"]) > 0.95


def test_a_region_with_a_past_of_its_own_loses_less() -> None:
    """The region was compressed at 70, the image never."""
    raw = scene(22)
    assert found(ela_maps(*judged(pasted(raw, through_jpeg(raw, 70)))).maps["ela_70"]) < 0.05


def test_texture_does_not_show() -> None:
    """The error grows with texture; the map does not, nor does it find anything where nothing was changed."""
    image, texture_map, light_map, telling = judged(scene(23))
    seen = ela_maps(image, texture_map, light_map, telling).maps["ela_70"]
    raw = recompression_error(whole_luma(image), 70).reshape(33, 8, 35, 8).mean(axis=(1, 3))
    assert np.corrcoef(raw.ravel(), texture_map.ravel())[0, 1] > 0.6
    assert abs(np.corrcoef(seen.ravel(), texture_map.ravel())[0, 1]) < 0.1
    assert 0.35 < found(seen) < 0.65
