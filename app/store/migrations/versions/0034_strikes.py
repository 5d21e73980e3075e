"""Strikes, their notices, the notices' history, and what a strike pins."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE strike (
        strike_id TEXT NOT NULL,
        track BLOB NOT NULL,
        same BLOB,
        node_id TEXT,
        target TEXT,
        automated INTEGER NOT NULL,
        law TEXT NOT NULL,
        law_state TEXT,
        law_used TEXT NOT NULL,
        language TEXT NOT NULL,
        details TEXT,
        evidence TEXT,
        mandate TEXT,
        warnings TEXT NOT NULL,
        declaration BLOB,
        sha256 TEXT NOT NULL,
        pages INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        actor TEXT NOT NULL,
        leaf INTEGER NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        withdrawn_us INTEGER,
        ended_us INTEGER,
        CONSTRAINT strike_key PRIMARY KEY (strike_id),
        CONSTRAINT strike_one_track UNIQUE (track),
        CONSTRAINT strike_one_same UNIQUE (same)
    )
     STRICT
    """,
    """
    CREATE INDEX strike_by_time ON strike (created_us, strike_id)
    """,
    """
    CREATE INDEX strike_of_a_law ON strike (law, created_us)
    """,
    """
    CREATE INDEX strike_of_a_node ON strike (node_id, created_us)
    """,
    """
    CREATE TABLE strike_notice (
        notice_id TEXT NOT NULL,
        strike_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        platform TEXT NOT NULL,
        platform_name TEXT NOT NULL,
        kind TEXT NOT NULL,
        channel TEXT NOT NULL,
        address TEXT NOT NULL,
        language TEXT NOT NULL,
        state TEXT NOT NULL,
        missing TEXT NOT NULL,
        notice BLOB,
        notice_sha256 TEXT NOT NULL,
        jws TEXT,
        sent_us INTEGER,
        deadline_us INTEGER,
        deadline_basis TEXT,
        deadline_about INTEGER NOT NULL,
        follow_up_us INTEGER,
        due_us INTEGER NOT NULL,
        warn_us INTEGER,
        reference TEXT,
        decision TEXT,
        CONSTRAINT strike_notice_key PRIMARY KEY (notice_id),
        CONSTRAINT strike_notice_one_strike_id_platform_kind UNIQUE (strike_id, platform, kind),
        CONSTRAINT strike_notice_of_strike_id FOREIGN KEY(strike_id) REFERENCES strike (strike_id)
    )
     STRICT
    """,
    """
    CREATE INDEX strike_notice_by_clock ON strike_notice (state, deadline_us)
    """,
    """
    CREATE INDEX strike_notice_by_warning ON strike_notice (warn_us)
    """,
    """
    CREATE INDEX strike_notice_by_urgency ON strike_notice (due_us, notice_id)
    """,
    """
    CREATE TABLE strike_event (
        notice_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        state TEXT NOT NULL,
        actor TEXT NOT NULL,
        detail TEXT NOT NULL,
        leaf INTEGER NOT NULL,
        CONSTRAINT strike_event_key PRIMARY KEY (notice_id, number),
        CONSTRAINT strike_event_of_notice_id FOREIGN KEY(notice_id) REFERENCES strike_notice (notice_id)
    )
     STRICT
    """,
    """
    CREATE TABLE strike_file (
        strike_id TEXT NOT NULL,
        name TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        data BLOB,
        CONSTRAINT strike_file_key PRIMARY KEY (strike_id, name),
        CONSTRAINT strike_file_of_strike_id FOREIGN KEY(strike_id) REFERENCES strike (strike_id)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the tables; nothing was struck before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
