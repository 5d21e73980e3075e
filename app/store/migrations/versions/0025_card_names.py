"""The names of a card by which its earlier records are found, and the management keys that it refused."""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE refused_key (
        provision_id TEXT NOT NULL,
        mark TEXT NOT NULL,
        CONSTRAINT refused_key_key PRIMARY KEY (provision_id, mark),
        CONSTRAINT refused_key_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    """,
    """
    CREATE TABLE card_name (
        name TEXT NOT NULL,
        provision_id TEXT NOT NULL,
        CONSTRAINT card_name_key PRIMARY KEY (name, provision_id),
        CONSTRAINT card_name_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    """,
    """
    INSERT INTO card_name (name, provision_id)
    SELECT DISTINCT one.value, provision.provision_id FROM provision, json_each(provision.aliases) AS one
    """,
)


def upgrade() -> None:
    """Every record keeps its names in ``aliases`` already; the table finds them without reading all records."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
