"""The rows that the audit log states: which of them, their sums and their digests fsck tells of."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from app.ledger.check.state import check_state
from app.ledger.state.canonical import prepare, read_rows, read_shapes
from app.ledger.state.declared import DECIDES
from app.ledger.state.sums import TableSum, root_of, sum_of
from app.ledger.tree.leaf import canonical
from tests.unit.ledger.check.made_log import Told, as_told

SALT = b"s" * 32
TABLE = "api_key"
assert TABLE in DECIDES


@pytest.fixture
def raw() -> Iterator[sqlite3.Connection]:
    """One covered table with three rows that the newest entry states, and one that is not covered."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        made.executescript(
            f"CREATE TABLE {TABLE} (kid TEXT PRIMARY KEY, label TEXT); CREATE TABLE loose (kid TEXT PRIMARY KEY); "
            f"INSERT INTO {TABLE} VALUES ('a', 'x'), ('b', 'x'), ('c', 'x'); INSERT INTO loose VALUES ('z'); "
            "CREATE TABLE audit_entry (seq INTEGER PRIMARY KEY, payload BLOB); "
            "CREATE TABLE state_sum (name TEXT, columns TEXT, rows INTEGER, sum BLOB); "
            "CREATE TABLE state_row (name TEXT, key TEXT, digest BLOB)"
        )
        state_all(made)
        yield made


def state_all(raw: sqlite3.Connection) -> None:
    """The next entry states the rows as they are."""
    prepare(raw)
    shape = read_shapes(raw)[TABLE]
    rows = list(read_rows(raw, shape, shape.columns))
    one = sum_of(shape.columns, [digest for _, digest in rows])
    noted = [(TABLE, shape.key_of(text), digest) for text, digest in rows]
    raw.executemany("INSERT INTO state_row VALUES (?, ?, ?)", noted)
    raw.execute("INSERT INTO state_sum VALUES ('', '', 0, ?)", (SALT,))
    raw.execute("INSERT INTO state_sum VALUES (?, ?, ?, ?)", (TABLE, ",".join(one.columns), one.rows, one.value))
    put_entry(raw, {TABLE: one})


def put_entry(raw: sqlite3.Connection, sums: dict[str, TableSum]) -> None:
    (seq,) = raw.execute("SELECT count(*) FROM audit_entry").fetchone()
    raw.execute("INSERT INTO audit_entry VALUES (?, ?)", (seq, canonical({"state": root_of(SALT, sums)})))


def told(raw: sqlite3.Connection) -> list[Told]:
    return [as_told(fault) for fault in check_state(raw)]


def test_rows_as_they_are_stated(raw: sqlite3.Connection) -> None:
    """Nothing to say; what is not covered is nobody's matter."""
    assert told(raw) == []
    raw.execute("DELETE FROM loose")
    assert told(raw) == []


@pytest.mark.parametrize("payload", [None, b"x", b"", "text"])
def test_a_newest_entry_that_says_nothing_of_rows(raw: sqlite3.Connection, payload: object) -> None:
    """One of an earlier version is no fault, whatever the rows are; one that cannot be read is."""
    raw.execute(f"DELETE FROM {TABLE}")
    raw.execute("INSERT INTO audit_entry VALUES (5, ?)", (canonical({"detail": {"a": 1}}),))
    assert told(raw) == []
    raw.execute("INSERT INTO audit_entry VALUES (9, ?)", (payload,))
    said = "the newest entry, which states the store's rows, cannot be read"
    assert told(raw) == [("audit_entry", said, 9)]
    raw.execute("DELETE FROM audit_entry")
    assert told(raw) == []


def test_each_row_that_differs_is_told(raw: sqlite3.Connection) -> None:
    """By the name of its table, and no digest beside it is accused as well."""
    raw.execute(f"UPDATE {TABLE} SET label = 'y' WHERE kid = 'b'")
    assert told(raw) == [(TABLE, "the row kid b is not as its leaf left it", None)]


def test_sums_that_the_entry_does_not_state_are_told(raw: sqlite3.Connection) -> None:
    """The salt belongs to them; a covered table without a sum is told, one that is not there is not."""
    moved = ("state_sum", "the sums of the store's rows are not those that the newest entry states", 0)
    raw.execute("UPDATE state_sum SET sum = x'00' WHERE name = ''")
    assert told(raw) == [moved]
    raw.execute("UPDATE state_sum SET sum = ? WHERE name = ''", (SALT,))
    raw.execute("DELETE FROM state_sum WHERE name = ?", (TABLE,))
    digests = ("state_row", f"digests of rows of {TABLE}, of which the log states none", None)
    assert told(raw) == [moved, ("state_sum", f"there is no sum of {TABLE}", None), digests]
    raw.execute(f"DROP TABLE {TABLE}")
    assert told(raw) == [moved, digests]


def test_a_stated_table_that_is_gone_is_told(raw: sqlite3.Connection) -> None:
    """Its rows were stated."""
    raw.execute(f"DROP TABLE {TABLE}")
    assert told(raw) == [(TABLE, "its rows cannot be read: there is no such table", None)]


def test_digests_beside_sound_rows_are_theirs(raw: sqlite3.Connection) -> None:
    """Else they would not name an edit that comes later: changed, missing, too many, of a table that nobody states."""
    raw.execute("UPDATE state_row SET digest = zeroblob(32) WHERE key = '62'")
    changed = ("state_row", f"the digest of a row of {TABLE} was changed: kid b", None)
    assert told(raw) == [changed]
    raw.execute("DELETE FROM state_row WHERE key = '62'")
    assert told(raw) == [changed]
    raw.execute("INSERT INTO state_row VALUES (?, '64', zeroblob(32)), (?, '65', zeroblob(32))", (TABLE, TABLE))
    raw.execute("INSERT INTO state_row VALUES ('loose', '66', zeroblob(32))")
    assert told(raw) == [
        changed,
        ("state_row", f"digests of 2 rows of {TABLE} that are not there", None),
        ("state_row", "digests of rows of loose, of which the log states none", None),
    ]
