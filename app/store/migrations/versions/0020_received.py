"""Entries of the audit log are found by when they were received, where the log's time was ahead of the clock."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index; it holds only the entries whose payload has a clock of its own."""
    op.execute(
        "CREATE INDEX audit_by_clock ON audit_entry (CAST(CAST(substr(payload, 10, 16) AS TEXT) AS INTEGER), seq) "
        "WHERE substr(payload, 1, 9) = CAST('{\"clock\"\\:' AS BLOB)"
    )


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
