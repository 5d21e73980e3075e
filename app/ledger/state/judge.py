"""Judges a table's rows by the sum that the log states of them, and says which rows differ."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from app.ledger.state.canonical import RowShape, read_rows, shown_key
from app.ledger.state.sums import TableSum, lanes_of, row_digest, sum_of

_NAMED: Final = 20
"""Rows of one table that are named; a longer list helps nobody."""


@dataclass(frozen=True)
class StateFault:
    """One row that is not as the log states it. ``kind``: ``extra``, ``missing``, ``changed``, or ``unnamed`` where
    only the table can be named."""

    table: str
    kind: Literal["extra", "missing", "changed", "unnamed"]
    what: str


def judge_table(
    connection: sqlite3.Connection, table: str, shape: RowShape | None, stated: TableSum
) -> list[StateFault]:
    """What differs between the rows of ``table`` and what is ``stated`` of them. Never empty where the sums differ.
    ``shape``: the table as the file has it, ``None`` where it has none."""
    if shape is None:
        return [StateFault(table, "unnamed", "its rows cannot be read: there is no such table")]
    try:
        rows = list(read_rows(connection, shape, stated.columns))
    except (sqlite3.Error, KeyError, UnicodeDecodeError) as error:
        return [StateFault(table, "unnamed", f"its rows cannot be read: {error}")]
    if sum_of(stated.columns, (digest for _, digest in rows)) == stated:
        return []
    named = list(_name(connection, shape, stated, [text for text, _ in rows]))
    return named or [_table_fault(table, stated, len(rows))]


def _table_fault(table: str, stated: TableSum, found: int) -> StateFault:
    return StateFault(
        table,
        "unnamed",
        "its rows are not those that the log states, and what would name them was changed with them "
        f"({stated.rows} rows stated, {found} found)",
    )


def _name(connection: sqlite3.Connection, shape: RowShape, stated: TableSum, texts: list[str]) -> Iterator[StateFault]:
    """The rows that differ from the digests noted beside them. Those are believed only where they give the stated
    sum."""
    table = shape.table
    noted = dict(connection.execute("SELECT key, digest FROM state_row WHERE name = ?", (table,)).fetchall())
    if lanes_of(noted.values()).tobytes() != stated.value:
        return
    faults = []
    for text in texts:
        key = shape.key_of(text)
        digest = noted.pop(key, None)
        if digest is None:
            faults.append(("extra", key, "is in no leaf: somebody inserted it"))
        elif digest != row_digest(table, text):
            faults.append(("changed", key, "is not as its leaf left it"))
    faults += [("missing", key, "is missing: no leaf took it away") for key in noted]
    for kind, key, what in faults[:_NAMED]:
        yield StateFault(table, kind, f"the row {shown_key(shape, key)} {what}")  # type: ignore[arg-type]
    if len(faults) > _NAMED:
        kind = "extra" if all(kind == "extra" for kind, _, _ in faults) else "changed"
        yield StateFault(table, kind, f"{len(faults) - _NAMED} more rows differ")  # type: ignore[arg-type]
