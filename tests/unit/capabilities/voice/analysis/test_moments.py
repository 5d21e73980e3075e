"""Shapes of distributions against their definitions."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.voice.analysis.moments import correlation, moments, quantiles

NUMBERS = st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=20)


@given(NUMBERS)
def test_moments_are_those_of_the_definition(values: list[float]) -> None:
    """Population moments, each written out as a sum; kurtosis is 0 for a Gaussian."""
    mean = statistics.fmean(values)
    variance = statistics.fmean((value - mean) ** 2 for value in values)
    deviation, skewness, kurtosis = moments(np.array(values))
    assert deviation == pytest.approx(variance**0.5, rel=1e-6, abs=1e-6)
    if variance > 1e-6:
        third = statistics.fmean((value - mean) ** 3 for value in values)
        fourth = statistics.fmean((value - mean) ** 4 for value in values)
        assert skewness == pytest.approx(third / variance**1.5, rel=1e-4, abs=1e-4)
        assert kurtosis == pytest.approx(fourth / variance**2 - 3, rel=1e-4, abs=1e-4)


def test_each_column_has_its_own() -> None:
    """Two columns side by side are what they are alone."""
    table = np.array([[0.0, 5.0], [0.0, 6.0], [3.0, 9.0]])
    for column in range(2):
        for whole, alone in zip(moments(table), moments(table[:, column]), strict=True):
            assert whole[column] == pytest.approx(float(alone))


def test_what_moves_by_a_millionth_is_a_constant() -> None:
    """Its shape is that of the rounding; twice as much has one."""
    small = np.array([1e-6, -1e-6])
    assert [float(one) for one in moments(small)] == [1e-6, 0.0, 0.0]
    assert float(moments(2 * small)[2]) == pytest.approx(-2.0)


def test_a_constant_has_the_moments_zero() -> None:
    """No division by a deviation of zero."""
    assert [float(value) for value in moments(np.full(9, 7.5))] == [0, 0, 0]


def test_nothing_has_the_moments_zero() -> None:
    """No frame of a kind is no fault."""
    assert [value.tolist() for value in moments(np.zeros((0, 2)))] == [[0, 0]] * 3
    assert quantiles(np.zeros((0, 2)), (0.1, 0.9)).tolist() == [[0, 0]] * 2
    assert correlation(np.zeros((0, 2)), np.zeros((0, 2))).tolist() == [0, 0]


@given(NUMBERS, st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=3))
def test_quantiles_are_those_of_numpy(values: list[float], shares: list[float]) -> None:
    """Between two neighbours by a line, the ends included."""
    expected = np.quantile(np.array(values), shares)
    assert quantiles(np.array(values), tuple(shares)) == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_quantiles_of_columns() -> None:
    """The shares are rows."""
    table = np.array([[3.0, 10.0], [1.0, 30.0], [2.0, 20.0]])
    assert quantiles(table, (0.0, 0.5)).tolist() == [[1, 10], [2, 20]]


def test_correlation_is_pearsons() -> None:
    """The same numbers as numpy's, by column."""
    rng = np.random.default_rng(4)
    one, other = rng.normal(size=(2, 30, 3))
    other += one * [0, 1, -2]
    found = correlation(one, other)
    for column in range(3):
        assert found[column] == pytest.approx(np.corrcoef(one[:, column], other[:, column])[0, 1], abs=1e-6)


def test_a_constant_correlates_with_nothing() -> None:
    """Zero, and no warning."""
    assert correlation(np.full(5, 2.0), np.arange(5.0)) == 0
