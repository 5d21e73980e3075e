"""Percentiles of measurements, and lines that break where nothing was measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def percentile_columns(values: npt.NDArray[np.float32], share: float) -> npt.NDArray[np.float32]:
    """Nearest-rank percentile of each column, NaN where a column has no value. ``share`` 0..1."""
    rows, columns = values.shape
    if rows == 0:
        return np.full(columns, np.nan, dtype=np.float32)
    ordered = np.sort(values, axis=0)  # NaN sorts to the end
    count = np.isfinite(values).sum(axis=0)
    rank = np.clip(np.ceil(share * count).astype(np.int64) - 1, 0, rows - 1)
    picked: npt.NDArray[np.float32] = np.take_along_axis(ordered, rank[None, :], axis=0)[0]
    return np.where(count > 0, picked, np.float32(np.nan))


def nearest_rank(values: npt.NDArray[np.float32], share: float) -> float | None:
    """Nearest-rank percentile of all finite values; None without one."""
    good = values[np.isfinite(values)]
    if not good.size:
        return None
    at = max(0, int(np.ceil(share * good.size)) - 1)
    return float(np.partition(good, at)[at])


def broken_line(
    x: FloatArray, y: FloatArray, gap_s: float, missed: Sequence[float] = ()
) -> tuple[FloatArray, FloatArray]:
    """The same points with a NaN wherever a line must not be drawn: between points more than ``gap_s`` apart, and at
    each time in ``missed`` that lies between two points. ``x`` rises."""
    if len(x) < 2:
        return x, y
    cut = np.diff(x) > gap_s
    for moment in missed:
        after = int(np.searchsorted(x, moment))
        if 0 < after < len(x):
            cut[after - 1] = True
    at = np.flatnonzero(cut) + 1
    return np.insert(x, at, (x[at - 1] + x[at]) / 2), np.insert(y, at, np.nan)
