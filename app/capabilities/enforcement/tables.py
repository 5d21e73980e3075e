"""Tables of strikes, their notices, the notices' history, and the files that a strike pins."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, UniqueConstraint

from app.store.tables import blob, integer, table, text

strike = table(
    "strike",
    text("strike_id", primary_key=True),
    blob("track", unique=True),
    blob("same", nullable=True, unique=True),
    text("node_id", nullable=True),
    text("target", nullable=True),
    integer("automated"),
    text("law"),
    text("law_state", nullable=True),
    text("law_used"),
    text("language"),
    text("details", nullable=True),
    text("evidence", nullable=True),
    text("mandate", nullable=True),
    text("warnings"),
    blob("declaration", nullable=True),
    text("sha256"),
    integer("pages"),
    integer("revision"),
    text("actor"),
    integer("leaf"),
    integer("created_us"),
    integer("changed_us"),
    integer("withdrawn_us", nullable=True),
    integer("ended_us", nullable=True),
    Index("strike_by_time", "created_us", "strike_id"),
    Index("strike_of_a_node", "node_id", "created_us"),
    Index("strike_of_a_law", "law", "created_us"),
)
"""``track``: the random part of its token. ``same``: what makes another call the same strike, while it is open.
``law_used``, ``details``, ``evidence``, ``warnings``: JSON of ``LawUsed``, ``StrikeRecord``, ``StrikeEvidence`` and a
list. ``declaration``: the signed PDF, ``sha256`` of it; ``leaf``: the audit entry that states it. ``ended_us``: every
notice has come to its end. An erasure empties ``target``, ``details``, ``evidence`` and ``declaration``."""

strike_notice = table(
    "strike_notice",
    text("notice_id", primary_key=True),
    text("strike_id", ForeignKey("strike.strike_id")),
    integer("number"),
    text("platform"),
    text("platform_name"),
    text("kind"),
    text("channel"),
    text("address"),
    text("language"),
    text("state"),
    text("missing"),
    blob("notice", nullable=True),
    text("notice_sha256"),
    text("jws", nullable=True),
    integer("sent_us", nullable=True),
    integer("deadline_us", nullable=True),
    text("deadline_basis", nullable=True),
    integer("deadline_about"),
    integer("follow_up_us", nullable=True),
    integer("due_us"),
    integer("warn_us", nullable=True),
    text("reference", nullable=True),
    text("decision", nullable=True),
    UniqueConstraint("strike_id", "platform", "kind"),
    Index("strike_notice_by_clock", "state", "deadline_us"),
    Index("strike_notice_by_warning", "warn_us"),
    Index("strike_notice_by_urgency", "due_us", "notice_id"),
)
"""What the law says of a notice; ``delivery`` has what becomes of it on its way, under the same id. ``missing``: JSON
of what it lacks. ``notice``: ``notice.json``, ``jws`` its signature. ``due_us``: what the board is ordered by.
``warn_us``: when the next alarm of its clock is due, NULL once it was raised."""

strike_event = table(
    "strike_event",
    text("notice_id", ForeignKey("strike_notice.notice_id"), primary_key=True),
    integer("number", primary_key=True),
    integer("at_us"),
    text("state"),
    text("actor"),
    text("detail"),
    integer("leaf"),
)
"""The history of a notice: each change with the number of its audit entry."""

strike_file = table(
    "strike_file",
    text("strike_id", ForeignKey("strike.strike_id"), primary_key=True),
    text("name", primary_key=True),
    text("sha256"),
    blob("data", nullable=True),
)
"""What a strike pins beside its documents: ``law/...`` (the law's folder as it was used) and ``evidence/...``."""
