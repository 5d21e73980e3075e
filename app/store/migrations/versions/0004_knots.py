"""Knot seals."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE knot (
        knot_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        standing TEXT NOT NULL,
        expires_us INTEGER,
        consensus_seal TEXT,
        CONSTRAINT knot_key PRIMARY KEY (knot_id),
        CONSTRAINT knot_one_seq UNIQUE (seq),
        CONSTRAINT knot_one_consensus_seal UNIQUE (consensus_seal)
    )
     STRICT
    """,
    """
    CREATE INDEX knot_by_node ON knot (node_id, seq)
    """,
    """
    CREATE INDEX knot_by_end ON knot (standing, expires_us)
    """,
)


def upgrade() -> None:
    """Create the table; nothing that was there changes."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
