"""The keys of template registries: one per registry and epoch, in a file of their own that no backup holds.

A key makes the secret projection of its registry, and with it features can be computed back from templates. So keys lie
apart from templates (ISO/IEC 24745: identifier and auxiliary data apart): sealed under the site's keys, beside the data
directory or where ``registry_keys_path`` says, and opened only for what needs them. Each key is drawn at random for its
epoch and derived from nothing, so that a renewal that deletes the row has destroyed it. The file is made with the first
key: a site with the empty registry ``default`` alone has none.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from app.store.errors import KeysUnavailable, SealBroken
from app.store.sealed import FieldSealer
from hardware.memory import allocate_locked
from hardware.terminals.projection import KEY_BYTES, Projection, draw_key, seed_of

PURPOSE: Final = "registry-key"
# The remedy renews: terminals that still make templates with the lost key must learn of another epoch.
_ERASE: Final = "erase the templates, renew the registry and enrol again."
_ELSE: Final = f"or {_ERASE}"

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS registry_key (
    registry_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (registry_id, epoch)
) STRICT
"""


class RegistryKeys:
    """The file at ``path``. Safe on any thread: each call opens it. Raises ``KeysUnavailable`` with the remedy."""

    def __init__(self, path: Path, sealer: FieldSealer) -> None:
        self._path = path
        self._sealer = sealer

    def draw(self, registry_id: str, epoch: int) -> Projection:
        """Makes a fresh key for this epoch, in place of one that an unfinished renewal left; it is durable before the
        projection is given. The caller wipes the projection."""
        key, projection = draw_key(registry_id, epoch)
        try:
            sealed = self._sealer.seal(PURPOSE, key.data, _context(registry_id, epoch))
        finally:
            key.fill(0)
        with self._file(make=True) as file:
            if file is None:
                raise TypeError("the file was made")
            file.execute("INSERT OR REPLACE INTO registry_key VALUES (?, ?, ?)", (registry_id, epoch, sealed))
        return projection

    def has(self, registry_id: str, epoch: int) -> bool:
        """Whether the key of this epoch is here and opens."""
        try:
            with self._open_key(registry_id, epoch):
                return True
        except KeysUnavailable:
            return False

    def projection(self, registry_id: str, epoch: int) -> Projection:
        """The projection of this epoch. The caller wipes it."""
        with self._open_key(registry_id, epoch) as key:
            return Projection(key, registry_id, epoch)

    def seed(self, registry_id: str, epoch: int) -> bytearray:
        """The seed that makes that projection, for a terminal's bundle. The caller wipes it."""
        with self._open_key(registry_id, epoch) as key:
            return seed_of(key, registry_id, epoch)

    @contextlib.contextmanager
    def _open_key(self, registry_id: str, epoch: int) -> Iterator[memoryview]:
        """The key, in locked memory that is overwritten at the end of the block."""
        with self._file() as file:
            row = None if file is None else _row(file, registry_id, epoch)
        if row is None:
            raise KeysUnavailable(
                f"The key of template registry {registry_id}, epoch {epoch}, is not in {self._path}. "
                "If it was there once, bring that file back from where it was kept. If the templates were made "
                f"elsewhere, by a key that this site never had, nothing can renew them: {_ERASE}"
            )
        key = allocate_locked(KEY_BYTES)
        try:
            try:
                self._sealer.open_into(PURPOSE, row, _context(registry_id, epoch), key.data)
            except SealBroken as error:
                raise KeysUnavailable(
                    f"The key of template registry {registry_id}, epoch {epoch}, in {self._path} does not open with "
                    f"this site's keys. Bring back the file of this site, {_ELSE}"
                ) from error
            yield key.data
        finally:
            key.fill(0)

    def destroy(self, registry_id: str, *, but: int | None) -> None:
        """Deletes the registry's keys of every epoch but this (None: of all), and overwrites their place in the
        file."""
        with self._file() as file:
            if file is not None:
                file.execute("DELETE FROM registry_key WHERE registry_id = ? AND epoch IS NOT ?", (registry_id, but))

    def forget(self, epochs: Mapping[str, int]) -> None:
        """As ``destroy``, for every key of another registry than these, or of an earlier epoch.

        A key of a later epoch stays: an unfinished renewal left it, and the next one draws another in its place; or
        this is an older copy of the site, and without that key nobody could return to the newer one.
        """
        with self._file() as file:
            if file is not None:
                for registry_id, epoch in file.execute("SELECT registry_id, epoch FROM registry_key").fetchall():
                    if registry_id not in epochs or epoch < epochs[registry_id]:
                        file.execute(
                            "DELETE FROM registry_key WHERE registry_id = ? AND epoch = ?", (registry_id, epoch)
                        )

    @contextlib.contextmanager
    def _file(self, make: bool = False) -> Iterator[sqlite3.Connection | None]:
        """The open file; None if there is none and ``make`` is False."""
        try:
            if not self._path.exists():
                if not make:
                    yield None
                    return
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            with contextlib.closing(sqlite3.connect(self._path, isolation_level=None, timeout=5.0)) as file:
                # EXTRA: a deleted key must not come back with a journal after a power cut.
                file.execute("PRAGMA synchronous=EXTRA")
                file.execute("PRAGMA secure_delete=ON")
                file.execute(_TABLE)
                yield file
        except (OSError, sqlite3.Error) as error:
            raise KeysUnavailable(
                f"{self._path} cannot be used: {error}. Check the disk, or name another place (registry_keys_path)."
            ) from error


def _row(file: sqlite3.Connection, registry_id: str, epoch: int) -> bytes | None:
    found = file.execute(
        "SELECT sealed FROM registry_key WHERE registry_id = ? AND epoch = ?", (registry_id, epoch)
    ).fetchone()
    return None if found is None else bytes(found[0])


def _context(registry_id: str, epoch: int) -> bytes:
    return f"registry_key|{registry_id}|{epoch}".encode()
