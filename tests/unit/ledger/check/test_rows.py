"""Rows of a store that cannot be read to its end; ranges and parts of a log."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator

import pytest

from app.ledger.check.fast_path import Row
from app.ledger.check.rows import LogPart, Ranges, read_some


def test_rows_before_a_fault_are_read() -> None:
    """What comes before the page that cannot be read is judged, and the fault is not lost."""
    fault = sqlite3.DatabaseError("malformed")

    def rows() -> Iterator[Row]:
        yield from [(seq, b"") for seq in range(5)]
        raise fault

    unread = rows()
    assert read_some(unread, 2) == ([(0, b""), (1, b"")], None)
    assert read_some(unread, 9) == ([(2, b""), (3, b""), (4, b"")], fault)


@pytest.mark.parametrize(
    ("ranges", "missing"),
    [
        ([], [0, 1, 5, 9]),
        ([(0, 9)], []),
        ([(0, 0)], [1, 5, 9]),
        ([(1, 5)], [0, 9]),
        ([(5, 9), (0, 0)], [1]),
        ([(0, 7), (1, 2)], [9]),
        ([(2, 4)], [0, 1, 5, 9]),
        ([(9, 9), (9, 9)], [0, 1, 5]),
    ],
)
def test_numbers_in_no_range_are_missing(ranges: list[tuple[int, int]], missing: list[int]) -> None:
    """Both ends belong to a range; ranges may come in any order and overlap."""
    found = Ranges()
    for first, last in ranges:
        found.add(first, last)
    assert list(found) == ranges
    assert list(found.missing(array("Q", [0, 1, 5, 9]))) == missing


@pytest.mark.parametrize("size", [0, 255, 256, 1_000, 5_000])
@pytest.mark.parametrize("of", [1, 3, 7])
def test_parts_together_are_the_whole_log(of: int, size: int) -> None:
    """Every full tile is in one part, whole; every checkpoint's size in one part too."""
    parts = [LogPart(number, of) for number in range(of)]
    covered = [seq for part in parts for seq in part.entries(size)]
    assert covered == list(range(size // 256 * 256))
    assert all(part.entries(size).start % 256 == 0 for part in parts)
    for checked in (-5, 0, 1, 256, 257, size, 2**62):
        within = [part.number for part in parts if part.sizes(size)[0] <= checked <= part.sizes(size)[1]]
        assert len(within) == 1
    assert [part.number for part in parts if part.first] == [0]
    assert (parts[0].sizes(size)[0], parts[-1].sizes(size)[1]) == (-(2**63) + 1, 2**63 - 1)
