"""Tables of the audit log (ledger.md section 2). Columns and indexes are final.

``action``, ``actor``, ``node`` and ``unit`` are ids of ``log_word``; ``outcome`` is 0 ACCEPTED, 1 DENIED, 2 FAILED.
There is no index on ``ts``: it never falls, so a range of time is a range of ``seq``.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import DDL, Index, event

from app.store.tables import blob, integer, metadata, table, text
from app.store.writer import Outcome

AUDIT: Final = 1
"""Number of the audit log in ``log_tile`` and ``log_head``; the seal log is 0."""

OUTCOMES: Final = (Outcome.ACCEPTED, Outcome.DENIED, Outcome.FAILED)
"""Outcome by its number."""

log_word = table("log_word", integer("id", primary_key=True), text("text", unique=True))

audit_entry = table(
    "audit_entry",
    integer("seq", primary_key=True, autoincrement=False),
    integer("ts"),
    integer("action"),
    integer("outcome"),
    integer("actor"),
    integer("node", nullable=True),
    integer("unit", nullable=True),
    blob("header"),
    blob("salt", nullable=True),
    blob("payload", nullable=True),
)
_c = audit_entry.c
Index("audit_by_node", _c.node, _c.seq, _c.actor, _c.action, _c.outcome, sqlite_where=_c.node.is_not(None))
Index("audit_by_unit", _c.unit, _c.seq, _c.actor, _c.action, _c.outcome, sqlite_where=_c.unit.is_not(None))
Index("audit_by_actor", _c.actor, _c.seq, _c.action, _c.outcome)
Index("audit_by_action", _c.action, _c.outcome, _c.seq)
Index("audit_by_outcome", _c.outcome, _c.seq, sqlite_where=_c.outcome != 0)

log_tile = table("log_tile", integer("id", primary_key=True, autoincrement=False), blob("h"))
"""``id`` = log << 56 | level << 48 | index; full tiles only."""

log_head = table(
    "log_head",
    integer("log", primary_key=True, autoincrement=False),
    integer("size"),
    blob("root"),
    blob("note"),
)
"""One row a log, rewritten by each commit; ``note`` is the log's own Ed25519 checkpoint."""

# The words stay out of the index: the proof is the leaf, and an erased entry must be able to leave the search.
event.listen(
    metadata,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "CREATE VIRTUAL TABLE IF NOT EXISTS audit_text USING fts5(words, content='', columnsize=0, "
        "tokenize='unicode61 remove_diacritics 2')"
    ).execute_if(dialect="sqlite"),
)


def tile_id(log: int, level: int, index: int) -> int:
    """Primary key of a tile."""
    return log << 56 | level << 48 | index
