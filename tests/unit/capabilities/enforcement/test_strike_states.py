"""The state of a strike follows from its notices."""

from __future__ import annotations

import pytest

from app.capabilities.enforcement.messages import StrikeState
from app.capabilities.enforcement.states import ALL_STATES, ENDED, OPEN, TAKEN, NoticeStanding, strike_state
from app.delivery.messages import NoticeState

CASES: list[tuple[str, StrikeState]] = [
    ("", "AWAITING_DETAILS"),
    ("held!", "AWAITING_DETAILS"),
    ("held! held", "AWAITING_DETAILS"),
    ("queued held!", "AWAITING_DETAILS"),
    ("held held", "ISSUED"),
    ("queued held", "ISSUED"),
    ("sending operator_action", "ISSUED"),
    ("bounced held", "PARTIAL"),
    ("failed", "PARTIAL"),
    ("sent held", "PARTIAL"),
    ("sent held!", "PARTIAL"),
    ("sent queued", "PARTIAL"),
    ("sent bounced", "PARTIAL"),
    ("sent sent", "DISPATCHED"),
    ("sent delivered acknowledged countered expired", "DISPATCHED"),
    ("sent actioned", "DISPATCHED"),
    ("sent withdrawn", "DISPATCHED"),
    ("actioned rejected", "RESOLVED"),
    ("actioned withdrawn", "RESOLVED"),
    ("withdrawn", "AWAITING_DETAILS"),
]


def standings(words: str) -> list[NoticeStanding]:
    """``held!`` is a held notice that lacks something."""
    return [NoticeStanding(word.removesuffix("!"), word.endswith("!")) for word in words.split()]  # type: ignore[arg-type]


@pytest.mark.parametrize(("words", "state"), CASES)
def test_the_state_of_a_strike(words: str, state: StrikeState) -> None:
    """By the rules of the design."""
    assert strike_state(standings(words), withdrawn=False) == state


@pytest.mark.parametrize("words", [words for words, _ in CASES])
def test_a_strike_that_was_taken_back_is_withdrawn(words: str) -> None:
    """Whatever became of its notices."""
    assert strike_state(standings(words), withdrawn=True) == "WITHDRAWN"


@pytest.mark.parametrize("state", ALL_STATES)
def test_a_notice_is_open_or_at_its_end(state: NoticeState) -> None:
    """The board has it in one of its two lists."""
    assert (state in OPEN) is not (state in ENDED)
    assert state not in ENDED or state == "withdrawn" or state in TAKEN
