"""Error rates and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from voice_model.metrics import eer_interval, equal_error_rate, weighted_quantile

RNG = np.random.default_rng(1)


def test_classes_apart_have_no_error() -> None:
    assert equal_error_rate(np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, False, True, True])) == 0.0


def test_classes_the_wrong_way_round_are_all_wrong() -> None:
    assert equal_error_rate(np.array([0.0, 1.0, 2.0, 3.0]), np.array([True, True, False, False])) == 1.0


def test_one_score_for_all_is_a_coin() -> None:
    assert equal_error_rate(np.zeros(8), np.arange(8) % 2 == 0) == pytest.approx(0.5)


def test_two_normals_two_deviations_apart() -> None:
    living, made = RNG.standard_normal(40_000), RNG.standard_normal(40_000) + 2
    synthetic = np.arange(80_000) >= 40_000
    expected = 0.5 * (1 - math.erf(1 / math.sqrt(2)))
    assert equal_error_rate(np.concatenate([living, made]), synthetic) == pytest.approx(expected, abs=0.004)


def test_a_quarter_of_each_on_the_wrong_side() -> None:
    scores = np.array([0.0, 1.0, 2.0, 9.0, 8.0, 7.0, 6.0, -1.0])
    assert equal_error_rate(scores, np.array([False] * 4 + [True] * 4)) == pytest.approx(0.25)


def test_a_rising_map_changes_nothing() -> None:
    scores, synthetic = RNG.standard_normal(300), RNG.random(300) < 0.4
    moved = scores + synthetic
    assert equal_error_rate(np.exp(moved), synthetic) == pytest.approx(equal_error_rate(moved, synthetic))


def test_a_weight_of_two_is_the_trial_twice() -> None:
    scores, synthetic = RNG.standard_normal(60), RNG.random(60) < 0.5
    weights = 1.0 + (np.arange(60) % 3 == 0)
    twice = np.repeat(np.arange(60), weights.astype(int))
    assert equal_error_rate(scores, synthetic, weights) == pytest.approx(
        equal_error_rate(scores[twice], synthetic[twice])
    )


def test_an_empty_class_has_no_rate() -> None:
    assert math.isnan(equal_error_rate(np.arange(3.0), np.zeros(3, bool)))


def test_the_interval_holds_the_rate() -> None:
    synthetic = RNG.random(600) < 0.5
    scores = RNG.standard_normal(600) + 1.5 * synthetic
    people = np.array([f"p{number % 30}" for number in range(600)])
    low, high = eer_interval(scores, synthetic, people)
    assert low < equal_error_rate(scores, synthetic) < high
    assert high - low < 0.15


def test_one_person_alone_has_an_interval_without_width() -> None:
    synthetic = RNG.random(50) < 0.5
    scores = RNG.standard_normal(50) + synthetic
    low, high = eer_interval(scores, synthetic, np.array(["one"] * 50))
    assert low == pytest.approx(high) == pytest.approx(equal_error_rate(scores, synthetic))


def test_the_middle_quantile_is_the_median() -> None:
    assert weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5) == pytest.approx(2.0)


def test_weight_draws_a_quantile() -> None:
    values = np.array([0.0, 10.0])
    assert weighted_quantile(values, np.array([1.0, 99.0]), 0.5) > weighted_quantile(values, np.array([99.0, 1.0]), 0.5)
