"""What a burn does with an account that bears a person's e-mail address alone, by directory; and how the revocation log
told each target of a burn last."""

from __future__ import annotations

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE directory ADD COLUMN email_match TEXT DEFAULT 'link' NOT NULL",
    "ALTER TABLE burn_target ADD COLUMN told TEXT",
    """
    UPDATE burn_target
    SET told = CASE WHEN EXISTS (
        SELECT 1 FROM json_each((
            SELECT s.open FROM burn_segment AS s WHERE s.burn_id = burn_target.burn_id ORDER BY s.number DESC LIMIT 1
        )) AS o WHERE o.value = burn_target.target_id
    ) THEN 'open' ELSE state END
    WHERE EXISTS (SELECT 1 FROM burn_segment AS s WHERE s.burn_id = burn_target.burn_id)
    """,
)


def upgrade() -> None:
    """As before for each directory that is there: an account that no node names is not locked. What the segments that
    are there told stays told."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
