"""Approvals, and PIN resets of issued cards."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE approval (
        approval_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        node_id TEXT NOT NULL,
        card_guid TEXT,
        reason TEXT NOT NULL,
        state TEXT NOT NULL,
        requested_by TEXT NOT NULL,
        requested_us INTEGER NOT NULL,
        expires_us INTEGER NOT NULL,
        approved_by TEXT,
        approved_us INTEGER,
        rejected_by TEXT,
        rejected_us INTEGER,
        used_by TEXT,
        used_us INTEGER,
        CONSTRAINT approval_key PRIMARY KEY (approval_id)
    )
     STRICT
    """,
    """
    CREATE INDEX approval_by_request ON approval (requested_us, approval_id)
    """,
    """
    CREATE INDEX approval_by_subject ON approval (subject)
    """,
    """
    CREATE UNIQUE INDEX approval_open ON approval (kind, subject) WHERE state IN ('PENDING', 'APPROVED')
    """,
    """
    CREATE TABLE pin_reset (
        approval_id TEXT NOT NULL,
        provision_id TEXT NOT NULL,
        reader TEXT NOT NULL,
        state TEXT NOT NULL,
        pin BLOB,
        operator TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        stages TEXT NOT NULL,
        started_us INTEGER NOT NULL,
        finished_us INTEGER,
        code TEXT,
        detail TEXT,
        CONSTRAINT pin_reset_key PRIMARY KEY (approval_id),
        CONSTRAINT pin_reset_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    """,
    """
    CREATE INDEX pin_reset_by_provision ON pin_reset (provision_id)
    """,
)


def upgrade() -> None:
    """Create the new tables; what there is stays as it is."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
