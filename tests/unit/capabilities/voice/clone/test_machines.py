"""Maps to normal scores and support vector machines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.capabilities.voice.clone.machines import (
    NORMAL_SCORES,
    VectorMachine,
    packed_vectors,
    quantile_map,
    unpacked_vectors,
)

DRAWN = np.random.default_rng(3)
# scikit-learn 1.9: x = default_rng(11).standard_normal((16, 3)) to two places, y = x[:, 0] * x[:, 1] > 0.1,
# SVC(C=3.0, gamma=0.4).fit(x, y), its decision_function of the next (4, 3).
VECTORS = [
    [0.03, 1.36, 1.22],
    [0.57, -0.06, 0.75],
    [0.68, -0.14, -0.38],
    [-0.15, 0.69, -0.87],
    [-1.51, 0.39, -0.67],
    [0.9, -0.23, -0.74],
    [-0.81, 0.35, 0.25],
    [-0.51, -0.3, -0.53],
    [0.46, 0.82, -0.2],
    [-1.92, -0.81, -0.47],
    [0.38, 0.72, -0.3],
    [0.54, 1.04, -0.21],
    [-0.84, -1.73, 0.13],
]
WEIGHTS = [
    -1.085388605502218,
    -0.888408054693072,
    -3.0,
    -3.0,
    -1.1783237247541414,
    -0.40201525969297425,
    -1.9452971925902394,
    3.0,
    3.0,
    1.433466136504986,
    3.0,
    0.2790284118045845,
    0.786938288923074,
]
INTERCEPT = -0.48194754949787855
ASKED = [[0.53, -0.74, 1.39], [0.82, 0.63, 0.4], [0.96, -1.33, 0.61], [0.6, -1.77, 0.35]]
ANSWERS = [-1.1618346346190624, 0.2028239674739193, -1.118710692760858, -0.60436416115466]


def test_a_column_becomes_normal() -> None:
    """An exponential one: mean, deviation and skewness."""
    column = DRAWN.exponential(size=(4000, 1))
    scores = quantile_map(column, np.ones(4000)).normal_scores(column)[:, 0]
    assert abs(scores.mean()) < 0.01
    assert abs(scores.std() - 1) < 0.02
    assert abs(np.mean(scores**3)) < 0.05


def test_the_median_becomes_zero() -> None:
    """Half lie below."""
    column = np.arange(101.0)[:, None]
    assert quantile_map(column, np.ones(101)).normal_scores(np.array([[50.0]]))[0, 0] == pytest.approx(0, abs=1e-6)


def test_one_deviation_is_the_84th_percentile() -> None:
    """By the error function."""
    column = np.arange(10_001.0)[:, None]
    upper = 0.5 * (1 + math.erf(math.sqrt(0.5))) * 10_000
    scores = quantile_map(column, np.ones(10_001)).normal_scores(np.array([[upper]]))
    assert scores[0, 0] == pytest.approx(1.0, abs=5e-3)


def test_order_is_kept() -> None:
    """No map falls."""
    columns = DRAWN.standard_normal((300, 2)) ** 3
    mapped = quantile_map(columns, np.ones(300))
    asked = np.sort(DRAWN.standard_normal((50, 2)) ** 3, axis=0)
    assert (np.diff(mapped.normal_scores(asked), axis=0) >= 0).all()


def test_outliers_end_at_three() -> None:
    """On both sides: no value is louder."""
    mapped = quantile_map(DRAWN.standard_normal((500, 1)), np.ones(500))
    assert mapped.normal_scores(np.array([[-1e9], [1e9]])).tolist() == [[-3.0], [3.0]]


def test_a_weight_of_two_is_the_row_twice() -> None:
    """Nearly: the steps between the knots are shorter then."""
    rows = DRAWN.standard_normal((60, 2))
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    twice = np.concatenate([rows, rows[:20]])
    inner = np.abs(NORMAL_SCORES) < 1.5
    weighted, repeated = quantile_map(rows, weights).knots, quantile_map(twice, np.ones(80)).knots
    assert np.abs(weighted[inner] - repeated[inner]).max() < 0.12


def test_a_constant_column_stays_finite() -> None:
    """It tells nothing, and breaks nothing."""
    assert np.isfinite(quantile_map(np.ones((9, 1)), np.ones(9)).normal_scores(np.ones((2, 1)))).all()


def test_decisions_are_those_of_scikit_learn() -> None:
    """Of a machine that it trained, to 1e-6."""
    found = VectorMachine(np.array(VECTORS), np.array(WEIGHTS), 0.4, INTERCEPT).decide(np.array(ASKED))
    assert np.abs(found - ANSWERS).max() < 1e-6


def test_far_from_all_vectors_only_the_intercept_is_left() -> None:
    """The kernel falls to nothing."""
    machine = VectorMachine(np.zeros((2, 3)), np.array([1.0, -0.5]), 1.0, 0.25)
    assert machine.decide(np.full((1, 3), 100.0)).tolist() == [0.25]


def test_on_a_vector_its_weight_counts_whole() -> None:
    """The kernel is 1 there."""
    machine = VectorMachine(np.array([[0.0, 0.0], [9.0, 9.0]]), np.array([2.0, 5.0]), 1.0, 0.0)
    assert machine.decide(np.array([[0.0, 0.0]]))[0] == pytest.approx(2.0, abs=1e-12)


def test_vectors_come_back_within_half_a_step() -> None:
    """Of a byte an entry."""
    vectors = DRAWN.uniform(-3, 3, (200, 5))
    assert np.abs(unpacked_vectors(packed_vectors(vectors)) - vectors).max() <= 3 / 127 / 2 + 1e-6


def test_a_packed_entry_is_a_byte() -> None:
    """What is beyond three is cut off."""
    assert packed_vectors(np.array([[-3.0, 0.0, 3.0, 7.0]])).tolist() == [[-127, 0, 127, 127]]
