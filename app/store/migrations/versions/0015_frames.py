"""Terminals' frames are used once, and probes are known again."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE terminal_counter (
        thumbprint TEXT NOT NULL,
        counter INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT terminal_counter_key PRIMARY KEY (thumbprint)
    )
     STRICT
    """,
    """
    CREATE TABLE terminal_nonce (
        thumbprint TEXT NOT NULL,
        nonce BLOB NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT terminal_nonce_key PRIMARY KEY (thumbprint, nonce)
    )
     STRICT
    """,
    """
    CREATE INDEX terminal_nonce_by_time ON terminal_nonce (at_us)
    """,
    """
    CREATE TABLE probe_seen (
        digest BLOB NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT probe_seen_key PRIMARY KEY (digest)
    )
     STRICT
    """,
    """
    CREATE INDEX probe_seen_by_time ON probe_seen (at_us)
    """,
)


def upgrade() -> None:
    """Create the tables; no terminal has sent a frame before them."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
