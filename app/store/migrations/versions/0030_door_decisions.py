"""What doors decided, kept for a time."""

from __future__ import annotations

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE door_decision (
        number INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        node_id TEXT,
        reader_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        decision TEXT NOT NULL,
        reason TEXT NOT NULL,
        ref TEXT,
        latency_ms REAL NOT NULL,
        epoch INTEGER NOT NULL,
        CONSTRAINT door_decision_key PRIMARY KEY (number)
    )
     STRICT
    """,
    """
    CREATE INDEX door_decision_by_node ON door_decision (node_id, decision, number)
    """,
    """
    CREATE INDEX door_decision_by_time ON door_decision (at_us)
    """,
)


def upgrade() -> None:
    """Create the table; of what was decided before, nothing was kept."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
