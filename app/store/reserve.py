"""The reserve: a preallocated file that takes a few sealed records when the disk has no room for a transaction.

All of its blocks are written when it is made, so that a record is put over what is there and needs no room. It has
``SLOTS`` slots of ``SLOT`` bytes. A slot is ``SHA-256 of the rest (32) || length (4, big endian) || sealed field``, the
field bound to its slot. A slot whose digest is zero is free; one whose digest does not fit was torn: its write was cut,
and nobody was answered that the record is kept.

A record counts after the fsync of ``keep``. ``free`` comes after the store has what the record says, never before.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.site.private_files import sync_directory
from app.store.errors import StoreUnavailable
from app.store.sealed import OVERHEAD, FieldSealer

log = logging.getLogger(__name__)

SLOT: Final = 8_192
SLOTS: Final = 1_024
SIZE: Final = SLOT * SLOTS
RECORD_MAX: Final = SLOT - 36 - OVERHEAD
"""Bytes of one record."""
PURPOSE: Final = "burn-reserve"
_DIGEST: Final = 32
_HEAD: Final = _DIGEST + 4
_FREE: Final = bytes(_DIGEST)
_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class KeptRecord:
    """A record and its slot."""

    slot: int
    record: bytes


class Reserve:
    """The file at ``path``. ``open`` first; afterwards everything may be called on any thread, and blocks on the
    disk."""

    def __init__(self, path: Path, sealer: FieldSealer) -> None:
        self.path = path
        self._sealer = sealer
        self._lock = threading.Lock()
        self._taken: set[int] = set()
        self._ready = False
        self._trouble: str | None = None

    @property
    def trouble(self) -> str | None:
        """Why the file would not take a record now, as a sentence with the remedy; None if it would."""
        return self._trouble

    def open(self) -> list[KeptRecord]:
        """The records that are kept. Makes the file where it is missing or has another size; where that fails,
        ``trouble`` says so and ``keep`` tries again. ``SealBroken`` if a whole record does not open: it was edited, or
        is of another site. ``OSError`` if the file is there and cannot be read."""
        with self._lock:
            found = read_records(self.path, self._sealer)
            self._taken = {one.slot for one in found}
            with contextlib.suppress(StoreUnavailable):
                self._prepare()
            return found

    def keep(self, record: bytes, written: Callable[[], None] = lambda: None) -> int:
        """Makes the record durable; its slot. ``written`` is called between the write and the fsync. ``ValueError`` for
        more than ``RECORD_MAX`` bytes; ``StoreUnavailable`` if the file cannot be made or written, or is full."""
        if len(record) > RECORD_MAX:
            raise ValueError(f"a record of the reserve has {RECORD_MAX} bytes at most")
        with self._lock:
            self._prepare()
            slot = next((number for number in range(SLOTS) if number not in self._taken), None)
            if slot is None:
                raise StoreUnavailable(f"All {SLOTS} places of {self.path.name} are taken.")
            try:
                sealed = self._sealer.seal_prepared(PURPOSE, record, _context(slot))
                rest = len(sealed).to_bytes(4, "big") + sealed
                self._write(slot, hashlib.sha256(rest).digest() + rest, written)
            except (OSError, KeyError) as error:
                self._ready = False
                self._trouble = f"{self.path.name} could not be written. Check the disk."
                raise StoreUnavailable(self._trouble) from error
            self._taken.add(slot)
            self._note_room()
            return slot

    def free(self, slot: int) -> None:
        """Forgets a record whose content the store has durably. One that cannot be erased now is found again by the
        next ``open``."""
        with self._lock:
            try:
                self._write(slot, bytes(SLOT))
            except OSError:
                log.warning("a record of the reserve could not be erased", exc_info=True)
                return
            self._taken.discard(slot)
            self._note_room()

    # -- the lock is held

    def _write(self, slot: int, data: bytes, written: Callable[[], None] = lambda: None) -> None:
        handle = os.open(self.path, os.O_RDWR)
        try:
            if os.pwrite(handle, data, slot * SLOT) != len(data):
                raise OSError(f"{self.path} took a part of a record alone")
            written()
            os.fsync(handle)
        finally:
            os.close(handle)

    def _prepare(self) -> None:
        """Makes the file and its key ready; ``StoreUnavailable`` where that fails."""
        if self._ready:
            return
        try:
            self._sealer.prepare(PURPOSE)
        except StoreUnavailable:
            # A key of an earlier start will do (``seal_prepared``): on a full disk nothing can be counted.
            log.info("the key of the reserve could not be counted")
        try:
            if not is_whole(self.path):
                _make(self.path)
        except OSError as error:
            self._trouble = (
                f"{self.path.name}, which takes burns while the disk is full, could not be made: {error.strerror}. "
                f"Make {SIZE >> 20} MiB of room."
            )
            raise StoreUnavailable(self._trouble) from error
        self._ready = True
        self._note_room()

    def _note_room(self) -> None:
        full = len(self._taken) >= SLOTS
        self._trouble = f"All {SLOTS} places of {self.path.name} are taken. Make room on the disk." if full else None


def is_whole(path: Path) -> bool:
    """Whether the file is there in its size, readable and writable by its owner alone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    private = sys.platform == "win32" or stat.S_IMODE(found.st_mode) == 0o600
    return found.st_size == SIZE and private


def read_records(path: Path, sealer: FieldSealer) -> list[KeptRecord]:
    """What a reserve keeps, by slot; nothing of a file that is not there. A torn slot is passed over. ``SealBroken``:
    a whole record does not open. ``OSError``."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    found = []
    for slot in range(min(len(data) // SLOT, SLOTS)):
        digest = data[slot * SLOT : slot * SLOT + _DIGEST]
        if digest == _FREE:
            continue
        at = slot * SLOT + _DIGEST
        length = int.from_bytes(data[at : at + 4], "big")
        rest = data[at : at + 4 + length]
        if length > SLOT - _HEAD or hashlib.sha256(rest).digest() != digest:
            log.warning("a record of the reserve was torn; nobody was answered for it", extra={"slot": slot})
            continue
        found.append(KeptRecord(slot, sealer.open(PURPOSE, rest[4:], _context(slot))))
    return found


def _make(path: Path) -> None:
    """Makes the file in its whole size, with what it kept before, under its name at last."""
    scratch = path.with_name(f".{path.name}.part")
    kept = path.read_bytes()[:SIZE] if path.exists() else b""
    handle = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            # Says at once that there is no room. The writes below are needed all the same: a file system may have to
            # find room for a block that was promised and never written.
            os.posix_fallocate(handle, 0, SIZE)
        data = kept + bytes(SIZE - len(kept))
        for start in range(0, SIZE, _CHUNK):
            part = data[start : start + _CHUNK]
            if os.pwrite(handle, part, start) != len(part):
                raise OSError(f"{path} was not written whole")
        os.fsync(handle)
        os.replace(scratch, path)
    except BaseException:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise
    finally:
        os.close(handle)
    sync_directory(path.parent)


def _context(slot: int) -> bytes:
    return f"burn_reserve.slot|{slot}".encode()
