"""A site with rows in every table that the audit log states, closed, to be edited behind its back; and the edits."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Table, insert, update

import app.service.assembly
from app.ledger.check.rows import LogFault
from app.ledger.check.state import check_state
from app.ledger.log.append import AuditLog
from app.ledger.state.declared import DECIDES, LOOSE_COLUMNS, RECORDS
from app.site.site import Site
from app.store.engine import Store, open_snapshot
from app.store.keys import Kek, Keys
from app.store.tables import metadata
from app.store.writer import Transaction
from tests.door_site import door_site

assert app.service.assembly.TABLE  # Imported for its tables: the service's import declares all of them.

FILLED = 4
"""Rows that every covered table is given, beside those of real acts."""


def covered() -> list[Table]:
    """The covered tables, those first that others refer to."""
    return [table for table in metadata.sorted_tables if table.name in DECIDES | RECORDS]


def lay_out(path: Path) -> None:
    """Real acts at doors, then rows in every covered table, some of which are changed after ``older.db`` was copied."""
    with door_site(path) as site:
        site.cluster("lab", 2)
        for number in (1, 2, 3):
            site.person(f"ARC-{number}", clusters=["lab"], guid=str(uuid.UUID(int=number)))

        async def acts() -> None:
            for node_id in ("ARC-1", "ARC-2"):
                await site.sync(node_id, "lab")
            await site.burn("ARC-3")

        asyncio.run(acts())
        site.write(fill)
        site.write(lambda tx: tx.audit("test.filled", actor="tester", unit_id="unit-1"))
    copy_store(path, "older.db")
    open_once(path, change_some)


def copy_store(path: Path, name: str) -> None:
    """The closed store under another name."""
    with closing(sqlite3.connect(path / "store.db")) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    shutil.copyfile(path / "store.db", path / name)


def fill(tx: Transaction) -> None:
    """``FILLED`` rows for every covered table; references lead to rows of the same number."""
    for table in covered():
        for number in range(1, FILLED + 1):
            tx.connection.execute(insert(table).values(row(table, number)))


def row(table: Table, number: int) -> dict[str, object]:
    """A row of which every column says something of its own."""
    values: dict[str, object] = {}
    for column in table.columns:
        of = next((key.column.name for key in column.foreign_keys), column.name)
        words = f"{of}-{number}"
        whole = 1_000_000 + number
        kinds: dict[type, object] = {int: whole, float: whole + 0.3, str: words, bytes: words.encode()}
        values[column.name] = kinds[column.type.python_type]
    return values


def change_some(tx: Transaction) -> None:
    """Changes the first filled row of every table that has more than its key."""
    for table in covered():
        free = [
            column
            for column in table.columns
            if not column.primary_key and not column.foreign_keys and f"{table.name}.{column.name}" not in LOOSE_COLUMNS
        ]
        if free:
            key = next(iter(table.primary_key))
            value = row(table, 9)[free[-1].name]
            tx.connection.execute(update(table).where(key == row(table, 1)[key.name]).values({free[-1].name: value}))


def faults(store: Path) -> list[LogFault]:
    """What fsck says of the rows."""
    with closing(open_snapshot(store)) as connection:
        return list(check_state(connection))


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Store]:
    """The store of the site as its service opens it at a start. Raises ``StoreRefused``."""
    site = Site.open(path, "training")
    with closing(Keys(site.keys_path, Kek(bytes(32)))) as keys:
        log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
        with Store.open(site.store_path, log, sealer=keys.sealer) as store:
            yield store


def open_once(path: Path, job: Callable[[Transaction], Any] | None = None) -> None:
    """Opens the store, runs ``job`` and closes it. Raises ``StoreRefused``."""
    with opened(path) as store:
        if job is not None:
            store.writer.submit(job).result(30)


@dataclass(frozen=True)
class Edit:
    """One edit: of which table, and what was done."""

    table: str
    what: str


class StateEdits:
    """Edits that are drawn: rows deleted, inserted, exchanged, set back; values changed, by a word or by one bit."""

    KINDS = ("delete", "insert", "value", "value", "bit", "bit", "exchange", "older")

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def draw(self, path: Path) -> Edit | None:
        """Edits ``path``/store.db; None where the draw changed nothing, or the database refused it."""
        chance = self._chance
        table = metadata.tables[chance.choice(sorted(DECIDES | RECORDS))]
        kind = chance.choice(self.KINDS)
        columns = [one.name for one in table.columns if f"{table.name}.{one.name}" not in LOOSE_COLUMNS]
        with closing(sqlite3.connect(path / "store.db", isolation_level=None)) as raw:
            before = raw.execute(f"SELECT {', '.join(columns)} FROM {table.name} ORDER BY 1, 2").fetchall()
            rowid = chance.choice(raw.execute(f"SELECT rowid FROM {table.name}").fetchall())[0]
            try:
                what = getattr(self, f"_{kind}")(raw, table, columns, rowid, path)
            except sqlite3.IntegrityError:
                return None
            after = raw.execute(f"SELECT {', '.join(columns)} FROM {table.name} ORDER BY 1, 2").fetchall()
        return None if before == after else Edit(table.name, f"{kind} {what}")

    def _delete(self, raw: sqlite3.Connection, table: Table, _c: list[str], rowid: int, _p: Path) -> str:
        raw.execute(f"DELETE FROM {table.name} WHERE rowid = ?", (rowid,))
        return ""

    def _insert(self, raw: sqlite3.Connection, table: Table, _c: list[str], _r: int, _p: Path) -> str:
        values = row(table, self._chance.randrange(20, 10_000))
        marks = ", ".join("?" * len(values))
        raw.execute(f"INSERT INTO {table.name} ({', '.join(values)}) VALUES ({marks})", list(values.values()))
        return ""

    def _value(self, raw: sqlite3.Connection, table: Table, columns: list[str], rowid: int, _p: Path) -> str:
        column = self._chance.choice(columns)
        value = row(table, self._chance.randrange(20, 10_000))[column]
        if table.columns[column].nullable and self._chance.random() < 0.3:
            value = None
        raw.execute(f"UPDATE {table.name} SET {column} = ? WHERE rowid = ?", (value, rowid))
        return column

    def _bit(self, raw: sqlite3.Connection, table: Table, columns: list[str], rowid: int, _p: Path) -> str:
        column = self._chance.choice(columns)
        (value,) = raw.execute(f"SELECT {column} FROM {table.name} WHERE rowid = ?", (rowid,)).fetchone()
        changed: object = value
        if isinstance(value, int):
            changed = value ^ 1 << self._chance.randrange(40)
        elif isinstance(value, float):
            changed = value + 2**-20
        elif value:
            whole = bytearray(value.encode() if isinstance(value, str) else value)
            whole[self._chance.randrange(len(whole))] ^= 1 << self._chance.randrange(7)
            changed = whole.decode() if isinstance(value, str) else bytes(whole)
        raw.execute(f"UPDATE {table.name} SET {column} = ? WHERE rowid = ?", (changed, rowid))
        return column

    def _exchange(self, raw: sqlite3.Connection, table: Table, columns: list[str], rowid: int, _p: Path) -> str:
        """Two rows change what stands in one column."""
        column = self._chance.choice(columns)
        rows = raw.execute(f"SELECT rowid, {column} FROM {table.name}").fetchall()
        mine = dict(rows)[rowid]
        other, theirs = self._chance.choice(rows)
        raw.execute("BEGIN")
        raw.execute(f"UPDATE {table.name} SET {column} = ? WHERE rowid = ?", (theirs, rowid))
        raw.execute(f"UPDATE {table.name} SET {column} = ? WHERE rowid = ?", (mine, other))
        raw.execute("COMMIT")
        return column

    def _older(self, raw: sqlite3.Connection, table: Table, columns: list[str], _r: int, path: Path) -> str:
        """The first filled row as it was before it was changed."""
        raw.execute("ATTACH ? AS older", (str(path / "older.db"),))
        key = next(iter(table.primary_key))
        of = row(table, 1)[key.name]
        raw.execute(f"DELETE FROM main.{table.name} WHERE {key.name} = ?", (of,))
        names = ", ".join(one.name for one in table.columns)
        raw.execute(
            f"INSERT INTO main.{table.name} ({names}) SELECT {names} FROM older.{table.name} WHERE {key.name} = ?",
            (of,),
        )
        raw.execute("DETACH older")
        return ""
