"""The tables that capabilities share: the open alarms, and what is delivered to others."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import blob, integer, table, text

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

delivery = table(
    "delivery",
    text("delivery_id", primary_key=True),
    text("kid"),
    text("type"),
    text("subject", nullable=True),
    blob("url_sealed"),
    text("shown_url"),
    blob("target"),
    blob("body"),
    integer("created_us"),
    text("state"),
    integer("ended_us", nullable=True),
    integer("attempts"),
    integer("step"),
    integer("next_us", nullable=True),
    integer("tried_us", nullable=True),
    integer("status", nullable=True),
    text("fault", nullable=True),
    text("outcome", nullable=True),
    text("reference", nullable=True),
    text("note", nullable=True),
    text("outcome_by", nullable=True),
    integer("outcome_us", nullable=True),
    Index("delivery_by_time", "created_us", "delivery_id"),
    Index("delivery_of_a_key", "kid", "state"),
    Index("delivery_of_a_subject", "subject"),
    Index("delivery_by_state", "state", "ended_us"),
)
"""Signed calls to a URL that an API key named: those still to be sent, and for a time those that are over. ``target``:
a keyed digest of the URL; ``step``: which wait of the schedule comes next; ``status`` and ``fault``: of the last
attempt."""

delivery_gone = table(
    "delivery_gone",
    text("kid", primary_key=True),
    blob("target", primary_key=True),
    integer("at_us"),
)
"""URLs whose receiver answered 410: nothing is sent there for that key until a person sends one again."""
