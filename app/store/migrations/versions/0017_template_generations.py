"""Each state of a template registry has a name that nobody can guess."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the first change of a template fills it."""
    op.execute("ALTER TABLE template_registry ADD COLUMN generation BLOB")


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
