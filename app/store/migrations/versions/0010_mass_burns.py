"""Lists of nodes that two keys burn."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE mass_burn (
        approval_id TEXT NOT NULL,
        reason TEXT NOT NULL,
        actor TEXT NOT NULL,
        request_id TEXT,
        created_us INTEGER NOT NULL,
        CONSTRAINT mass_burn_key PRIMARY KEY (approval_id)
    )
     STRICT
    """,
    """
    CREATE TABLE mass_burn_node (
        approval_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        burn_id TEXT NOT NULL,
        done_us INTEGER,
        CONSTRAINT mass_burn_node_key PRIMARY KEY (approval_id, position),
        CONSTRAINT mass_burn_node_of_approval_id FOREIGN KEY(approval_id) REFERENCES mass_burn (approval_id)
    )
     STRICT
    """,
    """
    CREATE INDEX mass_burn_node_open ON mass_burn_node (approval_id) WHERE done_us IS NULL
    """,
)


def upgrade() -> None:
    """Create the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
