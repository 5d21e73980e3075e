"""Shapes of distributions, vectorised over columns. Every result is finite: a constant column has the moments zero."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

TINY: Final = 1e-12

Numbers = npt.NDArray[np.floating[Any]]
"""Real numbers of any shape; float32 unless it is said."""
Spectra = npt.NDArray[np.complexfloating[Any, Any]]
Flags = npt.NDArray[np.bool_]


def moments(values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Standard deviation, skewness and excess kurtosis along the first axis of (n, ...); each has the shape (...)."""
    if len(values) == 0:
        nothing = np.zeros(values.shape[1:], np.float32)
        return nothing, nothing, nothing
    centred = values - _mean(values)
    square = centred * centred
    variance = _mean(square)
    safe = np.maximum(variance, TINY)
    skewness = _mean(square * centred) / safe**1.5
    kurtosis = _mean(square * square) / safe**2 - 3
    moving = variance > TINY
    return np.sqrt(variance), np.where(moving, skewness, 0), np.where(moving, kurtosis, 0)


def _mean(values: Numbers) -> Numbers:
    """Along the first axis. Of a few long columns the product with a vector takes a tenth of the time of ``mean``."""
    if values.ndim != 2:
        return np.asarray(values.mean(axis=0))
    return np.asarray(np.full(len(values), 1 / len(values), values.dtype) @ values)


def quantiles(values: Numbers, shares: tuple[float, ...]) -> Numbers:
    """The quantiles at ``shares`` (0 to 1) along the first axis, between neighbours by a line, shape (shares, ...).
    Zeros where there are no values."""
    if len(values) == 0:
        return np.zeros((len(shares), *values.shape[1:]), np.float32)
    ordered = np.sort(values, axis=0)
    place = np.asarray(shares, np.float32) * (len(values) - 1)
    below = place.astype(np.intp)
    above = np.minimum(below + 1, len(values) - 1)
    part = (place - below).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(ordered[below] * (1 - part) + ordered[above] * part, np.float32)


def correlation(one: Numbers, other: Numbers) -> Numbers:
    """Pearson's correlation along the first axis, shape of the others; zero where one of the two is constant."""
    if len(one) == 0:
        return np.zeros(one.shape[1:], np.float32)
    a = one - one.mean(axis=0)
    b = other - other.mean(axis=0)
    both = (a * a).sum(axis=0) * (b * b).sum(axis=0)
    return np.where(both > TINY**2, (a * b).sum(axis=0) / np.sqrt(np.maximum(both, TINY**2)), 0).astype(np.float32)
