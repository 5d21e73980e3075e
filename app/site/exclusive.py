"""One process at a time: a lock file whose lock is the kernel's, so that it ends with its holder, however that ends.

No process number is written down or believed: in another container, or after a restart, it is somebody else's.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from app.site.errors import SiteBusy, SiteRefused


class Exclusive:
    """The lock on the file at ``path``. The file stays: who has it open while another removes it would hold nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """True when it is held from now on, False while another holds it (in this process, too). Raises OSError if the
        file can be neither opened nor made, or if its file system has no locks."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _try_lock(handle):
                self._handle, handle = handle, -1
                return True
            return False
        finally:
            if handle >= 0:
                os.close(handle)

    def release(self) -> None:
        """Give it back; nothing if it is not held."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)


@contextlib.contextmanager
def exclusive(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock file at ``path`` until the end or the death of this process; ``SiteBusy`` with ``busy`` if another
    process holds it, ``SiteRefused`` if it cannot be locked."""
    lock = Exclusive(path)
    try:
        mine = lock.take()
    except OSError as error:
        raise SiteRefused(f"{path} cannot be locked: {error.strerror}.") from error
    if not mine:
        raise SiteBusy(busy)
    try:
        yield
    finally:
        lock.release()


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
