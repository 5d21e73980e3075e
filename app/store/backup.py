"""A site's backup: one archive that exists as a whole or not at all.

A zip (stored, not compressed) of the parts below, ``manifest.json`` with the size and SHA-256 of each part, and
``manifest.mac``, HMAC-SHA256 over the manifest under a key of the site. Databases are copied by SQLite's backup API
from one snapshot, never as files: beside a running service a copied file lacks its WAL, and a foreign WAL beside a copy
damages it.

Keys are in the backup as in the store: wrapped. The key-encryption key is not in it, nor is the state of local
witnesses: a restored witness would confirm the old store that was restored with it."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import shutil
import sqlite3
import struct
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated, Final, Literal

import msgspec
from msgspec import MsgspecError

from app.site.exclusive import exclusive
from app.site.private_files import sync_directory
from app.site.site import Profile, Site
from app.store.errors import StoreError
from app.store.kek import DERIVATION_FILE

STORE: Final = "store.db"
KEYS: Final = "keys.db"
SITE: Final = "site.json"
REQUIRED: Final = (STORE, KEYS, SITE)
_OPTIONAL: Final = re.compile(rf"{re.escape(DERIVATION_FILE)}|policy(\.[1-9][0-9]?)?|makers\.pem")
"""Files of the data directory that are included where they exist: the derivation of the key from a passphrase, the
witness policies of today and of earlier generations of the logs, the pinned makers of cards."""
_MANIFEST: Final = "manifest.json"
_MAC: Final = "manifest.mac"
_MANIFEST_LIMIT: Final = 1 << 20
_CHUNK: Final = 1 << 20
_LOGS: Final[dict[int, Literal["seal", "audit"]]] = {0: "seal", 1: "audit"}

Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class BackupRefused(StoreError):
    """The backup cannot be made as asked; nothing was left behind."""


class BackupBroken(StoreError):
    """The archive is not a whole backup of a site."""


class ArchiveFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the archive."""

    size: Size
    sha256: Digest


class LogHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A log's state in the backup."""

    origin: str
    size: Size
    root: bytes


class BackupManifest(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What the archive states about itself. ``keks``: names of the key-encryption keys that its keys need."""

    v: Literal[1] = 1
    kind: Literal["arc-console-backup"] = "arc-console-backup"
    made_us: int
    profile: Profile
    site_id: str
    generation: int
    schema: str
    keks: Sequence[str]
    heads: dict[Literal["seal", "audit"], LogHead]
    parts: dict[str, ArchiveFile]


def write_backup(site: Site, out: Path, mac_key: bytes) -> BackupManifest:
    """Back ``site`` up into the new file ``out`` (0600), beside a running service or without one.

    Needs room for two copies of the store beside ``out``. A killed backup leaves no ``out``; the next backup to the
    same name removes its other files. Raises ``BackupRefused``."""
    out = out.absolute()
    scratch = out.with_name(f".{out.name}.partial")
    if out.exists():
        raise BackupRefused(f"{out} exists. Name a new file; a backup never replaces another.")
    try:
        scratch.mkdir(mode=0o700, exist_ok=True)
        with exclusive(scratch / "lock", f"Another backup to {out} is being made."):
            try:
                return _write(site, out, scratch, mac_key)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        raise BackupRefused(f"{out} cannot be written: {error.strerror}. Make room or name another place.") from error
    except sqlite3.Error as error:
        raise BackupRefused(f"{site.data_dir} cannot be backed up: {error}. Check the disk.") from error


def _write(site: Site, out: Path, scratch: Path, mac_key: bytes) -> BackupManifest:
    """Copies every part into ``scratch``, packs them there, and moves the finished archive to ``out``."""
    for left in scratch.iterdir():
        if left.name != "lock":
            left.unlink()
    # The store is copied before its keys: each key is made before the first row that needs it.
    _copy_database(site.store_path, scratch / STORE)
    _copy_database(site.keys_path, scratch / KEYS)
    names = [SITE, *sorted(path.name for path in site.data_dir.iterdir() if _OPTIONAL.fullmatch(path.name))]
    for name in names:
        with (site.data_dir / name).open("rb") as source, _private(scratch / name) as target:
            shutil.copyfileobj(source, target)
    with contextlib.closing(sqlite3.connect(scratch / STORE)) as store:
        schema = store.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        heads = {
            _LOGS[log]: LogHead(site.origin(_LOGS[log]), size, root)
            for log, size, root in store.execute("SELECT log, size, root FROM log_head")
        }
    with contextlib.closing(sqlite3.connect(scratch / KEYS)) as keys:
        keks = [row[0] for row in keys.execute("SELECT DISTINCT kek FROM wrapped_key ORDER BY kek")]
    manifest = BackupManifest(
        made_us=time.time_ns() // 1_000,
        profile=site.profile,
        site_id=site.site_id,
        generation=site.generation,
        schema=schema,
        keks=keks,
        heads=heads,
        parts={name: _measure(scratch / name) for name in (STORE, KEYS, *names)},
    )
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    archive = scratch / "archive"
    with _private(archive) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as zipped:
            zipped.writestr(_MANIFEST, data)
            zipped.writestr(_MAC, _mac(mac_key, data))
            for name in manifest.parts:
                zipped.write(scratch / name, name)
        file.flush()
        os.fsync(file.fileno())
    archive.replace(out)
    sync_directory(out.parent)
    return manifest


def _copy_database(source: Path, target: Path) -> None:
    """One snapshot of ``source`` as a file that needs no WAL, checked."""
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        contextlib.closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True, timeout=5.0)) as live,
        contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        # In one step: a copy in several steps starts again with each commit of the service, and would never end.
        live.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()
        check_database(copy, source)


def check_database(database: sqlite3.Connection, named: Path) -> None:
    """``BackupRefused`` if its pages do not fit together."""
    found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise BackupRefused(f"{named} is damaged: {found}. Keep it as evidence, and restore an earlier backup.")


class Archive:
    """An opened archive: complete, and with nothing in it that its manifest does not name."""

    def __init__(
        self, path: Path, zipped: zipfile.ZipFile, manifest: BackupManifest, signed: bytes, mac: bytes
    ) -> None:
        self.path = path
        self.manifest = manifest
        self._zip = zipped
        self._signed = signed
        self._mac = mac

    def check_mac(self, mac_key: bytes) -> None:
        """``BackupBroken`` unless the site with this key made the archive."""
        if not hmac.compare_digest(self._mac, _mac(mac_key, self._signed)):
            raise BackupBroken(f"{self.path} was changed after it was made, or is of another site.")

    def unpack(self, directory: Path) -> None:
        """Write every part into ``directory``, private and durable. ``BackupBroken`` if one is not what was backed
        up."""
        for name, part in self.manifest.parts.items():
            with _reading(self.path), self._zip.open(name) as source, _private(directory / name) as target:
                digest = hashlib.sha256()
                for chunk in _chunks(source, part.size):
                    digest.update(chunk)
                    target.write(chunk)
                if target.tell() != part.size or digest.hexdigest() != part.sha256:
                    raise BackupBroken(f"{name} in {self.path} is not what was backed up. Use another backup.")
                target.flush()
                os.fsync(target.fileno())
        sync_directory(directory)


@contextlib.contextmanager
def open_backup(path: Path) -> Iterator[Archive]:
    """The archive at ``path``. ``BackupBroken`` if it is none, or is cut off; ``unpack`` checks its parts."""
    with contextlib.ExitStack() as opened:
        with _reading(path):
            zipped = opened.enter_context(zipfile.ZipFile(path))
            entries = zipped.infolist()
            if any(entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1 for entry in entries):
                raise BackupBroken(f"{path} is packed otherwise than a backup is.")
            names = [entry.filename for entry in entries]
            signed = b"".join(_chunks(opened.enter_context(zipped.open(_MANIFEST)), _MANIFEST_LIMIT))
            mac = b"".join(_chunks(opened.enter_context(zipped.open(_MAC)), 32))
            manifest = msgspec.json.decode(signed, type=BackupManifest)
        wanted = {_MANIFEST, _MAC, *manifest.parts}
        extra = [name for name in manifest.parts if name not in REQUIRED and not _OPTIONAL.fullmatch(name)]
        if extra or set(REQUIRED) - set(manifest.parts) or len(names) != len(wanted) or set(names) != wanted:
            raise BackupBroken(f"{path} has other parts than a backup has.")
        yield Archive(path, zipped, manifest, signed, mac)


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turns every way in which a file can fail to be a zip into ``BackupBroken``."""
    try:
        yield
    except OSError as error:
        raise BackupBroken(f"{path} cannot be read or unpacked: {error.strerror or error}.") from error
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        EOFError,
        KeyError,
        ValueError,
        struct.error,
        MsgspecError,
    ) as error:
        raise BackupBroken(f"{path} is no whole backup of arc-console: {error}. Use another backup.") from error


def _chunks(source: IO[bytes], limit: int) -> Iterator[bytes]:
    """The content of ``source``, up to one byte more than ``limit``."""
    left = limit + 1
    while left and (chunk := source.read(min(_CHUNK, left))):
        left -= len(chunk)
        yield chunk


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def _measure(path: Path) -> ArchiveFile:
    with path.open("rb") as file:
        return ArchiveFile(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")
