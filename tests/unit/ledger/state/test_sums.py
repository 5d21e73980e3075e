"""Sums of rows: the same for the same rows in any order, another for any other rows."""

from __future__ import annotations

import hashlib
import struct

from hypothesis import given
from hypothesis import strategies as st

from app.ledger.state.sums import TableSum, lanes_of, root_of, row_digest, sum_of

COLUMNS = ("a", "b")
digests = st.integers(0, 40).map(lambda number: row_digest("deny", str(number)))
ROWS = st.lists(digests, max_size=12)


@given(ROWS, ROWS, ROWS)
def test_a_sum_that_went_along_is_the_sum_of_the_rows(kept: list[bytes], came: list[bytes], went: list[bytes]) -> None:
    """Rows that came and rows that went give the sum of those that are left."""
    before = sum_of(COLUMNS, [*kept, *went])
    assert before.move(came, went, len(came) - len(went)) == sum_of(COLUMNS, [*kept, *came])


@given(ROWS, ROWS)
def test_other_rows_have_another_sum(one: list[bytes], other: list[bytes]) -> None:
    """Order does not count, and every row does, also one that is there twice."""
    assert (sum_of(COLUMNS, one) == sum_of(COLUMNS, other)) == (sorted(one) == sorted(other))


def test_a_long_list_is_summed_whole() -> None:
    """Rows are added in blocks; none is lost at their ends."""
    rows = [row_digest("deny", str(number)) for number in range(1_000)]
    total = sum_of(COLUMNS, ())
    for row in rows:
        total = total.move([row], [], 1)
    assert total.value == lanes_of(rows).tobytes()
    assert total.rows == 1_000


def test_a_row_is_1024_lanes_of_16_bits() -> None:
    """SHAKE128 of the row's digest, little endian; each lane is added by itself, without a carry."""
    one, other = row_digest("deny", "1"), row_digest("deny", "2")
    assert one == hashlib.sha256(b"deny\n1").digest()
    stretched = [hashlib.shake_128(digest).digest(2048) for digest in (one, other)]
    lanes = [struct.unpack("<1024H", row) for row in stretched]
    added = struct.pack("<1024H", *((a + b) % 65536 for a, b in zip(*lanes, strict=True)))
    assert sum_of(COLUMNS, [one]) == TableSum(COLUMNS, 1, stretched[0])
    assert sum_of(COLUMNS, [one, other]) == TableSum(COLUMNS, 2, added)
    assert sum_of(COLUMNS, []) == TableSum(COLUMNS, 0, bytes(2048))


def test_a_row_of_another_table_is_another_row() -> None:
    """Equal words in two tables are two rows."""
    assert row_digest("deny", "61") != row_digest("burn", "61")


def test_the_digest_of_all_sums_is_over_all_of_them() -> None:
    """Salt, name, columns, number of rows and sum of each table."""
    one = sum_of(COLUMNS, [row_digest("deny", "1")])
    given_ = root_of(b"salt", {"deny": one, "burn": one})
    others = [
        root_of(b"other", {"deny": one, "burn": one}),
        root_of(b"salt", {"deny": one}),
        root_of(b"salt", {"deny": one, "burnt": one}),
        root_of(b"salt", {"deny": one, "burn": TableSum(("a",), one.rows, one.value)}),
        root_of(b"salt", {"deny": one, "burn": TableSum(COLUMNS, 2, one.value)}),
        root_of(b"salt", {"deny": one, "burn": sum_of(COLUMNS, ())}),
    ]
    assert given_ == root_of(b"salt", {"burn": one, "deny": one})
    assert given_ not in others
    assert len({given_, *others}) == 7
