"""JPEG ghosts: a block that was compressed once at some quality loses little when it is compressed so again
(Farid, Exposing Digital Forgeries from JPEG Ghosts, 2009)."""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.recompress import recompression_error, whole_luma
from app.capabilities.media.detectors.telling import BlockMask, mean_of_telling, mute, trend_free, unfit

QUALITIES: Final = (50, 55, 60, 65, 70, 75, 80, 85, 88, 91, 94, 97)
"""Nearly even steps of the quantizers. The first and the last have no dip: a neighbour is missing."""
_RATIO: Final = (QUALITIES.index(50), QUALITIES.index(85))
_FLOOR: Final = 0.05
"""Squared grey levels: an error that is this small differs from none no more."""

_SCATTER: Final = 0.05
"""Added to the deviation of a dip: one that scatters less has no more to say."""


def ghost_maps(image: DecodedImage, texture_map: FloatMap, light_map: FloatMap, telling: BlockMask) -> TraceMaps:
    """Dips of the recompression error, of luma, on the grid of the image's own blocks.

    The dip of a block at a quality: how far the log of its error (mean of squares over 3x3 blocks) lies under the mean
    of both neighbouring qualities, without what texture and light explain, in robust deviations of that quality.
    ``ghost_foreign``: largest dip over all qualities; high where a region has a past that the image has not.
    ``ghost_missing``: smallest; low where a region lacks the past of the image. ``ghost_ratio``: log error at quality
    50 less that at 85, without what texture and light explain.

    Globals: ``ghost_quality``, where the image's median dip is deepest (55 to 94, one of the steps), ``ghost_dip``,
    that depth before the trend is taken out (near 0: the image as a whole has no past on this grid, and its quality
    means nothing), ``ghost_ratio_level``, the median ratio before the trend is taken out. Flat and saturated blocks
    count in no mean and get the median of each map, so that they say nothing.
    """
    if why := unfit(image, telling):
        return TraceMaps.none(why)
    grey = whole_luma(image)
    errors = np.stack([_log_error(block_mean(recompression_error(grey, q) ** 2), telling) for q in QUALITIES])
    dips = (errors[:-2] + errors[2:]) / 2 - errors[1:-1]
    usual = np.median(dips[:, telling], axis=1)
    own = np.stack([_in_deviations(trend_free(dip, telling, texture_map, light_map), telling) for dip in dips])
    deepest = int(np.argmax(usual))
    ratio = errors[_RATIO[0]] - errors[_RATIO[1]]
    return TraceMaps(
        {
            "ghost_foreign": mute(own.max(axis=0), telling),
            "ghost_missing": mute(own.min(axis=0), telling),
            "ghost_ratio": trend_free(ratio, telling, texture_map, light_map),
        },
        {
            "ghost_quality": float(QUALITIES[deepest + 1]),
            "ghost_dip": float(usual[deepest]),
            "ghost_ratio_level": float(np.median(ratio[telling])),
        },
    )


def _log_error(squares: FloatMap, telling: BlockMask) -> FloatMap:
    """Log of the mean of squares over the telling blocks of each 3x3."""
    return np.asarray(np.log(_FLOOR + mean_of_telling(squares, telling)), np.float32)


def _in_deviations(dip: FloatMap, telling: BlockMask) -> FloatMap:
    """A dip without its trend, in robust deviations of the telling blocks: else the largest over all qualities would
    be that of the quality where dips scatter most."""
    spread = 1.4826 * np.median(np.abs(dip[telling]))
    return np.asarray(dip / (spread + _SCATTER), np.float32)
