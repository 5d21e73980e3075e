"""Template registries and the sealed templates in them."""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE template_registry (
        template_registry_id TEXT NOT NULL,
        alg INTEGER NOT NULL,
        key_epoch INTEGER NOT NULL,
        renewed_us INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT template_registry_key PRIMARY KEY (template_registry_id)
    )
     STRICT
    """,
    """
    CREATE INDEX template_registry_by_search ON template_registry (template_registry_id, search)
    """,
    """
    CREATE TABLE template (
        registry_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        enrolled_us INTEGER NOT NULL,
        CONSTRAINT template_key PRIMARY KEY (registry_id, node_id, position),
        CONSTRAINT template_of_registry_id FOREIGN KEY(registry_id)
        REFERENCES template_registry (template_registry_id)
    )
     STRICT
    """,
    """
    CREATE INDEX template_by_node ON template (node_id)
    """,
    """
    INSERT INTO template_registry
    SELECT 'default', 1, 1, NULL, '[]', 'default' || char(10), now_us, now_us
    FROM (SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000 AS now_us)
    """,
)


def upgrade() -> None:
    """Create the tables and the registry that always exists."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
