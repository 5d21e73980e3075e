"""What the newest audit leaf states of the store's rows, and the digest of each row."""

from __future__ import annotations

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE state_sum (
        name TEXT NOT NULL,
        columns TEXT NOT NULL,
        rows INTEGER NOT NULL,
        sum BLOB NOT NULL,
        CONSTRAINT state_sum_key PRIMARY KEY (name)
    )
     STRICT
    """,
    """
    CREATE TABLE state_row (
        name TEXT NOT NULL,
        "key" TEXT NOT NULL,
        digest BLOB NOT NULL,
        CONSTRAINT state_row_key PRIMARY KEY (name, "key")
    )
     STRICT
    """,
)


def upgrade() -> None:
    """The tables are empty until the next start: it states the rows that are there, by a leaf ``state.adopted``."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
