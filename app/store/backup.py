"""A site's backup: one archive that exists as a whole or not at all.

A zip (stored, not compressed) of the parts below, ``manifest.json`` with the size and SHA-256 of each part, and
``manifest.mac``, HMAC-SHA256 over the manifest under a key of the site. Databases are copied by SQLite's backup API
from one snapshot, never as files: beside a running service a copied file lacks its WAL, and a foreign WAL beside a copy
damages it.

The store holds names and reasons in the clear, so its copy is sealed: chunks of 1 MiB, each AES-256-GCM under a key of
this archive alone (HKDF-SHA256 of the site's backup key and the manifest's ``salt``), with the chunk's number and
whether it is the last in the nonce, so that chunks cannot be cut, moved or doubled (the STREAM construction, Hoang and
others 2015). The unsealed copy is made inside the data directory, never on the backup's medium. Archives of version 1
have the store in the clear; they are still restored.

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
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated, Final, Literal

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
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
MAC_PURPOSE: Final = "backup"
"""Of the key by which a site knows its own archives."""
RESERVE: Final = "burns.reserve"
"""Burns that wait for room on the disk (``reserve.py``); in the archive where it keeps any."""
_OPTIONAL: Final = re.compile(rf"{re.escape(DERIVATION_FILE)}|{re.escape(RESERVE)}|policy(\.[1-9][0-9]?)?|makers\.pem")
"""Files of the data directory that are included where they exist: the derivation of the key from a passphrase, the
witness policies of today and of earlier generations of the logs, the pinned makers of cards."""
_MANIFEST: Final = "manifest.json"
_MAC: Final = "manifest.mac"
_MANIFEST_LIMIT: Final = 1 << 20
_CHUNK: Final = 1 << 20
_TAG: Final = 16
_ROOM: Final = ".backup"
"""In the data directory: where the unsealed copies are made."""
_SEAL_INFO: Final = b"arc-console/backup/seal"
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
    """What the archive states about itself. ``keks``: names of the key-encryption keys that its keys need. ``salt``:
    base64 of the 32 bytes that the seal of the store is derived with; null in version 1, whose store is not sealed.
    ``parts``: as they lie in the archive."""

    v: Literal[1, 2] = 2
    kind: Literal["arc-console-backup"] = "arc-console-backup"
    made_us: int
    profile: Profile
    site_id: str
    generation: int
    schema: str
    keks: Sequence[str]
    heads: dict[Literal["seal", "audit"], LogHead]
    parts: dict[str, ArchiveFile]
    salt: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9+/]{43}=$")] | None = None


def write_backup(site: Site, out: Path, mac_key: bytes) -> BackupManifest:
    """Back ``site`` up into the new file ``out`` (0600), beside a running service or without one.

    Needs room for a copy of the store in the data directory and for two beside ``out``. A killed backup leaves no
    ``out``; the next backup removes its other files. Raises ``BackupRefused``."""
    out = out.absolute()
    scratch = out.with_name(f".{out.name}.partial")
    room = site.data_dir / _ROOM
    if out.exists():
        raise BackupRefused(f"{out} exists. Name a new file; a backup never replaces another.")
    try:
        room.mkdir(mode=0o700, exist_ok=True)
        scratch.mkdir(mode=0o700, exist_ok=True)
        with (
            exclusive(room / "lock", f"Another backup of {site.data_dir} is being made."),
            exclusive(scratch / "lock", f"Another backup to {out} is being made."),
        ):
            try:
                return _write(site, out, room, scratch, mac_key)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
                shutil.rmtree(room, ignore_errors=True)
    except OSError as error:
        raise BackupRefused(f"{out} cannot be written: {error.strerror}. Make room or name another place.") from error
    except sqlite3.Error as error:
        raise BackupRefused(f"{site.data_dir} cannot be backed up: {error}. Check the disk.") from error


def _write(site: Site, out: Path, room: Path, scratch: Path, mac_key: bytes) -> BackupManifest:
    """Copies the store into ``room`` and seals it into ``scratch``, every other part into ``scratch``, packs them
    there, and moves the finished archive to ``out``."""
    for left in (*scratch.iterdir(), *room.iterdir()):
        if left.name != "lock":
            left.unlink()
    # The reserve is copied before the store: a burn that goes from one to the other in between is then in both, and the
    # restored site stores it once. The other way round it would be in neither.
    kept = site.reserve_path.read_bytes() if site.reserve_path.exists() else b""
    reserve = [RESERVE] if any(kept) else []
    if reserve:
        with _private(scratch / RESERVE) as target:
            target.write(kept)
    # The store is copied before its keys: each key is made before the first row that needs it.
    _copy_database(site.store_path, room / STORE)
    _copy_database(site.keys_path, scratch / KEYS)
    present = {path.name for path in site.data_dir.iterdir() if _OPTIONAL.fullmatch(path.name)}
    names = [SITE, *sorted(present - {RESERVE})]
    for name in names:
        with (site.data_dir / name).open("rb") as source, _private(scratch / name) as target:
            shutil.copyfileobj(source, target)
    with contextlib.closing(sqlite3.connect(room / STORE)) as store:
        schema = store.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        heads = {
            _LOGS[log]: LogHead(site.origin(_LOGS[log]), size, root)
            for log, size, root in store.execute("SELECT log, size, root FROM log_head")
        }
    with contextlib.closing(sqlite3.connect(scratch / KEYS)) as keys:
        keks = [row[0] for row in keys.execute("SELECT DISTINCT kek FROM wrapped_key ORDER BY kek")]
    salt = os.urandom(32)
    with (room / STORE).open("rb") as plain, _private(scratch / STORE) as sealed:
        _seal(plain, sealed, _seal_key(mac_key, salt))
    manifest = BackupManifest(
        made_us=time.time_ns() // 1_000,
        profile=site.profile,
        site_id=site.site_id,
        generation=site.generation,
        schema=schema,
        keks=keks,
        heads=heads,
        parts={name: _measure(scratch / name) for name in (STORE, KEYS, *names, *reserve)},
        salt=b64encode(salt).decode(),
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

    def open_store(self, store: Path, mac_key: bytes) -> None:
        """Unseal the unpacked store in place. ``BackupBroken`` if it was sealed by another site or altered. After
        ``check_mac`` only: the manifest says how the store is sealed."""
        if self.manifest.salt is None:
            return
        key = _seal_key(mac_key, b64decode(self.manifest.salt))
        plain = store.with_name(f".{store.name}.plain")
        try:
            with store.open("rb") as sealed, _private(plain) as target:
                _unseal(sealed, target, key)
                target.flush()
                os.fsync(target.fileno())
        except InvalidTag:
            plain.unlink()
            raise BackupBroken(f"The store in {self.path} is not what was backed up. Use another backup.") from None
        plain.replace(store)
        sync_directory(store.parent)


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
        if (manifest.v == 1) != (manifest.salt is None):
            raise BackupBroken(f"{path} does not say how its store is sealed.")
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


def _seal_key(mac_key: bytes, salt: bytes) -> AESGCM:
    return AESGCM(HKDF(hashes.SHA256(), 32, salt, _SEAL_INFO).derive(mac_key))


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes((last,))


def _seal(plain: IO[bytes], sealed: IO[bytes], cipher: AESGCM) -> None:
    """The content of ``plain`` in chunks, each with its tag; an empty content is one empty last chunk."""
    number, chunk = 0, plain.read(_CHUNK)
    while True:
        following = plain.read(_CHUNK)
        sealed.write(cipher.encrypt(_nonce(number, not following), chunk, None))
        if not following:
            return
        number, chunk = number + 1, following


def _unseal(sealed: IO[bytes], plain: IO[bytes], cipher: AESGCM) -> None:
    """The reverse of ``_seal``; ``InvalidTag`` if a chunk is altered, missing, moved or not the last where it ends."""
    number, chunk = 0, sealed.read(_CHUNK + _TAG)
    while True:
        following = sealed.read(_CHUNK + _TAG)
        if len(chunk) < _TAG:
            raise InvalidTag
        plain.write(cipher.decrypt(_nonce(number, not following), chunk, None))
        if not following:
            return
        number, chunk = number + 1, following


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")
