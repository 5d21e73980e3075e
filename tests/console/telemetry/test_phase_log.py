"""The phases of handshakes as the window has read them."""

from __future__ import annotations

import pytest

from app.capabilities.infrastructure.messages import Frame, FramePhases, Percentiles, StatusRecord
from app.console.moments import api_time
from app.console.telemetry.phase_log import PhaseLog

START = 1_772_000_000.0


def frame(at: float | None, first_byte: float = 0.5) -> Frame:
    """A frame whose last handshake was at that time."""
    nothing = Percentiles(count=0, missed=0, p50=None, p95=None, p99=None, max=None)
    record = StatusRecord(
        node_id="N", status="OPERATIONAL", handshake_latency="0.50 ms", active_sovereign_nodes=1, uplink="none",
        measured_at=None if at is None else api_time(at),
    )  # fmt: skip
    phases = FramePhases(resolve_ms=0.0, connect_ms=0.1, first_byte_ms=first_byte, handshake_ms=first_byte + 0.4)
    return Frame(
        peer_id="a-01", record=record, phases=None if at is None else phases, certificate_not_after=None, group=None,
        cipher=None, protocol=None, span=nothing, history=[],
    )  # fmt: skip


def test_each_reading_brings_one_handshake() -> None:
    """That it is read twice does not make it two."""
    log = PhaseLog()
    for at in (0.0, 5.0, 5.0, 12.0):
        log.take([frame(START + at, 0.5 + at)])
    found = log.between("a-01", START, START + 20)
    assert found.shape == (4, 3)
    assert found[2].tolist() == pytest.approx([0.5, 5.5, 12.5])
    assert log.between("a-01", START, START + 5).shape == (4, 1)


def test_nothing_was_read() -> None:
    """Of a frame without a handshake, or of one that nobody knows."""
    log = PhaseLog()
    log.take([frame(None)])
    assert log.between("a-01", START, START + 60).shape == (4, 0)
    log.take([frame(START)])
    assert log.between("a-01", START + 60, START).shape == (4, 0)
    assert log.between("a-02", START, START + 60).shape == (4, 0)
