"""Writes ``head.sql``, the schema at ``HEAD``, from the revisions.

``python -m app.store.migrations.head_writer``. The file is checked in, and a test compares it with what this writes:
a store that is made from it is the one that all revisions would have made.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import tempfile
from pathlib import Path

from app.store import migrations

_NOW = "CAST(strftime('%s', 'now') AS INTEGER) * 1000000"
_COMMENT = "-- The schema at HEAD, as the revisions make it. Generated: python -m app.store.migrations.head_writer\n"


def write() -> str:
    """The statements that make a migrated store of an empty file, one a line or more, without a transaction."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "store.db"
        migrations.migrate(path)
        with contextlib.closing(sqlite3.connect(path)) as raw:
            return _COMMENT + "".join(f"{statement};\n" for statement in _statements(raw))


def _statements(raw: sqlite3.Connection) -> list[str]:
    """Tables and indexes in the order in which they were made, then the rows that revisions left."""
    # The tables that a virtual table keeps for itself come with it.
    shadows = {name for name, kind in raw.execute("SELECT name, type FROM pragma_table_list") if kind == "shadow"}
    made = [
        (kind, name, statement)
        for kind, name, statement in raw.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        if name not in shadows
    ]
    tables = [name for kind, name, statement in made if kind == "table" and not statement.startswith("CREATE VIRTUAL")]
    return [statement for _, _, statement in made] + [row for name in tables for row in _rows(raw, name)]


def _rows(raw: sqlite3.Connection, table: str) -> list[str]:
    """The rows as statements. Their times are those of the moment in which a store is made."""
    columns = [name for (name,) in raw.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    values = " || ', ' || ".join(_value(column) for column in columns)
    found = raw.execute(f'SELECT {values} FROM "{table}"').fetchall()
    return [f'INSERT INTO "{table}" VALUES ({row})' for (row,) in found]


def _value(column: str) -> str:
    text = f'quote("{column}")'
    if not column.endswith("_us"):
        return text
    now = _NOW.replace("'", "''")
    return f"CASE WHEN \"{column}\" IS NULL THEN {text} ELSE '{now}' END"


def main() -> int:
    """Write the file; gives the exit status."""
    migrations.SCHEMA.write_text(write(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
