"""What a site with many templates starts from: its galleries, sealed, in a file beside the store.

Opening a million rows one by one is most of a start. So a gallery of more than ``LEAST_ROWS`` templates is also kept
whole, in chunks of 4 MiB, when the service stops or has just read it row by row. The file is only a copy: if anything
is wrong with it, the rows are read.

Its key is made of a secret of the site and of the registry's generation: 32 random bytes in the registry's row, which
every change of a template replaces in its own transaction. So a file of another state does not open, and what was
erased from the rows cannot be read back from a file that is still there: its key is gone with the row's old bytes.

File: ``ARCT1``, u32 chunks, u32 rows (big-endian); then for each chunk u32 length, nonce (12), AES-256-GCM of: u32
length, names (JSON, ``[[node_id, rows], ...]``), the templates (512 signed bytes each). Associated data: registry,
number of the chunk, chunks, rows.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.biometrics.gallery import EXHAUSTIVE_ROWS, Gallery
from hardware.terminals.projection import DIMENSIONS

log = logging.getLogger(__name__)

LEAST_ROWS: Final = EXHAUSTIVE_ROWS
GENERATION_BYTES: Final = 32
_CHUNK_ROWS: Final = 8_192
_MAGIC: Final = b"ARCT1"
_HEAD: Final = struct.Struct(">5sII")
_LENGTH: Final = struct.Struct(">I")
_NONCE: Final = 12
_TAG: Final = 16
_MOST_NAMES: Final = 4 << 20


class CacheUnusable(Exception):
    """The file is of another state, damaged, or not there."""


class TemplateCache:
    """The files below ``directory``. ``secret``: 32 bytes of the site. Blocks on the disk."""

    def __init__(self, directory: Path, secret: bytes, *, least_rows: int = LEAST_ROWS) -> None:
        self._directory = directory
        self._secret = secret
        self.least_rows = least_rows

    def path(self, registry_id: str) -> Path:
        """Where the registry's gallery is kept."""
        return self._directory / f"{hashlib.sha256(registry_id.encode()).hexdigest()[:32]}.cache"

    def write(self, registry_id: str, generation: bytes, gallery: Gallery) -> None:
        """Writes the gallery as it is at this generation: a process that is killed leaves the former file or this one.
        Nothing may change the gallery meanwhile. OSError as usual."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        groups = list(_groups(gallery))
        cipher = self._cipher(registry_id, generation)
        handle, name = tempfile.mkstemp(prefix=".", dir=self._directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_HEAD.pack(_MAGIC, len(groups), gallery.rows))
                for number, group in enumerate(groups):
                    file.write(
                        _seal_chunk(cipher, _context(registry_id, number, len(groups), gallery.rows), gallery, group)
                    )
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path(registry_id))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def read(self, registry_id: str, generation: bytes, rows: int) -> Gallery:
        """The gallery of this generation with so many rows. Raises ``CacheUnusable``, and then wipes what it had
        read."""
        gallery = Gallery(capacity=max(rows, 1))
        try:
            with self.path(registry_id).open("rb") as file:
                magic, chunks, counted = _HEAD.unpack(_exactly(file, _HEAD.size))
                if magic != _MAGIC or counted != rows:
                    raise CacheUnusable("it holds another number of templates")
                cipher = self._cipher(registry_id, generation)
                for number in range(chunks):
                    _load_chunk(gallery, file, cipher, _context(registry_id, number, chunks, rows))
                if file.read(1) or gallery.rows != rows:
                    raise CacheUnusable("it is longer or shorter than it says")
        except (OSError, InvalidTag, ValueError, EOFError, msgspec.MsgspecError) as error:
            gallery.clear()
            raise CacheUnusable(type(error).__name__) from None
        except CacheUnusable:
            gallery.clear()
            raise
        return gallery

    def forget(self, registry_id: str) -> None:
        """Deletes the file; it would not open any more anyway."""
        with contextlib.suppress(OSError):
            self.path(registry_id).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Deletes files that a killed process left half written."""
        for left in self._directory.glob(".*") if self._directory.exists() else ():
            with contextlib.suppress(OSError):
                left.unlink()

    def _cipher(self, registry_id: str, generation: bytes) -> AESGCM:
        key = HKDF(SHA256(), 32, generation, b"arc-template-cache/1\0" + registry_id.encode()).derive(self._secret)
        return AESGCM(key)


def _groups(gallery: Gallery) -> Iterator[list[str]]:
    """Nodes whose templates fill one chunk."""
    group: list[str] = []
    held = 0
    for node_id, count in gallery.counts():
        if group and held + count > _CHUNK_ROWS:
            yield group
            group, held = [], 0
        group.append(node_id)
        held += count
    if group:
        yield group


def _seal_chunk(cipher: AESGCM, context: bytes, gallery: Gallery, group: list[str]) -> bytes:
    """One chunk of the file: length, nonce and the sealed names and templates of ``group``."""
    nodes, rows = gallery.copy_of(group, _CHUNK_ROWS + 255)
    names = msgspec.json.encode(nodes)
    plain = bytearray(_LENGTH.size + len(names) + rows.nbytes)
    view = memoryview(plain)
    try:
        _LENGTH.pack_into(plain, 0, len(names))
        view[_LENGTH.size : _LENGTH.size + len(names)] = names
        view[_LENGTH.size + len(names) :] = rows.view(np.uint8).reshape(-1).data
        nonce = os.urandom(_NONCE)
        sealed = cipher.encrypt(nonce, view, context)
    finally:
        rows.fill(0)
        plain[:] = bytes(len(plain))
    return _LENGTH.pack(len(nonce) + len(sealed)) + nonce + sealed


def _load_chunk(gallery: Gallery, file: BinaryIO, cipher: AESGCM, context: bytes) -> None:
    """Opens the file's next chunk into the gallery and wipes the scratch."""
    (length,) = _LENGTH.unpack(_exactly(file, _LENGTH.size))
    most = _NONCE + _LENGTH.size + _MOST_NAMES + (_CHUNK_ROWS + 255) * DIMENSIONS + _TAG
    if not _NONCE + _LENGTH.size + _TAG <= length <= most:
        raise CacheUnusable("a chunk has no such length")
    sealed = memoryview(_exactly(file, length))
    plain = memoryview(bytearray(length - _NONCE - _TAG))
    try:
        cipher.decrypt_into(sealed[:_NONCE], sealed[_NONCE:], context, plain)
        (size,) = _LENGTH.unpack_from(plain)
        nodes = msgspec.json.decode(plain[_LENGTH.size : _LENGTH.size + size], type=list[tuple[str, int]])
        codes = np.frombuffer(plain[_LENGTH.size + size :], np.int8).reshape(-1, DIMENSIONS)
        gallery.restore(nodes, codes)
    finally:
        plain[:] = bytes(len(plain))


def _exactly(file: BinaryIO, size: int) -> bytes:
    found = file.read(size)
    if len(found) != size:
        raise EOFError("the file ends too soon")
    return found


def _context(registry_id: str, number: int, chunks: int, rows: int) -> bytes:
    return f"template-cache|{registry_id}|{number}|{chunks}|{rows}".encode()
