"""The table that capabilities share: the open alarms."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import integer, table, text

alarm = table(
    "alarm",
    text("alarm_id", primary_key=True),
    text("kind"),
    text("key"),
    integer("since_us"),
    text("node_id", nullable=True),
    text("ref", nullable=True),
    text("text"),
    text("taken_by", nullable=True),
    integer("taken_us", nullable=True),
    text("note", nullable=True),
    Index("alarm_of_a_fact", "kind", "key", unique=True),
)
"""Open alarms only: a closed one is its leaves in the audit log. ``taken_by``, ``taken_us`` and ``note`` are those of
the newest ``alarm.taken`` leaf."""
