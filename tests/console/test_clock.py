"""Clock times, ages, freshness, offsets."""

from __future__ import annotations

import pytest

from app.console import clock
from app.console.clock import Freshness, ServiceClock, age


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (9.9, "9.9 s"), (45, "45 s"), (600, "10 min"), (7200, "2 h"), (200000, "2 d")],
)
def test_an_age_has_one_unit(seconds: float, words: str) -> None:
    """Ages are said as people say them."""
    assert age(seconds) == words


def test_a_value_is_stale_after_two_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark needs nothing but the local clock."""
    now = 100.0
    monkeypatch.setattr(clock.time, "monotonic", lambda: now)
    fresh = Freshness(1.0)
    fresh.touch()
    now = 102.0
    assert not fresh.stale
    now = 102.1
    assert fresh.stale
    assert fresh.words().startswith("STALE since ")


def test_silence_counts_from_when_the_page_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that was away awaits its first answer for two intervals; then what it shows is stale again."""
    now = [1000.0]
    monkeypatch.setattr("app.console.clock.time.monotonic", lambda: now[0])
    fresh = Freshness(2.0)
    fresh.touch()
    now[0] += 600.0
    assert fresh.stale
    fresh.resume()
    assert (fresh.stale, fresh.awaited) == (False, True)
    assert fresh.words().startswith("Refreshing, as of ")
    now[0] += 4.1
    assert (fresh.stale, fresh.awaited) == (True, False)


def test_an_answer_ends_the_waiting() -> None:
    """What was just heard of is neither awaited nor stale."""
    fresh = Freshness(2.0)
    fresh.resume()
    assert fresh.words() == "Loading"
    fresh.touch()
    assert (fresh.stale, fresh.awaited, fresh.words()) == (False, False, "")


def test_what_was_never_heard_of_is_stale() -> None:
    """No data is not fresh data."""
    assert Freshness(1.0).stale
    assert Freshness(1.0).words() == "no data yet"


def test_old_news_does_not_freshen() -> None:
    """An event that is replayed after a reconnect tells of then, not of now."""
    fresh = Freshness(1.0)
    fresh.touch(age_s=60.0)
    assert fresh.stale


def test_the_offset_is_of_the_lowest_round_trip() -> None:
    """A sample that was queued for 4 s does not move the clock."""
    service = ServiceClock()
    service.sample(100.0, 104.0, 110.0)
    service.sample(200.0, 200.02, 205.01)
    assert service.offset_s == pytest.approx(5.0)
    assert service.error_s == pytest.approx(0.01)
