"""Containments, lifted burns, and approvals about several things."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_APPROVAL = """
        approval_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        subjects TEXT DEFAULT '[]' NOT NULL,
        node_id TEXT,
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
"""
_KEPT = (
    "approval_id, kind, subject, node_id, card_guid, reason, state, requested_by, requested_us, expires_us, "
    "approved_by, approved_us, rejected_by, rejected_us, used_by, used_us"
)

STATEMENTS = (
    """
    CREATE TABLE containment (
        number INTEGER NOT NULL,
        containment_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        cause TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT,
        actor TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        until_us INTEGER,
        ended_us INTEGER,
        ended_by TEXT,
        burn_id TEXT,
        CONSTRAINT containment_key PRIMARY KEY (number),
        CONSTRAINT containment_one_containment_id UNIQUE (containment_id)
    )
     STRICT
    """,
    """
    CREATE UNIQUE INDEX containment_once ON containment (node_id, cause) WHERE ended_us IS NULL
    """,
    """
    CREATE INDEX containment_due ON containment (until_us) WHERE ended_us IS NULL
    """,
    """
    ALTER TABLE burn ADD COLUMN lifted_by TEXT
    """,
    # A column loses its NOT NULL by a new table alone.
    f"CREATE TEMPORARY TABLE approval_kept AS SELECT {_KEPT} FROM approval",
    "DROP TABLE approval",
    f"CREATE TABLE approval ({_APPROVAL}) STRICT",
    f"INSERT INTO approval ({_KEPT}) SELECT {_KEPT} FROM approval_kept",
    "DROP TABLE approval_kept",
    """
    CREATE INDEX approval_by_request ON approval (requested_us, approval_id)
    """,
    """
    CREATE INDEX approval_by_subject ON approval (subject)
    """,
    """
    CREATE UNIQUE INDEX approval_open ON approval (kind, subject) WHERE state IN ('PENDING', 'APPROVED')
    """,
)


def upgrade() -> None:
    """Create the tables; approvals that were there keep what they are about."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
