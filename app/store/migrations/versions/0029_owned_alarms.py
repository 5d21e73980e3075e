"""Who took an alarm, when, and what that owner said."""

from __future__ import annotations

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; nobody has taken what was open before."""
    for column in ("taken_by TEXT", "taken_us INTEGER", "note TEXT"):
        op.execute(f"ALTER TABLE alarm ADD COLUMN {column}")


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
