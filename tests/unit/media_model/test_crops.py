"""Crops of kept examples, mirrored and filled."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.analysis.features import CHANNELS, block_inputs
from app.capabilities.media.analysis.measure import measure
from app.capabilities.media.detectors.image import DecodedImage
from media_model.crops import AFTER_LIVES, CROP, draw_crop, mirrored
from media_model.examples import Example
from tests.unit.media_model.scenes import photo


def _example(rgb: np.ndarray) -> Example:
    image = DecodedImage(np.ascontiguousarray(rgb))
    labels = np.zeros(image.grid, np.int8)
    labels[2:6, 3:9] = 1
    return Example(block_inputs(measure(image, ())), labels, "splice", "png", 0)


RGB = photo(3, 288, 264)
EXAMPLE = _example(RGB)


@pytest.mark.parametrize("axis", [0, 1])
def test_mirrored_features_are_those_of_the_mirrored_image(axis: int) -> None:
    """Histograms and the noise's scores nearly; counts but where a coefficient lies on the border of zero."""
    there = _example(np.flip(RGB, axis)).inputs
    here = mirrored(EXAMPLE, axis)
    apart = here.inputs.counts.astype(int) - there.counts
    assert np.abs(apart).max() <= 1
    assert (apart != 0).mean() < 1e-3
    np.testing.assert_allclose(here.inputs.histograms, there.histograms, atol=1e-5)
    np.testing.assert_allclose(here.inputs.maps[:, :, 3], there.maps[:, :, 3], atol=0.02)
    np.testing.assert_array_equal(here.labels, np.flip(EXAMPLE.labels, axis))


def test_a_crop_has_the_arrays_of_the_network() -> None:
    """Of the crop's size; a smaller example is filled with what does not count."""
    crop = draw_crop(EXAMPLE, np.random.default_rng(1))
    for name, channels in CHANNELS.items():
        assert crop.arrays[name].shape == ((channels,) if name == "numbers" else (*CROP, channels))
    rows, columns = EXAMPLE.labels.shape
    assert crop.labels.shape == CROP
    assert (crop.labels[:rows, :columns] >= 0).all()
    assert (crop.labels[rows:] == -1).all()
    assert (crop.labels[:, columns:] == -1).all()
    assert crop.edited
    assert AFTER_LIVES[crop.after] == "png"


def test_crops_are_mirrored_both_ways() -> None:
    """Of some draws the edit lies in each corner, and the same seed draws the same."""
    crops = [draw_crop(EXAMPLE, np.random.default_rng(seed)) for seed in range(24)]
    corners = {tuple(int(place) for place in np.argwhere(crop.labels == 1)[0]) for crop in crops}
    assert len(corners) == 4
    again = draw_crop(EXAMPLE, np.random.default_rng(0))
    np.testing.assert_array_equal(again.arrays["maps"], crops[0].arrays["maps"])
