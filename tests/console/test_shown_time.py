"""The moment that a window shows."""

from __future__ import annotations

import time

import pytest

from app.console.shown_time import ShownTime

AT = 1_772_000_127.9
"""2026-02-25 06:15:27.9 UTC."""


def test_the_moment_is_named_in_utc() -> None:
    """As the audit log and every other console name it; whole seconds, never one too late."""
    shown = ShownTime()
    shown.go_to(AT)
    assert shown.words == "PAST 06:15:27Z"


def test_clocks_of_another_zone_are_named_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strip's labels are in the machine's zone."""
    shown = ShownTime()
    shown.go_to(AT)
    try:
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        assert shown.local_words == "15:15:27 JST"
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
        assert shown.local_words == ""
    finally:
        monkeypatch.undo()
        time.tzset()


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
