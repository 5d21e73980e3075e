"""A time as an operator types it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.capabilities.infrastructure.messages import HOURS_KEPT_S
from app.console.shown_time import DAY_S
from app.console.typed_time import TimeRefused, typed_time

NOON = 1_772_020_800.0
"""2026-02-25 12:00:00 UTC."""


@pytest.fixture
def utc(set_zone: Callable[[str], None]) -> None:
    """The machine's clock shows UTC."""
    set_zone("UTC")


@pytest.fixture
def berlin(set_zone: Callable[[str], None]) -> None:
    """The machine's clock shows the time of Berlin."""
    set_zone("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("11:32:07", 1673),
        ("11:32", 1680),
        (" 11:32:07z ", 1673),
        ("12:00", 0),
        ("-5m", 300),
        ("-90s", 90),
        ("-1h", 3600),
        ("-10m30s", 630),
        ("- 5 min", 300),
        ("\u22125m", 300),
        ("2026-02-25 11:30:00", 1800),
        ("10:59:59", 3601),
        ("-3h", 10_800),
        ("-2d", 172_800),
        ("-1d2h3m4s", 93_784),
        ("2026-02-24", 129_600),
        ("2026-02-24 09:00", 97_200),
        ("2026-02-24T09:00Z", 97_200),
    ],
)
@pytest.mark.usefixtures("utc")
def test_a_time_is_read_as_people_type_it(text: str, ago: int) -> None:
    """A clock's time, or by how much before now."""
    assert typed_time(text, NOON) == NOON - ago


@pytest.mark.usefixtures("berlin")
def test_a_clock_time_is_of_this_machine_unless_it_says_utc() -> None:
    """As the strip's labels are; the frame names both."""
    assert typed_time("12:30", NOON) == typed_time("11:30Z", NOON) == NOON - 1800


@pytest.mark.usefixtures("utc")
def test_after_midnight_a_time_of_the_evening_is_of_yesterday() -> None:
    """The last hour began there."""
    midnight = NOON - 12 * 3600
    assert typed_time("23:50", midnight + 600) == midnight - 600


@pytest.mark.usefixtures("berlin")
def test_an_hour_that_the_clock_shows_twice_is_meant_as_it_was_last() -> None:
    """2026-10-25: at 01:00 UTC clocks go back from 03:00 to 02:00."""
    back = 1_792_890_000.0
    assert typed_time("02:45", back - 300) == back - 900
    assert typed_time("02:45", back + 3000) == back + 2700


TYPE = "Type 14:32:07, 14:32, -5m, -3h, -2d or 2026-02-24 12:00."
LONG_AGO = " is too long ago: how frames answered is kept for 30 days. Audit goes further back."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("quarter past", "“quarter past” is no time. " + TYPE),
        ("25:61", "“25:61” is no time. " + TYPE),
        ("-5", "“-5” is no time. " + TYPE),
        ("", "“” is no time. " + TYPE),
        ("14:30", "14:30:00 is still to come. The time now is 12:00:00."),
        ("2026-01-26 11:59", "2026-01-26 11:59:00" + LONG_AGO),
        ("-31d", "2026-01-25 12:00:00" + LONG_AGO),
    ],
)
@pytest.mark.usefixtures("utc")
def test_what_cannot_be_shown_is_refused_in_words(text: str, sentence: str) -> None:
    """What is no time, what is ahead, and what is no longer kept."""
    with pytest.raises(TimeRefused) as refused:
        typed_time(text, NOON)
    assert str(refused.value) == sentence


@pytest.mark.usefixtures("utc")
def test_before_the_first_entry_of_the_log_nothing_is_known() -> None:
    """A young site: the refusal says when its log began."""
    first = NOON - 7200
    assert typed_time("-2h", NOON, first) == first
    with pytest.raises(TimeRefused) as refused:
        typed_time("-3h", NOON, first)
    assert str(refused.value) == (
        "09:00:00 is before the first entry of the audit log, of 10:00:00: nothing is known of it."
    )


@given(text=st.text(max_size=40) | st.from_regex(r"[-0-9dhms :TZ+/\u2212]{0,30}", fullmatch=True))
def test_whatever_is_typed_is_a_kept_moment_or_refused_in_words(text: str) -> None:
    """No text breaks the reading, and none leads to where nothing is kept."""
    with contextlib.suppress(TimeRefused):
        assert NOON - 10 * DAY_S <= typed_time(text, NOON, NOON - 10 * DAY_S) <= NOON + 1


@given(days=st.integers(0, 30), hours=st.integers(0, 23), minutes=st.integers(0, 59), seconds=st.integers(0, 59))
def test_how_long_ago_is_the_sum_of_its_parts(days: int, hours: int, minutes: int, seconds: int) -> None:
    """In whatever parts it is typed."""
    ago = days * DAY_S + hours * 3600 + minutes * 60 + seconds
    assume(ago <= HOURS_KEPT_S)
    assert typed_time(f"-{days}d{hours}h{minutes}m{seconds}s", NOON) == NOON - ago
