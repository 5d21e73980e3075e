"""When an overdue burn is spoken of again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.burn.reminders import reminders

DAY = 86_400.0


@pytest.mark.parametrize(
    ("age", "newest", "following"),
    [
        (0.0, None, 2.0),
        (2.0, 2.0, 900.0),
        (899.0, 2.0, 900.0),
        (900.0, 900.0, 3600.0),
        (3600.0, 3600.0, DAY),
        (DAY - 1, 3600.0, DAY),
        (DAY, DAY, 2 * DAY),
        (10.5 * DAY, 10 * DAY, 11 * DAY),
    ],
)
def test_at_the_deadline_then_later_and_later_then_daily(age: float, newest: float | None, following: float) -> None:
    """The deadline, 15 minutes, an hour, each day."""
    assert reminders(age, 2.0) == (newest, following)


@given(age=st.floats(0, 4000 * DAY), deadline=st.floats(0.001, 366 * DAY))
def test_the_newest_is_over_and_the_next_one_comes(age: float, deadline: float) -> None:
    """For any deadline: nothing before it, never a reminder in the past as the next one, never one skipped."""
    newest, following = reminders(age, deadline)
    assert following > age
    assert (newest is None) == (age < deadline)
    if newest is not None:
        assert deadline <= newest <= age
        assert reminders(newest, deadline) == (newest, following)
