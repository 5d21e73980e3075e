"""Delays of guesses, by a clock that the test moves."""

from __future__ import annotations

import math

import pytest

from app.api.problems import Problem
from app.operators import delays as module
from app.operators.delays import FORGOTTEN_S, FREE, LONGEST_S, SignInDelays


class Guesser:
    """Guesses at one operator by one key."""

    def __init__(self) -> None:
        self.now = 0.0
        self.delays = SignInDelays(lambda: self.now)

    def wait(self, operator_id: str = "op_1", source: str = "key_1") -> int:
        """Seconds that a guess is told to wait; 0: it was compared."""
        try:
            self.delays.begin(operator_id, source)
        except Problem as refused:
            return int(refused.headers["Retry-After"])
        return 0


def test_the_delay_doubles_up_to_its_longest() -> None:
    """Some are free; then a second, two, four, up to five minutes; who waits as told is compared again."""
    guesser = Guesser()
    assert [guesser.wait() for _ in range(FREE)] == [0] * FREE
    waits = []
    for _ in range(12):
        wait = guesser.wait()
        waits.append(wait)
        guesser.now += wait - 0.01
        assert guesser.wait() == 1
        guesser.now += 0.01
        assert guesser.wait() == 0
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


def test_guessing_faster_gains_nothing() -> None:
    """At 100 a second for a day few guesses are compared, and none that came during a delay made it longer."""
    guesser = Guesser()
    compared = 0
    while guesser.now < 86_400:
        wait = guesser.wait()
        compared += wait == 0
        # The guesses in between are all refused alike: the last hundredth before the end is as good as each of them.
        guesser.now += max(0.01, wait - 1)
    assert compared <= FREE + math.log2(LONGEST_S) + 86_400 / LONGEST_S + 2


def test_the_desk_is_not_locked_out() -> None:
    """While a guesser by one key waits, the same operator is compared by another key, and another operator by the
    guesser's."""
    guesser = Guesser()
    for _ in range(20):
        guesser.now += guesser.wait()
    assert guesser.wait(source="key_desk") == 0
    assert guesser.wait(operator_id="op_2") == 0


def test_many_at_one_moment_count_as_many() -> None:
    """A guess is counted before it is compared: a thousand at once get no more through than one after another."""
    guesser = Guesser()
    assert sum(guesser.wait() == 0 for _ in range(1000)) == FREE


def test_the_right_one_begins_anew() -> None:
    """After it some are free again."""
    guesser = Guesser()
    for _ in range(FREE):
        guesser.wait()
    guesser.delays.forgive("op_1", "key_1")
    assert [guesser.wait() for _ in range(FREE)] == [0] * FREE
    assert guesser.wait() == 1


def test_guesses_are_forgotten_after_a_while() -> None:
    """An hour after the last one a pair begins anew, not before."""
    guesser = Guesser()
    for _ in range(FREE):
        guesser.wait()
    guesser.now = FORGOTTEN_S
    assert guesser.delays.begin("op_1", "key_1") == FREE + 1
    guesser.now += FORGOTTEN_S + 1
    assert guesser.delays.begin("op_1", "key_1") == 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound the pair that guessed least lately is forgotten, which only begins it anew."""
    monkeypatch.setattr(module, "PAIRS_MAX", 3)
    guesser = Guesser()
    for number in range(3):
        guesser.wait(source=f"key_{number}")
    guesser.wait(source="key_0")
    guesser.wait(source="key_3")
    assert set(guesser.delays._pairs) == {("op_1", "key_2"), ("op_1", "key_0"), ("op_1", "key_3")}
