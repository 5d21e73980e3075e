"""The way to one directory: when nobody may ask it, and what is known of it; at a clock that the test sets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.capabilities.burn.targets import directory_line
from app.capabilities.burn.targets.directory_line import DirectoryLine


class Clock:
    """Seconds, moved by hand."""

    now = 100.0

    def perf_counter(self) -> float:
        """As ``time``."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """In place of the module's own."""
    made = Clock()
    monkeypatch.setattr(directory_line, "time", made)
    return made


def test_a_new_line_is_open_and_nothing_is_known(clock: Clock) -> None:
    """Neither dead nor seen."""
    line = DirectoryLine()
    assert (line.why_closed(), line.fresh, line.reachability()) == (None, False, (None, None))
    assert (line.reached, line.probing, line.dead_since, line.not_before) == (False, False, None, 0.0)


def test_a_pause_closes_it_until_it_is_over(clock: Clock) -> None:
    """At its end it is open."""
    line = DirectoryLine(not_before=130.0)
    assert line.why_closed() == "the directory asked to be left alone for another 30 s"
    clock.now = 130.0
    assert line.why_closed() is None


@pytest.mark.parametrize(
    ("dead", "probing", "closed"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_a_dead_one_is_closed_while_it_is_probed(clock: Clock, dead: bool, probing: bool, closed: bool) -> None:
    """One attempt at a time; a living one has many."""
    line = DirectoryLine(dead_since=60.0 if dead else None, probing=probing)
    assert line.why_closed() == ("the directory has not answered for 40 s" if closed else None)


def test_what_was_seen_holds_five_seconds(clock: Clock) -> None:
    """Then only that it is dead is still known."""
    line = DirectoryLine(dead_since=90.0)
    line.note(False, "No connection.")
    clock.now = 105.0
    assert (line.fresh, line.reachability()) == (True, (False, "No connection."))
    clock.now = 105.5
    assert (line.fresh, line.reachability()) == (False, (False, "it has not answered for 16 s"))
    line.note(True, None)
    assert line.reachability() == (True, None)


def test_an_answer_lets_all_go_on_unless_it_asked_for_a_pause(clock: Clock) -> None:
    """Each once."""
    told: list[str] = []
    line = DirectoryLine(dead_since=90.0, probing=True, not_before=101.0)
    line.waiting[("burn_1", "a")] = lambda: told.append("a")
    line.note_answer("refused")
    assert (told, line.dead_since, line.reachability()) == ([], None, (True, "refused"))
    clock.now = 101.0
    line.note_answer(None)
    line.note_answer(None)
    assert (told, line.waiting) == (["a"], {})


def test_the_longest_pause_counts(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second, shorter one does not shorten it; one timer stands for all."""
    timers: list[Any] = []

    def call_later(seconds: float, work: Any) -> Any:
        timers.append(SimpleNamespace(seconds=seconds, work=work, cancelled=0))
        timers[-1].cancel = lambda of=timers[-1]: setattr(of, "cancelled", of.cancelled + 1)
        return timers[-1]

    line, told = DirectoryLine(), list[str]()
    # The module's own name alone: services of other tests run on loops of this process.
    loop = SimpleNamespace(get_running_loop=lambda: SimpleNamespace(call_later=call_later))
    monkeypatch.setattr(directory_line, "asyncio", loop)
    line.waiting[("burn_1", "a")] = lambda: told.append("a")
    line.cancel_pause()
    line.leave_alone(30.0)
    clock.now = 110.0
    line.leave_alone(5.0)
    assert [(timer.seconds, timer.cancelled) for timer in timers] == [(30.0, 1), (20.0, 0)]
    assert line.not_before == 130.0
    timers[1].work()
    assert told == ["a"]
