"""Memory for secrets: kept from the disk where the machine allows it, and overwritten after use.

``allocate_locked`` asks the kernel for pages that are never swapped, never in a core file and not in a child. A process
may lock ``RLIMIT_MEMLOCK`` bytes (often 8 MiB). Beyond that, or where there is no such call, the memory works the same
but may be swapped: ``lock_state`` and the log say so.
"""

from __future__ import annotations

import ctypes
import logging
import mmap
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_BYTES_HEAD: Final = bytes.__basicsize__ - 1


@dataclass(frozen=True, slots=True)
class LockState:
    """Bytes of this process that are locked now, and how many requests for more the machine has refused."""

    locked: int
    refused: int


class _Book:
    """Counts what is locked and what was refused. Safe on any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may run on a thread that holds it at that moment
        self._locked = 0
        self._refused = 0

    def add(self, size: int) -> None:
        with self._lock:
            self._locked += size

    def subtract(self, size: int) -> None:
        with self._lock:
            self._locked -= size

    def refuse(self) -> None:
        with self._lock:
            self._refused += 1
            first = self._refused == 1
        if first:
            log.warning("secrets cannot all be kept from swap: raise the limit of locked memory (RLIMIT_MEMLOCK)")

    def state(self) -> LockState:
        return LockState(self._locked, self._refused)


_BOOK: Final = _Book()


def lock_state() -> LockState:
    """How much memory of this process is locked."""
    return _BOOK.state()


def allocate_locked(size: int) -> NDArray[np.uint8]:
    """``size`` zeroed bytes (at least one) of the caller's own, locked if the machine allows it.

    They are freed, and thereby unlocked, with the last view of them; the caller overwrites them before.
    """
    # Imported here: three witnesses beside each service wipe secrets, too, and hold no arrays.
    import numpy as np

    if not hasattr(mmap, "MAP_PRIVATE"):
        _BOOK.refuse()
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for advice in ("MADV_DONTDUMP", "MADV_DONTFORK"):
        if hasattr(mmap, advice):
            memory.madvise(getattr(mmap, advice))
    array = np.frombuffer(memory, np.uint8)
    if _lock(array.ctypes.data, size):
        pages = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        _BOOK.add(pages)
        weakref.finalize(memory, _BOOK.subtract, pages).atexit = False
    else:
        _BOOK.refuse()
    return array


def _lock(address: int, size: int) -> bool:
    if sys.platform == "win32":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    return bool(library.mlock(ctypes.c_void_p(address), ctypes.c_size_t(size)) == 0)


def wipe(data: bytes) -> None:
    """Overwrites the bytes that ``data`` holds.

    Only for an object that no other code refers to: one just received or just decoded. A single byte is an object that
    the whole interpreter shares, so it is left alone.
    """
    if len(data) > 1:
        ctypes.memset(id(data) + _BYTES_HEAD, 0, len(data))
