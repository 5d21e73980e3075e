"""The arrays that the rows of one gallery lie in: codes, signs, length and owner of each row.

numpy owns every array; faiss only looks at them, without a copy.
"""

from __future__ import annotations

import mmap
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.biometrics.template_codes import BIAS, BLOCK, SIGN_BYTES, Codes, Int8, Rows, norms, signs_of
from hardware.terminals.projection import DIMENSIONS

_PAGE: Final = 4_096


@cache
def faiss_module() -> ModuleType | None:
    """faiss, or None where it is not installed."""
    try:
        import faiss
    except ImportError:
        return None
    found: ModuleType = faiss
    return found


class TemplateRows:
    """Arrays of one capacity: codes (n, 512), signs (n, 64), 1 / length and node number of each row.

    The memory is anonymous and our own: huge pages are asked for (signs 22 -> 31 GB/s), and no core dump has it.
    """

    def __init__(self, capacity: int, engine: ModuleType | None) -> None:
        self.capacity = capacity
        self.engine = engine
        head = b"" if engine is None else _index_head(engine, capacity)
        self._memory = _memory(_PAGE + capacity * DIMENSIONS)
        self.codes = self._memory[_PAGE:].reshape(capacity, DIMENSIONS)
        self.signs = _memory(capacity * SIGN_BYTES).reshape(capacity, SIGN_BYTES)
        self.scale = _memory(capacity * 4).view(np.float32)
        self.owner = _memory(capacity * 4).view(np.int32)
        self.scan: Any = None
        """faiss's index over the codes; None without faiss."""
        self._lent: Any = None
        if engine is not None:
            # The head ends where the codes begin: faiss reads both as one stream and keeps looking at the codes.
            start = self._memory[_PAGE - len(head) :]
            start[: len(head)] = np.frombuffer(head, np.uint8)
            reader = engine.ZeroCopyIOReader(engine.swig_ptr(start), len(start))
            # Both are kept: the index by its own type does not own what it looks at.
            self._lent = (reader, engine.read_index(reader))
            self.scan = engine.downcast_index(self._lent[1])
            self.scan.ntotal = 0

    # --- changes: the gallery's lock is held ---

    def write(self, first: int, codes: Codes, owners: NDArray[np.int32]) -> None:
        """Rows from ``first`` on."""
        for at in range(0, len(codes), BLOCK):
            part = codes[at : at + BLOCK]
            rows = slice(first + at, first + at + len(part))
            self.codes[rows] = part
            self.signs[rows] = signs_of(part, BIAS)
            self.scale[rows] = 1.0 / norms(part)
            self.owner[rows] = owners[at : at + len(part)]

    def move(self, source: int, target: int) -> int:
        """Copies one row over another; gives its owner."""
        self.codes[target] = self.codes[source]
        self.signs[target] = self.signs[source]
        self.scale[target] = self.scale[source]
        self.owner[target] = self.owner[source]
        return int(self.owner[target])

    def copy(self, other: TemplateRows, count: int) -> None:
        """The first rows of another."""
        for mine, its in zip(self._arrays(), other._arrays(), strict=True):
            mine[:count] = its[:count]

    def wipe_row(self, row: int) -> None:
        """Overwrites the row in every array."""
        for array in self._arrays():
            array[row] = 0

    def wipe(self, count: int) -> None:
        """As ``wipe_row`` for the first ``count``."""
        for array in self._arrays():
            array[:count] = 0

    def show(self, count: int) -> None:
        """How many rows faiss looks at."""
        if self.scan is not None:
            self.scan.ntotal = count

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.codes, self.signs, self.scale, self.owner

    def templates(self, rows: Rows) -> Int8:
        """A copy of these rows as templates."""
        codes = self.codes[rows]
        codes ^= np.uint8(BIAS)
        return codes.view(np.int8)


def _memory(size: int) -> NDArray[np.uint8]:
    """Zeroed bytes of a mapping of their own."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for advice in ("MADV_HUGEPAGE", "MADV_DONTDUMP"):
        if hasattr(mmap, advice):
            memory.madvise(getattr(mmap, advice))
    return np.frombuffer(memory, np.uint8)


def _index_head(engine: ModuleType, capacity: int) -> bytes:
    """The bytes that faiss writes before the codes of ``capacity`` rows: taken from an empty index, with both sizes put
    in (``ntotal`` after the type and the dimension, length of the codes at the end)."""
    index = engine.IndexScalarQuantizer(
        DIMENSIONS, engine.ScalarQuantizer.QT_8bit_direct_signed, engine.METRIC_INNER_PRODUCT
    )
    head = bytearray(engine.serialize_index(index).tobytes())
    head[8:16] = capacity.to_bytes(8, "little")
    head[-8:] = (capacity * DIMENSIONS).to_bytes(8, "little")
    return bytes(head)
