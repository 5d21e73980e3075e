"""Moments, written and read."""

from __future__ import annotations

import contextlib
import re
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.console.moments import api_time, moment, parse_time


@given(st.integers(min_value=0, max_value=4_102_444_800_000_000))
def test_a_time_survives_the_wire(micros: int) -> None:
    """What we send is read back to the microsecond."""
    assert round(parse_time(api_time(micros / 1e6)) * 1e6) == pytest.approx(micros, abs=1)


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    """Nothing but ValueError leaves the parser."""
    with contextlib.suppress(ValueError):
        parse_time(text)


@pytest.mark.parametrize(
    ("later_days", "pattern"),
    [
        (0, r"12:00:00"),
        (1, r"[A-Z][a-z]{2} 12:00"),
        (6, r"[A-Z][a-z]{2} 12:00"),
        (7, r"2026-03-01"),
        (-1, r"2026-03-01"),
    ],
)
def test_a_moment_is_as_short_as_it_can_be_told_apart(later_days: int, pattern: str) -> None:
    """A time of another day never looks like one of today."""
    at = datetime(2026, 3, 1, 12).timestamp()
    now = (datetime(2026, 3, 1, 0, 1) + timedelta(days=later_days)).timestamp()
    assert re.fullmatch(pattern, moment(at, now))
