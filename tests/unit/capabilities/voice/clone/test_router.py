"""Which expert a recording goes to."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.clone.router import ROUTES, ConditionRouter, route_terms

RNG = np.random.default_rng(4)


def _router(weights: np.ndarray, intercepts: np.ndarray) -> ConditionRouter:
    return ConditionRouter(np.zeros(5), np.ones(5), weights, intercepts)


def test_probabilities_sum_to_one() -> None:
    """Also where the logits are huge."""
    router = _router(RNG.standard_normal((20, 4)) * 30, RNG.standard_normal(4))
    found = router.probabilities(RNG.standard_normal((50, 5)) * 10)
    assert found.sum(axis=1) == pytest.approx(np.ones(50))
    assert np.isfinite(found).all()


def test_intercepts_alone_are_the_logarithms_of_the_odds() -> None:
    """Of one to four."""
    router = _router(np.zeros((20, 4)), np.log([1.0, 2.0, 3.0, 4.0]))
    assert router.probabilities(np.ones((1, 5)))[0] == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_numbers_are_standardised() -> None:
    """By the centre and the spread of the training."""
    weights = RNG.standard_normal((20, 4))
    numbers = RNG.standard_normal((3, 5))
    moved = ConditionRouter(np.full(5, 7.0), np.full(5, 2.0), weights, np.zeros(4))
    assert moved.probabilities(numbers * 2 + 7) == pytest.approx(_router(weights, np.zeros(4)).probabilities(numbers))


def test_terms_are_the_numbers_and_all_their_products() -> None:
    """Five, and fifteen by twos."""
    terms = route_terms(np.array([[1.0, 2.0, 3.0, 0.0, -1.0]]))[0]
    assert terms[:5].tolist() == [1, 2, 3, 0, -1]
    assert sorted(terms[5:].tolist()) == sorted([1, 2, 3, 0, -1, 4, 6, 0, -2, 9, 0, -3, 0, 0, 1])


def test_a_number_counts_at_most_four_deviations() -> None:
    """On both sides."""
    assert route_terms(np.array([[99.0, -99.0, 0.0, 0.0, 0.0]]))[0, :2].tolist() == [4, -4]


def test_each_route_has_a_column() -> None:
    """In the order of their names."""
    weights = np.zeros((20, 4))
    weights[0] = [3.0, -3.0, 0.0, 0.0]
    found = _router(weights, np.zeros(4)).probabilities(np.array([[2.0, 0, 0, 0, 0]]))[0]
    assert ROUTES[int(found.argmax())] == "clean"
    assert ROUTES[int(found.argmin())] == "phone"
