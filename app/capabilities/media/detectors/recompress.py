"""What one more JPEG compression does to the luma of an image."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import DecodedImage, FloatMap


def whole_luma(image: DecodedImage) -> npt.NDArray[np.uint8]:
    """Luma in whole grey levels, as an encoder takes it: shape (height, width)."""
    return np.clip(np.rint(image.luma), 0, 255).astype(np.uint8)


def recompression_error(grey: npt.NDArray[np.uint8], quality: int) -> FloatMap:
    """Absolute difference between ``grey`` and itself after JPEG at ``quality`` (1 to 100, the tables of libjpeg):
    whole grey levels, shape (height, width).

    Luma alone is compressed: measured on edited photographs it separates better than colour, for what chroma loses by
    its subsampling is large and says little.
    """
    # cv2 is the JPEG decoder of this program everywhere: another one rounds its IDCT otherwise, and the error of
    # an image that was compressed at just this quality would no longer be zero.
    _, written = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])
    again = np.asarray(cv2.imdecode(written, cv2.IMREAD_GRAYSCALE), np.uint8)
    return np.asarray(cv2.absdiff(grey, again), np.float32)
