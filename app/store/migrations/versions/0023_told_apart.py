"""Calls of an HR source under one id are told apart by their bodies; proofs stay used after their rows are deleted."""

from __future__ import annotations

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The bodies of earlier calls are not known any more: nothing is said about those."""
    op.execute("ALTER TABLE hr_event ADD COLUMN digest TEXT")
    # A proof may be a minute ahead of the time at which it was used; from here on its row counts from its own time.
    op.execute("UPDATE proof_used SET until_us = until_us + 60000000")
    op.execute(
        """
        CREATE TABLE proof_horizon (
            one INTEGER NOT NULL,
            iat INTEGER NOT NULL,
            CONSTRAINT proof_horizon_key PRIMARY KEY (one)
        )
         STRICT
        """
    )


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
