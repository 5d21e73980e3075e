"""Tables of the HR lifecycle: every call that a source signed, what was done to whom, periods, rosters."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, UniqueConstraint

from app.store.tables import integer, table, text

hr_event = table(
    "hr_event",
    integer("number", primary_key=True),
    text("event_id", unique=True),
    text("source"),
    text("key"),
    integer("received_us"),
    integer("at_us"),
    text("event"),
    text("employee_id", nullable=True),
    text("action"),
    text("reason", nullable=True),
    integer("weight"),
    integer("closed_us", nullable=True),
    text("closed_by", nullable=True),
    text("closed_reason", nullable=True),
    text("digest", nullable=True),
    UniqueConstraint("source", "key", name="hr_event_is_taken_once"),
)
_e = hr_event.c
_COUNTED = _e.weight > 0
Index("hr_event_by_time", _e.source, _e.received_us, _e.weight, sqlite_where=_COUNTED, postgresql_where=_COUNTED)
_OPEN = (_e.action == "operator_review") & _e.closed_us.is_(None)
Index("hr_event_open", _e.number, sqlite_where=_OPEN, postgresql_where=_OPEN)
"""The inbox. Rows are never deleted: they are the memory that makes a repeated call the first answer for ever, and what
the brake counts. ``weight``: nodes that a discharge is about, at least 1; 0 for every other event. ``digest``:
hexadecimal SHA-256 of the body, None for calls of before revision 0023 and of erased employees."""

hr_measure = table(
    "hr_measure",
    integer("number", ForeignKey("hr_event.number"), primary_key=True),
    text("node_id", primary_key=True),
    text("measure"),
    text("ref", nullable=True),
)
Index(
    "hr_measure_due",
    hr_measure.c.number,
    sqlite_where=hr_measure.c.ref.is_(None),
    postgresql_where=hr_measure.c.ref.is_(None),
)
"""What a discharge does to each node: burn, contain or queue. ``ref``: the burn's or containment's id, once durable."""

hr_period = table(
    "hr_period",
    text("employee_id", primary_key=True),
    integer("started_us", primary_key=True),
    text("cause"),
)
"""When an employment began, as we learned it: ``hire`` event, ``roster``, ``node`` (registered to the employee) or
``lift`` (a node of his came back)."""

hr_roster = table(
    "hr_roster",
    integer("number", primary_key=True),
    text("actor"),
    integer("posted_us"),
    integer("employees"),
    integer("employed"),
    integer("unlinked"),
    integer("differences"),
)

hr_difference = table(
    "hr_difference",
    text("kind", primary_key=True),
    text("employee_id", primary_key=True),
    text("node_id", primary_key=True),
    integer("since_us"),
)
"""What the newest roster and the nodes do not agree on; ``since_us``: the first roster that said so."""
