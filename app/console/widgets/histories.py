"""Histories of many nodes as pixels: numpy draws them at once, where a polygon for each would be too slow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def columns_of(values: npt.NDArray[np.float32], width: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Smallest and largest value of each of ``width`` pixel columns: shapes (rows, width). NaN where nothing is.

    With fewer samples than columns a sample spans several columns.
    """
    rows, samples = values.shape
    if samples == 0 or width == 0:
        empty = np.full((rows, width), np.nan, dtype=np.float32)
        return empty, empty
    if samples <= width:
        spread = values[:, (np.arange(width) * samples) // width]
        return spread, spread
    if samples % width == 0:
        cut = values.reshape(rows, width, samples // width)
        return np.fmin.reduce(cut, axis=2), np.fmax.reduce(cut, axis=2)
    starts = (np.arange(width) * samples) // width
    return np.fmin.reduceat(values, starts, axis=1), np.fmax.reduceat(values, starts, axis=1)


def common_scale(finite: npt.NDArray[np.float32], height: int) -> tuple[np.float32, np.float32]:
    """Logarithm (to base 2) at the foot of a cell, and px for each doubling: one scale for all. It holds the middle
    98 % of the values with room below and above, and at least three doublings, so that calm values look calm."""
    if not finite.size:
        return np.float32(0), np.float32(1)
    least, most = (float(found) for found in np.percentile(finite, (1, 99)))
    span = max(3.0, (most - least) * 1.3)
    return np.float32((least + most - span) / 2), np.float32(height / span)


def curves(
    values: npt.NDArray[np.float32], width: int, height: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The histories of ``values`` (nodes, samples) on cells of ``width`` x ``height`` px: two masks of shape (nodes,
    height, width), the first true below and on a node's line, the second true on the line alone."""
    low, high = columns_of(values, width)
    blank = ~np.isfinite(high)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = np.log2(low), np.log2(high)
        bottom, scale = common_scale(high[np.isfinite(high)], height - 1)
        upper = np.clip((high - bottom) * scale, 0, height - 1)
        lower = np.clip((low - bottom) * scale, 0, height - 1)
    # A column reaches to its neighbour, so that the history is one line and not a row of dots.
    joined = np.fmin(lower[:, 1:], upper[:, :-1])
    risen = np.fmax(upper[:, 1:], lower[:, :-1])
    lower[:, 1:], upper[:, 1:] = joined, risen
    upper[blank], lower[blank] = -1, height + 1
    above = upper.astype(np.int16)[:, None, :]
    below = lower.astype(np.int16)[:, None, :]
    y = np.arange(height - 1, -1, -1, dtype=np.int16)[None, :, None]
    under = y <= above
    return under, under & (y >= below)


def argb(colour: str) -> int:
    """``#rrggbb`` as 0xFFRRGGBB."""
    return 0xFF000000 | int(colour[1:], 16)


def mix(colour: str, ground: str, share: float) -> int:
    """``share`` of ``colour`` over ``ground``, as 0xFFRRGGBB."""
    mixed = 0xFF
    for at in (1, 3, 5):
        over, under = int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)
        mixed = (mixed << 8) | round(over * share + under * (1 - share))
    return mixed
