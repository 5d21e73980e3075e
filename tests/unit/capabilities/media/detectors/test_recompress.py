"""The error of one more JPEG compression, against plain words."""

from __future__ import annotations

import cv2
import numpy as np

from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.detectors.recompress import recompression_error, whole_luma
from tests.unit.capabilities.media.detectors.traced_scenes import scene


def test_luma_is_rounded_to_whole_levels() -> None:
    """Blue alone is .114 of a level: 4 steps are .456, 5 are .57; the ends stay."""
    rgb = np.array([[[100, 100, 104], [100, 100, 105], [255, 255, 255], [0, 0, 0]]], np.uint8)
    grey = whole_luma(DecodedImage(rgb))
    assert grey.tolist() == [[100, 101, 255, 0]]
    assert grey.dtype == np.uint8


def test_the_error_is_that_of_a_grey_jpeg() -> None:
    """Written at that quality and read back: the absolute difference, whichever is larger."""
    grey = cv2.cvtColor(scene(1, 67, 90), cv2.COLOR_RGB2GRAY)
    for quality in (50, 90):
        again = cv2.imdecode(cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_UNCHANGED)
        error = recompression_error(grey, quality)
        assert error.dtype == np.float32
        np.testing.assert_array_equal(error, np.abs(grey.astype(int) - again.astype(int)))
        assert error.max() > 2


def test_what_was_compressed_at_this_quality_loses_almost_nothing() -> None:
    """A second compression at 75 changes under a hundredth of the pixels; one at 85 more than three tenths."""
    grey = cv2.cvtColor(scene(2), cv2.COLOR_RGB2GRAY)
    once = cv2.imdecode(cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, 75])[1], cv2.IMREAD_GRAYSCALE)
    assert (recompression_error(once, 75) > 0).mean() < 0.01
    assert (recompression_error(once, 85) > 0).mean() > 0.3
