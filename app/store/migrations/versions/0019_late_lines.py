"""Late cosignatures stand beside a frozen note."""

from __future__ import annotations

import logging

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

ORPHANS = (
    "FROM log_late WHERE NOT EXISTS (SELECT 1 FROM log_cosigned AS of WHERE of.log = log_late.log AND of.size = "
    "log_late.size)"
)

log = logging.getLogger("arc.store")


def upgrade() -> None:
    """Earlier versions kept late lines of rounds that froze no note, mostly because the clock had been set. Nothing
    refers to them. From here on such a line is a fault: a note was taken away from it."""
    count = op.get_bind().exec_driver_sql(f"SELECT count(*) {ORPHANS}").scalar_one()
    if count:
        log.warning(
            "%d late cosignatures of rounds that froze no checkpoint were taken out of the store; no proof needs them",
            count,
        )
        op.execute(f"DELETE {ORPHANS}")


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
