"""Figures of trials of speakers: the curve of both errors, logistic calibration and what it costs."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]

STEPS: Final = 30
"""Of Newton's method: the fit of two numbers is exact after far fewer."""
_RIDGE: Final = 1e-6


def error_curve(scores: Scores, genuine: Labels) -> tuple[Scores, Scores, Scores]:
    """Thresholds in rising order, each of the scores and one above all, and at each the share of impostors at or above
    it and of genuine trials below it. Empty where one kind is missing."""
    right, wrong = np.sort(scores[genuine]), np.sort(scores[~genuine])
    if not len(right) or not len(wrong):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    thresholds = np.append(np.unique(scores), np.inf)
    far = 1.0 - np.searchsorted(wrong, thresholds, "left") / len(wrong)
    frr = np.searchsorted(right, thresholds, "left") / len(right)
    return thresholds, far, frr


def logistic_fit(scores: Scores, genuine: Labels) -> tuple[float, float]:
    """Slope and offset of the log-likelihood ratio of a score: logistic regression in which genuine and impostor trials
    weigh the same in all, so that 0 is even odds at an even prior."""
    weights = np.where(genuine, 0.5 / genuine.sum(), 0.5 / (~genuine).sum())
    middle, spread = float(scores.mean()), float(scores.std())
    design = np.stack([(scores - middle) / spread, np.ones(len(scores))], axis=1)
    line = np.zeros(2)
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-design @ line))
        gradient = design.T @ (weights * (chance - genuine)) + _RIDGE * line
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + _RIDGE * np.eye(2)
        line -= np.linalg.solve(curvature, gradient)
    return float(line[0] / spread), float(line[1] - line[0] * middle / spread)


def log_likelihood_cost(ratios: Scores, genuine: Labels) -> float:
    """Cllr (Brümmer and du Preez 2006) in bits: 0 is perfect, 1 says nothing."""
    right = np.logaddexp(0.0, -ratios[genuine]).mean()
    wrong = np.logaddexp(0.0, ratios[~genuine]).mean()
    return float((right + wrong) / (2 * math.log(2)))
