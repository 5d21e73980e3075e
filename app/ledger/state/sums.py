"""Sums of rows: one value for all rows of a table, in any order, that one more or one less row changes.

LtHash with 1,024 lanes of 16 bits (Lewi et al., "Securing Update Propagation with Homomorphic Hashing", 2019): each row
is hashed to a vector, and vectors are added. To find other rows with the same sum is a lattice problem of over 200
bits. A commit adds and takes away only the rows that it changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BYTES: Final = 2_048
_LANE: Final = np.dtype("<u2")
_BLOCK: Final = 256

Lanes = NDArray[np.uint16]


def row_digest(table: str, row: str) -> bytes:
    """The digest (32 bytes) of a row in its canonical text (``canonical.row_text``)."""
    return hashlib.sha256(f"{table}\n{row}".encode()).digest()


def lanes_of(digests: Iterable[bytes]) -> Lanes:
    """The sum of rows by their digests."""
    total = np.zeros(_BYTES // 2, _LANE)
    block: list[bytes] = []
    for digest in digests:
        block.append(hashlib.shake_128(digest).digest(_BYTES))
        if len(block) == _BLOCK:
            total += _add(block)
            block.clear()
    if block:
        total += _add(block)
    return total


def _add(block: list[bytes]) -> Lanes:
    rows = np.frombuffer(b"".join(block), _LANE).reshape(len(block), _BYTES // 2)
    total: Lanes = np.add.reduce(rows, axis=0, dtype=_LANE)
    return total


@dataclass(frozen=True)
class TableSum:
    """What the log states of one table: its covered columns in order, how many rows, and their sum (2,048 bytes)."""

    columns: tuple[str, ...]
    rows: int
    value: bytes

    def move(self, more: Iterable[bytes], less: Iterable[bytes], rows: int) -> TableSum:
        """The sum after the rows ``more`` came and ``less`` went, which makes ``rows`` more of them."""
        lanes = np.frombuffer(self.value, _LANE) + lanes_of(more) - lanes_of(less)
        return TableSum(self.columns, self.rows + rows, lanes.astype(_LANE).tobytes())


def sum_of(columns: tuple[str, ...], digests: Iterable[bytes]) -> TableSum:
    """The sum of a whole table by the digests of its rows."""
    found = list(digests)
    return TableSum(columns, len(found), lanes_of(found).tobytes())


def root_of(salt: bytes, sums: dict[str, TableSum]) -> str:
    """What a leaf states of all tables: 64 hexadecimal digits. ``salt`` keeps a reader of the leaf from guessing
    rows."""
    whole = hashlib.sha256(b"arc-state/v1\n" + salt)
    for name in sorted(sums):
        one = sums[name]
        digest = hashlib.sha256(one.value).hexdigest()
        whole.update(f"{name}\n{','.join(one.columns)}\n{one.rows}\n{digest}\n".encode())
    return whole.hexdigest()
