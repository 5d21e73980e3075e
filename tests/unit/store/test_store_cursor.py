"""Lists that are read page by page, against the whole list in order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, create_engine, insert, select

from app.store.cursor import Cursors
from app.store.errors import BadCursor

LISTED = Table("listed", MetaData(), Column("at_us", Integer), Column("name", Text), Column("kind", Text))
KEY = (LISTED.c.at_us, LISTED.c.name)
CURSORS = Cursors(bytes(32))

Rows = set[tuple[int, str]]


@contextlib.contextmanager
def filled(rows: Rows) -> Iterator[Connection]:
    """A database in memory with these rows."""
    engine = create_engine("sqlite+pysqlite://")
    with engine.begin() as connection:
        LISTED.create(connection)
        for at_us, name in rows:
            connection.execute(insert(LISTED).values(at_us=at_us, name=name, kind="a"))
        yield connection
    engine.dispose()


def walk(connection: Connection, limit: int, rising: bool) -> list[tuple[int, str]]:
    """The list from its first page to its last; every page but the last is full, and none is empty but an only one."""
    found: list[tuple[int, str]] = []
    cursor = None
    while True:
        rows, cursor = CURSORS.page(
            connection, select(LISTED), "listed", KEY, limit=limit, cursor=cursor, rising=rising
        )
        found += [(row.at_us, row.name) for row in rows]
        assert len(rows) == limit if cursor is not None else len(rows) <= limit
        assert rows or not found
        if cursor is None:
            return found


@given(
    rows=st.sets(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), max_size=20),
    limit=st.integers(1, 7),
    rising=st.booleans(),
)
def test_pages_joined_are_the_list(rows: Rows, limit: int, rising: bool) -> None:
    """Of any page size, in either direction: each row once, in the order of the key."""
    with filled(rows) as connection:
        assert walk(connection, limit, rising) == sorted(rows, reverse=not rising)


def test_a_row_that_came_meanwhile_moves_no_other() -> None:
    """A page goes on behind the row where the one before ended, not after so many rows."""
    with filled({(1, "a"), (2, "b"), (3, "c")}) as connection:
        _, cursor = CURSORS.page(connection, select(LISTED), "listed", KEY, limit=2, cursor=None)
        connection.execute(insert(LISTED).values(at_us=4, name="d", kind="a"))
        rows, _ = CURSORS.page(connection, select(LISTED), "listed", KEY, limit=2, cursor=cursor)
        assert [row.name for row in rows] == ["a"]


def test_a_cursor_continues_its_own_list_and_query() -> None:
    """Of another list, another query, or values of another key: refused, with what to do."""
    with filled({(1, "a"), (2, "b")}) as connection:

        def page(cursor: str, kind: str = "listed", query: bytes = b"q") -> None:
            CURSORS.page(connection, select(LISTED), kind, KEY, limit=1, cursor=cursor, query=query)

        _, cursor = CURSORS.page(connection, select(LISTED), "listed", KEY, limit=1, cursor=None, query=b"q")
        assert cursor is not None
        page(cursor)
        with pytest.raises(BadCursor):
            page(cursor, kind="other")
        with pytest.raises(BadCursor):
            page(cursor, query=b"other")
        with pytest.raises(BadCursor):
            page(CURSORS.encode("listed", [1], query=b"q"))
        with pytest.raises(BadCursor):
            page(CURSORS.encode("listed", ["1", "a"], query=b"q"))
        with pytest.raises(BadCursor, match="Start again"):
            page("no cursor")
