"""Ranges of time as users write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.interval import IntervalError, check_range, parse_interval, parse_time, rfc3339


def us(*parts: int) -> int:
    """Microseconds of a UTC time."""
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1_000_000  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-01-01/2026-02-01", us(2026, 1, 1), us(2026, 2, 1)),
        ("2026-01-01T00:00:00Z/2026-01-01T12:30:00Z", us(2026, 1, 1), us(2026, 1, 1, 12, 30)),
        ("2026-01-01T02:00:00+02:00/P1D", us(2026, 1, 1), us(2026, 1, 2)),
        ("2026-01-31/P1M", us(2026, 1, 31), us(2026, 2, 28)),
        ("2024-02-29/P1Y", us(2024, 2, 29), us(2025, 2, 28)),
        ("P1M/2026-03-31", us(2026, 2, 28), us(2026, 3, 31)),
        ("2025-12-15/P1M", us(2025, 12, 15), us(2026, 1, 15)),
        ("P2W/2026-01-15", us(2026, 1, 1), us(2026, 1, 15)),
        ("2026-01-01/PT1H30M5S", us(2026, 1, 1), us(2026, 1, 1, 1, 30, 5)),
        ("2026-01-01/2026-01-01", us(2026, 1, 1), us(2026, 1, 1)),
    ],
)
def test_interval(text: str, first: int, last: int) -> None:
    """Every form of ISO 8601 interval gives its half-open range."""
    assert parse_interval(text) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "2026-01-01",
        "2026-01-02/2026-01-01",
        "2026-01-01/P",
        "2026-01-01/PT",
        "2026-01-01/P0.5D",
        "P1D/P1D",
        "2026-13-01/P1D",
        "2026-02-30/P1D",
        "2026-01-01/P367D",
        "9999-12-31/P1D",
        "0001-01-01T00:00:00+01:00/P1D",
        "2026-01-01T00:00:00+24:00/P1D",
        "２026-01-01/P1D",
    ],
)
def test_no_interval(text: str) -> None:
    """What is no interval, or too long a one, is refused in a sentence."""
    with pytest.raises(IntervalError, match=r"\.$"):
        parse_interval(text)


@given(st.text(max_size=60) | st.text("0123456789-:TZPYMDHSW/+.", max_size=50))
def test_any_text_is_an_interval_or_refused(text: str) -> None:
    """Whatever a caller writes, the answer is a range in order or ``IntervalError``."""
    try:
        first, last = parse_interval(text)
    except IntervalError:
        return
    assert first <= last


@given(st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
def test_time_reads_back(time: int) -> None:
    """A time written out parses to the same microsecond."""
    assert parse_time(rfc3339(time)) == time


def test_longest_range() -> None:
    """366 days are allowed, a microsecond more is not."""
    assert check_range(0, 366 * 86_400_000_000) == (0, 366 * 86_400_000_000)
    with pytest.raises(IntervalError, match="366 days"):
        check_range(0, 366 * 86_400_000_000 + 1)
