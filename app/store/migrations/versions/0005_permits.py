"""Action permits."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE permit (
        jti TEXT NOT NULL,
        unit_id TEXT NOT NULL,
        action TEXT NOT NULL,
        resource TEXT NOT NULL,
        node_id TEXT,
        expires_us INTEGER NOT NULL,
        burn_id TEXT,
        decision TEXT,
        decision_id TEXT,
        CONSTRAINT permit_key PRIMARY KEY (jti)
    )
     STRICT
    """,
    """
    CREATE INDEX permit_by_end ON permit (expires_us)
    """,
    """
    CREATE INDEX permit_by_node ON permit (node_id)
    """,
)


def upgrade() -> None:
    """Create the table; nothing that was there changes."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
