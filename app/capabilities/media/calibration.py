"""How often authentic images score as high: the stated false-alarm rate of a score, with what it is worth.

A calibration set holds the scores of authentic images that no training saw, by what happened to them last
("after-life": recompressed, resized and so on), for that decides how high they come.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

ENOUGH: Final = 200
"""Fewest scores of one after-life that calibrate it by themselves."""
POOLED: Final = "pooled"
"""Name of the set of all scores."""
HARDEST: Final = "hardest"
"""Name of the set of the photographs that score highest: others' photographs may be like these more often."""
OTHERS: Final = "others"
"""Name of the set of a collection by others, of other photographs and cameras. It is asked however small it is: no set
tells more of what a user will bring."""
_LEVEL: Final = 0.95
_HALVINGS: Final = 60


@dataclass(frozen=True)
class FalseAlarmRate:
    """Of one score, or of the highest of several. ``rate``: share of the set's authentic images that score at least as
    high, or how likely one of ``chances`` of them does; ``low`` and ``high``: its exact 95 % interval (Clopper and
    Pearson 1934); ``p_value``: conformal, ``(1 + count) / (size + 1)`` for one, never 0; ``calibration_set``: an
    after-life's name, ``HARDEST``, ``OTHERS`` or ``POOLED``; ``size``: its number of images."""

    rate: float
    low: float
    high: float
    p_value: float
    calibration_set: str
    size: int
    chances: int = 1


class Calibration:
    """Scores of authentic images, ready to be asked. Raises ``ValueError`` where there is no score, or one that is no
    finite number."""

    def __init__(self, scores: Mapping[str, Sequence[float]]) -> None:
        """``scores``: by after-life; those under ``HARDEST`` are of images that stand under an after-life too."""
        self._sets = {
            name: sorted(some) for name, some in scores.items() if some and (name == OTHERS or len(some) >= ENOUGH)
        }
        self._sets[POOLED] = sorted(score for life, some in scores.items() if life != HARDEST for score in some)
        if not self._sets[POOLED]:
            raise ValueError("a calibration needs scores")
        if not all(map(math.isfinite, self._sets[POOLED])):
            raise ValueError("a calibration's scores are finite")

    @property
    def sets(self) -> Mapping[str, Sequence[float]]:
        """The scores of each after-life that calibrates by itself, of the hardest, of others, and of all together, in
        rising order."""
        return self._sets

    def false_alarm_rate(self, score: float, after_life: str, chances: int = 1) -> FalseAlarmRate:
        """What is known of ``score`` by the images of the same after-life and of the hardest photographs, where they
        are enough, by others' images, or by all: the highest rate of them. The after-life is a guess, and what a
        photograph shows decides how high it scores: where either is another than thought, no single set holds.
        ``chances`` (at least one): of how many parts of an image it is the highest score, as if they scored each by
        itself: parts of one image score alike, so the rate is too high rather than too low."""
        counts = {
            name: len(known) - bisect_left(known, score)
            for name, known in self._sets.items()
            if name in (after_life, HARDEST, OTHERS, POOLED)
        }
        name = max(counts, key=lambda one: counts[one] / len(self._sets[one]))
        as_high, size = counts[name], len(self._sets[name])
        low, high = clopper_pearson(as_high, size)
        rate, low, high, p_value = (
            _of_any(share, chances) for share in (as_high / size, low, high, (1 + as_high) / (size + 1))
        )
        return FalseAlarmRate(rate, low, high, p_value, name, size, chances)


def clopper_pearson(successes: int, trials: int) -> tuple[float, float]:
    """The exact 95 % interval of a share: the least and the greatest one under which a number as far from it as
    ``successes`` of ``trials`` still has a chance of 2.5 %. ``0 <= successes <= trials``, ``trials >= 1``."""
    tail = (1 - _LEVEL) / 2
    counts = np.arange(trials + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    ways = factorials[-1] - factorials - factorials[::-1]

    def chances(share: float) -> npt.NDArray[np.float64]:
        """Of each number of successes."""
        return np.asarray(np.exp(ways + counts * math.log(share) + counts[::-1] * math.log1p(-share)))

    low = 0.0 if successes == 0 else _least(lambda share: chances(share)[successes:].sum() >= tail)
    high = 1.0 if successes == trials else _least(lambda share: chances(share)[: successes + 1].sum() <= tail)
    return low, high


def _of_any(share: float, chances: int) -> float:
    """How likely at least one of so many scores as high. One chance leaves a share as it is, to the last bit."""
    return share if chances == 1 else 1 - (1 - share) ** chances


def _least(holds: Callable[[float], bool]) -> float:
    """The share from which on ``holds`` is true."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
