"""Sharpness of each block: a region that was scaled, blurred or sharpened has another share of fine detail."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.telling import BlockMask, trend_free, unfit

_SCALES: Final = (0.7, 1.4, 2.8)
"""Deviations of the Gaussians, px: each band is an octave."""
_FLOOR: Final = 0.01
"""Squared grey levels: below that, a band of a block is empty."""


def sharpness_maps(image: DecodedImage, _texture_map: FloatMap, light_map: FloatMap, telling: BlockMask) -> TraceMaps:
    """``sharpness_a``: log energy of the finest band less that of the middle one; ``sharpness_b``: middle less coarse.
    Bands: ``Y - G(0.7)``, ``G(0.7) - G(1.4)``, ``G(1.4) - G(2.8)``. Positive: sharper than others like it.

    Each without what light and the energy of its lower band explain. The texture of the block would explain the edit
    away, for its gradients lie in the same bands. Globals ``sharpness_a_level``, ``sharpness_b_level``: medians before
    the trend is taken out. Flat and saturated blocks get the median of their map, so that they say nothing. Depth of
    field makes the same trace.
    """
    if why := unfit(image, telling):
        return TraceMaps.none(why)
    blurred = [np.asarray(cv2.GaussianBlur(image.luma, (0, 0), scale), np.float32) for scale in _SCALES]
    fine = _log_energy(image.luma - blurred[0])
    middle = _log_energy(blurred[0] - blurred[1])
    coarse = _log_energy(blurred[1] - blurred[2])
    maps: dict[str, FloatMap] = {}
    levels: dict[str, float] = {}
    for name, upper, lower in (("a", fine, middle), ("b", middle, coarse)):
        maps[f"sharpness_{name}"] = trend_free(upper - lower, telling, lower, light_map)
        levels[f"sharpness_{name}_level"] = float(np.median((upper - lower)[telling]))
    return TraceMaps(maps, levels)


def _log_energy(band: npt.NDArray[np.float32]) -> FloatMap:
    """``log(0.01 + mean of squares)`` of each block."""
    return np.asarray(np.log(_FLOOR + block_mean(band * band)), np.float32)
