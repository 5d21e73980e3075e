"""Error level analysis (ELA): what JPEG loses of a block depends on what was lost of it before (Krawetz 2007)."""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.recompress import recompression_error, whole_luma
from app.capabilities.media.detectors.telling import BlockMask, trend_free, unfit

QUALITIES: Final = (70, 85, 95)
_FLOOR: Final = 0.05
"""Grey levels: an error that is this small differs from none no more."""


def ela_maps(image: DecodedImage, texture_map: FloatMap, light_map: FloatMap, telling: BlockMask) -> TraceMaps:
    """``ela_70``, ``ela_85``, ``ela_95``: ``log(0.05 + mean |Y - JPEG(Y)|)`` of each block at that quality, without
    what texture and light explain. Positive: it loses more than others like it.

    Globals ``ela_70_level`` and so on: median of the logarithm, before the trend is taken out. Flat and saturated
    blocks get the median of their map, so that they say nothing.
    """
    if why := unfit(image, telling):
        return TraceMaps.none(why)
    grey = whole_luma(image)
    maps: dict[str, FloatMap] = {}
    levels: dict[str, float] = {}
    for quality in QUALITIES:
        lost = np.log(_FLOOR + block_mean(recompression_error(grey, quality)))
        maps[f"ela_{quality}"] = trend_free(lost, telling, texture_map, light_map)
        levels[f"ela_{quality}_level"] = float(np.median(lost[telling]))
    return TraceMaps(maps, levels)
