"""Tables of knot seals."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import integer, table, text

knot = table(
    "knot",
    text("knot_id", primary_key=True),
    integer("seq", unique=True),
    text("node_id"),
    text("standing"),
    integer("expires_us", nullable=True),
    text("consensus_seal", nullable=True, unique=True),
    Index("knot_by_node", "node_id", "seq"),
    Index("knot_by_end", "standing", "expires_us"),
)
"""Where a knot begins in the seal log and what its last leaf stated. ``consensus_seal`` is kept to be looked up; it
derives from the log for ever. ``expires_us``: end of the consent."""
