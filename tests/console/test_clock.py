"""Clock times, ages, freshness, offsets."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from app.console import clock
from app.console.clock import Freshness, ServiceClock, age, apart_words


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
    monkeypatch.setattr(clock, "running_s", lambda: now)
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
    monkeypatch.setattr("app.console.clock.running_s", lambda: now[0])
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


@dataclass
class Clocks:
    """The clocks of this machine: ``wall`` can be set, ``running`` cannot."""

    wall: float = 1_767_225_600.0
    running: float = 100.0

    def go(self, seconds: float) -> None:
        """Time passes."""
        self.wall += seconds
        self.running += seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    """Clocks that the test moves."""
    made = Clocks()
    monkeypatch.setattr(clock.time, "time", lambda: made.wall)
    monkeypatch.setattr(clock, "running_s", lambda: made.running)
    return made


def test_the_offset_is_of_the_lowest_round_trip(clocks: Clocks) -> None:
    """A measurement that was queued for 4 s does not move the clock."""
    service = ServiceClock()
    service.sample(100.0, 104.0, clocks.wall + 10.0)
    clocks.go(100.0)
    service.sample(200.0, 200.02, clocks.wall + 8.01)
    assert service.offset_s == pytest.approx(8.0)
    assert service.error_s == pytest.approx(0.01)


def test_before_a_measurement_our_clock_is_all_there_is(clocks: Clocks) -> None:
    """It is doubted, and no offset is told."""
    service = ServiceClock()
    assert (service.now(), service.doubtful) == (clocks.wall, True)
    assert (service.offset_s, service.error_s) == (None, None)


@pytest.mark.parametrize("step_s", [10_800.0, -10_800.0])
def test_our_clock_that_is_set_does_not_set_the_services(clocks: Clocks, step_s: float) -> None:
    """The time goes on from what was measured, and is to be measured again."""
    service = ServiceClock()
    service.sample(100.0, 100.0, clocks.wall + 5.0)
    told = service.now()
    assert not service.doubtful
    clocks.go(2.0)
    clocks.wall += step_s
    assert service.now() == pytest.approx(told + 2.0)
    assert service.offset_s == pytest.approx(5.0 - step_s)
    assert service.doubtful
    service.sample(102.0, 102.0, told + 2.0)
    assert not service.doubtful


@pytest.mark.parametrize("step_s", [10_800.0, -10_800.0])
def test_a_service_whose_clock_is_set_is_believed_at_the_next_measurement(clocks: Clocks, step_s: float) -> None:
    """However slow that one is: beside it the quick ones from before cannot be true."""
    service = ServiceClock()
    service.sample(100.0, 100.002, clocks.wall)
    clocks.go(10.0)
    service.sample(110.0, 113.0, clocks.wall + 1.5 + step_s)
    assert service.offset_s == pytest.approx(step_s)
    assert service.error_s == pytest.approx(1.5)


def test_a_slow_measurement_that_agrees_leaves_the_quick_one(clocks: Clocks) -> None:
    """Within its round trip it may be anywhere."""
    service = ServiceClock()
    service.sample(100.0, 100.002, clocks.wall + 0.001)
    clocks.go(10.0)
    service.sample(110.0, 113.0, clocks.wall + 2.9)
    assert service.error_s == pytest.approx(0.001)


def test_silence_is_told_by_the_clock_as_it_is_set(clocks: Clocks) -> None:
    """A clock that was set back does not make a silence begin in the future."""
    fresh = Freshness(1.0)
    fresh.touch()
    clocks.go(4.0)
    clocks.wall -= 3600.0
    assert fresh.since == pytest.approx(clocks.wall - 4.0)


@pytest.mark.parametrize(
    ("offset_s", "words"),
    [
        (59.0, ""),
        (-10_800.0, "The clock of this machine is 3 h ahead of the service's."),
        (120.0, "The clock of this machine is 2 min behind the service's."),
    ],
)
def test_clocks_far_apart_are_named(offset_s: float, words: str) -> None:
    """Which of them is wrong is not known: it is said how they differ."""
    said = apart_words(offset_s)
    assert said.startswith(words)
    assert bool(said) is bool(words)
