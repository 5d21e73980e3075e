"""Vocal signatures, and keyed digests of the recordings of a day."""

from __future__ import annotations

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE voice_signature (
        node_id TEXT NOT NULL,
        serial TEXT NOT NULL,
        sealed BLOB NOT NULL,
        seed_sealed BLOB NOT NULL,
        model_id TEXT NOT NULL,
        model_sha256 TEXT NOT NULL,
        takes INTEGER NOT NULL,
        quality INTEGER NOT NULL,
        speech_s REAL NOT NULL,
        gate_llr REAL NOT NULL,
        consent_us INTEGER,
        enrolled_us INTEGER NOT NULL,
        CONSTRAINT voice_signature_key PRIMARY KEY (node_id)
    )
     STRICT
    """,
    """
    CREATE UNIQUE INDEX voice_signature_one_serial ON voice_signature (serial)
    """,
    """
    CREATE TABLE voice_probe (
        number INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        digest BLOB NOT NULL,
        marks BLOB NOT NULL,
        synthetic INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT voice_probe_key PRIMARY KEY (number)
    )
     STRICT
    """,
    """
    CREATE INDEX voice_probe_by_digest ON voice_probe (digest)
    """,
    """
    CREATE INDEX voice_probe_by_node ON voice_probe (node_id, number)
    """,
    """
    CREATE INDEX voice_probe_by_time ON voice_probe (at_us)
    """,
)


def upgrade() -> None:
    """Create the tables; no voice was enrolled before."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
