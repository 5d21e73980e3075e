"""What pages make of the frames: groups, percentiles, lines with gaps."""

from __future__ import annotations

import numpy as np
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


def test_a_minute_has_its_own_p99(session: WindowSession) -> None:
    """Whole minutes of the clock; one in which nothing was measured has none."""
    board, rings = FrameBoard(session), session.live.handshakes
    board.frames = {"a-01": frame(None), "a-02": frame(None)}
    start = 1_772_000_040.0 // 60 * 60
    for second in range(300):
        if not 120 <= second < 180:
            rings.put("a-01", start + second, 60.0 if second >= 240 else 2.0)
            rings.put("a-02", start + second, 1.0)
    rings.advance(start + 299)
    found = board.high(600, 60)
    assert found[-5:].tolist() == pytest.approx([2.0, 2.0, float("nan"), 2.0, 60.0], nan_ok=True)
    assert np.isnan(found[:-5]).all()


def test_seconds_of_a_frame_are_those_that_were_measured(session: WindowSession) -> None:
    """A median that was put there is none of them."""
    board, rings = FrameBoard(session), session.live.handshakes
    start = 1_772_000_000.0
    for second in (0, 1, 4):
        rings.put("a-01", start + second, 1.0 + second)
    rings.fill("a-01", start, np.full(5, 9.0, np.float32))
    x, y = board.seconds_of("a-01", start, start + 5)
    assert (x - start).tolist() == [0.0, 1.0, 4.0]
    assert y.tolist() == [1.0, 2.0, 5.0]


def test_frames_that_answered_are_counted(session: WindowSession) -> None:
    """Each once in every stretch; where none was measured, it is the measuring that was missing."""
    board, rings = FrameBoard(session), session.live.handshakes
    board.frames = {"a-01": frame(None), "a-02": frame(None)}
    start = 1_772_000_000.0
    for second in range(30):
        if second < 20:
            rings.put("a-01", start + second, 1.0)
        if second < 10:
            rings.put("a-02", start + second, 1.0)
    rings.advance(start + 29)
    assert board.count_answers(60, 10)[-3:].tolist() == pytest.approx([2.0, 1.0, float("nan")], nan_ok=True)


def test_a_moment_of_the_past_is_measured_by_what_was_then(session: WindowSession) -> None:
    """Values, percentiles and lines end at it; what came later is not in them."""
    board, rings = FrameBoard(session), session.live.handshakes
    board.frames = {"a-01": frame(None), "a-02": frame(None)}
    start = 1_772_000_000.0
    for second in range(120):
        rings.put("a-01", start + second, 1.0 if second < 60 else 100.0)
        if second != 59:
            rings.put("a-02", start + second, 2.0)
    board.moment = start + 59.5
    assert board.newest() == start + 60.0
    assert board.minute() == (1.0, 2.0, 119)
    x, y = board.line("a-01", 60)
    assert (x[-1], set(y[np.isfinite(y)])) == (start + 59.5, {1.0})
    board.moment = None
    assert board.minute()[1] == 100.0


def test_a_frame_of_then_answered_or_nothing_is_known(session: WindowSession) -> None:
    """Its status of then is not kept, so that none is named."""
    board, rings = FrameBoard(session), session.live.handshakes
    board.frames = {"a-01": frame(None), "a-02": frame(None)}
    rings.put("a-01", 1_772_000_000.0, 3.25)
    rings.put("a-02", 1_772_000_500.0, 3.25)
    board.moment = 1_772_000_001.0
    found = [(one.state, one.word) for one in board.past_nodes()]
    assert found == [(Meaning.OK, "Answered"), (Meaning.IDLE, "No sample")]


def test_a_median_of_then_is_no_handshake_of_that_moment(session: WindowSession) -> None:
    """Where this window was not listening, what stands round the moment is told, and named so."""
    board, rings = FrameBoard(session), session.live.handshakes
    board.frames = {"a-01": frame(None)}
    rings.advance(1_772_000_030.0)
    rings.fill("a-01", 1_772_000_000.0, np.full(20, 3.25, dtype=np.float32))
    board.moment = 1_772_000_010.0
    assert board.past_standing("a-01").hint == "3.25 ms, a median of the time around it"
    assert board.past_latency("a-01") is None


def test_a_stretch_of_medians_has_no_p99(session: WindowSession) -> None:
    """Neither in a minute nor in its line: the slow handshakes are not in them. What this window measured has one."""
    board, rings = FrameBoard(session), session.live.handshakes
    board.frames = {"a-01": frame(None)}
    start = 1_772_000_000.0
    rings.advance(start + 120)
    rings.fill("a-01", start, np.full(60, 3.25, dtype=np.float32))
    for second in range(60, 120):
        rings.put("a-01", start + second, 5.0)
    board.moment = start + 59.5
    assert board.minute() == (None, None, 0)
    _x, half, high = board.all_lines(60)
    assert (np.isfinite(half).all(), np.isfinite(high).any()) == (True, False)
    board.moment = start + 119.5
    assert board.minute() == (5.0, 5.0, 60)
