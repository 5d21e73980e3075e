"""What terminals were given to decide by."""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE terminal_bundle (
        terminal_id TEXT NOT NULL,
        issue INTEGER NOT NULL,
        registry_id TEXT NOT NULL,
        key_epoch INTEGER NOT NULL,
        access_epoch INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        issued_us INTEGER NOT NULL,
        not_after_us INTEGER,
        CONSTRAINT terminal_bundle_key PRIMARY KEY (terminal_id)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the table; no terminal was given a bundle before it."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
