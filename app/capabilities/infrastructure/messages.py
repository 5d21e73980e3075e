"""What crosses the wire of ``/v1/infrastructure/*``."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import NodeId, Reply, Request, Timestamp

MINUTES_KEPT_S, HOURS_KEPT_S = 24 * 3600, 30 * 24 * 3600
"""How long the service keeps the history of frames by the minute, and then by the hour, seconds."""
FrameStatus = Literal["OPERATIONAL", "DEGRADED", "UNREACHABLE", "MAINTENANCE"]
"""OPERATIONAL is the specification's; DEGRADED: a probe missed, or latency above 3 x its hour's median; UNREACHABLE:
two missed in a row; MAINTENANCE: the peer's row says so."""


class StatusQuery(Request, kw_only=True):
    """GET ``/v1/infrastructure/status``: this node without the parameter."""

    node_id: NodeId | None = None


class StatusRecord(Reply, kw_only=True):
    """Infrastructure status record (specification, part 2; the fields after ``uplink`` are ours).

    ``handshake_latency``: from ClientHello to the first server byte of the last handshake that succeeded, as in
    ``"2.41 ms"``; ``measured_at`` says when that was, so an old value cannot be mistaken for a new one. A frame with
    which no handshake ever succeeded has no latency: the text is then ``"NaN ms"``, which parses as a number but cannot
    be drawn, compared or averaged into a good one, and ``measured_at`` is null. ``uplink``: cipher suite and key
    exchange group of that handshake, read from the connection, as in ``"TLS_AES_256_GCM_SHA384 / X25519MLKEM768"``;
    ``"none"`` without a handshake.
    ``active_sovereign_nodes``: registered frames of level sovereign that are OPERATIONAL now (this node is not one).
    ``reason``: why the status is not OPERATIONAL.
    """

    node_id: str
    status: FrameStatus
    handshake_latency: Annotated[str, msgspec.Meta(pattern=r"^([0-9]+\.[0-9]{2}|NaN) ms\Z")]
    active_sovereign_nodes: int
    uplink: str
    measured_at: Timestamp | None = None
    reason: str | None = None


class Percentiles(Reply, kw_only=True):
    """Percentiles of the successful handshakes in a span, milliseconds: exact for the last hour, older within 2 %."""

    count: int
    missed: int
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None


class HistoryPoint(Reply, kw_only=True):
    """One step of history; ``at`` is its start. A step without a probe has no point."""

    at: Timestamp
    handshake: Percentiles


class FramePhases(Reply, kw_only=True):
    """The phases of the last handshake, in milliseconds: name resolution, TCP connect, TLS to the first server byte,
    TLS to the end. ``first_byte_ms``, from ClientHello to the first server byte, is the ``handshake_latency``."""

    resolve_ms: float
    connect_ms: float
    first_byte_ms: float
    handshake_ms: float


class Frame(Reply, kw_only=True):
    """One server frame with its history."""

    peer_id: str
    record: StatusRecord
    phases: FramePhases | None
    certificate_not_after: Timestamp | None
    group: str | None
    cipher: str | None
    protocol: str | None
    span: Percentiles
    history: list[HistoryPoint]


class NodesQuery(Request, kw_only=True):
    """GET ``/v1/infrastructure/nodes``: the half-open range of the history, and ``step`` in seconds.

    Without ``from`` the range is the hour before ``to``, or 1440 steps where these are less. A range that ends before
    it begins is empty. The reply has at most 1440 steps and 100,000 points in all: where ``step`` would need more, the
    smallest step that fits is used, and the reply says which. Measurements older than the last hour are kept by the
    minute for a day and by the hour for 30 days.
    """

    from_: Timestamp | None = msgspec.field(name="from", default=None)
    to: Timestamp | None = None
    step: Annotated[int, msgspec.Meta(ge=1, le=86400)] = 60


class FrameList(Reply, kw_only=True):
    """All registered server frames, by ``peer_id``. ``step``: seconds of a point, as used (see ``NodesQuery``)."""

    items: list[Frame]
    from_: Timestamp = msgspec.field(name="from")
    to: Timestamp
    step: int
    probe_interval_ms: int


class HandshakeSample(Reply, kw_only=True):
    """One probe: ``latency_ms`` from ClientHello to the first server byte, null when the probe was missed; ``status``:
    the frame's status after it."""

    peer_id: str
    node_id: str
    at: Timestamp
    latency_ms: float | None
    status: FrameStatus


class HandshakeEvent(Reply, kw_only=True):
    """Body of the telemetry event ``handshake``: the probes of registered frames that ended in a tick (250 ms)."""

    items: list[HandshakeSample]


class StatusEvent(Reply, kw_only=True):
    """Body of the telemetry event ``status``: a frame's status has changed."""

    peer_id: str
    before: FrameStatus
    record: StatusRecord
