"""The nightly check: when it is due, which part is next, and which answers of the command count."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.ledger.check import nightly as nightly_module
from app.ledger.check.nightly import (
    CHECKED,
    FAULT_ALARM,
    UNCHECKED_ALARM,
    Nightly,
    NightlyResult,
    NightlyState,
    check_command,
    next_night,
)
from app.ledger.check.rows import LogPart
from app.store.writer import ACCEPTED, FAILED

NOW = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)


def soon(**of: float) -> datetime:
    """So much after now."""
    return NOW + timedelta(**of)


@pytest.mark.parametrize(
    ("hour", "last", "start", "due"),
    [
        # The next such hour; the one that is just now has begun already.
        (10, NOW, NOW, soon(hours=1)),
        (9, NOW, NOW, soon(hours=24)),
        (8, NOW, NOW, soon(hours=23)),
        # Two days without a check are allowed, not a moment more; then ten minutes after the start.
        (8, soon(days=-2), NOW, soon(hours=23)),
        (8, soon(days=-2, seconds=-1), NOW, soon(minutes=10)),
        (8, None, NOW, soon(minutes=10)),
        (8, None, soon(minutes=-9), soon(minutes=1)),
        (8, None, soon(minutes=-11), NOW),
        (8, None, soon(days=-1), NOW),
        # A night that comes earlier is early enough.
        (10, None, soon(hours=2), soon(hours=1)),
    ],
)
def test_when_a_check_is_due(hour: int, last: datetime | None, start: datetime, due: datetime) -> None:
    """By the hour, by the newest check and by the start of the service."""
    assert next_night(NOW, hour, last, start) == due
    whole = next_night(NOW + timedelta(minutes=1, seconds=1, microseconds=1), 10, NOW, NOW)
    assert whole == soon(hours=1)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """This program, by its module or as it was built; gently, and asking nobody."""
    site: Any = SimpleNamespace(profile="training", data_dir=Path("/data"))
    end = ["fsck", "--profile", "training", "--data-dir", "/data", "--part", "3/7", "--json", "--offline", "--gently"]
    assert check_command(site, LogPart(2, 7)) == [sys.executable, "-m", "app", *end]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert check_command(site, LogPart(2, 7)) == [sys.executable, *end]


class Kept:
    """Takes the place of the store: what a check wrote, and the alarms that it opened (a sentence) or closed."""

    def __init__(self) -> None:
        self.leaves: list[tuple[str, str, object, object]] = []
        self.alarms: list[tuple[str, str, str | None]] = []
        self.writer = self
        self.now_us = 77

    async def run(self, job: Callable[[Any], Any]) -> Any:
        return job(self)

    def audit(self, action: str, *, actor: str, outcome: object, detail: object) -> None:
        self.leaves.append((action, actor, outcome, detail))

    def tell(self, _tx: object, kind: str, key: str, sentence: str | None) -> None:
        self.alarms.append((kind, key, sentence))


def nightly(kept: Kept, command: Sequence[str], **options: Any) -> Nightly:
    store: Any = kept
    options = {"hour": 3, "zone": ZoneInfo("UTC"), **options}
    return Nightly(store, lambda _: command, alarm=kept.tell, **options)


def answer(code: int, *lines: str) -> list[str]:
    """A command that says these lines."""
    return ["sh", "-c", 'code="$1"; shift; for line; do echo "$line"; done; exit "$code"', "sh", str(code), *lines]


FAULT, SECOND = '{"where":"a","what":"b","seq":3}', '{"where":"c","what":"d","seq":null}'


def end(count: int) -> str:
    return f'{{"findings":{count},"notes":[]}}'


@pytest.mark.parametrize(
    ("said", "count", "first"),
    [((0, end(0)), 0, ""), ((1, FAULT, end(1)), 1, "a: b."), ((1, FAULT, SECOND, end(2)), 2, "a: b.")],
)
def test_an_answer_that_counts(said: tuple[int, str], count: int, first: str) -> None:
    """Its leaf, the alarm of its part, and the end of the alarm that nothing could be checked."""
    kept = Kept()
    check = nightly(kept, answer(*said))
    result = NightlyResult(1, 7, count)
    assert asyncio.run(check.check()) == result
    assert check.last == NightlyState(77, result)
    outcome = FAILED if count else ACCEPTED
    assert kept.leaves == [(CHECKED, "service", outcome, {"part": 1, "of": 7, "findings": count})]
    sentence = f"The nightly check found {count} faults in part 1 of 7 of the logs: {first} Run fsck."
    assert kept.alarms == [
        (UNCHECKED_ALARM, "nightly", None),
        (FAULT_ALARM, "part-1", sentence if count else None),
    ]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (answer(2, end(0)), "it ended with 2"),
        (answer(0), "it ended with 0"),
        (answer(1, FAULT, end(0)), "it ended with 1"),
        (answer(1, FAULT, end(2)), "it ended with 1"),
        (answer(0, FAULT, end(1)), "it ended with 0 and 1 findings"),
        (answer(1, end(0)), "it ended with 1 and 0 findings"),
        (answer(0, "x"), "JSON is malformed: invalid character (byte 0)"),
        (answer(0, "x", end(0)), "JSON is malformed: invalid character (byte 0)"),
        (["/nothing/there"], "[Errno 2] No such file or directory: '/nothing/there'"),
    ],
)
def test_an_answer_that_does_not_count(command: list[str], why: str) -> None:
    """A check that broke off or contradicts itself is an alarm, and no leaf says that the part is checked."""
    kept = Kept()
    check = nightly(kept, command)
    assert asyncio.run(check.check()) is None
    assert (check.last, kept.leaves) == (None, [])
    sentence = f"Part 1 of 7 of the logs could not be checked: {why}. Run fsck by hand."
    assert kept.alarms == [(UNCHECKED_ALARM, "nightly", sentence)]


def test_a_check_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an alarm, and its process is gone."""
    monkeypatch.setattr(nightly_module, "LONGEST_S", 0.05)
    kept = Kept()
    assert asyncio.run(nightly(kept, ["sleep", "600"]).check()) is None
    sentence = "Part 1 of 7 of the logs could not be checked: it had not ended after 0 hours. Run fsck by hand."
    assert kept.alarms == [(UNCHECKED_ALARM, "nightly", sentence)]


@pytest.mark.parametrize(("last", "of", "following"), [(1, 7, 2), (6, 7, 7), (7, 7, 1), (3, 5, 1)])
def test_parts_follow_each_other(last: int, of: int, following: int) -> None:
    """After the last one the first comes again, as after a version that divided the logs otherwise."""
    check = nightly(Kept(), answer(0, end(0)))
    check.last = NightlyState(1, NightlyResult(last, of, 0))
    assert asyncio.run(check.check()) == NightlyResult(following, 7, 0)


def test_a_check_is_overdue_after_two_days() -> None:
    """Not a moment earlier; by the newest one, or by the start; never where the settings name no hour."""
    now = [1_000.0]
    asked, off = (nightly(Kept(), [], hour=hour, clock=lambda: now[0]) for hour in (0, None))
    now[0] += 172_800
    assert (asked.overdue, off.overdue) == (False, False)
    now[0] += 1
    assert (asked.overdue, off.overdue) == (True, False)
    asked.last = NightlyState(1_001_000_000, NightlyResult(1, 7, 0))
    assert not asked.overdue
    now[0] += 1
    assert asked.overdue


def test_a_night_begins_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the hour, once; where no hour is named, never. The end of the service ends the waiting."""

    async def work(hour: int | None, last: NightlyState | None, at: datetime, wait_s: float) -> int:
        kept = Kept()
        began = asyncio.get_running_loop().time()
        check = nightly(
            kept,
            answer(0, end(0)),
            hour=hour,
            clock=lambda: at.timestamp() + asyncio.get_running_loop().time() - began,
        )
        monkeypatch.setattr(check, "_read_last", lambda: last)
        await check.start()
        assert check.last == last
        for _ in range(round(wait_s / 0.01)):
            if kept.leaves:
                break
            await asyncio.sleep(0.01)
        await check.stop()
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert left == []
        return len(kept.leaves)

    recent = NightlyState(round(NOW.timestamp() * 1e6) - 3_600_000_000, NightlyResult(2, 7, 0))
    before = NOW - timedelta(milliseconds=50)
    assert asyncio.run(work(9, recent, before, 5)) == 1
    assert asyncio.run(work(None, recent, before, 0.1)) == 0
    assert asyncio.run(work(8, recent, before, 0.1)) == 0
    assert asyncio.run(work(8, None, before, 0.1)) == 0
