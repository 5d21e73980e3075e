"""Where the targets of a burn stand on the log axis of time, and what is said of them. Without a window."""

from __future__ import annotations

import math

import pytest

from app.console.pages.burn.board import BoardRow, BurnBoard
from app.console.pages.burn.dots import (
    TargetDots,
    chart_words,
    dots_of,
    proven_words,
    stack_marks,
    tick_label,
    ticks_of,
)
from app.console.pages.burn.words import WAITING
from app.console.theme.tokens import Meaning
from tests.console.pages.test_burn import burn_of, door

PITCHES = (8.0, 4.0)


def proven(*seconds: float) -> TargetDots:
    """Targets that were proven after so many seconds."""
    return TargetDots(ended=tuple((at, Meaning.OK) for at in seconds))


def test_a_decade_is_as_wide_everywhere() -> None:
    """What came twice as late stands so far behind, early or late."""
    dots = proven(0.02, 0.9)
    first = dots.share(0.1) - dots.share(0.02)
    assert math.isclose(first, dots.share(0.5) - dots.share(0.1))
    assert 0.0 < dots.share(0.02) < dots.share(0.9) < 1.0


def test_the_axis_begins_at_its_first_label() -> None:
    """10 ms; a decade earlier where a target was proven before; what came in no time stands at the begin."""
    assert proven(0.02).span_s[0] == 0.01
    assert proven(0.004).span_s[0] == pytest.approx(0.001)
    early = proven(0.00004)
    assert (early.span_s[0], early.share(0.00004)) == (0.01, 0.0)


@pytest.mark.parametrize(("last", "end"), [(0.05, 2.0), (1.5, 2.0), (1.7, 5.0), (7.9, 10.0), (9.0, 20.0)])
def test_the_axis_ends_at_a_round_time_with_room_for_words(last: float, end: float) -> None:
    """At 1, 2 or 5 of a decade, a quarter behind the last mark at least."""
    assert proven(0.02, last).span_s[1] == pytest.approx(end)


@pytest.mark.parametrize("line", ["now_s", "expected_s", "goal_s"])
def test_each_line_has_its_place_on_the_axis(line: str) -> None:
    """A goal of a minute is in sight though every door was faster."""
    assert TargetDots(**{line: 60.0}).span_s[1] == pytest.approx(100.0)


def test_ticks_are_1_2_and_5_of_each_decade_and_2_has_no_label() -> None:
    """Labels would touch each other."""
    assert [(round(at, 3), labelled) for at, labelled in ticks_of(0.01, 0.1)] == [
        (0.01, True), (0.02, False), (0.05, True), (0.1, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("at", "words"), [(0.01, "10 ms"), (0.05, "50 ms"), (0.1, "0.1 s"), (0.5, "0.5 s"), (1.0, "1 s"), (20.0, "20 s")]
)
def test_a_tick_says_its_time_with_its_unit(at: float, words: str) -> None:
    """As short as it can be."""
    assert tick_label(at) == words


def test_marks_of_one_moment_stand_on_each_other() -> None:
    """From the foot up, then in the column beside."""
    pitch, places = stack_marks([0.5] * 3, 80.0, 16.0, PITCHES)
    assert pitch == 8.0
    assert places == [(44.0, 4.0), (44.0, 12.0), (52.0, 4.0)]


def test_many_marks_of_one_moment_become_smaller_before_they_spread() -> None:
    """A hundred doors at once must not look as if they had taken longer."""
    pitch, places = stack_marks([0.5] * 40, 400.0, 40.0, PITCHES)
    assert pitch == 4.0
    assert max(x for x, _ in places) - min(x for x, _ in places) <= 16.0


def test_no_mark_lies_outside_or_on_another() -> None:
    """At the ends of the axis, too."""
    _, places = stack_marks([0.0] * 30 + [1.0] * 30, 100.0, 40.0, PITCHES)
    assert len(set(places)) == len(places)
    assert all(0.0 < x < 100.0 and 0.0 < y < 40.0 for x, y in places)


def test_what_is_open_stands_at_now_and_what_ended_at_its_time() -> None:
    """The worst of the open ones first; a target that was given up has ended without a mark of time."""
    board = BurnBoard()
    board.take_burn(
        burn_of(
            door("a", latency_ms=20.0),
            door("b", "failed", None),
            door("c", "pending_offline", None),
            door("d", "closed", None),
        )
    )
    dots = dots_of(board, board.sorted_rows(), 0.0, 2.0)
    assert dots.ended == ((0.02, Meaning.OK),)
    assert dots.open == (Meaning.BAD, Meaning.IDLE)
    assert dots.goal_s == 2.0


def test_a_burn_that_has_ended_has_no_line_of_now() -> None:
    """Its clock stands."""
    board = BurnBoard()
    board.take_burn(burn_of(door("a")))
    assert dots_of(board, board.sorted_rows(), 0.0, None).now_s is None


def test_the_proven_are_told_by_first_middle_and_last() -> None:
    """Of those that have a time."""
    assert proven_words([0.043, 47.0, 61.2]) == "first 43 µs, middle 47.0 ms, last 61.2 ms, each read back"
    assert proven_words([]) == "each read back"


def test_what_hears_the_chart_hears_its_counts_and_lines() -> None:
    """Each state that is no proof with its count, the proofs, expected and goal."""
    rows = [
        BoardRow("a", "reader", "a", "revoked", 1, 20.0),
        BoardRow("b", "reader", "b", WAITING),
        BoardRow("c", "reader", "c", WAITING),
    ]
    said = chart_words(rows, TargetDots(expected_s=0.051, goal_s=2.0))
    assert said == (
        "Asking: 2. 1 proven: first 20.0 ms, middle 20.0 ms, last 20.0 ms, each read back. Expected 51.0 ms. "
        "Goal 2.00 s"
    )
