"""Challenges by a clock that the test moves."""

from __future__ import annotations

import pytest

from app.api.problems import Problem
from app.operators import challenges as module
from app.operators.challenges import Challenges


class Clocked:
    """Challenges of ten seconds."""

    def __init__(self) -> None:
        self.now = 5.0
        self.challenges: Challenges[str] = Challenges(10.0, lambda: self.now)

    def code(self, challenge_id: str, source: str = "key_1") -> str:
        """What a wrong answer is told."""
        with pytest.raises(Problem) as refused:
            self.challenges.take(challenge_id, source)
        return refused.value.code


def test_each_is_answered_once() -> None:
    """The second time there is none; nor is there one that nobody asked for."""
    clocked = Clocked()
    challenge_id = clocked.challenges.add("x", "key_1")
    assert clocked.challenges.take(challenge_id, "key_1") == "x"
    assert clocked.code(challenge_id) == clocked.code("none") == "replayed"


def test_another_key_cannot_use_one_up() -> None:
    """It is refused, and the challenge waits on for the key that asked."""
    clocked = Clocked()
    challenge_id = clocked.challenges.add("x", "key_1")
    assert clocked.code(challenge_id, "key_2") == "replayed"
    assert clocked.challenges.take(challenge_id, "key_1") == "x"


@pytest.mark.parametrize(("after", "good"), [(9.99, True), (10.0, False)])
def test_each_has_its_time(after: float, good: bool) -> None:
    """To the second; a late answer uses it up as well."""
    clocked = Clocked()
    challenge_id = clocked.challenges.add("x", "key_1")
    clocked.now += after
    if good:
        assert clocked.challenges.take(challenge_id, "key_1") == "x"
    else:
        assert clocked.code(challenge_id) == "replayed"
        clocked.now = 5.0
        assert clocked.code(challenge_id) == "replayed"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest one goes first; no two have one id."""
    monkeypatch.setattr(module, "OPEN_MAX", 2)
    clocked = Clocked()
    ids = [clocked.challenges.add(str(number), "key_1") for number in range(3)]
    assert len(set(ids)) == 3
    assert clocked.code(ids[0]) == "replayed"
    assert [clocked.challenges.take(one, "key_1") for one in ids[1:]] == ["1", "2"]
