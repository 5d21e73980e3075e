"""A burn says whether its node was known, and when it was received if it waited for the store."""

from __future__ import annotations

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; what the burns of before say of an unknown node stands in the evidence of their own target."""
    op.execute("ALTER TABLE burn ADD COLUMN known INTEGER DEFAULT 1 NOT NULL")
    op.execute("ALTER TABLE burn ADD COLUMN received_us INTEGER")
    op.execute(
        "UPDATE burn SET known = 0 WHERE burn_id IN (SELECT burn_id FROM burn_target "
        "WHERE target_id = 'local' AND evidence LIKE 'no such node is registered%')"
    )


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
