"""The moment that a window shows."""

from __future__ import annotations

from collections.abc import Callable

from app.console.shown_time import ShownTime

AT = 1_772_000_127.9
"""2026-02-25 06:15:27.9 UTC."""
NOON = 1_772_020_800.0
"""2026-02-25 12:00:00 UTC."""


def shown_at(now: float) -> ShownTime:
    """The moment of a window whose service's clock stands at ``now``."""
    return ShownTime(lambda: now)


def test_the_moment_is_named_in_utc() -> None:
    """As the audit log and every other console name it; whole seconds, never one too late."""
    shown = shown_at(AT + 60)
    shown.go_to(AT)
    assert shown.words == "PAST 06:15:27Z"


def test_a_moment_of_another_day_is_named_with_it() -> None:
    """The day is UTC's, as the time is."""
    shown = shown_at(AT + 86_400)
    shown.go_to(AT)
    assert (shown.words, shown.clock) == ("PAST 2026-02-25 06:15:27Z", "2026-02-25 06:15:27Z")


def test_clocks_of_another_zone_are_named_beside_it(set_zone: Callable[[str], None]) -> None:
    """The strip's labels are in the machine's zone."""
    shown = shown_at(AT + 60)
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
    shown, told = shown_at(AT + 60), []
    shown.changed.connect(lambda: told.append(shown.at))
    shown.go_to(AT)
    shown.go_to(AT)
    assert "Press Esc for live" in shown.refusal
    assert (shown.go_live(), shown.go_live()) == (True, False)
    assert told == [AT, None]


def test_an_older_moment_has_the_hour_around_it() -> None:
    """What this window measured itself reaches back an hour; a moment within that has no such hour."""
    shown = shown_at(NOON)
    shown.go_to(NOON - 3600)
    assert shown.hour is None
    shown.go_to(NOON - 10_000)
    assert shown.hour == (NOON - 11_800, NOON - 8200)


def test_the_hour_stays_while_one_goes_through_it() -> None:
    """It is asked for once; another one is around the first moment outside of it."""
    shown, hours = shown_at(NOON), []
    shown.changed.connect(lambda: hours.append(shown.hour))
    for ago in (10_000, 11_800, 8200, 8100):
        shown.go_to(NOON - ago)
    assert hours == [(NOON - 11_800, NOON - 8200)] * 3 + [(NOON - 9900, NOON - 6300)]
    shown.go_live()
    assert (shown.at, shown.hour) == (None, None)
