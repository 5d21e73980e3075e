"""Server frames as people read them: what a filter leaves, which frames stand first, and which are folded."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.infrastructure.messages import FramePhases
from app.console.pages.infrastructure.words import (
    FrameRow,
    fold,
    fold_words,
    matches,
    phase_words,
    slowest_phase,
    worst_first,
)
from app.console.theme.tokens import Meaning


def row(**fields: Any) -> FrameRow:
    """A row whose other fields are empty."""
    texts = dict.fromkeys(FrameRow.__dataclass_fields__, "")
    return FrameRow(**{**texts, "state": Meaning.OK, "certificate_state": None, "high": None, "course": None, **fields})


@pytest.mark.parametrize(
    ("text", "found"), [("", True), ("HALL", True), ("hall operational", True), ("hall degraded", False)]
)
def test_a_row_matches_when_it_holds_every_word(text: str, found: bool) -> None:
    assert matches(row(peer_id="hall-a-01", word="Operational"), text) is found


FRAMES = (
    row(peer_id="calm", high=1.0),
    row(peer_id="unknown", state=Meaning.IDLE),
    row(peer_id="late", high=9.4),
    row(peer_id="slow", state=Meaning.WARN, high=66.0),
    row(peer_id="down", state=Meaning.BAD),
    row(peer_id="silent"),
)


def ids(rows: list[FrameRow]) -> list[str]:
    """Their ids."""
    return [one.peer_id for one in rows]


def test_what_is_not_operational_stands_first_then_the_slowest() -> None:
    """Failed, slow, unknown; then by p99, and one without any last."""
    assert ids(worst_first(FRAMES)) == ["down", "slow", "unknown", "late", "calm", "silent"]


def test_the_operational_rest_is_folded() -> None:
    """The slowest of them take the room that is left."""
    above, below = fold(worst_first(FRAMES), 4)
    assert ids(above) == ["down", "slow", "unknown", "late"]
    assert ids(below) == ["calm", "silent"]
    assert fold_words(below, past=False) == ("2 more, all operational", "slowest p99 1.0 ms")


def test_what_needs_somebody_is_never_folded() -> None:
    """However little room there is: a state, a goal that is missed, a certificate that presses."""
    ending = row(peer_id="ending", certificate_state=Meaning.WARN)
    above, below = fold(worst_first([*FRAMES, ending]), 1, goal=5.0)
    assert ids(above) == ["down", "slow", "unknown", "late", "ending"]
    assert ids(below) == ["calm", "silent"]


def test_the_chosen_frame_is_not_folded() -> None:
    """It takes the place of the fastest one that had room."""
    above, below = fold(worst_first(FRAMES), 4, kept={"silent"})
    assert ids(above) == ["down", "slow", "unknown", "silent"]
    assert ids(below) == ["late", "calm"]


def test_one_folded_frame_is_no_plural() -> None:
    assert fold_words([row(peer_id="calm")], past=False) == ("1 more, operational", "")
    assert fold_words([row(peer_id="calm")], past=True) == ("1 more, answered", "")


def test_no_phase_holds_another() -> None:
    """The handshake holds its first byte: what is left of it counts alone."""
    phases = FramePhases(resolve_ms=0.0, connect_ms=0.2, first_byte_ms=0.7, handshake_ms=2.0)
    assert slowest_phase(phases) == "Rest of TLS"
    assert phase_words(phases) == "Resolve 0.00 ms, Connect 0.20 ms, First byte 0.70 ms, Rest of TLS 1.30 ms"
    assert slowest_phase(None) == "–"


def test_a_frame_that_never_answered_has_no_phases_and_says_so() -> None:
    """No number is made up."""
    assert phase_words(None) == "No handshake was measured yet."
