"""The table of the approvals."""

from __future__ import annotations

from sqlalchemy import Index
from sqlalchemy import text as sql

from app.store.tables import integer, table, text

approval = table(
    "approval",
    text("approval_id", primary_key=True),
    text("kind"),
    text("subject"),
    text("subjects", server_default=sql("'[]'")),
    text("node_id", nullable=True),
    text("card_guid", nullable=True),
    text("reason"),
    text("state"),
    text("requested_by"),
    integer("requested_us"),
    integer("expires_us"),
    text("approved_by", nullable=True),
    integer("approved_us", nullable=True),
    text("rejected_by", nullable=True),
    integer("rejected_us", nullable=True),
    text("used_by", nullable=True),
    integer("used_us", nullable=True),
    Index("approval_by_request", "requested_us", "approval_id"),
    Index("approval_by_subject", "subject"),
)
_OPEN = sql("state IN ('PENDING', 'APPROVED')")
Index("approval_open", approval.c.kind, approval.c.subject, unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN)
"""``state`` is what the last leaf said; after ``expires_us`` an open one is EXPIRED. ``subject``: the provision_id, or
another text that is equal for the same thing; ``subjects``: as requested (JSON list of text; empty: the subject alone).
Kind and subject name one open approval."""
