"""The canonical text of a row, made by SQLite itself: the same in a trigger, at a start and in fsck.

Columns in the order of ``columns_of``, the primary key first, joined by commas: ``-`` for NULL, an integer in decimal,
text and bytes in hexadecimal, a float as the hexadecimal digits of its eight bytes.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from app.ledger.state.declared import LOOSE_COLUMNS
from app.ledger.state.sums import row_digest

_FLOAT: Final = "float_bytes"


def prepare(connection: sqlite3.Connection) -> None:
    """Gives ``connection`` the function that these texts need."""
    connection.create_function(_FLOAT, 1, _float_bytes, deterministic=True)


def _float_bytes(value: object) -> str:
    # A float's digits differ between versions of SQLite, its bytes do not.
    return struct.pack(">d", value).hex() if isinstance(value, float) else f"no float: {value!r}"


def columns_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """The covered columns of ``table`` as the file has it: the primary key in its order, then the others; empty where
    there is no such table."""
    found = connection.execute("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", (table,)).fetchall()
    keys = [name for name, _ in sorted(((name, at) for name, at in found if at), key=lambda pair: pair[1])]
    rest = [name for name, at in found if not at and f"{table}.{name}" not in LOOSE_COLUMNS]
    return (*keys, *rest)


def key_width(connection: sqlite3.Connection, table: str) -> int:
    """How many columns the primary key of ``table`` has."""
    found = connection.execute("SELECT count(*) FROM pragma_table_info(?) WHERE pk", (table,)).fetchone()
    return int(found[0])


def row_text(connection: sqlite3.Connection, table: str, columns: Sequence[str], of: str = "") -> str:
    """The SQL expression of a row's text; ``of``: ``OLD.`` or ``NEW.`` in a trigger. ``LookupError`` for a column that
    the table does not have."""
    types = dict(connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall())
    return " || ',' || ".join(_column(f'{of}"{name}"', types[name]) for name in columns)


def _column(name: str, kind: str) -> str:
    match kind:
        case "INTEGER":
            return f"ifnull({name}, '-')"
        case "REAL":
            return f"iif({name} IS NULL, '-', {_FLOAT}({name}))"
        case _:
            return f"iif({name} IS NULL, '-', hex({name}))"


def read_rows(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The text and the digest of every row of ``table``."""
    for (text,) in connection.execute(f'SELECT {row_text(connection, table, columns)} FROM main."{table}"'):
        yield text, row_digest(table, text)


def key_of(text: str, width: int) -> str:
    """The part of a row's text that is its primary key."""
    return ",".join(text.split(",", width)[:width])


def shown_key(connection: sqlite3.Connection, table: str, key: str) -> str:
    """A key for people: ``node_id guard-1, cause burn``."""
    info = connection.execute("SELECT name, type, pk FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))
    parts = []
    for (name, kind, _), part in zip(info.fetchall(), key.split(","), strict=False):
        if kind == "TEXT":
            try:
                part = bytes.fromhex(part).decode()
            except ValueError:
                part = f"0x{part}"
        parts.append(f"{name} {part}")
    return ", ".join(parts)
