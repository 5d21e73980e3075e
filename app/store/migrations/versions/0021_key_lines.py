"""Which key made each key and drew each of its secrets."""

from __future__ import annotations

import json

from alembic import op
from sqlalchemy import text

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

UNKNOWN = "key_unknown"
_ACTS = """
    SELECT entry.ts, act.text, who.text, entry.payload FROM audit_entry AS entry
    JOIN log_word AS act ON act.id = entry.action
    JOIN log_word AS who ON who.id = entry.actor
    WHERE act.text IN ('keys.create', 'keys.rotate') AND entry.outcome = 0
"""


def upgrade() -> None:
    """Take the makers from the leaves. A key or secret whose leaf was erased is of one unknown maker with all such:
    none of them is another person than the others."""
    for table in ("api_key", "api_key_secret"):
        op.execute(f"ALTER TABLE {table} ADD COLUMN made_by TEXT")
    connection = op.get_bind()
    makers: dict[tuple[str, str, int], str | None] = {}
    for ts, act, who, payload in connection.execute(text(_ACTS)):
        if payload is not None:
            kid = json.loads(payload)["detail"]["kid"]
            makers[act, kid, ts] = who if who.startswith("key_") else None
    for kid, created_us in connection.execute(text("SELECT kid, created_us FROM api_key")).all():
        maker = makers.get(("keys.create", kid, created_us), UNKNOWN)
        connection.execute(text("UPDATE api_key SET made_by = :maker WHERE kid = :kid"), {"maker": maker, "kid": kid})
    secrets = connection.execute(text("SELECT digest, kid, created_us FROM api_key_secret")).all()
    for digest, kid, created_us in secrets:
        rotated = makers.get(("keys.rotate", kid, created_us), UNKNOWN)
        maker = makers.get(("keys.create", kid, created_us), rotated)
        connection.execute(
            text("UPDATE api_key_secret SET made_by = :maker WHERE digest = :digest"),
            {"maker": maker, "digest": digest},
        )


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
