"""Keys that readers are to take, and where readers are while they are moved."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE reader ADD COLUMN pending_sealed BLOB",
    "ALTER TABLE reader ADD COLUMN pending_since_us INTEGER",
    "ALTER TABLE reader ADD COLUMN wire_address INTEGER",
    "ALTER TABLE reader ADD COLUMN wire_baud INTEGER",
)


def upgrade() -> None:
    """No key is pending, every reader is where it is registered."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
