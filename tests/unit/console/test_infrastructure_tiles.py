"""What the tiles of the frames say: a goal in words, and no green without one."""

from __future__ import annotations

import numpy as np
import pytest

from app.console.pages.infrastructure.tile_words import (
    TileFace,
    answered_face,
    certificates_face,
    missed_face,
    operational_face,
    p50_face,
    p99_face,
)
from app.console.theme.tokens import Meaning

NO_COURSE = np.zeros(0)


def said(face: TileFace) -> tuple[str, Meaning | None, str]:
    """Figure, state and its word."""
    return face.value, face.state, face.word


def test_frames_operational() -> None:
    face = operational_face({"Operational": 50, "Degraded": 1, "Maintenance": 1}, NO_COURSE)
    assert (*said(face), face.unit, face.below) == ("50", Meaning.WARN, "1 degraded", "of 52", "1 maintenance")


def test_the_median_has_no_goal_and_no_state() -> None:
    assert said(p50_face(0.72, "3,120 in the last minute", NO_COURSE)) == ("0.72", None, "")


def test_what_nobody_measured_is_not_good() -> None:
    assert said(p50_face(None, "no sample", NO_COURSE)) == ("–", Meaning.IDLE, "Unknown")
    assert said(p99_face(None, "no sample", 50.0, NO_COURSE, NO_COURSE)) == ("–", Meaning.IDLE, "Unknown")
    assert said(missed_face(0, 0, NO_COURSE)) == ("–", Meaning.IDLE, "Unknown")
    assert said(certificates_face([None, None])) == ("–", Meaning.IDLE, "Unknown")


@pytest.mark.parametrize(
    ("minutes", "state", "word"),
    [
        ([1.0, 2.0], Meaning.OK, "Goal 50 ms kept"),
        ([1.0, 58.2, np.nan], Meaning.WARN, "Goal 50 ms missed 1 of 2 min"),
    ],
)
def test_the_p99_says_how_many_minutes_missed_its_goal(minutes: list[float], state: Meaning, word: str) -> None:
    """A minute that nobody measured is none of them."""
    assert said(p99_face(2.0, "", 50.0, np.array(minutes), NO_COURSE)) == ("2.00", state, word)


def test_a_p99_without_a_goal_has_no_state() -> None:
    assert said(p99_face(2.0, "", None, np.array([2.0]), NO_COURSE)) == ("2.00", None, "")


@pytest.mark.parametrize(
    ("missed", "state", "word"),
    [(62, Meaning.OK, "Goal under 0.1 % kept"), (156, Meaning.WARN, "Goal 0.1 % missed: 0.25 %")],
)
def test_missed_probes_are_a_share(missed: int, state: Meaning, word: str) -> None:
    face = missed_face(missed, 62_400, NO_COURSE)
    assert (*said(face), face.title) == (str(missed), state, word, "Missed of 62,400")


@pytest.mark.parametrize(
    ("days", "value", "state", "word"),
    [
        ([397.0, 400.0], "397", Meaning.OK, "None ends within 30 days"),
        ([20.0, 397.0], "20", Meaning.WARN, "1 ends within 30 days"),
        ([6.0, 20.0], "6", Meaning.BAD, "2 end within 30 days"),
        ([-2.0, 20.0], "-2", Meaning.BAD, "1 has ended"),
    ],
)
def test_the_first_certificate_to_end(days: list[float], value: str, state: Meaning, word: str) -> None:
    assert said(certificates_face(days)) == (value, state, word)


def test_a_certificate_that_nobody_saw_is_told() -> None:
    """No history is kept of certificates."""
    face = certificates_face([397.0, None])
    assert (face.below, face.trend) == ("1 not seen", None)


def test_of_the_past_frames_answered_or_not() -> None:
    face = answered_face([Meaning.OK, Meaning.WARN, Meaning.BAD, Meaning.IDLE], NO_COURSE)
    assert (face.value, face.unit, face.below) == ("2", "of 4", "1 without a sample")
    assert said(answered_face([Meaning.IDLE], NO_COURSE)) == ("–", Meaning.IDLE, "Unknown")
