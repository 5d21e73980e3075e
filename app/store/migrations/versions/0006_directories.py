"""Directories, the accounts that a burn froze, drills."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE directory (
        directory_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        display_name TEXT,
        url TEXT NOT NULL,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        bind_dn TEXT,
        base_dn TEXT,
        dialect TEXT,
        audience TEXT,
        ca TEXT,
        timeout_ms INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT directory_key PRIMARY KEY (directory_id)
    )
     STRICT
    """,
    """
    CREATE INDEX directory_by_search ON directory (directory_id, search)
    """,
    """
    CREATE TABLE burn_subject (
        burn_id TEXT NOT NULL,
        target_id TEXT NOT NULL,
        directory_id TEXT NOT NULL,
        account TEXT,
        email TEXT,
        employee_id TEXT,
        CONSTRAINT burn_subject_key PRIMARY KEY (burn_id, target_id)
    )
     STRICT
    """,
    """
    ALTER TABLE burn ADD COLUMN drill INTEGER DEFAULT 0 NOT NULL
    """,
)


def upgrade() -> None:
    """Create the tables; burns that were there are no drills."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
