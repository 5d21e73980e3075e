"""The canonical text of a row, made by SQLite itself: the same in a trigger, at a start and in fsck.

Columns in the order of ``RowShape.columns``, the primary key first, joined by commas: ``-`` for NULL, an integer in
decimal, text and bytes in hexadecimal, a float as the hexadecimal digits of its eight bytes.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class RowShape:
    """How the rows of one table lie in the file. ``columns``: the covered ones, the primary key in its order, then the
    others; ``width``: how many of them are the primary key; ``types``: as declared, of every column."""

    table: str
    columns: tuple[str, ...]
    width: int
    types: Mapping[str, str]

    def text(self, columns: Sequence[str], of: str = "") -> str:
        """The SQL expression of a row's text; ``of``: ``OLD.`` or ``NEW.`` in a trigger. ``LookupError`` for a column
        that the table does not have."""
        return " || ',' || ".join(_column(f'{of}"{name}"', self.types[name]) for name in columns)

    def key_of(self, text: str) -> str:
        """The part of a row's text that is its primary key."""
        return ",".join(text.split(",", self.width)[: self.width])


def read_shapes(connection: sqlite3.Connection) -> dict[str, RowShape]:
    """The shapes of all tables of the file, by name; in one statement, since a table of its own for each column costs
    more than the rest of a start."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for table, name, kind, pk in connection.execute(
        "SELECT t.name, i.name, i.type, i.pk FROM main.sqlite_master AS t, pragma_table_info(t.name, 'main') AS i "
        "WHERE t.type = 'table' ORDER BY t.name, i.cid"
    ):
        found.setdefault(table, []).append((name, kind, pk))
    return {table: _shape(table, columns) for table, columns in found.items()}


def _shape(table: str, found: Sequence[tuple[str, str, int]]) -> RowShape:
    keys = [name for pk, name in sorted((pk, name) for name, _, pk in found if pk)]
    rest = [name for name, _, pk in found if not pk and f"{table}.{name}" not in LOOSE_COLUMNS]
    return RowShape(table, (*keys, *rest), len(keys), {name: kind for name, kind, _ in found})


def _column(name: str, kind: str) -> str:
    match kind:
        case "INTEGER":
            return f"ifnull({name}, '-')"
        case "REAL":
            return f"iif({name} IS NULL, '-', {_FLOAT}({name}))"
        case _:
            return f"iif({name} IS NULL, '-', hex({name}))"


def read_rows(connection: sqlite3.Connection, shape: RowShape, columns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The text and the digest of every row of the table."""
    for (text,) in connection.execute(f'SELECT {shape.text(columns)} FROM main."{shape.table}"'):
        yield text, row_digest(shape.table, text)


def shown_key(shape: RowShape, key: str) -> str:
    """A key for people: ``node_id guard-1, cause burn``."""
    parts = []
    for name, part in zip(shape.columns[: shape.width], key.split(","), strict=False):
        if shape.types[name] == "TEXT":
            try:
                part = bytes.fromhex(part).decode()
            except ValueError:
                part = f"0x{part}"
        parts.append(f"{name} {part}")
    return ", ".join(parts)
