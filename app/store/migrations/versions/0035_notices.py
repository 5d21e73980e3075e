"""Platforms, and notices to them beside the signed calls of the outbox."""

from __future__ import annotations

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE delivery ADD COLUMN channel TEXT DEFAULT 'callback' NOT NULL",
    "ALTER TABLE delivery ADD COLUMN platform_id TEXT",
    "ALTER TABLE delivery ADD COLUMN content_sha256 TEXT",
    "ALTER TABLE delivery ADD COLUMN content_bytes INTEGER",
    "ALTER TABLE delivery ADD COLUMN lease_us INTEGER",
    "ALTER TABLE delivery ADD COLUMN answer TEXT",
    "ALTER TABLE delivery ADD COLUMN decision TEXT",
    """
    CREATE INDEX delivery_of_a_platform ON delivery (platform_id, state)
    """,
    """
    CREATE TABLE notice_content (
        delivery_id TEXT NOT NULL,
        content BLOB NOT NULL,
        CONSTRAINT notice_content_key PRIMARY KEY (delivery_id),
        CONSTRAINT notice_content_of_delivery_id FOREIGN KEY(delivery_id) REFERENCES delivery (delivery_id)
    )
     STRICT
    """,
    """
    CREATE TABLE platform (
        platform_id TEXT NOT NULL,
        display_name TEXT NOT NULL,
        channel TEXT NOT NULL,
        address TEXT NOT NULL,
        framework_contacts TEXT NOT NULL,
        domains TEXT NOT NULL,
        default_named INTEGER NOT NULL,
        languages TEXT NOT NULL,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        ca TEXT,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT platform_key PRIMARY KEY (platform_id)
    )
     STRICT
    """,
    """
    CREATE INDEX platform_by_search ON platform (platform_id, search)
    """,
)


def upgrade() -> None:
    """Create the tables. What was delivered before went to the URL of an API key."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
