"""Error rates of a detector, with intervals."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Flags = npt.NDArray[np.bool_]

RESAMPLES: Final = 200
INTERVAL: Final = (2.5, 97.5)


def equal_error_rate(scores: Floats, synthetic: Flags, weights: Floats | None = None) -> float:
    """Where as large a share of the synthetic ones lies under a threshold as of the living ones above it; 0 to 1, NaN
    where a class is empty. Equal scores fall together."""
    counted = np.ones(len(scores)) if weights is None else np.asarray(weights, float)
    positive, negative = counted * synthetic, counted * ~synthetic
    if positive.sum() <= 0 or negative.sum() <= 0:
        return float("nan")
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    last = np.append(np.flatnonzero(np.diff(ordered) > 0), len(ordered) - 1)
    missed = np.concatenate([[0.0], np.cumsum(positive[order])[last] / positive.sum()])
    alarms = np.concatenate([[1.0], 1 - np.cumsum(negative[order])[last] / negative.sum()])
    after = int(np.argmax(missed >= alarms))
    if after == 0:
        return float(missed[0])
    # Between the two operating points around the crossing, a straight line.
    before = after - 1
    gap_before, gap_after = alarms[before] - missed[before], missed[after] - alarms[after]
    share = gap_before / (gap_before + gap_after) if gap_before + gap_after > 0 else 0.0
    return float(missed[before] + share * (missed[after] - missed[before]))


def eer_interval(scores: Floats, synthetic: Flags, people: npt.NDArray[np.str_], seed: int = 1) -> tuple[float, float]:
    """The 95 % interval of the equal error rate, by drawing people again: recordings of one are not independent."""
    rng = np.random.default_rng(seed)
    names, belongs = np.unique(people, return_inverse=True)
    # Sorted once: the sorting of what is sorted costs little.
    order = np.argsort(scores, kind="stable")
    scores, synthetic, belongs = scores[order], synthetic[order], belongs[order]
    rates = []
    for _ in range(RESAMPLES):
        drawn = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))
        rates.append(equal_error_rate(scores, synthetic, drawn[belongs]))
    known = [rate for rate in rates if not np.isnan(rate)]
    if not known:
        return float("nan"), float("nan")
    low, high = np.percentile(known, INTERVAL)
    return float(low), float(high)


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The value under which this share of the weight lies, linear between values."""
    order = np.argsort(values, kind="stable")
    heights = np.cumsum(weights[order])
    heights = (heights - 0.5 * weights[order]) / heights[-1]
    return float(np.interp(share, heights, values[order]))
