"""Media scans with their pictures, and the addresses that media is fetched from."""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE media_source (
        media_source_id TEXT NOT NULL,
        display_name TEXT,
        cidrs TEXT NOT NULL,
        ports TEXT NOT NULL,
        hosts TEXT NOT NULL,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT media_source_key PRIMARY KEY (media_source_id)
    )
     STRICT
    """,
    """
    CREATE INDEX media_source_by_search ON media_source (media_source_id, search)
    """,
    """
    CREATE TABLE media_scan (
        scan_id TEXT NOT NULL,
        source TEXT NOT NULL,
        state TEXT NOT NULL,
        operator TEXT NOT NULL,
        request_id TEXT NOT NULL,
        url TEXT NOT NULL,
        url_sealed BLOB,
        callback_sealed BLOB,
        continuous INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        kills INTEGER NOT NULL,
        made_us INTEGER NOT NULL,
        started_us INTEGER,
        finished_us INTEGER,
        code TEXT,
        detail TEXT,
        kind TEXT,
        verdict TEXT,
        score REAL,
        far REAL,
        media TEXT,
        report TEXT,
        pictures TEXT,
        feed TEXT,
        CONSTRAINT media_scan_key PRIMARY KEY (scan_id)
    )
     STRICT
    """,
    """
    CREATE INDEX media_scan_by_start ON media_scan (made_us, scan_id)
    """,
    """
    CREATE INDEX media_scan_by_state ON media_scan (state, made_us)
    """,
    """
    CREATE TABLE media_picture (
        scan_id TEXT NOT NULL,
        layer TEXT NOT NULL,
        size INTEGER NOT NULL,
        png BLOB NOT NULL,
        CONSTRAINT media_picture_key PRIMARY KEY (scan_id, layer),
        CONSTRAINT media_picture_of_scan_id FOREIGN KEY(scan_id) REFERENCES media_scan (scan_id)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the tables; nothing was scanned before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
