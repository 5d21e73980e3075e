"""HR sources; signed calls of HR systems, what was done about them, periods of employment and rosters."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE hr_source (
        hr_source_id TEXT NOT NULL,
        scheme TEXT NOT NULL,
        display_name TEXT,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        next_secret_sealed BLOB,
        next_secret_changed_us INTEGER,
        max_discharges_per_minute INTEGER NOT NULL,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT hr_source_key PRIMARY KEY (hr_source_id)
    )
     STRICT
    """,
    """
    CREATE INDEX hr_source_by_search ON hr_source (hr_source_id, search)
    """,
    """
    CREATE TABLE hr_event (
        number INTEGER NOT NULL,
        event_id TEXT NOT NULL,
        source TEXT NOT NULL,
        "key" TEXT NOT NULL,
        received_us INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        event TEXT NOT NULL,
        employee_id TEXT,
        action TEXT NOT NULL,
        reason TEXT,
        weight INTEGER NOT NULL,
        closed_us INTEGER,
        closed_by TEXT,
        closed_reason TEXT,
        CONSTRAINT hr_event_key PRIMARY KEY (number),
        CONSTRAINT hr_event_is_taken_once UNIQUE (source, "key"),
        CONSTRAINT hr_event_one_event_id UNIQUE (event_id)
    )
     STRICT
    """,
    """
    CREATE INDEX hr_event_by_time ON hr_event (source, received_us, weight) WHERE weight > 0
    """,
    """
    CREATE INDEX hr_event_open ON hr_event (number) WHERE action = 'operator_review' AND closed_us IS NULL
    """,
    """
    CREATE TABLE hr_measure (
        number INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        measure TEXT NOT NULL,
        ref TEXT,
        CONSTRAINT hr_measure_key PRIMARY KEY (number, node_id),
        CONSTRAINT hr_measure_of_number FOREIGN KEY(number) REFERENCES hr_event (number)
    )
     STRICT
    """,
    """
    CREATE INDEX hr_measure_due ON hr_measure (number) WHERE ref IS NULL
    """,
    """
    CREATE TABLE hr_period (
        employee_id TEXT NOT NULL,
        started_us INTEGER NOT NULL,
        cause TEXT NOT NULL,
        CONSTRAINT hr_period_key PRIMARY KEY (employee_id, started_us)
    )
     STRICT
    """,
    """
    CREATE TABLE hr_roster (
        number INTEGER NOT NULL,
        actor TEXT NOT NULL,
        posted_us INTEGER NOT NULL,
        employees INTEGER NOT NULL,
        employed INTEGER NOT NULL,
        unlinked INTEGER NOT NULL,
        differences INTEGER NOT NULL,
        CONSTRAINT hr_roster_key PRIMARY KEY (number)
    )
     STRICT
    """,
    """
    CREATE TABLE hr_difference (
        kind TEXT NOT NULL,
        employee_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT hr_difference_key PRIMARY KEY (kind, employee_id, node_id)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the tables; no HR source was believed before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
