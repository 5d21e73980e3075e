"""Rates of errors and how sure they are: exact bounds of counts, equal error rate, cost of likelihood ratios."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CONFIDENCE: Final = 0.95


def bounds(errors: int, trials: int) -> tuple[float, float]:
    """Clopper-Pearson, 95 % (with no error the upper bound is one-sided: the rule of 3)."""
    tail = 1 - CONFIDENCE if errors in (0, trials) else (1 - CONFIDENCE) / 2
    low = 0.0 if errors == 0 else _solve(lambda p: 1 - _binomial(errors - 1, trials, p), tail)
    high = 1.0 if errors == trials else _solve(lambda p: -_binomial(errors, trials, p), -tail)
    return low, high


def bounded(errors: int, trials: int) -> str:
    """The bounds in words."""
    low, high = bounds(errors, trials)
    return f"[{low:6.4f}, {high:6.4f}]"


def _binomial(errors: int, trials: int, rate: float) -> float:
    """Probability of at most so many errors."""
    k = np.arange(errors + 1)
    whole = math.lgamma(trials + 1)
    parts = np.array([whole - math.lgamma(one + 1) - math.lgamma(trials - one + 1) for one in k.tolist()])
    return float(np.exp(parts + k * math.log(rate) + (trials - k) * math.log1p(-rate)).sum())


def _solve(rising: Callable[[float], float], wanted: float) -> float:
    low, high = 1e-12, 1 - 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return (low + high) / 2


def mean_bounds(values: Floats) -> tuple[float, float, float]:
    """Mean and its bounds (normal, 95 %). For rates of each probe, as comparisons of one probe hang together."""
    mean = float(values.mean())
    off = 1.96 * float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean, max(mean - off, 0.0), mean + off


def equal_error_rate(mated: Floats, strangers: Floats) -> float:
    """Where as many mated scores lie below a threshold as strangers' reach it."""
    own, others = np.sort(mated), np.sort(strangers)
    missed = np.arange(len(own)) / len(own)
    taken = 1.0 - np.searchsorted(others, own) / len(others)
    cross = int(np.argmin(np.abs(missed - taken)))
    return float((missed[cross] + taken[cross]) / 2)


def cllr(mated: Floats, strangers: Floats) -> float:
    """Cost of natural logarithms of likelihood ratios, in bits (Bruemmer and du Preez 2006): 0 is knowledge, 1 none."""
    return float(np.log1p(np.exp(-mated)).mean() + np.log1p(np.exp(strangers)).mean()) / (2 * math.log(2))
