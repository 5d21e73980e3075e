"""Tables of credential sync: who may pass where until when, and what each sync reached."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index

from app.store.tables import integer, real, table, text

reader_grant = table(
    "reader_grant",
    text("profile_id", primary_key=True),
    text("cluster_id", primary_key=True),
    text("node_id"),
    integer("not_after_us"),
    integer("epoch"),
    text("sync_id"),
    integer("ended_us", nullable=True),
    text("ended_why", nullable=True),
    Index("reader_grant_by_node", "node_id"),
)
"""One row a profile and cluster; a new sync writes it anew. ``ended_us``: taken away before its time (burn, fall of
standing, profile changed), ``ended_why`` says by what. No foreign keys: what was granted outlives its profile."""

sync = table(
    "sync",
    text("sync_id", primary_key=True),
    text("profile_id"),
    text("cluster_id"),
    text("node_id"),
    integer("epoch"),
    integer("not_after_us"),
    text("standing"),
    integer("verified_us", nullable=True),
    integer("created_us"),
    Index("sync_by_node", "node_id"),
    Index("sync_by_time", "created_us"),
)
"""Kept for ``syncs.KEPT_US``: longer than any grant lives; the audit log keeps it for ever."""

sync_reader = table(
    "sync_reader",
    text("sync_id", ForeignKey("sync.sync_id"), primary_key=True),
    text("reader_id", primary_key=True),
    integer("position"),
    text("state"),
    integer("secure_channel"),
    text("firmware", nullable=True),
    real("latency_ms", nullable=True),
    text("detail", nullable=True),
    Index("sync_reader_by_state", "state", "reader_id"),
)
"""A row is ``pending_offline`` from the sync's own transaction on, until its reader proved more."""

door_decision = table(
    "door_decision",
    integer("number", primary_key=True, autoincrement=False),
    integer("at_us"),
    text("node_id", nullable=True),
    text("reader_id"),
    text("cluster_id"),
    text("decision"),
    text("reason"),
    text("ref", nullable=True),
    real("latency_ms"),
    integer("epoch"),
    Index("door_decision_by_node", "node_id", "decision", "number"),
    Index("door_decision_by_time", "at_us"),
)
"""What a door or terminal decided, as its telemetry event told it; numbered in the order in which they came. Nobody
obeys it, no leaf states it, and it is kept for a time (``decisions``)."""
