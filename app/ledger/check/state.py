"""The rows that the audit log states, derived again: every covered row of the store against its newest leaf."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from app.ledger.check.rows import LogFault
from app.ledger.state.book import read_sums
from app.ledger.state.canonical import RowShape, prepare, read_rows, read_shapes, shown_key
from app.ledger.state.declared import DECIDES, RECORDS
from app.ledger.state.judge import judge_table
from app.ledger.state.sums import TableSum, root_of
from app.ledger.tree import leaf as leaves

_WHERE = "state_sum"


def check_state(connection: sqlite3.Connection) -> Iterator[LogFault]:
    """Every row that is not as the log states it. Nothing for a log whose newest leaf is of an earlier version: its
    rows are stated at the next start."""
    prepare(connection)
    last = connection.execute("SELECT seq, payload FROM audit_entry ORDER BY seq DESC LIMIT 1").fetchone()
    if last is None:
        return
    try:
        stated = leaves.read_payload(last[1]).state
    except (msgspec.MsgspecError, TypeError):
        yield LogFault("audit_entry", "the newest entry, which states the store's rows, cannot be read", last[0])
        return
    if stated is None:
        return
    salt, sums = read_sums(connection)
    if root_of(salt, sums) != stated:
        yield LogFault(_WHERE, "the sums of the store's rows are not those that the newest entry states", last[0])
    shapes = read_shapes(connection)
    for name in sorted(DECIDES | RECORDS):
        shape = shapes.get(name)
        if name not in sums:
            if shape is not None:
                yield LogFault(_WHERE, f"there is no sum of {name}")
            continue
        found = judge_table(connection, name, shape, sums[name])
        for fault in found:
            yield LogFault(fault.table, fault.what)
        if shape is not None and not found:
            yield from _judge_notes(connection, shape, sums[name])
    for (name,) in connection.execute("SELECT DISTINCT name FROM state_row"):
        if name not in sums:
            yield LogFault("state_row", f"digests of rows of {name}, of which the log states none")


def _judge_notes(connection: sqlite3.Connection, shape: RowShape, one: TableSum) -> Iterator[LogFault]:
    """Where the digests beside sound rows are not theirs: they would not name an edit that comes later."""
    name = shape.table
    noted = dict(connection.execute("SELECT key, digest FROM state_row WHERE name = ?", (name,)).fetchall())
    for text, digest in read_rows(connection, shape, one.columns):
        key = shape.key_of(text)
        if noted.pop(key, None) != digest:
            shown = shown_key(shape, key)
            yield LogFault("state_row", f"the digest of a row of {name} was changed: {shown}")
    if noted:
        yield LogFault("state_row", f"digests of {len(noted)} rows of {name} that are not there")
