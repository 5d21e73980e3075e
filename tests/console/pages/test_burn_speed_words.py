"""What the figures of the burns' speed mean: green only where each last door came in time."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.burn.messages import BurnSpeedReport, SlowBurn, SystemSpeed
from app.console.pages.burn.speed_words import doors_words, in_time, slow_state, system_state, verdict
from app.console.pages.burn.words import duration
from app.console.theme.tokens import Meaning

QUICK = SystemSpeed(kind="reader", timed=3, within=3, open=0, unproven=0, p50_ms=20.0, p95_ms=40.0, max_ms=40.0)
REPORT = BurnSpeedReport(
    from_="2026-10-01T00:00:00Z",
    to="2026-10-31T00:00:00Z",
    drills=False,
    goal_ms=2000.0,
    burns=3,
    with_doors=3,
    waiting=0,
    last_door=QUICK,
    systems=[QUICK],
    slowest=[],
)
SLOW = SlowBurn(
    burn_id="burn_1",
    node_id="ARC-1",
    timestamp="2026-10-01T00:00:00Z",
    last_door_ms=40.0,
    open_doors=0,
    unproven_doors=0,
    slowest="Door",
)


def report(**fields: object) -> BurnSpeedReport:
    """The report with other figures of the last door, or of the range."""
    of_last = {name: fields.pop(name) for name in list(fields) if name in SystemSpeed.__struct_fields__}
    return msgspec.structs.replace(REPORT, last_door=msgspec.structs.replace(QUICK, **of_last), **fields)


@pytest.mark.parametrize(
    ("fields", "state", "word"),
    [
        ({}, Meaning.OK, "3 of 3 in time"),
        ({"within": 2}, Meaning.WARN, "2 of 3 in time"),
        ({"timed": 2, "within": 2, "unproven": 1}, Meaning.WARN, "2 of 3 in time"),
        ({"timed": 2, "within": 2, "open": 1}, Meaning.BAD, "1 open"),
        ({"waiting": 1}, Meaning.BAD, "Not stored"),
        ({"burns": 0, "with_doors": 0, "timed": 0, "within": 0}, Meaning.IDLE, "No figure"),
        ({"burns": 2, "with_doors": 0, "timed": 0, "within": 0}, Meaning.IDLE, "No figure"),
    ],
)
def test_only_a_range_whose_last_doors_all_came_in_time_is_green(
    fields: dict[str, object], state: Meaning, word: str
) -> None:
    assert verdict(report(**fields))[:2] == (state, word)


def test_the_sentence_says_what_was_late_and_what_was_given_up() -> None:
    sentence = verdict(report(timed=2, within=1, unproven=1))[2]
    assert sentence == "Of 3 burns, 1 took longer than the goal of 2.00 s and 1 ended with a door that was given up."


def test_the_detail_has_no_percentile_where_nothing_has_a_time() -> None:
    assert "half within" not in verdict(report(timed=0, within=0, open=3))[3]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.043, "43 µs"),
        (1.0, "1.00 ms"),
        (999.0, "999 ms"),
        (2500.0, "2.50 s"),
        (90_000.0, "2 min"),
        (7.2e6, "2 h"),
    ],
)
def test_a_duration_has_one_unit(value: float | None, text: str) -> None:
    assert duration(value) == text


def test_a_system_without_a_time_has_no_share() -> None:
    assert in_time(msgspec.structs.replace(QUICK, timed=0, within=0)) == "–"


@pytest.mark.parametrize(
    ("fields", "state"),
    [({}, Meaning.OK), ({"open": 1}, Meaning.BAD), ({"unproven": 1}, Meaning.WARN), ({"within": 2}, Meaning.WARN),
     ({"timed": 0, "within": 0, "unproven": 1}, Meaning.IDLE)],
)  # fmt: skip
def test_the_state_of_a_system(fields: dict[str, int], state: Meaning) -> None:
    assert system_state(msgspec.structs.replace(QUICK, **fields)) is state


@pytest.mark.parametrize(
    ("fields", "state", "words"),
    [
        ({}, Meaning.OK, "All proven"),
        ({"open_doors": 2}, Meaning.BAD, "2 open"),
        ({"unproven_doors": 1, "lifted": True}, Meaning.WARN, "1 given up, lifted"),
        ({"last_door_ms": 2001.0}, Meaning.WARN, "All proven"),
    ],
)
def test_the_state_of_a_burn(fields: dict[str, object], state: Meaning, words: str) -> None:
    row = msgspec.structs.replace(SLOW, **fields)
    assert (slow_state(row, 2000.0), doors_words(row)) == (state, words)
