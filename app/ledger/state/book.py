"""The state that the log states: what changed in a commit, and the digest of all rows that its last leaf carries.

Triggers of the write connection note each changed row; a job that is taken back takes its notes with it. Just before
COMMIT the notes become new sums (``sums.TableSum``), and the last audit leaf of the commit is given their digest
(payload member ``state``). So the newest leaf of the log always states all rows, and a row that somebody edits behind
the writer no longer fits it: the sums go on from what the log stated, not from what is found.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable
from typing import Final

from app.ledger.state.canonical import RowShape, prepare, read_rows, read_shapes
from app.ledger.state.declared import CLOSING, DECIDES, RECORDS
from app.ledger.state.judge import StateFault, judge_table
from app.ledger.state.sums import TableSum, root_of, row_digest, sum_of
from app.store.errors import StoreRefused

_log = logging.getLogger("arc.ledger")

ADOPTED: Final = "state.adopted"
"""Action of the leaf that states rows which an earlier version of this program, or of its schema, left."""
CHANGED: Final = "state.changed"
"""Action of the leaf of a commit that changed rows and had no leaf of its own."""
ACTOR: Final = "service"
_SALT: Final = ""
"""Name of the row of ``state_sum`` that holds the salt."""
_COVERED: Final = sorted(DECIDES | RECORDS)
_ADVICE: Final = (
    "Keep this store as evidence, restore the newest backup whose fsck is clean, and burn again whom the audit log "
    "shows as burned since."
)


def read_sums(connection: sqlite3.Connection) -> tuple[bytes, dict[str, TableSum]]:
    """The salt and the stored sums. ``sqlite3.Error`` or ``ValueError`` where they cannot be read."""
    sums, salt = {}, b""
    for name, columns, rows, value in connection.execute("SELECT name, columns, rows, sum FROM state_sum"):
        if name == _SALT:
            salt = bytes(value)
        else:
            sums[str(name)] = TableSum(tuple(str(columns).split(",")), int(rows), bytes(value))
    return salt, sums


class StateBook:
    """The stated rows of one store. Only the writer's thread uses it."""

    def __init__(self) -> None:
        self._salt = b""
        self._sums: dict[str, TableSum] = {}
        self._next: dict[str, TableSum] | None = None
        self._shapes: dict[str, RowShape] = {}
        """Of the tables that are covered and there."""
        self._whole = False
        self._judged = False
        self._trusted = False
        self.adopts = False
        """Whether rows of an earlier version wait for a leaf that states them."""

    # -- start

    def load(self, connection: sqlite3.Connection, entries: int, stated: str | None) -> None:
        """Reads the sums, which must be those that the newest leaf ``stated``, and judges the rows that decide, the
        first time. ``StoreRefused`` where one differs that may let somebody in.

        ``stated`` is ``None`` for a log of ``entries`` that says nothing of rows yet: an empty one, or one whose newest
        leaf an earlier version wrote. Then what is found is adopted, in the open (``adopts``).
        """
        prepare(connection)
        found = read_shapes(connection)
        self._shapes = {name: found[name] for name in _COVERED if name in found}
        self._attach(connection)
        self._next = None
        if stated is None:
            self._begin(connection, os.urandom(32))
            self.adopts = entries > 0
            return
        try:
            self._salt, self._sums = read_sums(connection)
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise StoreRefused(f"The sums of the store's rows cannot be read ({error}). {_ADVICE}") from error
        if root_of(self._salt, self._sums) != stated:
            raise StoreRefused(
                f"The sums of the store's rows (state_sum) are not those that the newest leaf states. {_ADVICE}"
            )
        self._whole = self.adopts = False
        wanted = {name: shape.columns for name, shape in self._shapes.items()}
        now = {name: one.columns for name, one in self._sums.items()}
        if now != wanted:
            if not self._trusted:
                self._refuse(connection, self._sums)
            self._begin(connection, self._salt)
            self.adopts = True
        elif not self._judged:
            self._refuse(connection, DECIDES)
        self._judged = True

    def check_all(self, connection: sqlite3.Connection) -> None:
        """Judges every row, before a migration of this process changes some: what it leaves is adopted then.
        ``StoreRefused`` where a row differs."""
        self._refuse(connection, self._sums)
        self._trusted = True

    def _refuse(self, connection: sqlite3.Connection, names: Iterable[str]) -> None:
        """``StoreRefused`` where a row of the tables differs, but for rows too many that only deny."""
        found = [
            fault
            for name in sorted(names)
            for fault in judge_table(connection, name, self._shapes.get(name), self._sums[name])
        ]
        if not found:
            return
        said = "; ".join(f"{fault.table}: {fault.what}" for fault in found)
        if all(_closes(fault) for fault in found):
            _log.error("rows that deny were inserted behind the log; they stay in force", extra={"rows": said})
            return
        raise StoreRefused(f"The store was edited behind its log. {said}. Nothing was started. {_ADVICE}")

    def _begin(self, connection: sqlite3.Connection, salt: bytes) -> None:
        """Sums of the rows as they are; the next commit writes all of them."""
        self._salt = salt
        self._sums = {
            name: sum_of(shape.columns, (digest for _, digest in read_rows(connection, shape, shape.columns)))
            for name, shape in self._shapes.items()
        }
        self._whole = True

    def _attach(self, connection: sqlite3.Connection) -> None:
        """The triggers of this connection, unless it has them."""
        if connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'state_note'").fetchone() is not None:
            return
        connection.execute("CREATE TEMP TABLE state_note (name TEXT, more INTEGER, text TEXT)")
        for name, shape in self._shapes.items():
            columns = shape.columns
            old, new = (shape.text(columns, of) for of in ("OLD.", "NEW."))
            differ = " OR ".join(f'OLD."{column}" IS NOT NEW."{column}"' for column in columns)
            of = ", ".join(f'"{column}"' for column in columns)
            come = f"INSERT INTO state_note VALUES ('{name}', 1, {new});"
            go = f"INSERT INTO state_note VALUES ('{name}', 0, {old});"
            for event, does in (
                (f"INSERT ON main.{name}", come),
                (f"DELETE ON main.{name}", go),
                (f"UPDATE OF {of} ON main.{name} WHEN {differ}", f"{go} {come}"),
            ):
                kind = event.split(" ", 1)[0].lower()
                connection.execute(f"CREATE TEMP TRIGGER state_{kind}_{name} AFTER {event} BEGIN {does} END")

    # -- each commit

    def take_notes(self, connection: sqlite3.Connection) -> dict[str, int]:
        """Turns the notes of this transaction into the next sums; how many rows of which table changed."""
        notes = connection.execute("SELECT name, more, text FROM temp.state_note").fetchall()
        if not notes:
            return {}
        connection.execute("DELETE FROM temp.state_note")
        more: dict[str, list[str]] = {}
        less: dict[str, list[str]] = {}
        for name, came, text in notes:
            (more if came else less).setdefault(name, []).append(text)
        following = dict(self._next or self._sums)
        changed = more.keys() | less.keys()
        # Where the sums are not written yet, ``state`` writes all of them from the rows.
        for name in () if self._whole else changed:
            come, go = more.get(name, []), less.get(name, [])
            following[name] = following[name].move(
                (row_digest(name, text) for text in come),
                (row_digest(name, text) for text in go),
                len(come) - len(go),
            )
            shape = self._shapes[name]
            connection.executemany(
                "DELETE FROM state_row WHERE name = ? AND key = ?", [(name, shape.key_of(text)) for text in go]
            )
            # In the order of the notes: the last one of a key is the row that is there.
            left = self._survivors(shape, notes)
            connection.executemany(
                "INSERT INTO state_row (name, key, digest) VALUES (?, ?, ?) "
                "ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest",
                [(name, key, row_digest(name, text)) for key, text in left.items()],
            )
            self._write(connection, name, following[name])
        self._next = following
        return {name: len(more.get(name, [])) + len(less.get(name, [])) for name in changed}

    @staticmethod
    def _survivors(shape: RowShape, notes: list[tuple[str, int, str]]) -> dict[str, str]:
        """Of the rows that were noted, those that are there at the end, by their keys."""
        left: dict[str, str] = {}
        for of, came, text in notes:
            if of == shape.table:
                key = shape.key_of(text)
                if came:
                    left[key] = text
                elif left.get(key) == text:
                    del left[key]
        return left

    def state(self, connection: sqlite3.Connection) -> str:
        """What the last leaf of this transaction states; writes all sums where none were written yet."""
        if self._whole:
            self._begin(connection, self._salt)
            connection.execute("DELETE FROM state_sum")
            connection.execute("DELETE FROM state_row")
            self._write(connection, _SALT, TableSum((), 0, self._salt))
            for name, one in self._sums.items():
                self._write(connection, name, one)
                shape = self._shapes[name]
                connection.executemany(
                    "INSERT INTO state_row (name, key, digest) VALUES (?, ?, ?)",
                    ((name, shape.key_of(text), digest) for text, digest in read_rows(connection, shape, one.columns)),
                )
            self._next = self._sums
        return root_of(self._salt, self._next or self._sums)

    @staticmethod
    def _write(connection: sqlite3.Connection, name: str, one: TableSum) -> None:
        connection.execute(
            "INSERT INTO state_sum (name, columns, rows, sum) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET columns = excluded.columns, rows = excluded.rows, sum = excluded.sum",
            (name, ",".join(one.columns), one.rows, one.value),
        )

    def publish(self) -> None:
        """The commit is durable."""
        if self._next is not None:
            self._sums = self._next
            self._whole = self.adopts = False
        self._next = None

    def roll_back(self) -> None:
        """The commit did not happen."""
        self._next = None


def _closes(fault: StateFault) -> bool:
    return fault.table in CLOSING and fault.kind == "extra"
