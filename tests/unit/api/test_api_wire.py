"""Shapes that every message shares."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.wire import Timestamp, base64_text, base64url_text, rfc3339, unix_us

YEARS = st.integers(1000, 9999)


def fits(text: str) -> bool:
    """Whether the type takes the text."""
    try:
        msgspec.convert(text, Timestamp)
    except msgspec.ValidationError:
        return False
    return True


@given(YEARS, st.integers(0, 13), st.integers(0, 32))
def test_a_timestamp_is_a_day_of_the_calendar(year: int, month: int, day: int) -> None:
    """The type takes exactly the days that there are, leap years by the Gregorian rule."""
    try:
        dt.date(year, month, day)
    except ValueError:
        there = False
    else:
        there = True
    assert fits(f"{year:04}-{month:02}-{day:02}T00:00:00Z") == there


@given(YEARS)
def test_the_29th_of_february_is_of_leap_years(year: int) -> None:
    """The one day that a table of months does not tell."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    assert fits(f"{year}-02-29T23:59:59.5Z") == leap


@given(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)))
def test_a_time_reads_back(moment: dt.datetime) -> None:
    """Every microsecond that the wire can name is written as a Timestamp that reads back as itself."""
    text = moment.isoformat("T", "microseconds") + "Z"
    assert fits(text)
    assert rfc3339(unix_us(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00+00:00",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567Z",
        "2026-01-01T00:00:00Z\n",
        "0999-12-31T00:00:00Z",
        "2026-01-01",
    ],
)
def test_what_is_no_timestamp(text: str) -> None:
    """Other clocks, zones and precisions are refused."""
    assert not fits(text)


def test_bytes_are_base64_with_padding_and_nothing_stays_nothing() -> None:
    """In replies; a URL's and a key's form has neither padding nor the letters that a URL gives a meaning."""
    assert (base64_text(b"\xfb\xff"), base64_text(b""), base64_text(None)) == ("+/8=", "", None)
    assert base64url_text(b"\xfb\xff") == "-_8"
