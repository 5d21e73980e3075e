"""The index of the leaves by which a log's keys were replaced."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE log_key (
        log INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        ed25519 BLOB NOT NULL,
        mldsa44 BLOB NOT NULL,
        until_us INTEGER NOT NULL,
        CONSTRAINT log_key_key PRIMARY KEY (log, seq)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the table: no keys were replaced before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
