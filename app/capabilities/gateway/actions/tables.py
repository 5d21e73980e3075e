"""The table of action permits."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import integer, table, text

permit = table(
    "permit",
    text("jti", primary_key=True),
    text("unit_id"),
    text("action"),
    text("resource"),
    text("node_id", nullable=True),
    integer("expires_us"),
    text("burn_id", nullable=True),
    text("decision", nullable=True),
    text("decision_id", nullable=True),
    Index("permit_by_end", "expires_us"),
    Index("permit_by_node", "node_id"),
)
"""Every permit, until some time after its end. ``burn_id``: the burn that revoked it; ``decision_id`` with ``decision``
(PERMIT, DENY): its one use. No foreign keys: a permit may outlive its unit and its node, and is denied from then on."""
