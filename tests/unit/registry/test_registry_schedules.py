"""Weekly schedules of profiles and clusters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.registry import schedules
from app.registry.messages.schedules import ScheduleWindow

MONDAY = datetime(2030, 1, 7, tzinfo=UTC)
clocks = st.builds(lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.sampled_from([0, 15, 30, 45]))
windows = st.builds(
    lambda days, start, end: ScheduleWindow(days=sorted(days), start=start, end=end),
    st.sets(st.integers(0, 6), min_size=1, max_size=7),
    clocks,
    st.one_of(clocks, st.just("24:00")),
)
columns = st.one_of(st.none(), st.lists(windows, max_size=3)).map(schedules.to_column)


def at(day: int, clock: str) -> float:
    """Unix seconds of a time in the week of MONDAY."""
    hours, minutes = clock.split(":")
    return (MONDAY + timedelta(days=day, hours=int(hours), minutes=int(minutes))).timestamp()


def allowed(column: str | None, other: str | None, moment: float) -> bool:
    """What the door decides."""
    schedule = schedules.combine(column, other, "UTC")
    return schedule is None or schedule.allows(moment)


@given(columns, columns, st.integers(0, 6), clocks)
def test_both_must_allow(one: str | None, two: str | None, day: int, clock: str) -> None:
    """A moment is allowed by profile and cluster together exactly when each allows it alone."""
    moment = at(day, clock)
    assert allowed(one, two, moment) == (allowed(one, None, moment) and allowed(two, None, moment))


def test_no_schedule_is_always() -> None:
    """Neither a profile's nor a cluster's schedule: no restriction at all."""
    assert schedules.combine(None, None, "UTC") is None


def test_an_empty_schedule_is_never() -> None:
    """A list without windows allows no moment."""
    assert not allowed("[]", None, at(0, "12:00"))


def test_a_window_over_midnight_ends_the_next_day() -> None:
    """Sunday 22:00 to 06:00 holds on Monday at 05:59 and no longer at 06:00."""
    column = schedules.to_column([ScheduleWindow(days=[6], start="22:00", end="06:00")])
    assert [allowed(column, None, at(0, clock)) for clock in ("05:59", "06:00")] == [True, False]


@given(st.integers(0, 6), clocks, st.integers(0, 6), clocks)
def test_a_window_that_ends_when_it_starts_opens_nothing(day: int, clock: str, other: int, moment: str) -> None:
    """It is empty, never a whole day: a mistake keeps the door shut."""
    column = schedules.to_column([ScheduleWindow(days=[day], start=clock, end=clock)])
    assert not allowed(column, None, at(other, moment))
