"""What pages make of the frames: groups, percentiles, lines with gaps."""

from __future__ import annotations

import pytest

from app.capabilities.infrastructure.messages import Frame, Percentiles, StatusRecord
from app.console.frames.board import FrameBoard
from app.console.frames.standing import certificate_state
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning


@pytest.mark.parametrize(
    ("days", "state"),
    [(None, Meaning.IDLE), (397.0, Meaning.OK), (29.9, Meaning.WARN), (6.9, Meaning.BAD), (-1.0, Meaning.BAD)],
)
def test_a_certificate_presses_before_it_ends(days: float | None, state: Meaning) -> None:
    """A month before it warns, a week before it is red; one that nobody saw is not green."""
    assert certificate_state(days) is state


def frame(measured_at: str | None) -> Frame:
    """A frame as the list tells of it before its phases are known."""
    nothing = Percentiles(count=0, missed=0, p50=None, p95=None, p99=None, max=None)
    return Frame(
        peer_id="a-01", record=record(measured_at), phases=None, certificate_not_after=None, group=None, cipher=None,
        protocol=None, span=nothing, history=[],
    )  # fmt: skip


def record(measured_at: str | None) -> StatusRecord:
    """What is known of a frame."""
    return StatusRecord(
        node_id="N", status="OPERATIONAL", handshake_latency="0.81 ms" if measured_at else "", active_sovereign_nodes=1,
        uplink="", measured_at=measured_at,
    )  # fmt: skip


def test_a_latency_is_not_shown_beside_the_word_that_none_was_measured() -> None:
    """A first handshake heard on the stream waits for the phases and the certificate that belong to it."""
    live = record("2026-03-01T10:00:00.000000Z")
    unread = frame(None)
    assert FrameBoard.shown_record(unread, live) is unread.record
    assert FrameBoard.shown_record(frame("2026-03-01T09:00:00.000000Z"), live) is live


def test_the_list_is_behind_when_a_first_handshake_was_heard(session: WindowSession) -> None:
    """Then it is read again before its turn; a frame that never answered asks for nothing."""
    board = FrameBoard(session)
    board.frames = {"a-01": frame(None)}
    assert not board.behind
    session.live.latency["a-01"] = 0.81
    assert board.behind
