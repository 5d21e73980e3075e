"""The telemetry event ``access``: what a reader decided."""

from __future__ import annotations

from typing import Literal

from app.api.wire import Reply, Timestamp


class AccessEvent(Reply, kw_only=True):
    """Body of the telemetry event ``access``: a card at a reader. Never the card's bits; ``node_id`` null: the card is
    nobody's.

    ``reason``: granted, burned, contained, unknown_credential, wrong_cluster, outside_schedule, expired. ``ref``: the
    burn or containment behind a denial. ``latency_ms``: from the card event to the decision; ``epoch``: the newest
    change that the deciding thread knew.
    """

    reader_id: str
    cluster_id: str
    node_id: str | None
    decision: Literal["GRANT", "DENY"]
    reason: str
    ref: str | None
    latency_ms: float
    epoch: int
    at: Timestamp
