"""JPEG ghosts on drawn scenes with real encoders."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from app.capabilities.media.detectors.blocks import detrend
from app.capabilities.media.detectors.ghost import QUALITIES, ghost_maps
from app.capabilities.media.detectors.recompress import recompression_error, whole_luma
from tests.unit.capabilities.media.detectors.traced_scenes import (
    Pixels,
    found,
    judged,
    pasted,
    scene,
    through_jpeg,
    with_mute_blocks,
)


def pillow_jpeg(rgb: Pixels, quality: int) -> Pixels:
    """Through Pillow's encoder and decoder, 4:2:0."""
    written = io.BytesIO()
    Image.fromarray(rgb).save(written, "JPEG", quality=quality, subsampling=2)
    return np.asarray(Image.open(written).convert("RGB"))


def test_values_are_those_of_plain_words() -> None:
    """Log errors over 3x3 telling blocks, dips between neighbouring qualities, in deviations without the trend."""
    image, texture_map, light_map, telling = judged(with_mute_blocks(through_jpeg(scene(50, 256, 256), 80)))
    errors = []
    for quality in (50, 55, 60, 65, 70, 75, 80, 85, 88, 91, 94, 97):
        squares = np.square(recompression_error(whole_luma(image), quality)).reshape(32, 8, 32, 8).mean(axis=(1, 3))
        wide = np.pad(np.where(telling, squares, np.nan), 1, mode="symmetric")
        near = np.stack([wide[r : r + 32, c : c + 32] for r in range(3) for c in range(3)])
        errors.append(np.log(0.05 + np.nanmean(near[:, telling], axis=0)))
    dips = [(errors[n - 1] + errors[n + 1]) / 2 - errors[n] for n in range(1, 11)]
    rest = [detrend(dip.astype(np.float32), texture_map[telling], light_map[telling]) for dip in dips]
    own = [dip / (1.4826 * np.median(np.abs(dip)) + 0.05) for dip in rest]
    ratio = (errors[0] - errors[7]).astype(np.float32)
    seen = ghost_maps(image, texture_map, light_map, telling)
    expected = {
        "ghost_foreign": np.max(own, axis=0),
        "ghost_missing": np.min(own, axis=0),
        "ghost_ratio": detrend(ratio, texture_map[telling], light_map[telling]),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(seen.maps[name][telling], values, atol=2e-4, rtol=1e-4)
    assert seen.globals["ghost_quality"] == 80
    assert seen.globals["ghost_dip"] == pytest.approx(np.median(dips[5]), abs=1e-4)
    assert seen.globals["ghost_ratio_level"] == pytest.approx(np.median(ratio), abs=1e-4)


@pytest.mark.parametrize("quality", [55, 75, 94])
def test_the_quality_of_the_past_is_estimated(quality: int) -> None:
    """Also when another program wrote it, with subsampled chroma."""
    seen = ghost_maps(*judged(pillow_jpeg(scene(51), quality))).globals
    assert seen["ghost_quality"] == quality
    assert seen["ghost_dip"] > 0.2


def test_an_image_without_a_past_has_no_dip() -> None:
    """Nor has one whose grid of compression is not that of its blocks."""
    raw = scene(52, 272, 288)
    assert ghost_maps(*judged(raw)).globals["ghost_dip"] < 0.05
    off_the_grid = np.ascontiguousarray(through_jpeg(raw, 75)[4:, 4:])
    assert ghost_maps(*judged(off_the_grid)).globals["ghost_dip"] < 0.05


def test_a_region_with_a_past_of_its_own_is_foreign() -> None:
    """The region was compressed at 65, then the whole at 90."""
    raw = scene(53)
    whole = through_jpeg(pasted(raw, through_jpeg(raw, 65)), 90)
    assert found(ghost_maps(*judged(whole)).maps["ghost_foreign"]) > 0.95


def test_a_region_without_the_past_of_its_image_misses_it() -> None:
    """The image was compressed at 75, the region never."""
    raw = scene(54)
    seen = ghost_maps(*judged(pasted(through_jpeg(raw, 75), raw))).maps
    assert found(seen["ghost_missing"]) < 0.05
    assert not 0.2 < found(seen["ghost_ratio"]) < 0.8


def test_nothing_is_found_where_nothing_was_changed() -> None:
    """The whole image has one past: no map finds the region, and the ratio does not follow texture."""
    image, texture_map, light_map, telling = judged(through_jpeg(scene(55), 85))
    seen = ghost_maps(image, texture_map, light_map, telling).maps
    for values in seen.values():
        assert 0.35 < found(values) < 0.65
    assert abs(np.corrcoef(seen["ghost_ratio"].ravel(), texture_map.ravel())[0, 1]) < 0.1


def test_the_steps_of_quality_are_nearly_even() -> None:
    """libjpeg scales its tables by 200 - 2 q: no step is under half of another, else a dip would be a slope."""
    scales = np.diff([200 - 2 * quality for quality in QUALITIES])
    assert scales.max() < 0
    assert scales.min() / scales.max() < 2
