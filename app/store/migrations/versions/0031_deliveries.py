"""Signed calls to the URLs that API keys named, and the URLs that want none any more."""

from __future__ import annotations

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE delivery (
        delivery_id TEXT NOT NULL,
        kid TEXT NOT NULL,
        type TEXT NOT NULL,
        subject TEXT,
        url_sealed BLOB NOT NULL,
        shown_url TEXT NOT NULL,
        target BLOB NOT NULL,
        body BLOB NOT NULL,
        created_us INTEGER NOT NULL,
        state TEXT NOT NULL,
        ended_us INTEGER,
        attempts INTEGER NOT NULL,
        step INTEGER NOT NULL,
        next_us INTEGER,
        tried_us INTEGER,
        status INTEGER,
        fault TEXT,
        outcome TEXT,
        reference TEXT,
        note TEXT,
        outcome_by TEXT,
        outcome_us INTEGER,
        CONSTRAINT delivery_key PRIMARY KEY (delivery_id)
    )
     STRICT
    """,
    """
    CREATE INDEX delivery_by_state ON delivery (state, ended_us)
    """,
    """
    CREATE INDEX delivery_by_time ON delivery (created_us, delivery_id)
    """,
    """
    CREATE INDEX delivery_of_a_key ON delivery (kid, state)
    """,
    """
    CREATE INDEX delivery_of_a_subject ON delivery (subject)
    """,
    """
    CREATE TABLE delivery_gone (
        kid TEXT NOT NULL,
        target BLOB NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT delivery_gone_key PRIMARY KEY (kid, target)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the tables; nothing was delivered before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
