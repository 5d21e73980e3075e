"""Histories as pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.console.widgets.histories import columns_of, common_scale, curves


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(1, 50), st.integers(1, 20), st.data())
def test_columns_are_the_extremes_of_their_samples(rows: int, samples: int, width: int, data: Any) -> None:
    """Against plain loops: no spike is lost, and nothing is invented."""
    numbers = st.one_of(st.floats(0, 10, width=32), st.just(float("nan")))
    values = np.array([[data.draw(numbers) for _ in range(samples)] for _ in range(rows)], dtype=np.float32).reshape(
        rows, samples
    )
    low, high = columns_of(values, width)
    for row in range(rows):
        for column in range(width):
            start = column * samples // width
            end = max(start + 1, (column + 1) * samples // width)
            found = [value for value in values[row, start:end].tolist() if value == value]
            if found:
                assert (low[row, column], high[row, column]) == (min(found), max(found))
            else:
                assert np.isnan(high[row, column])


def test_one_slow_node_does_not_flatten_the_others() -> None:
    """Beside one of 420 ms, a rise from 2 to 8 ms is still seen."""
    values = np.full((12, 60), 2.0, dtype=np.float32)
    values[0] = 420.0
    flat = common_scale(np.log2(values).ravel(), 20)
    assert (np.log2(8) - np.log2(2)) * flat[1] >= 3


def plain_curves(values: list[list[float]], width: int, height: int) -> tuple[list[Any], list[Any]]:
    """The reference of ``curves``, cell by cell and pixel by pixel."""
    low, high = columns_of(np.array(values, dtype=np.float32), width)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = np.log2(low), np.log2(high)
    bottom, scale = common_scale(high[np.isfinite(high)], height - 1)
    under, on = np.zeros((len(values), height, width), bool), np.zeros((len(values), height, width), bool)
    for row in range(len(values)):
        for x in range(width):
            if not np.isfinite(high[row, x]):
                continue
            top = min(max(np.float32((high[row, x] - bottom) * scale), 0), height - 1)
            foot = min(max(np.float32((low[row, x] - bottom) * scale), 0), height - 1)
            if x:
                before_low = min(max(np.float32((low[row, x - 1] - bottom) * scale), 0), height - 1)
                before_high = min(max(np.float32((high[row, x - 1] - bottom) * scale), 0), height - 1)
                if np.isfinite(high[row, x - 1]):
                    foot, top = min(foot, before_high), max(top, before_low)
            for y in range(height):
                under[row, height - 1 - y, x] = y <= int(top)
                on[row, height - 1 - y, x] = int(foot) <= y <= int(top)
    return under.tolist(), on.tolist()


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.one_of(st.floats(0.5, 512, width=32), st.just(float("nan"))), min_size=8, max_size=8),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 8),
    st.integers(2, 24),
)
def test_curves_are_those_of_the_reference(values: list[list[float]], width: int, height: int) -> None:
    """All cells at once, and each pixel by itself, give the same line and the same area below it."""
    under, on = curves(np.array(values, dtype=np.float32), width, height)
    assert (under.tolist(), on.tolist()) == plain_curves(values, width, height)
