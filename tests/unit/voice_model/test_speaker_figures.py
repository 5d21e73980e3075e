"""Error curves and calibration of trials, against numbers reckoned by hand."""

import math

import numpy as np
import pytest

from voice_model.speaker_figures import error_curve, log_likelihood_cost, logistic_fit

GENUINE = np.array([True] * 4 + [False] * 4)


def test_one_kind_alone_has_no_curve() -> None:
    assert all(len(part) == 0 for part in error_curve(np.ones(4), np.ones(4, bool)))


def test_the_curve_goes_from_all_accepted_to_all_refused() -> None:
    thresholds, far, frr = error_curve(np.array([1.0, 3.0, 2.0]), np.array([True, True, False]))
    assert thresholds.tolist() == [1.0, 2.0, 3.0, math.inf]
    assert far.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert frr.tolist() == [0.0, 0.5, 0.5, 1.0]


def test_calibration_finds_the_ratio_of_two_normal_distributions() -> None:
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(3.0, 1.0, 4000), rng.normal(1.0, 1.0, 40000)])
    genuine = np.arange(len(scores)) < 4000
    # Equal variances: the log ratio is 2 (s - 2), whatever the numbers of trials.
    slope, offset = logistic_fit(scores, genuine)
    assert slope == pytest.approx(2.0, abs=0.1)
    assert offset == pytest.approx(-4.0, abs=0.2)


def test_a_ratio_that_says_nothing_costs_one_bit() -> None:
    assert log_likelihood_cost(np.zeros(8), GENUINE) == pytest.approx(1.0)
    assert log_likelihood_cost(np.where(GENUINE, 50.0, -50.0), GENUINE) == pytest.approx(0.0, abs=1e-12)
