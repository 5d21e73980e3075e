"""The book of stated rows: what a commit changed, what its last leaf states, and what a start refuses."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from app.ledger.state import book as book_module
from app.ledger.state.book import StateBook, read_sums
from app.ledger.state.canonical import read_rows, read_shapes
from app.ledger.state.declared import CLOSING, DECIDES, RECORDS
from app.ledger.state.sums import root_of, sum_of
from app.store.errors import StoreRefused

assert "api_key" in DECIDES - CLOSING
assert "deny" in CLOSING
assert "alarm" in RECORDS - DECIDES


@pytest.fixture
def raw(monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """A table that decides, one that only denies, one that records, and one that is not covered."""
    monkeypatch.setattr(book_module, "DECIDES", frozenset(("api_key", "deny")))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        for table in ("api_key", "deny", "alarm", "loose"):
            made.execute(f"CREATE TABLE {table} (kid TEXT PRIMARY KEY, label TEXT)")
            made.execute(f"INSERT INTO {table} VALUES ('a', 'x'), ('b', 'x')")
        made.executescript(
            "CREATE TABLE state_sum (name TEXT PRIMARY KEY, columns TEXT, rows INTEGER, sum BLOB); "
            "CREATE TABLE state_row (name TEXT, key TEXT, digest BLOB, PRIMARY KEY (name, key))"
        )
        yield made


def begun(raw: sqlite3.Connection) -> tuple[StateBook, str]:
    """A book whose first commit is durable, and what its leaf states."""
    book = StateBook()
    book.load(raw, 0, None)
    stated = book.state(raw)
    book.publish()
    return book, stated


def restarted(raw: sqlite3.Connection, stated: str | None, entries: int = 9) -> StateBook:
    """The next start's book."""
    raw.execute("DROP TABLE IF EXISTS temp.state_note")
    for (trigger,) in raw.execute("SELECT name FROM temp.sqlite_master WHERE type = 'trigger'").fetchall():
        raw.execute(f"DROP TRIGGER temp.{trigger}")
    book = StateBook()
    book.load(raw, entries, stated)
    return book


def whole(raw: sqlite3.Connection) -> str:
    """What the rows that are there give, with the digests beside them compared."""
    salt, _ = read_sums(raw)
    sums, noted = {}, set()
    for name in ("alarm", "api_key", "deny"):
        shape = read_shapes(raw)[name]
        rows = list(read_rows(raw, shape, shape.columns))
        sums[name] = sum_of(shape.columns, [digest for _, digest in rows])
        noted |= {(name, shape.key_of(text), digest) for text, digest in rows}
    assert noted == set(raw.execute("SELECT name, key, digest FROM state_row"))
    assert read_sums(raw)[1] == sums
    return root_of(salt, sums)


def test_a_log_that_says_nothing_of_rows_adopts_them(raw: sqlite3.Connection) -> None:
    """With a leaf where it has entries; an empty log needs none. The salt is drawn anew."""
    stated = []
    for entries, adopts in ((0, False), (1, True)):
        book = restarted(raw, None, entries)
        assert book.adopts is adopts
        stated.append(book.state(raw))
        assert stated[-1] == whole(raw)
        book.publish()
        assert book.adopts is False
    assert stated[0] != stated[1]
    assert len(read_sums(raw)[0]) == 32


def test_a_commit_moves_the_sums(raw: sqlite3.Connection) -> None:
    """Rows that came, went, changed, and came back; the result is that of the rows as they are."""
    book, stated = begun(raw)
    assert book.take_notes(raw) == {}
    assert book.state(raw) == stated
    raw.execute("INSERT INTO api_key VALUES ('c', 'y'), ('d', NULL)")
    raw.execute("UPDATE api_key SET label = 'z' WHERE kid = 'c'")
    raw.execute("DELETE FROM deny WHERE kid = 'a'")
    raw.execute("UPDATE alarm SET label = label")
    raw.execute("UPDATE loose SET label = 'other'")
    assert book.take_notes(raw) == {"api_key": 4, "deny": 1}
    # A second look in the same commit goes on from the first.
    raw.execute("DELETE FROM api_key WHERE kid = 'd'")
    raw.execute("UPDATE api_key SET kid = 'e' WHERE kid = 'b'")
    raw.execute("INSERT INTO deny VALUES ('a', 'x')")
    raw.execute("DELETE FROM deny WHERE kid = 'a'")
    assert book.take_notes(raw) == {"api_key": 3, "deny": 2}
    following = book.state(raw)
    assert following == whole(raw) != stated
    book.publish()
    assert book.state(raw) == following
    raw.execute("UPDATE alarm SET label = NULL WHERE kid = 'a'")
    assert book.take_notes(raw) == {"alarm": 2}
    assert book.state(raw) == whole(raw) != following


def test_a_commit_that_did_not_happen_leaves_no_trace(raw: sqlite3.Connection) -> None:
    """The sums go on from what was durable."""
    book, stated = begun(raw)
    raw.execute("BEGIN")
    raw.execute("DELETE FROM deny")
    assert book.take_notes(raw) == {"deny": 2}
    assert book.state(raw) != stated
    raw.execute("ROLLBACK")
    book.roll_back()
    assert book.state(raw) == stated == whole(raw)
    raw.execute("DELETE FROM deny WHERE kid = 'b'")
    assert book.take_notes(raw) == {"deny": 1}
    assert book.state(raw) == whole(raw)


def test_a_start_goes_on_from_what_was_stated(raw: sqlite3.Connection) -> None:
    """Nothing is adopted, and the next commit moves the same sums."""
    _, stated = begun(raw)
    book = restarted(raw, stated)
    assert not book.adopts
    assert book.state(raw) == stated
    raw.execute("INSERT INTO api_key VALUES ('c', 'y')")
    assert book.take_notes(raw) == {"api_key": 1}
    assert book.state(raw) == whole(raw)


ADVICE = "restore the newest backup whose fsck is clean"


def test_sums_that_the_leaf_does_not_state_are_refused(raw: sqlite3.Connection) -> None:
    """As those that cannot be read."""
    _, stated = begun(raw)
    with pytest.raises(StoreRefused, match=rf"\(state_sum\) are not those that the newest leaf states.*{ADVICE}"):
        restarted(raw, "0" * 64)
    raw.execute("UPDATE state_sum SET rows = 'x' WHERE name = 'deny'")
    with pytest.raises(StoreRefused, match=rf"cannot be read \(invalid literal.*{ADVICE}"):
        restarted(raw, stated)
    raw.execute("DROP TABLE state_sum")
    with pytest.raises(StoreRefused, match=r"cannot be read \(no such table: state_sum\)"):
        restarted(raw, stated)


def test_a_row_that_may_let_somebody_in_is_refused(raw: sqlite3.Connection) -> None:
    """Of a table that decides; one that records stops no start, until all rows are judged before a migration."""
    _, stated = begun(raw)
    raw.execute("UPDATE alarm SET label = 'edited' WHERE kid = 'a'")
    book = restarted(raw, stated)
    with pytest.raises(StoreRefused, match=r"alarm: the row kid a is not as its leaf left it\. Nothing was started"):
        book.check_all(raw)
    raw.execute("DROP TRIGGER temp.state_delete_deny")
    raw.execute("DELETE FROM deny WHERE kid = 'b'")
    with pytest.raises(StoreRefused, match=rf"deny: the row kid b is missing.*{ADVICE}"):
        restarted(raw, stated)


def test_a_row_that_only_denies_is_told_and_stays(raw: sqlite3.Connection, caplog: pytest.LogCaptureFixture) -> None:
    """A row too many of a table that only denies; one that was changed or is missing there, or is too many elsewhere,
    stops the start."""
    _, stated = begun(raw)
    raw.execute("INSERT INTO deny VALUES ('c', 'x')")
    with caplog.at_level(logging.ERROR, "arc.ledger"):
        restarted(raw, stated)
    assert [record.message for record in caplog.records] == [
        "rows that deny were inserted behind the log; they stay in force"
    ]
    raw.execute("UPDATE deny SET label = 'y' WHERE kid = 'a'")
    with pytest.raises(StoreRefused, match="kid a is not as its leaf left it"):
        restarted(raw, stated)
    raw.execute("UPDATE deny SET label = 'x' WHERE kid = 'a'")
    restarted(raw, stated)
    raw.execute("INSERT INTO api_key VALUES ('c', 'x')")
    with pytest.raises(StoreRefused, match="api_key: the row kid c is in no leaf"):
        restarted(raw, stated)


def test_other_columns_are_adopted_after_a_look(raw: sqlite3.Connection) -> None:
    """Where rows were sound until then; a book that judged all of them before a migration believes what that left."""
    _, stated = begun(raw)
    raw.execute("ALTER TABLE deny ADD COLUMN more TEXT")
    book = restarted(raw, stated)
    assert book.adopts
    raw.execute("UPDATE alarm SET label = 'edited' WHERE kid = 'a'")
    with pytest.raises(StoreRefused, match="alarm: the row kid a"):
        restarted(raw, stated)
    raw.execute("UPDATE alarm SET label = 'x' WHERE kid = 'a'")
    book.check_all(raw)
    raw.execute("UPDATE alarm SET label = 'migrated' WHERE kid = 'a'")
    book.load(raw, 9, stated)
    assert book.adopts
    # What was noted meanwhile is in the rows already.
    assert book.take_notes(raw) in ({}, {"alarm": 4}, {"alarm": 2})
    assert book.state(raw) == whole(raw)
    book.publish()
    assert not book.adopts
