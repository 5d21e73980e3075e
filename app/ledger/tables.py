"""Tables of the two logs (``README.md``, sections 1 and 2). Columns and indexes of ``audit_entry``
and ``log_tile`` are final.

``action``, ``actor``, ``node`` and ``unit`` are ids of ``log_word``; ``outcome`` is 0 ACCEPTED, 1 DENIED, 2 FAILED.
There is no index on ``ts``: it never falls, so a range of time is a range of ``seq``. Entries that were received while
it stood still are found by their own clock.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import DDL, Index, event
from sqlalchemy import text as sql_text

from app.store.tables import blob, integer, metadata, table, text
from app.store.writer import ActOutcome

SEAL: Final = 0
AUDIT: Final = 1
"""The number of a log in ``log_tile``, ``log_head`` and the tables of cosignatures."""

OUTCOMES: Final = (ActOutcome.ACCEPTED, ActOutcome.DENIED, ActOutcome.FAILED)
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
CLOCK: Final = "CAST(CAST(substr(payload, 10, 16) AS TEXT) AS INTEGER)"
HAS_CLOCK: Final = "substr(payload, 1, 9) = CAST('{\"clock\":' AS BLOB)"
"""The raw clock of an entry whose time in the log is ahead of it, and whether it has one: ``clock`` is the first member
of a canonical payload."""
Index("audit_by_clock", sql_text(CLOCK), _c.seq, sqlite_where=sql_text(HAS_CLOCK))

log_tile = table("log_tile", integer("id", primary_key=True, autoincrement=False), blob("h"))
"""``id`` = log << 56 | level << 48 | index; full tiles only."""

log_head = table(
    "log_head",
    integer("log", primary_key=True, autoincrement=False),
    integer("size"),
    blob("root"),
    blob("note"),
)
"""One row for each log, rewritten by each commit; ``note`` is the log's own Ed25519 checkpoint."""

seal_entry = table(
    "seal_entry",
    integer("seq", primary_key=True, autoincrement=False),
    integer("ts"),
    text("knot_id"),
    blob("header"),
    blob("salt", nullable=True),
    blob("payload", nullable=True),
    Index("seal_by_knot", "knot_id", "seq"),
)

log_key = table(
    "log_key",
    integer("log", primary_key=True, autoincrement=False),
    integer("seq", primary_key=True, autoincrement=False),
    blob("ed25519"),
    blob("mldsa44"),
    integer("until_us"),
)
"""Index of the leaves ``log.key``: the public keys that sign every checkpoint of more than ``seq`` entries, and the
time until which the keys before them sign as well (``log/keys.py``)."""

log_cosigned = table(
    "log_cosigned",
    integer("log", primary_key=True, autoincrement=False),
    integer("size", primary_key=True, autoincrement=False),
    blob("note"),
    integer("quorum_at"),
    blob("token", nullable=True),
)
"""Checkpoints that met the quorum. ``note`` is frozen and deflated at that moment, ``quorum_at`` is in Unix seconds,
``token`` is the time stamp over the checkpoint's text. Every proof stands under one of these notes for ever, so rows
are never changed."""

log_late = table(
    "log_late",
    integer("log", primary_key=True, autoincrement=False),
    integer("size", primary_key=True, autoincrement=False),
    text("key_id", primary_key=True),
    text("line"),
)
"""Cosignature lines that came after the note was frozen."""

log_anchor = table(
    "log_anchor",
    integer("log", primary_key=True, autoincrement=False),
    integer("size", primary_key=True, autoincrement=False),
    text("authority", primary_key=True),
    integer("at_us"),
    blob("token"),
)
"""Time stamps of external authorities, by their URL, over cosigned checkpoints."""

state_sum = table(
    "state_sum",
    text("name", primary_key=True),
    text("columns"),
    integer("rows"),
    blob("sum"),
)
"""What the newest audit leaf states of each covered table (``state/``): its columns, joined by commas, how many rows,
and their sum. The row without a name holds the salt of the statement."""

state_row = table(
    "state_row",
    text("name", primary_key=True),
    text("key", primary_key=True),
    blob("digest"),
)
"""The digest of each covered row, by its table and key (``state/canonical.py``): it names the row that differs where a
table does not fit its sum. It goes with its row."""

# Contentless: the leaf is the proof, and an erased entry must be able to leave the search.
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
