"""Rows of a store that cannot be read to its end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from app.ledger.check.fast_path import Row
from app.ledger.check.rows import read_some


def test_rows_before_a_fault_are_read() -> None:
    """What comes before the page that cannot be read is judged, and the fault is not lost."""
    fault = sqlite3.DatabaseError("malformed")

    def rows() -> Iterator[Row]:
        yield from [(seq, b"") for seq in range(5)]
        raise fault

    unread = rows()
    assert read_some(unread, 2) == ([(0, b""), (1, b"")], None)
    assert read_some(unread, 9) == ([(2, b""), (3, b""), (4, b"")], fault)
