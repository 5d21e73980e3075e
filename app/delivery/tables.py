"""The tables that capabilities share: the open alarms, and what is delivered to others."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index

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
    text("channel", server_default="callback"),
    text("platform_id", nullable=True),
    text("content_sha256", nullable=True),
    integer("content_bytes", nullable=True),
    integer("lease_us", nullable=True),
    text("answer", nullable=True),
    text("decision", nullable=True),
    Index("delivery_by_time", "created_us", "delivery_id"),
    Index("delivery_of_a_key", "kid", "state"),
    Index("delivery_of_a_subject", "subject"),
    Index("delivery_by_state", "state", "ended_us"),
    Index("delivery_of_a_platform", "platform_id", "state"),
)
"""What leaves the site: calls to URLs that API keys named (channel ``callback``; for a time those that are over too),
and notices to platforms (``mail``, ``https``, ``form``). ``target``: a keyed digest of the address; ``step``: which
wait of the schedule comes next; ``status``, ``fault`` and ``answer``: of the last attempt. Of notices alone: digest and
length of what ``notice_content`` holds; ``lease_us``: until when an attempt has the row."""

notice_content = table(
    "notice_content",
    text("delivery_id", ForeignKey("delivery.delivery_id"), primary_key=True),
    blob("content"),
)
"""What a notice is made of while it is held, and the very bytes that leave from then on (``notice_content.py``). Apart
from ``delivery``, whose rows change with each attempt."""

delivery_gone = table(
    "delivery_gone",
    text("kid", primary_key=True),
    blob("target", primary_key=True),
    integer("at_us"),
)
"""URLs whose receiver answered 410: nothing is sent there for that key until a person sends one again."""
