"""The shipped calibration as curves: which score authentic images reach how often."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from app.capabilities.media.analysis.model import ModelFacts
from app.capabilities.media.calibration import Calibration, clopper_pearson
from app.capabilities.media.messages import CalibrationCurve, CalibrationPoint, MediaCalibration, OperatingPoint
from app.capabilities.media.verdict.decision import MANIPULATED_AT, SUSPICIOUS_AT

POINTS: Final = 48
"""Of a curve, as many for each power of ten of its rate; four more stand where a verdict turns."""


def calibration_curves(facts: ModelFacts) -> MediaCalibration:
    """Each set of the model with its curve, the largest last: all together. Raises ``ValueError`` for a model without
    scores. Takes about half a second of a processor."""
    sets = Calibration(facts.scores).sets
    return MediaCalibration(
        model_version=facts.version,
        curves=[
            CalibrationCurve(
                calibration_set=name,
                n=len(scores),
                points=_points(scores, [_most(limit, scores) for limit in (MANIPULATED_AT, SUSPICIOUS_AT)]),
                operating_points=[
                    _operating("MANIPULATED", MANIPULATED_AT, scores),
                    _operating("SUSPICIOUS", SUSPICIOUS_AT, scores),
                ],
            )
            for name, scores in sorted(sets.items(), key=lambda one: len(one[1]))
        ],
    )


def _points(scores: Sequence[float], turns: Sequence[int]) -> list[CalibrationPoint]:
    """At ranks whose logarithms are equally far apart, and around those where a verdict turns, from the highest score
    to the lowest. ``scores``: rising."""
    size = len(scores)
    around = [rank for most in turns for rank in (most, most + 1) if 1 <= rank <= size]
    ranks = np.unique([*np.rint(np.geomspace(1, size, POINTS)).astype(int), *around])
    points = []
    for score in dict.fromkeys(scores[size - int(rank)] for rank in ranks):
        as_high = sum(one >= score for one in scores)
        points.append(
            CalibrationPoint(
                score=min(max(score, 0.0), 1.0), rate=as_high / size, ci95=list(clopper_pearson(as_high, size))
            )
        )
    return points


def _most(stated: float, scores: Sequence[float]) -> int:
    """So many scores may be as high as one that is judged; below 0: too few are known for that."""
    # A share such as 0.1 is no binary fraction: 0.1 * 210 must not become 20.
    return math.floor(stated * (len(scores) + 1) + 1e-9) - 1


def _operating(verdict: Literal["MANIPULATED", "SUSPICIOUS"], stated: float, scores: Sequence[float]) -> OperatingPoint:
    """The highest score that does not decide yet: with ``1 + k`` of ``n + 1`` images as high, a score's p-value is that
    share (``FalseAlarmRate``)."""
    size, most = len(scores), _most(stated, scores)
    above = scores[size - 1 - most] if 0 <= most < size else None
    higher = 0 if above is None else size - bisect_right(scores, above)
    return OperatingPoint(
        verdict=verdict,
        stated=stated,
        above=None if above is None else min(max(above, 0.0), 1.0),
        rate=higher / size,
        ci95=list(clopper_pearson(higher, size)),
    )
