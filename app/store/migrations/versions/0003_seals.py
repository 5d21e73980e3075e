"""The seal log, cosigned checkpoints, and the time stamps over them."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE seal_entry (
        seq INTEGER NOT NULL,
        ts INTEGER NOT NULL,
        knot_id TEXT NOT NULL,
        header BLOB NOT NULL,
        salt BLOB,
        payload BLOB,
        CONSTRAINT seal_entry_key PRIMARY KEY (seq)
    )
     STRICT
    """,
    """
    CREATE INDEX seal_by_knot ON seal_entry (knot_id, seq)
    """,
    """
    CREATE TABLE log_cosigned (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        note BLOB NOT NULL,
        quorum_at INTEGER NOT NULL,
        token BLOB,
        CONSTRAINT log_cosigned_key PRIMARY KEY (log, size)
    )
     STRICT
    """,
    """
    CREATE TABLE log_late (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        key_id TEXT NOT NULL,
        line TEXT NOT NULL,
        CONSTRAINT log_late_key PRIMARY KEY (log, size, key_id)
    )
     STRICT
    """,
    """
    CREATE TABLE log_anchor (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        authority TEXT NOT NULL,
        at_us INTEGER NOT NULL,
        token BLOB NOT NULL,
        CONSTRAINT log_anchor_key PRIMARY KEY (log, size, authority)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the tables; nothing that was there changes."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
