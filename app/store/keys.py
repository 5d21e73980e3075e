"""The site's keys: one key-encryption key outside the store wraps every other key (ledger.md section 9).

Wrapped keys lie in a small SQLite file of their own, so that a key can be made while the writer is inside a
transaction, and so that rotating the key-encryption key is one transaction. A row names the key-encryption key that
wraps it. Every wrapped key is ``nonce (12) || AES-256-GCM`` with associated data ``purpose|kid|version``.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from app.site import Site, write_private
from app.store.errors import KeysUnavailable, StoreUnavailable
from app.store.sealed import Sealer

Kind = Literal["data", "secret", "ed25519", "p256", "mldsa44"]
SigningKey = Ed25519PrivateKey | ec.EllipticCurvePrivateKey

_VERSION: Final = 1
_NONCE: Final = 12
_KEK: Final = 32
_SERVICE: Final = "arc-console"
_SIGNING: Final[dict[str, Kind]] = {"audit": "ed25519", "seal": "ed25519", "receipt": "ed25519"}
"""Kinds that ``signing`` makes; every other purpose is P-256 (certificates and cards know no Ed25519 everywhere)."""

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS wrapped_key (
    kid INTEGER PRIMARY KEY,
    purpose TEXT NOT NULL,
    kind TEXT NOT NULL,
    kek TEXT NOT NULL,
    version INTEGER NOT NULL,
    wrapped BLOB NOT NULL,
    created_us INTEGER NOT NULL
) STRICT
"""


@dataclass(frozen=True, repr=False)
class Kek:
    """The key-encryption key: 32 bytes, and a name that tells nothing of it."""

    key: bytes

    @property
    def name(self) -> str:
        """What rows call it."""
        return hmac.new(self.key, b"arc-console/kek-name", hashlib.sha256).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"Kek({self.name})"


class KeyringLike(Protocol):
    """The two calls of a keyring backend that are used."""

    def get_password(self, service: str, username: str) -> str | None:
        """The entry, ``None`` if there is none."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Store the entry."""


class _Derivation(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``kek.json``: how the passphrase becomes the key."""

    v: Literal[1] = 1
    salt: bytes
    n: int = 2**16
    r: int = 8
    p: int = 1


def find_kek(site: Site, *, keyring: KeyringLike | None = None) -> Kek:
    """The site's key-encryption key, made at the first start.

    Training: a random file ``kek`` (0600) in the data directory. Production: the operating system's keyring, else a
    passphrase file named by the site. Raises ``KeysUnavailable`` with the remedy. ``keyring`` replaces the system's.
    """
    if site.training:
        return Kek(_random_file(site.data_dir / "kek"))
    derivation = site.data_dir / "kek.json"
    # A site that once chose the passphrase stays with it, even where a keyring appears later.
    if not derivation.exists():
        ring = keyring if keyring is not None else _system_keyring()
        if ring is not None:
            return Kek(_from_keyring(ring, site.site_id))
        if site.keys_path.exists():
            raise KeysUnavailable("The keyring that holds this site's key does not answer. Unlock it and start again.")
    for path in site.passphrase_files():
        if path.is_file():
            return Kek(_from_passphrase(path, derivation))
    raise KeysUnavailable(
        "This production site has no place for its key: no keyring answers and there is no passphrase file. Put a "
        f"passphrase of at least 16 characters into {site.passphrase_files()[-1]} (mode 0600), or give the systemd "
        "credential store-passphrase."
    )


class Keys:
    """Every key of the site, unwrapped on first use and kept in memory. Safe on any thread."""

    def __init__(self, path: Path, kek: Kek, *, clock: Callable[[], int] = lambda: time.time_ns() // 1_000) -> None:
        """Open or make the file at ``path`` (0600); ``KeysUnavailable`` if ``kek`` did not wrap its keys."""
        self._kek = kek
        self._wrap = AESGCM(kek.key)
        self._clock = clock
        self._lock = threading.Lock()
        self._newest: dict[tuple[str, Kind], int] = {}
        self._raw: dict[int, tuple[str, Kind, bytes]] = {}
        self._signing: dict[tuple[str, Kind], SigningKey] = {}
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
            self._file.execute("PRAGMA synchronous=FULL")
            self._file.execute(_TABLE)
            self._load()
        except (sqlite3.Error, OSError) as error:
            raise KeysUnavailable(f"{path} cannot be opened: {error}. Check the disk, or restore a backup.") from error
        self.sealer = Sealer(self)
        """Sealed fields under this site's data keys."""

    def signing(self, purpose: str, kind: Literal["ed25519", "p256"] | None = None) -> SigningKey:
        """The private key that signs for ``purpose``, made at the first call.

        ``audit``, ``seal`` and ``receipt`` are Ed25519, every other purpose P-256 unless ``kind`` says so.
        """
        if kind is None:
            kind = "ed25519" if _SIGNING.get(purpose) == "ed25519" else "p256"
        return self.ed25519(purpose) if kind == "ed25519" else self.p256(purpose)

    def ed25519(self, purpose: str) -> Ed25519PrivateKey:
        """The Ed25519 key of ``purpose``, made at the first call."""
        found = self._signing.get((purpose, "ed25519"))
        if found is None:
            _, raw = self._key(purpose, "ed25519", lambda: secrets.token_bytes(32))
            found = self._signing[(purpose, "ed25519")] = Ed25519PrivateKey.from_private_bytes(raw)
        if not isinstance(found, Ed25519PrivateKey):
            raise TypeError(f"the key of {purpose} is not Ed25519")
        return found

    def mldsa44(self, purpose: str) -> MLDSA44PrivateKey:
        """The ML-DSA-44 key of ``purpose`` (FIPS 204), made at the first call; its seed of 32 bytes is what is kept."""
        _, seed = self._key(purpose, "mldsa44", lambda: secrets.token_bytes(32))
        return MLDSA44PrivateKey.from_seed_bytes(seed)

    def p256(self, purpose: str) -> ec.EllipticCurvePrivateKey:
        """The P-256 key of ``purpose``, made at the first call."""
        found = self._signing.get((purpose, "p256"))
        if found is None:
            _, raw = self._key(purpose, "p256", _new_p256)
            key = serialization.load_der_private_key(raw, None)
            if not isinstance(key, ec.EllipticCurvePrivateKey):
                raise TypeError(f"the key of {purpose} is not P-256")
            found = self._signing[(purpose, "p256")] = key
        if not isinstance(found, ec.EllipticCurvePrivateKey):
            raise TypeError(f"the key of {purpose} is not P-256")
        return found

    def secret(self, purpose: str) -> bytes:
        """32 secret bytes for MACs of ``purpose`` (pepper, cursor), made at the first call."""
        return self._key(purpose, "secret", lambda: secrets.token_bytes(32))[1]

    def has_secret(self, purpose: str) -> bool:
        """Whether ``secret(purpose)`` was ever made on this site."""
        with self._lock:
            return (purpose, "secret") in self._newest

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        """A data key of ``purpose`` (``sealed.DataKeys``)."""
        if kid is None:
            return self._key(purpose, "data", lambda: AESGCM.generate_key(256))
        with self._lock:
            if kid not in self._raw:
                self._load()
            owner, kind, raw = self._raw[kid]
        if owner != purpose or kind != "data":
            raise KeyError(kid)
        return kid, raw

    def close(self) -> None:
        """Close the file; keys in memory stay usable."""
        with self._lock:
            self._file.close()

    def _key(self, purpose: str, kind: Kind, make: Callable[[], bytes]) -> tuple[int, bytes]:
        with self._lock:
            kid = self._newest.get((purpose, kind))
            if kid is None:
                kid = self._make(purpose, kind, make)
            return kid, self._raw[kid][2]

    def _make(self, purpose: str, kind: Kind, make: Callable[[], bytes]) -> int:
        """Make a key unless another process just did. The lock is held."""
        try:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                self._load()
                found = self._newest.get((purpose, kind))
                if found is None:
                    found = 1 + int(self._file.execute("SELECT ifnull(max(kid), 0) FROM wrapped_key").fetchone()[0])
                    raw, nonce = make(), os.urandom(_NONCE)
                    wrapped = nonce + self._wrap.encrypt(nonce, raw, _associated(purpose, found, _VERSION))
                    self._file.execute(
                        "INSERT INTO wrapped_key (kid, purpose, kind, kek, version, wrapped, created_us) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (found, purpose, kind, self._kek.name, _VERSION, wrapped, self._clock()),
                    )
                self._file.execute("COMMIT")
            except BaseException:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
                raise
            self._load()
        except sqlite3.Error as error:
            raise StoreUnavailable(
                f"The key of {purpose} could not be stored. Check the disk and try again."
            ) from error
        return found

    def _load(self) -> None:
        """Unwrap what is not in memory yet."""
        rows = self._file.execute("SELECT kid, purpose, kind, kek, version, wrapped FROM wrapped_key ORDER BY kid")
        for kid, purpose, kind, kek, version, wrapped in rows.fetchall():
            if kid in self._raw:
                continue
            if kek != self._kek.name:
                raise KeysUnavailable(
                    "The site's keys were wrapped by another key-encryption key. Give back the keyring entry, key file "
                    "or passphrase that this site was made with."
                )
            try:
                raw = self._wrap.decrypt(wrapped[:_NONCE], wrapped[_NONCE:], _associated(purpose, kid, version))
            except InvalidTag:
                raise KeysUnavailable(f"Key {kid} ({purpose}) is damaged. Restore keys.db from a backup.") from None
            self._raw[kid] = (purpose, kind, raw)
            self._newest[(purpose, kind)] = kid


def _associated(purpose: str, kid: int, version: int) -> bytes:
    return f"{purpose}|{kid}|{version}".encode()


def _new_p256() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _random_file(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        write_private(path, secrets.token_bytes(_KEK))
        key = path.read_bytes()
    if len(key) != _KEK:
        raise KeysUnavailable(f"{path} is not a key of 32 bytes. Restore it from a backup.")
    return key


# Named, not found by priority: keyring also knows backends that write plain text or do nothing.
_SAFE_BACKENDS: Final = (
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
)


def _system_keyring() -> KeyringLike | None:
    import keyring.backend
    import keyring.backends.chainer

    current = keyring.get_keyring()
    candidates = current.backends if isinstance(current, keyring.backends.chainer.ChainerBackend) else [current]
    for backend in candidates:
        if type(backend).__module__.startswith(_SAFE_BACKENDS):
            return backend
    return None


def _from_keyring(ring: KeyringLike, site_id: str) -> bytes:
    from keyring.errors import KeyringError

    try:
        found = ring.get_password(_SERVICE, site_id)
        if found is None:
            ring.set_password(_SERVICE, site_id, secrets.token_hex(_KEK))
            # What the keyring gives back is what the next start will get: never the copy in memory.
            found = ring.get_password(_SERVICE, site_id)
    except KeyringError as error:
        raise KeysUnavailable(f"The keyring refused: {error}. Unlock it, or use a passphrase file.") from error
    try:
        key = bytes.fromhex(found or "")
    except ValueError:
        key = b""
    if len(key) != _KEK:
        raise KeysUnavailable("The keyring's entry for this site is damaged. Restore it, or the site from a backup.")
    return key


def _from_passphrase(path: Path, derivation: Path) -> bytes:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise KeysUnavailable(f"{path} can be read by others. Set its mode to 0600.")
    passphrase = path.read_bytes().strip()
    if len(passphrase) < 16:
        raise KeysUnavailable(f"The passphrase in {path} is shorter than 16 characters. Choose a longer one.")
    try:
        how = msgspec.json.decode(derivation.read_bytes(), type=_Derivation)
    except FileNotFoundError:
        how = _Derivation(salt=secrets.token_bytes(16))
        write_private(derivation, msgspec.json.encode(how))
    except msgspec.MsgspecError as error:
        raise KeysUnavailable(f"{derivation} is damaged: {error}. Restore it from a backup.") from error
    return Scrypt(salt=how.salt, length=_KEK, n=how.n, r=how.r, p=how.p).derive(passphrase)
