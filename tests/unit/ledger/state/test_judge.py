"""Rows in their canonical text, and what is said of those that differ from what was stated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from app.ledger.state.canonical import RowShape, prepare, read_rows, read_shapes, shown_key
from app.ledger.state.judge import StateFault, judge_table
from app.ledger.state.sums import TableSum, row_digest, sum_of


@pytest.fixture
def raw() -> Iterator[sqlite3.Connection]:
    """A covered table with a column that is left out, and the digests beside it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        prepare(made)
        made.executescript(
            "CREATE TABLE api_key (last_used_us INTEGER, label TEXT, weight REAL, raw BLOB, kid TEXT, part INTEGER, "
            "PRIMARY KEY (part, kid)); CREATE TABLE state_row (name TEXT, key TEXT, digest BLOB); "
            "CREATE INDEX by_label ON api_key (label); CREATE VIEW seen AS SELECT label FROM api_key"
        )
        yield made


def shape_of(raw: sqlite3.Connection) -> RowShape:
    return read_shapes(raw)["api_key"]


def put(raw: sqlite3.Connection, number: int, label: str | None = "a") -> None:
    raw.execute("INSERT INTO api_key VALUES (1, ?, NULL, NULL, ?, 7)", (label, f"k{number}"))


def state(raw: sqlite3.Connection) -> TableSum:
    """What the rows are now is stated."""
    shape = shape_of(raw)
    raw.execute("DELETE FROM state_row")
    rows = list(read_rows(raw, shape, shape.columns))
    noted = [("api_key", shape.key_of(text), digest) for text, digest in rows]
    raw.executemany("INSERT INTO state_row VALUES (?, ?, ?)", noted)
    return sum_of(shape.columns, [digest for _, digest in rows])


def test_the_shape_of_a_table(raw: sqlite3.Connection) -> None:
    """The key in its own order, then the columns in the table's; those that are left out are not there, views and
    indexes neither."""
    assert read_shapes(raw).keys() == {"api_key", "state_row"}
    shape = shape_of(raw)
    assert (shape.table, shape.columns, shape.width) == ("api_key", ("part", "kid", "label", "weight", "raw"), 2)
    assert shape.types == {
        "last_used_us": "INTEGER",
        "label": "TEXT",
        "weight": "REAL",
        "raw": "BLOB",
        "kid": "TEXT",
        "part": "INTEGER",
    }
    assert read_shapes(raw)["state_row"] == RowShape(
        "state_row", ("name", "key", "digest"), 0, {"name": "TEXT", "key": "TEXT", "digest": "BLOB"}
    )


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((None, None, None, "k", 7), "7,6B,-,-,-"),
        (("", 0.5, b"", "k", 7), "7,6B,,3fe0000000000000,"),
        (("a,b", -1.5, b"\0\xff", "ä", -3), "-3,C3A4,612C62,bff8000000000000,00FF"),
    ],
)
def test_the_text_of_a_row(raw: sqlite3.Connection, values: tuple[object, ...], text: str) -> None:
    """NULL is a hyphen, an integer decimal, text and bytes hexadecimal, a float its eight bytes."""
    raw.execute("INSERT INTO api_key (label, weight, raw, kid, part) VALUES (?, ?, ?, ?, ?)", values)
    shape = shape_of(raw)
    assert list(read_rows(raw, shape, shape.columns)) == [(text, row_digest("api_key", text))]
    assert shape.key_of(text) == ",".join(text.split(",")[:2])
    with pytest.raises(LookupError):
        shape.text(["nothing"])


def test_a_value_that_is_no_float_is_its_own_text(raw: sqlite3.Connection) -> None:
    """A damaged file can hold any value in any column; it is another text than each float's."""
    raw.execute("INSERT INTO api_key (weight, kid, part) VALUES ('x', 'k', 7)")
    shape = shape_of(raw)
    assert [text for text, _ in read_rows(raw, shape, shape.columns)] == ["7,6B,-,no float: 'x',-"]


def test_a_key_is_shown_in_words(raw: sqlite3.Connection) -> None:
    """Numbers as they are, text as text; what is no text as its bytes."""
    shape = shape_of(raw)
    assert shown_key(shape, "7,6B31") == "part 7, kid k1"
    assert shown_key(shape, "7,FF") == "part 7, kid 0xFF"
    assert shown_key(shape, "7,-") == "part 7, kid 0x-"


def test_rows_as_they_were_stated_are_no_fault(raw: sqlite3.Connection) -> None:
    """In any order, and none at all; a column that is left out may change."""
    assert judge_table(raw, "api_key", shape_of(raw), state(raw)) == []
    for number in range(3):
        put(raw, number)
    stated = state(raw)
    raw.execute("UPDATE api_key SET last_used_us = 99")
    assert judge_table(raw, "api_key", shape_of(raw), stated) == []


def test_each_row_that_differs_is_named(raw: sqlite3.Connection) -> None:
    """What came, what changed, what went; the others are not accused."""
    for number in range(5):
        put(raw, number)
    stated = state(raw)
    put(raw, 9)
    raw.execute("UPDATE api_key SET label = NULL WHERE kid = 'k2'")
    raw.execute("DELETE FROM api_key WHERE kid = 'k4'")
    assert sorted(judge_table(raw, "api_key", shape_of(raw), stated), key=lambda fault: fault.kind) == [
        StateFault("api_key", "changed", "the row part 7, kid k2 is not as its leaf left it"),
        StateFault("api_key", "extra", "the row part 7, kid k9 is in no leaf: somebody inserted it"),
        StateFault("api_key", "missing", "the row part 7, kid k4 is missing: no leaf took it away"),
    ]


@pytest.mark.parametrize("count", [20, 21, 25])
@pytest.mark.parametrize("changed", [0, 1])
def test_twenty_rows_are_named(raw: sqlite3.Connection, count: int, changed: int) -> None:
    """The rest is counted; only rows that are all too many count as such."""
    put(raw, 0)
    stated = state(raw)
    for number in range(1, count + 1 - changed):
        put(raw, number)
    if changed:
        raw.execute("UPDATE api_key SET label = 'x' WHERE kid = 'k0'")
    found = judge_table(raw, "api_key", shape_of(raw), stated)
    assert [fault.kind for fault in found[:20]].count("extra") == 20 - changed
    rest = [StateFault("api_key", "changed" if changed else "extra", f"{count - 20} more rows differ")]
    assert found[20:] == (rest if count > 20 else [])


def test_digests_that_do_not_give_the_sum_name_nothing(raw: sqlite3.Connection) -> None:
    """Somebody changed them with the rows: the table alone is named."""
    put(raw, 0)
    stated = state(raw)
    put(raw, 1)
    state(raw)
    said = "its rows are not those that the log states, and what would name them was changed with them "
    expected = [StateFault("api_key", "unnamed", f"{said}(1 rows stated, 2 found)")]
    assert judge_table(raw, "api_key", shape_of(raw), stated) == expected


def test_another_number_of_the_same_rows_is_a_fault(raw: sqlite3.Connection) -> None:
    """The number is stated beside the sum."""
    put(raw, 0)
    stated = state(raw)
    found = judge_table(raw, "api_key", shape_of(raw), TableSum(stated.columns, 2, stated.value))
    assert [fault.kind for fault in found] == ["unnamed"]
    assert found[0].what.endswith("(2 rows stated, 1 found)")


def test_a_table_that_cannot_be_read_is_one_fault(raw: sqlite3.Connection) -> None:
    """It is gone, or lacks a column that is stated."""
    stated = state(raw)
    gone = judge_table(raw, "api_key", None, stated)
    assert gone == [StateFault("api_key", "unnamed", "its rows cannot be read: there is no such table")]
    other = TableSum((*stated.columns, "colour"), 0, stated.value)
    lacking = judge_table(raw, "api_key", shape_of(raw), other)
    assert lacking == [StateFault("api_key", "unnamed", "its rows cannot be read: 'colour'")]
    shape = shape_of(raw)
    raw.execute("DROP TABLE api_key")
    assert [fault.kind for fault in judge_table(raw, "api_key", shape, stated)] == ["unnamed"]
