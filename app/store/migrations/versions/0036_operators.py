"""Operators: persons at the desk, who could sign in as each, and what their passphrases are compared with."""

from __future__ import annotations

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE operator (
        operator_id TEXT NOT NULL,
        display_name TEXT NOT NULL,
        node_id TEXT,
        roles TEXT NOT NULL,
        methods TEXT NOT NULL,
        subject TEXT,
        state TEXT NOT NULL,
        admin_us INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT operator_key PRIMARY KEY (operator_id)
    )
     STRICT
    """,
    """
    CREATE INDEX operator_by_node_id ON operator (node_id)
    """,
    """
    CREATE INDEX operator_by_search_operator_id ON operator (search, operator_id)
    """,
    """
    CREATE TABLE operator_hand (
        operator_id TEXT NOT NULL,
        hand TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT operator_hand_key PRIMARY KEY (operator_id, hand),
        CONSTRAINT operator_hand_of_operator_id FOREIGN KEY(operator_id) REFERENCES operator (operator_id)
    )
     STRICT
    """,
    """
    CREATE TABLE operator_passphrase (
        operator_id TEXT NOT NULL,
        sealed BLOB NOT NULL,
        set_us INTEGER NOT NULL,
        CONSTRAINT operator_passphrase_key PRIMARY KEY (operator_id),
        CONSTRAINT operator_passphrase_of_operator_id FOREIGN KEY(operator_id) REFERENCES operator (operator_id)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Create the tables; a site of before has no operators."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
