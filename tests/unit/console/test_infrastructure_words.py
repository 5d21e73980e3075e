"""Server frames as people read them: the lines of a frame's history, and what a filter leaves."""

from __future__ import annotations

import math
from typing import Any

import pytest

from app.capabilities.infrastructure.messages import HistoryPoint, Percentiles
from app.console.pages.infrastructure.words import FrameRow, history_lines, matches
from app.console.theme.tokens import Meaning

FIRST = 1_767_225_600.0
"""2026-01-01T00:00:00Z."""


def point(minute: int, p50: float | None) -> HistoryPoint:
    """A minute of history in which all percentiles are one value."""
    handshake = Percentiles(count=1, missed=0, p50=p50, p95=p50, p99=p50, max=p50)
    return HistoryPoint(at=f"2026-01-01T00:{minute:02}:00.000000Z", handshake=handshake)


def test_a_history_without_a_handshake_has_no_lines() -> None:
    assert history_lines([point(0, None)], 60.0) == {}


def test_a_step_stands_at_its_start() -> None:
    x, y = history_lines([point(0, 2.0), point(1, 3.0)], 60.0)["p50"]
    assert list(x) == pytest.approx([FIRST, FIRST + 60])
    assert list(y) == [2.0, 3.0]


def test_a_step_without_a_handshake_breaks_the_line() -> None:
    _, y = history_lines([point(0, 2.0), point(1, None), point(2, 3.0)], 60.0)["max"]
    assert [math.isnan(value) for value in y] == [False, True, False]


def row(**fields: Any) -> FrameRow:
    """A row whose other fields are empty."""
    texts = dict.fromkeys(FrameRow.__dataclass_fields__, "")
    return FrameRow(**{**texts, "state": Meaning.OK, "certificate_state": None, **fields})


@pytest.mark.parametrize(
    ("text", "found"), [("", True), ("HALL", True), ("hall operational", True), ("hall degraded", False)]
)
def test_a_row_matches_when_it_holds_every_word(text: str, found: bool) -> None:
    assert matches(row(peer_id="hall-a-01", word="Operational"), text) is found
