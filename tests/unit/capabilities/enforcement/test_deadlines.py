"""The clocks of notices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.wire import rfc3339, unix_us
from app.capabilities.enforcement.deadlines import (
    HOUR_US,
    NoticeClock,
    add_business_days,
    clock_from_counter,
    clock_from_sent,
    urgency_us,
    warning_us,
)
from tests.unit.capabilities.enforcement.notice_facts import BOOK

AT = unix_us("2026-11-25T12:00:00.000000Z")
HOURS = {
    ("US-NCII", None): 48,
    ("IN", "nudity"): 2,
    ("IN", "impersonation"): 2,
    ("IN", "morphed"): 36,
    ("IN", "other"): 168,
    ("IN", None): 168,
}


@pytest.mark.parametrize(("code", "nature"), HOURS)
def test_hours_of_the_law_count_from_sent(code: str, nature: str | None) -> None:
    """To the microsecond, and nothing is asked again meanwhile."""
    clock = clock_from_sent(BOOK.laws[code].file, nature, AT)
    assert clock.deadline_us == AT + HOURS[code, nature] * HOUR_US
    assert clock.follow_up_us is None
    assert not clock.about
    assert clock.basis


@pytest.mark.parametrize("code", sorted(set(BOOK.laws) - {"IN", "US-NCII"}))
def test_a_law_without_hours_has_no_deadline(code: str) -> None:
    """A goal is none: the platform is asked again after 72 hours."""
    clock = clock_from_sent(BOOK.laws[code].file, "nudity", AT)
    assert clock.deadline_us is None
    assert clock.follow_up_us == AT + 72 * HOUR_US


def test_a_counter_notice_starts_business_days() -> None:
    """Under the DMCA ten of them, about; under a law that knows none the platform is asked again."""
    clock = clock_from_counter(BOOK.laws["US"].file, AT)
    assert clock.deadline_us is not None
    assert rfc3339(clock.deadline_us) == "2026-12-09T12:00:00.000000Z"
    assert clock.about
    assert clock_from_counter(BOOK.laws["EU"].file, AT) == NoticeClock(follow_up_us=AT + 72 * HOUR_US)


@given(st.integers(0, 4 * 10**15), st.integers(0, 30))
def test_business_days_are_monday_to_friday(at_us: int, days: int) -> None:
    """Counted one by one, the time of day stays."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at_us)
    left = days
    while left:
        at += timedelta(days=1)
        left -= at.strftime("%a") not in ("Sat", "Sun")
    assert add_business_days(at_us, days) == unix_us(rfc3339(0)) + (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )


def test_a_person_is_told_at_three_quarters() -> None:
    """Of the law's time; without one, when it is time to ask again; of no clock never."""
    assert warning_us(AT, NoticeClock(deadline_us=AT + 48 * HOUR_US)) == AT + 36 * HOUR_US
    assert warning_us(AT, NoticeClock(follow_up_us=AT + 5)) == AT + 5
    assert warning_us(AT, NoticeClock()) is None


def test_the_board_is_ordered_by_what_ends_first() -> None:
    """The law's end, else when to ask again, else since when it waits."""
    assert urgency_us(7, NoticeClock(deadline_us=9, follow_up_us=8)) == 9
    assert urgency_us(7, NoticeClock(follow_up_us=8)) == 8
    assert urgency_us(7, NoticeClock()) == 7
