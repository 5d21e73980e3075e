"""What was trained: maps to normal scores and support vector machines, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.moments import Numbers

NORMAL_SCORES: Final[npt.NDArray[np.float64]] = np.linspace(-3.0, 3.0, 41)
"""The normal scores whose quantiles a map knows. What lies beyond the outermost gets theirs: no value is louder."""
_STEPS: Final = 127.0
"""Of a vector's entry as it is stored: 3.0 is 127."""


@dataclass(frozen=True, slots=True, eq=False)
class QuantileMap:
    """``knots`` (41, f): for each of f statistics the values at ``NORMAL_SCORES``, not falling."""

    knots: Numbers

    def normal_scores(self, statistics: Numbers) -> Numbers:
        """Statistics (n, f) as normal scores of the training's distribution, linear between the knots, -3 to 3."""
        # All columns at once: of one recording, as the service has it, a tenth of the time of one after the other.
        values, knots = np.asarray(statistics, np.float64), np.asarray(self.knots, np.float64)
        after = np.clip((knots[:, None] <= values).sum(axis=0), 1, len(knots) - 1)
        places = np.arange(values.shape[1])
        low, high = knots[after - 1, places], knots[after, places]
        # Beyond the outermost knots, and where both are the same, the share is 0 or 1.
        share = np.where(values >= high, 1.0, np.maximum(values - low, 0) / np.where(high > low, high - low, 1.0))
        scores = NORMAL_SCORES[after - 1] + share * (NORMAL_SCORES[after] - NORMAL_SCORES[after - 1])
        return np.asarray(scores, np.float32)


def quantile_map(statistics: Numbers, shares: Numbers) -> QuantileMap:
    """The map of statistics (n, f), each row counted by its share (n,), positive."""
    order = np.argsort(statistics, axis=0, kind="stable")
    ordered = np.take_along_axis(statistics, order, axis=0)
    heights = np.cumsum(shares[order], axis=0, dtype=np.float64)
    heights = (heights - 0.5 * shares[order]) / heights[-1]
    wanted = _normal_heights()
    knots = [np.interp(wanted, height, column) for height, column in zip(heights.T, ordered.T, strict=True)]
    return QuantileMap(np.asarray(np.stack(knots, axis=1), np.float32))


def _normal_heights() -> npt.NDArray[np.float64]:
    """The normal distribution function at ``NORMAL_SCORES`` (Abramowitz and Stegun 26.2.17, error under 7.5e-8)."""
    upper = np.abs(NORMAL_SCORES)
    step = 1 / (1 + 0.2316419 * upper)
    series = step * (
        0.319381530 + step * (-0.356563782 + step * (1.781477937 + step * (-1.821255978 + step * 1.330274429)))
    )
    tail = np.exp(-upper * upper / 2) / np.sqrt(2 * np.pi) * series
    return np.asarray(np.where(NORMAL_SCORES > 0, 1 - tail, tail))


@dataclass(frozen=True, slots=True, eq=False)
class VectorMachine:
    """A support vector machine with a Gaussian kernel. ``vectors`` (m, f); ``weights`` (m,): signed; ``gamma`` > 0."""

    vectors: Numbers
    weights: Numbers
    gamma: float
    intercept: float
    squares: Numbers = field(init=False)
    """(m,), of the vectors' lengths."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", np.einsum("mf,mf->m", self.vectors, self.vectors))

    def decide(self, scores: Numbers) -> Numbers:
        """The decision function (n,) of normal scores (n, f): the sum of weights by exp(-gamma |v - x|^2), and the
        intercept. Equal to scikit-learn's ``SVC.decision_function`` within 1e-6 in float64."""
        distances = np.einsum("nf,nf->n", scores, scores)[:, None] + self.squares - 2 * scores @ self.vectors.T
        kernel = np.exp(-self.gamma * np.maximum(distances, 0))
        return np.asarray(kernel @ self.weights + self.intercept)


def packed_vectors(vectors: Numbers) -> npt.NDArray[np.int8]:
    """Vectors of normal scores in a byte an entry: a step is 0.024, a hundredth of the spread."""
    return np.asarray(np.rint(np.clip(vectors / NORMAL_SCORES[-1], -1, 1) * _STEPS), np.int8)


def unpacked_vectors(packed: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """What ``packed_vectors`` was given, within half a step."""
    return packed.astype(np.float32) * np.float32(NORMAL_SCORES[-1] / _STEPS)
