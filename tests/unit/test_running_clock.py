"""The clock that nobody can set."""

from __future__ import annotations

import time

import pytest

from app.running_clock import running_ns, running_s


def test_it_counts_while_the_machine_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since the machine was switched on, sleep included, where the system tells that; else the time it was awake."""
    monkeypatch.setattr(time, "clock_gettime_ns", {time.CLOCK_BOOTTIME: 7_000_000_000}.__getitem__)
    monkeypatch.setattr(time, "monotonic_ns", lambda: 3_000_000_000)
    assert running_ns() == 7_000_000_000
    monkeypatch.delattr(time, "CLOCK_BOOTTIME")
    assert running_ns() == 3_000_000_000


def test_seconds_are_of_the_same_clock() -> None:
    """Both tell of the same moment."""
    before = running_ns()
    assert before <= running_s() * 1e9 <= running_ns()
