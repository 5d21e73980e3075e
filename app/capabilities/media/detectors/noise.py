"""Noise of each block: a region from another camera, smoothed or drawn, has another level than its surroundings."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.telling import BlockMask, mean_of_telling, trend_free, unfit

_KERNEL: Final = np.outer([1, -2, 1], [1, -2, 1]).astype(np.float32) / np.float32(6)
"""Immerkaer's: it removes planes and straight edges, and leaves white noise its deviation (6 = its norm)."""
_FLOOR: Final = 0.08
"""Grey levels: below that, rounding to whole levels hides the noise."""
_DEVIATION: Final = math.sqrt(math.pi / 2)
"""From the mean of |x| to the deviation of normal noise."""


def noise_maps(image: DecodedImage, texture_map: FloatMap, light_map: FloatMap, telling: BlockMask) -> TraceMaps:
    """``noise``: ``log(0.08 + mean |residual|)`` of each block, mean of 3x3 blocks, without what texture and light
    explain (Immerkaer, Fast Noise Variance Estimation, 1996). Positive: noisier than others like it.

    The mean and not the median of the block: on edited photographs it separates better, and the trend takes out what
    texture adds. Global ``noise_deviation``: median over the blocks, grey levels. Flat and saturated blocks count in
    no mean and get the median of the map, so that they say nothing.
    """
    if why := unfit(image, telling):
        return TraceMaps.none(why)
    residual = cv2.filter2D(image.luma, cv2.CV_32F, _KERNEL, borderType=cv2.BORDER_REFLECT_101)
    size = block_mean(np.abs(np.asarray(residual, np.float32)))
    level = mean_of_telling(np.log(_FLOOR + size), telling)
    return TraceMaps(
        {"noise": trend_free(level, telling, texture_map, light_map)},
        {"noise_deviation": _DEVIATION * float(np.median(size[telling]))},
    )
