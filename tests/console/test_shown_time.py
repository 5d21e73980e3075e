"""The moment that a window shows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.console.shown_time import ShownTime, TimeRefused, typed_time

AT = 1_772_000_127.9
"""2026-02-25 06:15:27.9 UTC."""


def test_the_moment_is_named_in_utc() -> None:
    """As the audit log and every other console name it; whole seconds, never one too late."""
    shown = ShownTime()
    shown.go_to(AT)
    assert shown.words == "PAST 06:15:27Z"


def test_clocks_of_another_zone_are_named_beside_it(set_zone: Callable[[str], None]) -> None:
    """The strip's labels are in the machine's zone."""
    shown = ShownTime()
    shown.go_to(AT)
    set_zone("Asia/Tokyo")
    assert shown.local_words == "15:15:27 JST"
    set_zone("UTC")
    assert shown.local_words == ""


def test_live_refuses_nothing_and_names_no_moment() -> None:
    """The window shows now until somebody asks for another moment."""
    shown = ShownTime()
    assert (shown.is_past, shown.words, shown.refusal) == (False, "", "")


def test_the_way_back_is_said_once_and_named_in_the_refusal() -> None:
    """Who is refused reads how it is done."""
    shown, told = ShownTime(), []
    shown.changed.connect(lambda: told.append(shown.at))
    shown.go_to(AT)
    shown.go_to(AT)
    assert "Press Esc for live" in shown.refusal
    assert (shown.go_live(), shown.go_live()) == (True, False)
    assert told == [AT, None]


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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("quarter past", "“quarter past” is no time. Type 14:32:07, 14:32 or -5m."),
        ("25:61", "“25:61” is no time. Type 14:32:07, 14:32 or -5m."),
        ("-5", "“-5” is no time. Type 14:32:07, 14:32 or -5m."),
        ("", "“” is no time. Type 14:32:07, 14:32 or -5m."),
        ("14:30", "14:30:00 is still to come. The time now is 12:00:00."),
        ("10:59:59", "10:59:59 is more than an hour ago, and not kept here. Audit goes further back."),
        ("-2h", "10:00:00 is more than an hour ago, and not kept here. Audit goes further back."),
        ("2026-02-24", "2026-02-24 00:00:00 is more than an hour ago, and not kept here. Audit goes further back."),
    ],
)
@pytest.mark.usefixtures("utc")
def test_what_cannot_be_shown_is_refused_in_words(text: str, sentence: str) -> None:
    """What is no time, what is ahead, and what is no longer kept."""
    with pytest.raises(TimeRefused) as refused:
        typed_time(text, NOON)
    assert str(refused.value) == sentence
