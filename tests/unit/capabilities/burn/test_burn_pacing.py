"""Turns of fan-outs: who comes next is not kept waiting by them, and nobody is forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from app.capabilities.burn import pacing
from app.capabilities.burn.pacing import Pacing
from tests.door_site import until


@dataclass(eq=False)
class _Facts:
    burn_id: str


@dataclass(eq=False)
class _Burn:
    facts: _Facts


@dataclass
class _Begun:
    """A fan-out that notes whom it began, and with how many others in the same turn of the loop."""

    running: dict[str, _Burn] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def take_up(self, running: _Burn) -> None:
        self.running[running.facts.burn_id] = running

    def begin(self, running: _Burn) -> None:
        self.order.append(running.facts.burn_id)


def _all(count: int, gone: str = "") -> tuple[list[str], list[str]]:
    """Burns ``0`` to ``count`` at once: who was begun at once, and in the end. ``gone`` is lifted before its turn."""
    fanout = _Begun()

    async def come() -> list[str]:
        order = Pacing(fanout)  # type: ignore[arg-type]
        for number in range(count):
            order.begin(_Burn(_Facts(str(number))))  # type: ignore[arg-type]
        at_once = list(fanout.order)
        fanout.running.pop(gone, None)
        await until(lambda: len(fanout.order) == count - bool(gone))
        return at_once

    return asyncio.run(come()), fanout.order


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "TURN_S", 0.001)


def test_who_comes_alone_has_his_turn_at_once() -> None:
    """A single discharge waits for nothing."""
    assert _all(1) == (["0"], ["0"])


def test_of_many_each_has_a_turn_in_their_order() -> None:
    """The others follow, each once."""
    at_once, order = _all(30)
    assert len(at_once) < 30
    assert order == [str(number) for number in range(30)]


def test_who_is_lifted_before_his_turn_has_none() -> None:
    """Nothing of a burn that is none any more is reached; those behind it go on."""
    _, order = _all(10, gone="7")
    assert order == [str(number) for number in range(10) if number != 7]


@pytest.mark.parametrize(("longest_s", "together"), [(60.0, 1), (-1.0, pacing.AT_LEAST)])
def test_who_waited_too_long_makes_less_room(monkeypatch: pytest.MonkeyPatch, longest_s: float, together: int) -> None:
    """While many come one at a time has its turn; once somebody waited too long, more of them."""
    monkeypatch.setattr(pacing, "LONGEST_S", longest_s)
    monkeypatch.setattr(pacing, "TURN_S", 0.0)
    fanout = _Begun()

    async def come() -> int:
        order = Pacing(fanout)  # type: ignore[arg-type]
        order._last = float("inf")
        for number in range(20):
            order.begin(_Burn(_Facts(str(number))))  # type: ignore[arg-type]
        order._last = 0.0
        order._turn()
        order.stop()
        return len(fanout.order)

    assert asyncio.run(come()) == together
