"""Rings of measurements and the history that fills them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.infrastructure.messages import HistoryPoint, Percentiles
from app.console.moments import api_time
from app.console.telemetry.rings import Rings, spread

START = 1_767_225_600.0


@given(st.lists(st.tuples(st.integers(0, 40), st.floats(0, 100, width=32)), max_size=60))
def test_a_ring_is_the_last_columns_of_what_was_put(puts: list[tuple[int, float]]) -> None:
    """Against a dictionary: the largest value of each second, for the last eight seconds, NaN where nothing was."""
    ring = Rings(columns=8, step_s=1.0)
    model: dict[int, float] = {}
    head: int | None = None
    for second, value in puts:
        head = second if head is None else max(head, second)
        if second > head - 8:
            model[second] = max(model.get(second, value), value)
        ring.put("a", float(second), value)
    if head is None:
        assert ring.last(8).shape == (0, 8)
        return
    expected = [model.get(second, np.nan) for second in range(head - 7, head + 1)]
    np.testing.assert_array_equal(ring.last(8)[0], np.array(expected, dtype=np.float32))


@pytest.mark.parametrize(("columns", "step_s"), [(1, 1.0), (2, 0.0)])
def test_a_ring_of_no_length_is_refused(columns: int, step_s: float) -> None:
    """Two columns are the least, of a step that is longer than nothing."""
    assert Rings(2, 0.5).last(2).shape == (0, 2)
    with pytest.raises(ValueError, match="two columns and a positive step"):
        Rings(columns, step_s)


def test_a_measurement_as_old_as_the_ring_is_long_is_dropped() -> None:
    """Its place is that of the newest now."""
    ring = Rings(columns=8)
    ring.put("a", 8.0, 1.0)
    ring.put("a", 0.0, 5.0)
    assert ring.last(1)[0].tolist() == [1.0]


def test_a_ring_ends_where_its_newest_step_does() -> None:
    """Before the first measurement nowhere."""
    ring = Rings(columns=8, step_s=2.0)
    assert ring.end == 0.0
    ring.put("a", 11.0, 1.0)
    assert ring.end == 12.0


def test_every_step_that_was_passed_over_is_empty() -> None:
    """The first of them, too: it held a value of one round before."""
    ring = Rings(columns=4)
    for second in range(4):
        ring.put("a", float(second), float(second))
    ring.advance(5.0)
    np.testing.assert_array_equal(ring.last(4)[0], np.array([2, 3, np.nan, np.nan], dtype=np.float32))


def test_a_ring_grows_with_its_nodes() -> None:
    """The first node keeps its values when the hundredth comes."""
    ring = Rings(columns=4)
    for at in range(100):
        ring.put(f"n{at}", 10.0, float(at))
    assert ring.last(1)[:, 0].tolist() == [float(at) for at in range(100)]


def test_coarse_history_hides_no_measurement() -> None:
    """Values of the API fill what is empty and nothing else."""
    ring = Rings(columns=6)
    ring.put("a", 13.0, 7.0)
    ring.advance(15.0)
    ring.fill("a", 11.0, np.full(4, 2.0, dtype=np.float32))
    np.testing.assert_array_equal(ring.last(6)[0], np.array([np.nan, 2, 2, 7, 2, np.nan], dtype=np.float32))


def test_history_ends_at_the_newest_step() -> None:
    """What it has of later stands nowhere: its place is that of the oldest step."""
    ring = Rings(columns=4)
    ring.advance(10.0)
    ring.fill("a", 9.0, np.full(4, 2.0, dtype=np.float32))
    np.testing.assert_array_equal(ring.last(4)[0], np.array([np.nan, np.nan, 2, 2], dtype=np.float32))


def point(second: float, p50: float | None, count: int, missed: int = 0) -> HistoryPoint:
    """A step of history that begins that many seconds after the start."""
    found = Percentiles(count=count, missed=missed, p50=p50, p95=p50, p99=p50, max=p50)
    return HistoryPoint(at=api_time(START + second), handshake=found)


def spread_out(*points: HistoryPoint, seconds: int = 10) -> list[float | None]:
    """As the rings get it, with steps of five seconds and a probe a second; None where nothing was measured."""
    return [None if value != value else value for value in spread(points, START, seconds, 5.0, 1.0).tolist()]


def test_a_step_holds_its_median_for_as_long_as_it_lasts() -> None:
    """And no longer: a step without a point stays empty."""
    assert spread_out(point(5, 2.0, 5)) == [None] * 5 + [2.0] * 5


def test_a_missed_probe_breaks_the_seeded_line() -> None:
    """A median of four good probes must not hide the fifth."""
    assert spread_out(point(0, 2.0, 4, missed=1)) == [2.0, 2.0] + [None] * 8


def test_one_good_probe_among_misses_is_seen() -> None:
    """For a second: its share of the step."""
    assert spread_out(point(0, 2.0, 1, missed=8)) == [2.0] + [None] * 9


def test_a_step_of_misses_alone_is_empty() -> None:
    """There is no latency to show."""
    assert spread_out(point(0, None, 0, missed=5)) == [None] * 10


def test_a_minute_kept_as_one_fills_its_minute() -> None:
    """After a restart of the service its older minutes are single points: they must not look like twelve gaps."""
    found = spread_out(point(0, 2.0, 60), point(60, 3.0, 30, missed=30), seconds=120)
    assert found == [2.0] * 60 + [3.0] * 30 + [None] * 30


@pytest.mark.parametrize(("count", "seconds"), [(11, 5), (12, 60)])
def test_only_more_probes_than_fit_into_two_steps_are_a_minute(count: int, seconds: int) -> None:
    """A step may hold a probe more than it should. The minute is over after sixty seconds."""
    assert spread_out(point(0, 2.0, count), seconds=70) == [2.0] * seconds + [None] * (70 - seconds)


def test_what_is_finer_writes_over_a_minute() -> None:
    """The minute in which the service was started is known both ways."""
    assert spread_out(point(0, 2.0, 60), point(5, 4.0, 5), seconds=60)[3:12] == [2.0] * 2 + [4.0] * 5 + [2.0] * 2


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(-10, 60), st.integers(1, 20))
def test_a_stretch_of_the_past_is_what_was_put_then(puts: list[int], until: int, count: int) -> None:
    """Against a dictionary: NaN for what is older than the ring, and for what has not come."""
    ring = Rings(columns=8, step_s=1.0)
    ring.row("a")
    for second in puts:
        ring.put("a", float(second), float(second))
    head = max(puts, default=None)
    kept = set() if head is None else {second for second in puts if second > head - 8}
    # What fell out of the ring and was put again is dropped, so that the order of the puts does not matter.
    expected = [float(at) if at in kept else np.nan for at in range(until - count + 1, until + 1)]
    found = ring.until(until + 0.5, count)[0]
    np.testing.assert_array_equal(found, np.array(expected, dtype=np.float32))


def test_a_missed_probe_is_no_silence_of_the_window() -> None:
    """Between two measurements close to each other the window listened; a silence of thirty seconds it knows nothing
    of."""
    ring = Rings(columns=200)
    for second in (10, 11, 15, 45, 100, 101):
        ring.put("a", float(second), 1.0)
    listened = ring.find_listened(0.0, 120, 30.0)
    assert np.flatnonzero(listened).tolist() == [10, 11, 12, 13, 14, 15, 45, 100, 101]


def test_the_newest_value_says_whether_it_was_measured() -> None:
    """A value of coarse history holds for a stretch around the moment; what was measured is of its second."""
    rings = Rings(60)
    rings.put("a", 30.0, 3.0)
    rings.advance(50.0)
    rings.fill("a", 20.0, np.full(30, 7.0, dtype=np.float32))
    assert rings.newest_until("a", 30.5, 5) == (3.0, True)
    assert rings.newest_until("a", 33.0, 2) == (7.0, False)
    assert rings.newest_until("a", 15.0, 5) is None
    assert rings.newest_until("b", 30.0, 5) is None


def test_a_measurement_takes_the_place_of_coarse_history() -> None:
    """The median of a stretch is no measurement, however large it is."""
    rings = Rings(60)
    rings.fill("a", 20.0, np.full(30, 7.0, dtype=np.float32))
    rings.put("a", 30.0, 3.0)
    assert rings.newest_until("a", 30.0, 1) == (3.0, True)


def test_a_step_that_comes_round_again_was_not_measured() -> None:
    """What the ring has passed over is forgotten whole."""
    rings = Rings(10)
    rings.put("a", 5.0, 3.0)
    rings.advance(18.0)
    rings.fill("a", 9.0, np.full(10, 7.0, dtype=np.float32))
    assert rings.newest_until("a", 15.0, 1) == (7.0, False)
