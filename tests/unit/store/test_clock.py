"""The store's time: a jump ahead of the machine's clock is not believed at once."""

from __future__ import annotations

import time

import pytest

from app.store.clock import JUMP_US, LASTING_US, SteadyClock, running_us, system_clock_us

SECOND = 1_000_000
HOUR = 3_600 * SECOND
START = 1_800_000_000 * SECOND


class Machine:
    """A machine whose clock can be set, and whose monotone clock only runs. ``told``: what the alarm was told."""

    def __init__(self) -> None:
        self.wall = START
        self.running = 5 * SECOND
        self.told: list[int] = []
        self.time = SteadyClock(clock=lambda: self.wall, running=lambda: self.running, on_jump=self.told.append)

    def run(self, us: int) -> int:
        """Time goes by; the store's time then."""
        self.wall += us
        self.running += us
        return self.time()

    def set(self, us: int) -> int:
        """The clock is set ahead (negative: back); the store's time then."""
        self.wall += us
        return self.time()


@pytest.fixture
def machine() -> Machine:
    """A machine that has run for some seconds."""
    return Machine()


def test_it_is_the_clock_of_the_machine(machine: Machine) -> None:
    """While nobody sets it."""
    assert machine.run(HOUR) == START + HOUR == machine.wall
    assert machine.told == []


def test_a_jump_ahead_and_back_is_not_seen(machine: Machine) -> None:
    """The time goes on by the monotone clock; the alarm tells both ends once."""
    assert machine.set(HOUR) == START
    assert machine.run(3 * SECOND) == START + 3 * SECOND
    assert machine.run(4 * SECOND) == START + 7 * SECOND
    assert machine.told == [HOUR]
    assert machine.set(-HOUR) == START + 7 * SECOND == machine.wall
    assert machine.told == [HOUR, 0]
    assert machine.run(SECOND) == machine.wall


def test_small_steps_are_followed(machine: Machine) -> None:
    """A clock that time servers correct steps by little, up to and with the bound."""
    assert machine.set(JUMP_US) == START + JUMP_US
    assert machine.told == []
    assert machine.set(JUMP_US + 1) == START + JUMP_US
    assert machine.told == [JUMP_US + 1]


def test_a_step_back_is_followed_at_once(machine: Machine) -> None:
    """And the clock's coming back from there is a jump like any other."""
    assert machine.set(-HOUR) == START - HOUR
    assert machine.told == []
    assert machine.set(HOUR) == START - HOUR


def test_a_jump_that_lasts_is_followed(machine: Machine) -> None:
    """A machine that was stopped unseen finds its time again without anybody's help, and not a moment before."""
    machine.set(HOUR)
    assert machine.run(LASTING_US - 1) == START + LASTING_US - 1
    assert machine.run(1) == machine.wall == START + HOUR + LASTING_US
    assert machine.told == [HOUR, 0]
    assert machine.run(SECOND) == machine.wall


def test_a_second_jump_starts_anew(machine: Machine) -> None:
    """What an earlier one had lasted counts for nothing."""
    machine.set(HOUR)
    machine.run(LASTING_US - 1)
    machine.set(-HOUR)
    machine.set(HOUR)
    assert machine.run(SECOND) == machine.wall - HOUR
    assert machine.told == [HOUR, 0, HOUR]


def test_a_witness_elsewhere_vouches_for_a_jump(machine: Machine) -> None:
    """Its time lies beyond the jump; one from before says nothing, and without a jump there is nothing to vouch for."""
    machine.time.vouch(START + 2 * HOUR)
    assert machine.set(HOUR) == START
    machine.time.vouch(START + JUMP_US)
    assert machine.run(SECOND) == START + SECOND
    machine.time.vouch(START + JUMP_US + 1)
    assert machine.run(SECOND) == machine.wall
    assert machine.told == [HOUR, 0]


def test_an_alarm_that_fails_stops_no_time(caplog: pytest.LogCaptureFixture) -> None:
    """The writer asks for the time of each transaction."""
    wall = [START]

    def fail(_ahead_us: int) -> None:
        raise OSError("gone")

    steady = SteadyClock(clock=lambda: wall[0], running=lambda: 0, on_jump=fail)
    wall[0] += HOUR
    assert steady() == START
    assert "the alarm of a jump of the clock failed" in caplog.text


def test_both_clocks_are_the_machines() -> None:
    """Microseconds since 1970, and microseconds that only grow."""
    before = time.time()
    assert before - 1 < system_clock_us() / 1e6 < time.time() + 1
    first = running_us()
    assert first <= running_us()
    assert abs(first / 1e6 - time.clock_gettime(time.CLOCK_BOOTTIME)) < 60
    assert abs(SteadyClock()() / 1e6 - time.time()) < 60
