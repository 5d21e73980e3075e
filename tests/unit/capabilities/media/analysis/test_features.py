"""What the network reads: its shapes, its bounds, and what detectors that say nothing leave."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.analysis.features import CHANNELS, SCORED, block_inputs, network_arrays
from app.capabilities.media.analysis.measure import Measured, measure
from app.capabilities.media.detectors.blocks import robust_score
from app.capabilities.media.detectors.image import DecodedImage
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture


@pytest.fixture(scope="module")
def measured() -> Measured:
    """Of a JPEG that was compressed twice."""
    return measure(as_jpeg(texture_picture(3, 256, 288), 70, 90))


def test_arrays_are_those_that_the_network_takes(measured: Measured) -> None:
    """Names, last dimensions, type; finite, and bounded by the clips."""
    arrays = network_arrays(block_inputs(measured))
    assert {name: array.shape[-1] for name, array in arrays.items()} == CHANNELS
    for name, array in arrays.items():
        assert array.dtype == np.float32
        assert np.isfinite(array).all()
        assert array.shape[:-1] == (() if name == "numbers" else (32, 36))
        assert np.abs(array).max() <= 8


def test_scores_are_quarters_of_the_robust_scores(measured: Measured) -> None:
    """Each in its channel."""
    maps = block_inputs(measured).maps
    for number, (detector, name) in enumerate(SCORED):
        if name in measured.traces[detector].maps:
            np.testing.assert_allclose(maps[:, :, number], robust_score(measured.traces[detector].maps[name]) / 4)


def test_a_detector_that_says_nothing_leaves_zeros() -> None:
    """A raw image has no quantizers, a JPEG no filter array."""
    raw, jpeg = (
        block_inputs(measure(picture))
        for picture in (DecodedImage(texture_picture(4, 256, 264)), as_jpeg(texture_picture(4, 256, 264), 90))
    )
    channels = {name: number for number, (_, name) in enumerate(SCORED)}
    assert not raw.maps[:, :, channels["dq"]].any()
    assert raw.maps[:, :, channels["cfa"]].any()
    assert not jpeg.maps[:, :, channels["cfa"]].any()
    assert not network_arrays(raw)["modes"].any()
    assert network_arrays(jpeg)["modes"].sum() == 32 * 33 * 20


def test_histograms_have_the_median_zero(measured: Measured) -> None:
    """Over the image, in each bin."""
    assert np.abs(np.median(block_inputs(measured).histograms, axis=(0, 1))).max() < 1e-5


def test_copies_are_marked_with_their_sources() -> None:
    """Both places are one in the last channel, all else is zero there."""
    rgb = texture_picture(5, 256, 264)
    rgb[160:224, 152:232] = rgb[16:80, 24:104]
    seen = measure(DecodedImage(rgb))
    marked = block_inputs(seen).maps[:, :, -1]
    assert set(np.unique(marked)) == {0, 1}
    assert marked[4:8, 5:11].all()
    assert marked[22:26, 21:27].all()
    assert marked.sum() == sum(copy.source.sum() + copy.copy.sum() for copy in seen.copies)
