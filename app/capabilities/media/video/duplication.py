"""Frames that stand in a video twice.

The fine detail of each frame, without what is common to the whole video, is correlated with that of every other at
least four frames away. A run of frames that equals another run lies on one diagonal of that table; a scene that stands
still, or moves slowly, is like its neighbours' diagonals as well, which are therefore subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import FloatMap

NEAREST: Final = 4
"""Frames between two that are compared, at least: encoders repeat frames."""
DUPLICATE: Final = 0.15
"""Correlation above that of the neighbouring diagonals, from which on a run is a duplicate."""
SHORTEST_RUN: Final = 5
"""Frames of a duplicate, at least."""
_BESIDE: Final = (-2, -1, 1, 2)
_CODING: Final = 3.0
"""Deviation of the detail that coding makes by itself, grey levels: in a picture that stands still it comes back with
each group of pictures. Less than that tells little."""


@dataclass(frozen=True)
class FoundDuplicate:
    """Frames ``first`` to ``last`` equal those ``lag`` earlier, all counted in the frames that were compared.
    ``strength``: mean correlation above that of the neighbouring diagonals, at most 2."""

    first: int
    last: int
    lag: int
    strength: float


def duplication(prints: npt.NDArray[np.float16]) -> tuple[FloatMap, npt.NDArray[np.int64]]:
    """Of each frame how much a run with it in it equals another (shape (frames,)), and where that begins to be: the
    lag, positive where the other is earlier. ``prints``: (frames, length)."""
    count = len(prints)
    scores, lags = np.zeros(count, np.float32), np.zeros(count, np.int64)
    if count < NEAREST + SHORTEST_RUN + 2:
        return scores, lags
    table = _correlations(prints)
    diagonals = np.zeros((count, count), np.float32)
    for lag in range(count):
        diagonals[lag, lag:] = np.diagonal(table, -lag)
    for lag in range(NEAREST, count - SHORTEST_RUN + 1):
        above = diagonals[lag] - np.max([diagonals[lag + step] for step in _BESIDE], axis=0)
        run = np.convolve(above[lag:], np.ones(SHORTEST_RUN) / SHORTEST_RUN, "valid")
        # The best run that holds the frame.
        spread = np.full(count - lag, -1.0, np.float32)
        for shift in range(SHORTEST_RUN):
            part = spread[shift : shift + len(run)]
            np.maximum(part, run, out=part)
        for at, sign in ((slice(lag, count), 1), (slice(0, count - lag), -1)):
            better = spread > scores[at]
            scores[at][better] = spread[better]
            lags[at][better] = sign * lag
    return scores, lags


def find_duplicates(prints: npt.NDArray[np.float16]) -> list[FoundDuplicate]:
    """Runs that equal earlier ones, in order of time."""
    scores, lags = duplication(prints)
    found: list[FoundDuplicate] = []
    at = NEAREST
    while at < len(scores):
        lag = int(lags[at])
        end = at
        while end < len(scores) and scores[end] >= DUPLICATE and int(lags[end]) == lag:
            end += 1
        if lag > 0 and end - at >= SHORTEST_RUN:
            found.append(FoundDuplicate(at, end - 1, lag, float(scores[at:end].mean())))
        at = max(end, at + 1)
    return found


def _correlations(prints: npt.NDArray[np.float16]) -> FloatMap:
    """Of each frame with each, without the mean of all: shape (frames, frames), -1 to 1, near 0 where hardly anything
    moves."""
    values = prints.astype(np.float32)
    values -= values.mean(axis=0)
    values /= np.sqrt((values * values + _CODING * _CODING).sum(axis=1, keepdims=True))
    return np.asarray(values @ values.T, np.float32)
