"""The revocation log: segments and their manifests."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE burn_segment (
        number INTEGER NOT NULL,
        burn_id TEXT NOT NULL,
        leaf INTEGER NOT NULL,
        body BLOB NOT NULL,
        sha256 TEXT NOT NULL,
        open TEXT NOT NULL,
        manifest BLOB,
        made_us INTEGER NOT NULL,
        CONSTRAINT burn_segment_key PRIMARY KEY (number),
        CONSTRAINT burn_segment_one_leaf UNIQUE (leaf)
    )
     STRICT
    """,
    """
    CREATE INDEX burn_segment_of ON burn_segment (burn_id, number)
    """,
    """
    CREATE INDEX burn_segment_unsigned ON burn_segment (number) WHERE manifest IS NULL
    """,
)


def upgrade() -> None:
    """Create the table; burns that were complete before it have no segment."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
