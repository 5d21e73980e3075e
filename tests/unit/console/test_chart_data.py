"""What a chart computes."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.console.widgets.chart_data import (
    FloatArray,
    ValueAxis,
    change_words,
    figures,
    gaps,
    held_at,
    log_range,
    rows_between,
    sample_at,
    sample_times,
    stairs,
    thin,
    tick_words,
    time_ticks,
    value_axis,
    within,
)
from app.console.widgets.chart_range import pan

VALUES = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), max_size=400)


@given(VALUES, st.integers(1, 40))
def test_thinning_keeps_the_extremes(values: list[float], columns: int) -> None:
    """The highest and the lowest value are still there, and there are never more than two points a column."""
    y = np.array(values, dtype=np.float64)
    x = np.arange(len(y), dtype=np.float64)
    thin_x, thin_y = thin(x, y, columns)
    assert len(thin_x) <= max(len(y) if len(y) <= 2 * columns else 2 * columns, 0)
    if np.isfinite(y).any():
        assert (np.nanmin(thin_y), np.nanmax(thin_y)) == (np.nanmin(y), np.nanmax(y))
    assert list(thin_x) == sorted(thin_x)


@given(st.floats(0.001, 1e6), st.floats(1, 1e4))
def test_a_log_axis_holds_its_values_between_round_numbers(low: float, factor: float) -> None:
    """At least a decade, never more than is needed by a decade and a half, bounds of 1, 2 or 5."""
    bottom, top = log_range(low, low * factor)
    assert bottom <= low * (1 + 1e-6)
    assert top >= low * factor * (1 - 1e-6)
    assert 9.99 <= top / bottom <= 100 * factor
    assert all(f"{bound:e}"[0] in "125" for bound in (bottom, top))


def test_an_axis_is_logarithmic_when_values_are_far_apart() -> None:
    """More than 30 times; it stays so until they are less than 15 times apart, and a goal counts as a value."""

    def log(low: float, high: float, goal: float | None = None, *, was: bool = False) -> bool:
        return value_axis(np.array([low, np.nan, high]), goal, may_log=True, was_log=was).log

    assert [log(1, 29), log(1, 31), log(1, 20, was=True), log(1, 14, was=True), log(1, 2, 50)] == [
        False, True, True, False, True,
    ]  # fmt: skip
    assert not value_axis(np.array([1.0, 1e6]), None, may_log=False, was_log=False).log


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=20), st.none() | st.floats(1e-6, 1e9), st.booleans())
def test_every_value_has_its_place_on_the_axis(values: list[float], goal: float | None, was_log: bool) -> None:
    """Between foot and top, and the goal too."""
    axis = value_axis(np.array(values), goal, may_log=True, was_log=was_log)
    shares = axis.share(np.array([*values, *([goal] if goal is not None else [])]))
    assert ((shares >= -1e-9) & (shares <= 1 + 1e-9)).all()


def test_what_is_not_positive_has_no_place_on_a_log_axis() -> None:
    """It counts as not measured."""
    shares = ValueAxis(1.0, 100.0, True).share(np.array([1.0, 10.0, 0.0, -3.0, np.nan]))
    assert list(shares[:2]) == [0.0, 0.5]
    assert np.isnan(shares[2:]).all()


@pytest.mark.parametrize(
    ("axis", "height", "named"),
    [
        (ValueAxis(1, 1000, True), 400, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]),
        (ValueAxis(0.1, 1000, True), 130, [0.1, 1, 10, 100, 1000]),
        (ValueAxis(0, 10, False), 120, [0, 2, 4, 6, 8, 10]),
        (ValueAxis(0, 0.55, False), 80, [0, 0.2, 0.4]),
    ],
)
def test_an_axis_names_round_values(axis: ValueAxis, height: float, named: list[float]) -> None:
    """As many as have room."""
    assert [value for value, _whole in axis.ticks(height)] == pytest.approx(named)


@given(st.floats(1e-3, 1e3), st.floats(1.5, 1e6), st.booleans(), st.floats(30, 900))
def test_named_values_have_room(low: float, factor: float, log: bool, height: float) -> None:
    """And lie on the axis; it is never without any."""
    axis = ValueAxis(*log_range(low, low * factor), True) if log else ValueAxis(0.0, low * factor, False)
    values = [value for value, _whole in axis.ticks(height)]
    decades = math.log10(axis.high / axis.low) + 1 if log else 0
    assert 1 <= len(values) <= max(height // 22, 2, decades) + 1
    assert all(axis.low * (1 - 1e-6) <= value <= axis.high * (1 + 1e-6) for value in values)


@given(st.floats(1.0e9, 2.0e9), st.floats(5, 90 * 86_400), st.floats(150, 2000))
def test_times_are_named_apart(start: float, span: float, width: float) -> None:
    """At least 90 px, inside of what is shown, at whole steps."""
    ticks, step = time_ticks(start, start + span, width)
    assert all(start - 1e-6 <= at <= start + span + 1e-6 for at in ticks)
    assert all(math.isclose(b - a, step) for a, b in pairwise(ticks))
    assert step / span * width >= 89 or step == 864_000


def test_a_time_is_named_as_its_step_needs() -> None:
    """Seconds below a minute, the day where it begins."""
    noon = time.mktime((2026, 3, 1, 12, 0, 5, 0, 0, -1))
    assert tick_words(noon, 5) == "12:00:05"
    assert tick_words(noon - 5, 300) == "12:00"
    assert tick_words(noon - 5 - 12 * 3600, 43_200) == "1 Mar"


@pytest.mark.parametrize(
    ("at", "value"),
    [(10.0, 1.0), (10.4, 1.0), (10.5, 1.0), (10.6, 2.0), (12.5, 2.0), (12.6, None), (20.0, 4.0), (18.4, None),
     (18.6, 4.0), (8.4, None), (8.5, 1.0), (21.5, 4.0), (21.6, None), (15.1, None)],
)  # fmt: skip
def test_a_readout_is_of_the_nearest_sample_or_of_none(at: float, value: float | None) -> None:
    """No further than a step and a half; what was probed and not measured has no value either."""
    x, y = np.array([10.0, 11.0, 15.0, 20.0]), np.array([1.0, 2.0, np.nan, 4.0])
    assert sample_at(x, y, at, 1.0) == value


def test_nothing_measured_reads_out_none() -> None:
    """Nothing was ever measured."""
    assert sample_at(np.empty(0), np.empty(0), 3.0, 1.0) is None
    assert held_at(np.empty(0), np.empty(0), 3.0, 1.0) is None


@pytest.mark.parametrize(
    ("at", "value"), [(9.9, None), (10.0, 1.0), (19.9, 1.0), (20.0, None), (35.0, 3.0), (41, None)]
)
def test_a_value_holds_for_its_step(at: float, value: float | None) -> None:
    """From its time on, and not a moment longer."""
    x, y = np.array([10.0, 20.0, 30.0]), np.array([1.0, np.nan, 3.0])
    assert held_at(x, y, at, 10.0) == value


def test_values_that_hold_make_stairs() -> None:
    """Each from its time to the next."""
    x, y = stairs(np.array([0.0, 10.0]), np.array([1.0, 2.0]), 10.0)
    assert (x.tolist(), y.tolist()) == ([0, 10, 10, 20], [1, 1, 2, 2])


def test_gaps_are_where_nothing_was_measured() -> None:
    """At the beginning and at the end, too."""
    x = np.arange(100.0, 200.0)
    y = np.where((x > 140) & (x < 150), np.nan, 1.0)
    times = sample_times({"p50": (x, y), "p99": (x, y)})
    assert gaps(times, 90.0, 210.0, 2.5) == [(90.0, 100.0), (140.0, 150.0), (199.0, 210.0)]
    assert gaps(np.empty(0), 0.0, 10.0, 2.5) == [(0.0, 10.0)]


def test_what_is_shown_reaches_the_edges() -> None:
    """By one point on either side."""
    x = np.arange(10.0)
    assert within(x, x, 3.5, 5.5)[0].tolist() == [3, 4, 5, 6]
    assert within(x, x, -5.0, 20.0)[0].tolist() == x.tolist()


SPLIT = np.arange(100.0)


def words_of(before: float, after: float) -> str:
    """What is said of a series that goes from one value to another at 50, of which 50 to 99 are selected."""
    y: FloatArray = np.where(SPLIT < 50, before, after)
    return change_words("p50", SPLIT, y, (50.0, 99.0), "ms")


def test_a_selection_says_what_changed() -> None:
    """Against the time before it, in one sentence."""
    assert words_of(0.9, 61.4) == "p50 grew 68 times, from 0.900 to 61.4 ms."
    assert words_of(2.0, 5.0) == "p50 grew 2.5 times, from 2.00 to 5.00 ms."
    assert words_of(60.0, 6.0) == "p50 fell to 10%, from 60.0 to 6.00 ms."
    assert words_of(1.0, 1.1) == "p50 hardly changed: 1.00 before, 1.10 ms in it."
    assert words_of(0.0, 3.0) == "p50 went from 0.00 to 3.00 ms."
    assert words_of(float("nan"), 3.0) == "p50 was 3.00 ms; nothing was measured before it."
    assert words_of(3.0, float("nan")) == "Nothing was measured of p50 in it."


def test_the_table_has_every_sample_once() -> None:
    """What one series has not measured at a time is none."""
    x = np.array([1.0, 2.0, 3.0])
    lines = {"a": (x, np.array([1.0, np.nan, 3.0])), "b": (x, np.array([np.nan, np.nan, 6.0]))}
    assert rows_between(lines, ["a", "b", "c"], 0.0, 9.0) == [(1.0, [1.0, None, None]), (3.0, [3.0, 6.0, None])]


def test_panning_ends_at_what_there_is() -> None:
    """The stretch keeps its length."""
    assert pan((10.0, 20.0), 5.0, (0.0, 100.0)) == (15.0, 25.0)
    assert pan((10.0, 20.0), -50.0, (0.0, 100.0)) == (0.0, 10.0)
    assert pan((10.0, 20.0), 500.0, (0.0, 100.0)) == (90.0, 100.0)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.00"), (0.0123, "0.012"), (0.5, "0.500"), (6.16, "6.16"), (42.07, "42.1"), (128.35, "128"),
     (1283.4, "1,283")],
)  # fmt: skip
def test_a_value_has_three_figures(value: float, shown: str) -> None:
    """However large it is: a legend beside a small chart keeps its room."""
    assert figures(value) == shown
