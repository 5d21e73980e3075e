"""Bundles of terminals by their number, with what a terminal says of having taken them."""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE terminal_bundle RENAME TO terminal_bundle_before",
    """
    CREATE TABLE terminal_bundle (
        terminal_id TEXT NOT NULL,
        issue INTEGER NOT NULL,
        sealed_to TEXT NOT NULL,
        head_sha256 BLOB,
        registry_id TEXT NOT NULL,
        key_epoch INTEGER NOT NULL,
        access_epoch INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        issued_us INTEGER NOT NULL,
        not_after_us INTEGER,
        taken_us INTEGER,
        CONSTRAINT terminal_bundle_key PRIMARY KEY (terminal_id, issue)
    )
     STRICT
    """,
    """
    INSERT INTO terminal_bundle
    SELECT terminal_id, issue, '', NULL, registry_id, key_epoch, 0, nodes, issued_us, not_after_us, NULL
    FROM terminal_bundle_before
    """,
    "DROP TABLE terminal_bundle_before",
)


def upgrade() -> None:
    """Nobody can acknowledge a bundle that was handed out before: it counts until it ends, no matter of
    which epoch it was, because the bundle before it may be in use as well."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
