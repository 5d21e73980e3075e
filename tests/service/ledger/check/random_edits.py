"""Seeded edits of a store's file: rows and bytes, drawn; and what a reader of the logs would see of them."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from app.ledger.cosigned import inflate
from tests.service.ledger.check.tampers import LOG_TABLES

SHADOWS = ("audit_text_data", "audit_text_idx", "audit_text_config")


class Unreadable(Exception):
    """The file cannot be read to its end."""


def contents(path: Path) -> list[Any]:
    """Everything that the logs' tables hold, row by row, as their readers take it: notes unpacked, and the search index
    term by term. ``Unreadable`` if it cannot be read."""
    try:
        with closing(sqlite3.connect(path)) as raw:
            found: list[Any] = []
            for table in LOG_TABLES:
                for row in raw.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY rowid"):
                    found.append((table, _unpacked(table, row)))
            raw.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, audit_text, instance)")
            found += raw.execute("SELECT * FROM v").fetchall()
            if raw.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                raise Unreadable("integrity")
            return found
    except (sqlite3.Error, ValueError) as error:
        raise Unreadable(str(error)) from error


def _unpacked(table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row[:2], inflate(row[2]), *row[3:]) if table == "log_cosigned" else row


class RowEdits:
    """Edits of one row of a log's table: a value, a missing row, a second one, two values exchanged."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def draw(self, path: Path) -> str:
        """Edit the store; what was done, empty if the database refused it."""
        chance = self._chance
        with closing(sqlite3.connect(path, isolation_level=None)) as raw:
            table = chance.choice(LOG_TABLES)
            columns = [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]
            rowids = [row[0] for row in raw.execute(f"SELECT rowid FROM {table}")]
            rowid, other = chance.choice(rowids), chance.choice(rowids)
            column = chance.choice(columns)
            kind = chance.choice(("value", "value", "value", "delete", "copy", "exchange", "nothing"))
            try:
                if kind == "value":
                    (value,) = raw.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (rowid,)).fetchone()
                    raw.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (self._changed(value), rowid))
                elif kind == "delete":
                    raw.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
                elif kind == "copy":
                    key = columns[0] if table not in ("log_cosigned", "log_late", "log_anchor") else "size"
                    far = chance.choice((1, 7, 1 << 20))
                    rest = ", ".join(f"{key} + {far}" if name == key else name for name in columns)
                    raw.execute(f"INSERT INTO {table} SELECT {rest} FROM {table} WHERE rowid = ?", (rowid,))
                elif kind == "exchange":
                    value = f"(SELECT o.{column} FROM {table} AS o WHERE o.rowid = ? - {table}.rowid)"
                    raw.execute(
                        f"UPDATE {table} SET {column} = {value} WHERE rowid IN (?, ?)", (rowid + other, rowid, other)
                    )
                else:
                    raw.execute(f"UPDATE {table} SET {column} = NULL WHERE rowid = ?", (rowid,))
            except sqlite3.Error:
                return ""
            return f"{kind} of {table}.{column} at {rowid}"

    def _changed(self, value: Any) -> Any:
        chance = self._chance
        if value is None:
            return b"\x00" * 16
        if isinstance(value, int):
            return value + chance.choice((-1, 1, 1_000, -1_000_000))
        raw = bytearray(value.encode() if isinstance(value, str) else value)
        if not raw:
            return b"x"
        at = chance.randrange(len(raw))
        if isinstance(value, str):
            return value[: at % len(value)] + "~" + value[at % len(value) + 1 :]
        raw[at] ^= 1 << chance.randrange(8)
        return bytes(raw)


class ByteEdits:
    """Edits of one byte of the file, in the pages of the logs' tables, indexes and search."""

    def __init__(self, seed: int, path: Path) -> None:
        self._chance = random.Random(seed)
        self._pages = list(_pages(path))

    def draw(self, path: Path) -> str:
        """Edit the store; what was done."""
        chance = self._chance
        name, page, size = chance.choice(self._pages)
        at = (page - 1) * size + chance.randrange(size)
        with path.open("r+b") as file:
            file.seek(at)
            (byte,) = file.read(1)
            file.seek(at)
            file.write(bytes((byte ^ (1 << chance.randrange(8)),)))
        return f"byte {at} of {name}"


def _pages(path: Path) -> Iterator[tuple[str, int, int]]:
    with closing(sqlite3.connect(path)) as raw:
        names = [*LOG_TABLES, *SHADOWS]
        marks = ", ".join("?" * len(names))
        of = f"SELECT name FROM sqlite_master WHERE tbl_name IN ({marks}) AND rootpage > 0"
        yield from raw.execute(f"SELECT name, pageno, pgsize FROM dbstat WHERE name IN ({of})", names)
