"""The light methods of image forensics tools, for comparison: each one map of a whole image, at the usual defaults.

Written from their descriptions: error levels (Krawetz 2007), the residual of a median filter, noise levels in the
diagonal band of a wavelet (Mahdian and Saic 2009), extremes among neighbours, and JPEG ghosts (Farid 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import BLOCK, FloatMap
from media_model.draws import Rgb

# fmt: off
DB8_HIGH: Final = np.array([
    -0.05441584224310401, 0.31287159091429995, -0.6756307362972898, 0.5853546836542067, 0.015829105256349306,
    -0.2840155429615469, -0.0004724845739132828, 0.12874742662047847, 0.017369301001807547, -0.044088253930794755,
    -0.013981027917398282, 0.008746094047405777, 0.004870352993451574, -0.00039174037337694705,
    -0.0006754494064505693, -0.00011747678412476953,
])
# fmt: on
"""The high-pass filter of Daubechies' wavelet with eight vanishing moments (Daubechies 1988)."""
_ELA_QUALITY: Final = 75
_ELA_SCALE: Final = 255 * 2.5
_GHOSTS: Final = range(50, 91, 5)
_GHOST_WINDOW: Final = 16
_MAD: Final = 0.6745
_TOP: Final = 0.02


def error_level(rgb: Rgb) -> FloatMap:
    """Root of the difference to the image at quality 75."""
    return block_mean(np.sqrt(_recompression(rgb, _ELA_QUALITY).mean(axis=2) / 255) * np.float32(_ELA_SCALE))


def median_noise(rgb: Rgb) -> FloatMap:
    """Difference to the 3x3 median."""
    return block_mean(cv2.absdiff(rgb, cv2.medianBlur(rgb, 3)).astype(np.float32).mean(axis=2))


def wavelet_noise(rgb: Rgb) -> FloatMap:
    """Deviation, by the median, of the finest diagonal band in blocks of 8x8 coefficients, at the image's blocks."""
    luma = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float64)
    band = cv2.sepFilter2D(luma, cv2.CV_64F, DB8_HIGH, DB8_HIGH, borderType=cv2.BORDER_REFLECT)[::2, ::2]
    rows, columns = band.shape[0] // BLOCK, band.shape[1] // BLOCK
    tiles = np.abs(band[: rows * BLOCK, : columns * BLOCK]).reshape(rows, BLOCK, columns, BLOCK)
    levels = (np.median(tiles, axis=(1, 3)) / _MAD).astype(np.float32)
    return _at_blocks(levels, rgb)


def extremes(rgb: Rgb) -> FloatMap:
    """Share of values that are below or above all their eight neighbours."""
    ring = np.ones((3, 3), np.uint8)
    ring[1, 1] = 0
    outside = (rgb < cv2.erode(rgb, ring)) | (rgb > cv2.dilate(rgb, ring))
    return block_mean(outside.mean(axis=2).astype(np.float32))


def ghosts(rgb: Rgb) -> FloatMap:
    """Of the squared errors at qualities 50 to 90, means of 16x16 px normalized over the qualities, the map that
    spreads most."""
    errors = np.stack(
        [
            cv2.blur((_recompression(rgb, quality) ** 2).mean(axis=2), (_GHOST_WINDOW, _GHOST_WINDOW))
            for quality in _GHOSTS
        ]
    )
    low = errors.min(axis=0)
    normal = (errors - low) / np.maximum(errors.max(axis=0) - low, 1e-6)
    return block_mean(np.ascontiguousarray(normal[int(normal.std(axis=(1, 2)).argmax())]))


LIGHT: Final[Mapping[str, Callable[[Rgb], FloatMap]]] = {
    "error_level": error_level,
    "median_noise": median_noise,
    "wavelet_noise": wavelet_noise,
    "extremes": extremes,
    "ghosts": ghosts,
}


def standing_out(values: FloatMap) -> FloatMap:
    """How far the mean of 5x5 blocks lies from the image's, in deviations."""
    mean = cv2.blur(values, (5, 5), borderType=cv2.BORDER_REFLECT)
    return np.asarray(np.abs(mean - mean.mean()) / max(float(mean.std()), 1e-9), np.float32)


def image_score(heatmap: FloatMap) -> float:
    """Mean of the top 2 %."""
    ordered = np.sort(heatmap, axis=None)
    return float(ordered[-max(1, round(_TOP * ordered.size)) :].mean())


def _recompression(rgb: Rgb, quality: int) -> npt.NDArray[np.float32]:
    _, written = cv2.imencode(".jpg", rgb, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return cv2.absdiff(rgb, cv2.imdecode(written, cv2.IMREAD_COLOR)).astype(np.float32)


def _at_blocks(values: FloatMap, rgb: Rgb) -> FloatMap:
    size = rgb.shape[1] // BLOCK, rgb.shape[0] // BLOCK
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_NEAREST), np.float32)
