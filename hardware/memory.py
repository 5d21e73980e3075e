"""Memory for secrets: kept from the disk where the machine lets us, and overwritten when it is done with.

``locked`` asks the kernel for pages that are never swapped, never in a core file and not in a child. A process may lock
``RLIMIT_MEMLOCK`` bytes (often 8 MiB); beyond that, or where there is no such call, the memory is the same but may be
swapped: ``lock_state`` and the log say so.
"""

from __future__ import annotations

import ctypes
import logging
import mmap
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Final

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
    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may run on a thread that has it just now
        self._locked = 0
        self._refused = 0

    def took(self, size: int) -> None:
        with self._lock:
            self._locked += size

    def gave(self, size: int) -> None:
        with self._lock:
            self._locked -= size

    def denied(self) -> None:
        with self._lock:
            self._refused += 1
            first = self._refused == 1
        if first:
            log.warning("secrets cannot all be kept from swap: raise the limit of locked memory (RLIMIT_MEMLOCK)")

    def state(self) -> LockState:
        return LockState(self._locked, self._refused)


_BOOK: Final = _Book()


def lock_state() -> LockState:
    """What of this process is locked."""
    return _BOOK.state()


def locked(size: int) -> NDArray[np.uint8]:
    """``size`` zeroed bytes (at least one) that nobody else has, locked if the machine allows it. Freed, and thereby
    unlocked, with the last view of them; whoever has them overwrites them before."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        _BOOK.denied()
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for advice in ("MADV_DONTDUMP", "MADV_DONTFORK"):
        if hasattr(mmap, advice):
            memory.madvise(getattr(mmap, advice))
    found = np.frombuffer(memory, np.uint8)
    if _lock(found.ctypes.data, size):
        pages = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        _BOOK.took(pages)
        weakref.finalize(memory, _BOOK.gave, pages).atexit = False
    else:
        _BOOK.denied()
    return found


def _lock(address: int, size: int) -> bool:
    if sys.platform == "win32":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    return bool(library.mlock(ctypes.c_void_p(address), ctypes.c_size_t(size)) == 0)


def wipe(data: bytes) -> None:
    """Overwrites the bytes that ``data`` holds. Only for an object that nobody else has: one just received or just
    decoded. One of a single byte is shared by the whole interpreter and left alone."""
    if len(data) > 1:
        ctypes.memset(id(data) + _BYTES_HEAD, 0, len(data))
