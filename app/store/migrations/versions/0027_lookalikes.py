"""Ids that look alike are found by an index: nodes, and ids that are denied."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_SKELETON = "(replace(replace(replace(lower(node_id), 'o', '0'), 'i', '1'), 'l', '1'))"


def upgrade() -> None:
    """Add the indexes. They are not unique: a site may have such ids from before, and they stay."""
    op.execute(f"CREATE INDEX node_by_skeleton ON node {_SKELETON}")
    op.execute(f"CREATE INDEX deny_by_skeleton ON deny {_SKELETON}")


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
