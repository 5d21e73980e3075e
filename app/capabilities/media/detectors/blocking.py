"""Blocking: how the residual's size repeats every 8 px, and where it repeats otherwise than in the rest of the image
(after Li, Yuan, Yu, "Passive detection of doctored JPEG image via block artifact grid extraction", Signal Processing
2009)."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from app.capabilities.media.detectors.blocks import detrend
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.splicebuster import STEPS, Residual

WINDOW: Final = 7
"""Side of the window, blocks."""
FAINTEST: Final = 0.012
"""Least deviation of the image's profile that counts as a grid, in parts of its mean."""
_FLAT: Final = STEPS / 2


def blocking_maps(
    image: DecodedImage, differences: tuple[Residual, Residual], texture_map: FloatMap, light_map: FloatMap
) -> TraceMaps:
    """``blocking``: log of the squared difference between a window's profile and the image's, for both directions;
    high where the period is another. ``blocking_grid``: how much of the image's own period a window has, without what
    texture and light explain; low where the grid is missing.

    A profile is the mean size of the residual at each of the eight phases, divided by the mean of all; the image's is
    the median of its windows'. The number ``blocking_contrast`` is the deviation of the image's profile.
    """
    if min(image.grid) < WINDOW:
        return TraceMaps.none(f"a side is shorter than {WINDOW * BLOCK} px")
    across, down = differences
    rows, columns = image.grid
    windows = np.stack([_profiles(across, rows, columns), _profiles(down.T, columns, rows).swapaxes(0, 1)], axis=2)
    profile = np.median(windows, axis=(0, 1))
    contrast = float(profile.std(axis=1).mean())
    if contrast < FAINTEST:
        return TraceMaps.none("the image has no grid of 8 px")
    apart = ((windows - profile) ** 2).sum(axis=(2, 3))
    centred = profile - profile.mean(axis=1, keepdims=True)
    own = (windows * centred).sum(axis=3) / ((centred**2).sum(axis=1) + 0.01)
    return TraceMaps(
        {
            "blocking": np.asarray(np.log(apart + 0.003), np.float32),
            "blocking_grid": detrend(own.mean(axis=2), texture_map, light_map),
        },
        {"blocking_contrast": contrast},
    )


def _profiles(residual: Residual, rows: int, columns: int) -> FloatMap:
    """The profile along the second axis of the window around each block: shape (rows, columns, 8). Phase 0 is the
    residual over the border of two blocks."""
    size = np.pad(np.abs(residual.astype(np.float32)), ((0, 0), (2, 1)))[: rows * BLOCK, : columns * BLOCK]
    sums = size.reshape(rows, BLOCK, columns, BLOCK).mean(axis=1)
    means = np.asarray(cv2.blur(np.ascontiguousarray(sums), (WINDOW, WINDOW), borderType=cv2.BORDER_REFLECT_101))
    return np.asarray(means / (means.mean(axis=2, keepdims=True) + np.float32(_FLAT)), np.float32)
