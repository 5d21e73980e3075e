"""Which blocks can say something: a flat one has no residual, a saturated one has lost it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import block_mean, blocks_of, detrend
from app.capabilities.media.detectors.image import DecodedImage, FloatMap

SHORTEST_SIDE: Final = 256
"""Shortest side of an image that has enough blocks for statistics over them, px."""
FEWEST_BLOCKS: Final = 64
"""Blocks that a trend of six terms and a median need at least."""
_FLAT_RANGE: Final = 0.5
"""Grey levels between the darkest and the lightest pixel of a block, below which it is flat."""
_MIDDLE: Final = 127.5
_INSIDE: Final = 125.0
"""Grey levels to either side of the middle, beyond which a pixel is at an end."""
_CLIPPED_SHARE: Final = 0.5

BlockMask = npt.NDArray[np.bool_]


def telling_blocks(image: DecodedImage) -> BlockMask:
    """Blocks that are neither flat nor saturated: shape ``image.grid``. Flat: luma spans under half a grey level."""
    tiles = blocks_of(image.luma)
    spans = tiles.max(axis=(1, 3)) - tiles.min(axis=(1, 3))
    return np.asarray((spans >= _FLAT_RANGE) & ~is_saturated(image))


def is_saturated(image: DecodedImage) -> BlockMask:
    """Blocks of which more than half of the pixels are below 2.5 or above 252.5: shape ``image.grid``."""
    at_an_end = np.abs(image.luma - _MIDDLE) > _INSIDE
    return np.asarray(block_mean(at_an_end.astype(np.float32)) > _CLIPPED_SHARE)


def unfit(image: DecodedImage, telling: BlockMask) -> str | None:
    """Why statistics over the blocks of this image say nothing; None where they do."""
    if min(image.rgb.shape[:2]) < SHORTEST_SIDE:
        return f"the short side is under {SHORTEST_SIDE} px"
    if np.count_nonzero(telling) < FEWEST_BLOCKS:
        return f"fewer than {FEWEST_BLOCKS} blocks are neither flat nor saturated"
    return None


def mute(values: FloatMap, telling: BlockMask) -> FloatMap:
    """``values`` with the median of the telling blocks in all others, so that these say nothing."""
    return np.where(telling, values, np.median(values[telling])).astype(np.float32)


def trend_free(values: FloatMap, telling: BlockMask, texture_map: FloatMap, light_map: FloatMap) -> FloatMap:
    """``detrend`` fitted on the telling blocks alone; all others get the median of the rest."""
    rest = np.zeros_like(values)
    rest[telling] = detrend(values[telling], texture_map[telling], light_map[telling])
    return mute(rest, telling)


def mean_of_telling(values: FloatMap, telling: BlockMask) -> FloatMap:
    """Mean of the telling blocks among each 3x3: zero where there is none."""
    share = _mean_3x3(telling.astype(np.float32))
    total = _mean_3x3(np.where(telling, values, np.float32(0)))
    return np.divide(total, share, out=np.zeros_like(total), where=share > 1e-6)


def _mean_3x3(values: FloatMap) -> FloatMap:
    """Mean of each 3x3, mirrored at the borders."""
    return np.asarray(cv2.blur(values, (3, 3), borderType=cv2.BORDER_REFLECT), np.float32)
