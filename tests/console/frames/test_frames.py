"""What pages make of the frames: groups, percentiles, lines with gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.infrastructure.messages import Frame, Percentiles, StatusRecord
from app.console.frames.board import FrameBoard
from app.console.frames.groups import caption, group_of
from app.console.frames.measurements import broken_line, nearest_rank, percentile_columns
from app.console.frames.standing import certificate_state
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning


@pytest.mark.parametrize(
    ("peer_id", "group"), [("training-a-07", "training-a"), ("hall_3", "hall"), ("db", "db"), ("42", "42")]
)
def test_a_group_is_all_before_the_last_number(peer_id: str, group: str) -> None:
    """Frames that differ in their last number belong together; an id that is one number stands alone."""
    assert group_of(peer_id) == group


def test_a_caption_reads_as_words() -> None:
    """Separators become spaces."""
    assert caption("training-a") == "Training a"


@given(
    st.lists(st.one_of(st.none(), st.floats(0.125, 65536.0, width=32)), min_size=1, max_size=60), st.floats(0.01, 1.0)
)
def test_percentiles_are_measured_values(column: list[float | None], share: float) -> None:
    """Nearest rank: never a value that nobody measured, NaN where there is none, both ways of computing agree."""
    values = np.array([[np.nan if value is None else value] for value in column], dtype=np.float32)
    found = percentile_columns(values, share)[0]
    good = np.sort(values[np.isfinite(values)])
    if not good.size:
        assert np.isnan(found)
        assert nearest_rank(values, share) is None
    else:
        assert found == good[max(0, int(np.ceil(share * good.size)) - 1)]
        assert nearest_rank(values, share) == found


def test_a_line_breaks_where_nothing_was_measured() -> None:
    """More than the gap apart, or with a missed probe between: no line is drawn across."""
    x, y = np.array([0.0, 1.0, 2.0, 9.0]), np.array([1.0, 1.0, 1.0, 1.0])
    _, broken = broken_line(x, y, 2.5, missed=(1.5,))
    assert [bool(value) for value in np.isnan(broken)] == [False, False, True, False, True, False]


def test_a_steady_line_is_whole() -> None:
    """Two probes in one second and none in the next are no gap."""
    x, y = np.array([0.0, 1.0, 3.0]), np.array([1.0, 1.0, 1.0])
    assert not np.isnan(broken_line(x, y, 2.5)[1]).any()


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
    assert FrameBoard.told(unread, live) is unread.record
    assert FrameBoard.told(frame("2026-03-01T09:00:00.000000Z"), live) is live


def test_the_list_is_behind_when_a_first_handshake_was_heard(session: WindowSession) -> None:
    """Then it is read again before its turn; a frame that never answered asks for nothing."""
    board = FrameBoard(session)
    board.frames = {"a-01": frame(None)}
    assert not board.behind
    session.live.latency["a-01"] = 0.81
    assert board.behind
