"""How the frames answered over a span, as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.infrastructure.messages import Frame, FrameList, HistoryPoint, Percentiles, StatusRecord
from app.console.pages.infrastructure.courses import Courses
from app.console.telemetry.past_frames import PastFrames


def point(minute: int, ms: float | None, missed: int = 0) -> HistoryPoint:
    """A minute in which all percentiles are one value."""
    handshake = Percentiles(count=0 if ms is None else 1, missed=missed, p50=ms, p95=ms, p99=ms, max=ms)
    return HistoryPoint(at=f"2026-01-01T00:{minute:02}:00.000000Z", handshake=handshake)


def frame(peer_id: str, *points: HistoryPoint) -> Frame:
    """A frame with that history."""
    record = StatusRecord(
        node_id=peer_id, status="OPERATIONAL", handshake_latency="1.00 ms", active_sovereign_nodes=1, uplink="none"
    )
    nothing = Percentiles(count=0, missed=0, p50=None, p95=None, p99=None, max=None)
    return Frame(
        peer_id=peer_id, record=record, phases=None, certificate_not_after=None, group=None, cipher=None,
        protocol=None, span=nothing, history=list(points),
    )  # fmt: skip


@pytest.fixture
def courses() -> Courses:
    """Three frames over three minutes: one misses the second one, one is never measured."""
    frames = [
        frame("a", point(0, 1.0), point(1, None, 2), point(2, 3.0)),
        frame("b", point(0, 10.0), point(1, 20.0, 1)),
        frame("c"),
    ]
    found = FrameList(
        items=frames, from_="2026-01-01T00:00:00.000000Z", to="2026-01-01T00:03:00.000000Z", step=60,
        probe_interval_ms=1000,
    )  # fmt: skip
    return Courses(PastFrames(found), ["a", "b", "c"])


def test_a_step_without_a_handshake_breaks_the_line(courses: Courses) -> None:
    assert courses.one(courses.p99, "a").tolist() == pytest.approx([1.0, np.nan, 3.0], nan_ok=True)
    assert np.isnan(courses.one(courses.p99, "nobody")).all()


def test_frames_that_answered_and_probes_that_were_missed(courses: Courses) -> None:
    """Of the frames that are asked for."""
    assert courses.count_answers().tolist() == [2, 1, 1]
    assert courses.count_missed(["a", "b"]).tolist() == [0, 3, 0]
    assert np.isnan(courses.count_missed(["c"])).all()


def test_the_middle_and_the_slowest_frame(courses: Courses) -> None:
    assert courses.middle().tolist() == [1.0, 20.0, 3.0]
    assert courses.slowest().tolist() == [10.0, 20.0, 3.0]


def test_cells_share_a_scale_that_holds_the_goal(courses: Courses) -> None:
    """A gap stays one, and a frame of which nothing was measured has no line."""
    cells = courses.cells(50.0)
    assert set(cells) == {"a", "b"}
    assert np.isnan(cells["a"].shares[1])
    assert cells["a"].shares[0] < cells["a"].shares[2] < cells["b"].shares[0] < cells["b"].shares[1]
    assert cells["a"].goal == cells["b"].goal
    assert cells["b"].shares[1] < (cells["b"].goal or 0) <= 1
