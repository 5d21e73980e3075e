"""Terminals: palm scanners and screens of rotating codes."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE terminal (
        terminal_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        display_name TEXT,
        public_key TEXT,
        thumbprint TEXT,
        encryption_key TEXT,
        registry_id TEXT NOT NULL,
        cluster_id TEXT,
        liveness_min INTEGER NOT NULL,
        offline INTEGER NOT NULL,
        slow_link INTEGER NOT NULL,
        legacy INTEGER NOT NULL,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT terminal_key PRIMARY KEY (terminal_id),
        CONSTRAINT terminal_key_is_used_once UNIQUE (thumbprint),
        CONSTRAINT terminal_of_cluster_id FOREIGN KEY(cluster_id) REFERENCES reader_cluster (cluster_id)
    )
     STRICT
    """,
    """
    CREATE INDEX terminal_by_cluster ON terminal (cluster_id)
    """,
    """
    CREATE INDEX terminal_by_search ON terminal (terminal_id, search)
    """,
)


def upgrade() -> None:
    """Create the table; no terminal was registered before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
