"""Tables of the frames' history: aggregates of spans, and the last success of each frame."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import blob, integer, real, table, text

frame_span = table(
    "frame_span",
    text("peer_id", primary_key=True),
    integer("span_s", primary_key=True),
    integer("start_s", primary_key=True),
    integer("missed"),
    blob("sketch"),
    Index("frame_span_by_age", "span_s", "start_s"),
)
"""``span_s`` 60 or 3600, ``start_s`` Unix seconds; ``sketch`` as in ``history.Sketch``. No leaves: a measurement
changes nothing that a person decided. Not tied to the peer's row: the past of a removed frame stays until it is old."""

frame_last = table(
    "frame_last",
    text("peer_id", primary_key=True),
    integer("at_us"),
    real("resolve_ms"),
    real("connect_ms"),
    real("first_byte_ms"),
    real("handshake_ms"),
    text("cipher"),
    text("group_name", nullable=True),
    text("protocol"),
    integer("not_after_us", nullable=True),
)
"""The last handshake that succeeded: a record shows it when a frame does not answer after a restart."""
