"""Tables of the gateway: proofs that were used, permits."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import blob, integer, table, text

proof_used = table(
    "proof_used",
    blob("digest", primary_key=True),
    integer("until_us"),
    Index("proof_used_by_age", "until_us"),
)
"""``digest`` as in ``proof.Proof``. Kept until no clock could take the proof for a fresh one, across restarts."""

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
"""Every permit until a while after its end. ``burn_id``: the burn that revoked it; ``decision_id`` with ``decision``
(PERMIT, DENY): its one use. No foreign keys: a permit outlives its unit and its node, and is then denied."""
