"""The site's keys: one key-encryption key outside the store wraps every other key.

Wrapped keys are in a small SQLite file of their own, so that a key can be made while the writer is inside a
transaction, and so that replacing the key-encryption key is one transaction. Each row names the key-encryption key that
wraps it. Every wrapped key is ``nonce (12) || AES-256-GCM`` with associated data ``purpose|kid|version``.

The newest key of a purpose is in use; older ones stay, to open and to verify what they made.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.store.errors import KeysUnavailable, StoreUnavailable
from app.store.kek import Kek, find_kek
from app.store.sealed import FIELDS, FieldSealer

__all__ = ["Kek", "Keys", "Kind", "SigningKey", "find_kek"]

Kind = Literal["data", "secret", "ed25519", "p256", "mldsa44", "rsa2048"]
SigningKey = Ed25519PrivateKey | ec.EllipticCurvePrivateKey

FIELDS_LIMIT: Final = 2**32
"""Most fields under one data key with random nonces of 96 bits (NIST SP 800-38D, 8.3)."""
DATA_KEY_US: Final = 366 * 86_400 * 1_000_000
"""A data key older than this is replaced, even if it sealed few fields."""

_VERSION: Final = 1
_NONCE: Final = 12
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
    created_us INTEGER NOT NULL,
    fields INTEGER NOT NULL DEFAULT 0
) STRICT
"""
_FIELDS: Final = "ALTER TABLE wrapped_key ADD COLUMN fields INTEGER NOT NULL DEFAULT 0"
"""For a file from before the fields of data keys were counted."""


class Keys:
    """Every key of the site, unwrapped on first use and kept in memory. Safe on any thread."""

    def __init__(
        self,
        path: Path,
        kek: Kek,
        *,
        find: Callable[[], Kek] | None = None,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000,
    ) -> None:
        """Open or make the file at ``path`` (0600); ``KeysUnavailable`` if ``kek`` did not wrap its keys.

        ``find`` finds the key-encryption key again after another process has replaced it.
        """
        self._kek = kek
        self._find = find
        self._clock = clock
        self._lock = threading.Lock()
        self._newest: dict[tuple[str, Kind], int] = {}
        self._raw: dict[int, tuple[str, Kind, bytes]] = {}
        self._signing: dict[tuple[str, Kind], SigningKey] = {}
        try:
            if not path.exists():  # closing a file that is there would take away this process's locks on it (POSIX)
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
            self._file.execute("PRAGMA synchronous=FULL")
            self._file.execute("PRAGMA secure_delete=ON")
            with self._change():
                self._file.execute(_TABLE)
                if "fields" not in {row[1] for row in self._file.execute("PRAGMA table_info(wrapped_key)")}:
                    self._file.execute(_FIELDS)
                self._load()
                # Finishes a replacement that was killed before its rows were wrapped again.
                self._rewrap()
        except (sqlite3.Error, OSError) as error:
            raise KeysUnavailable(f"{path} cannot be opened: {error}. Check the disk, or restore a backup.") from error
        self.sealer = FieldSealer(self)
        """Seals and opens fields under this site's data keys."""

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
            _, raw = self._key(purpose, "ed25519")
            found = self._signing[(purpose, "ed25519")] = Ed25519PrivateKey.from_private_bytes(raw)
        if not isinstance(found, Ed25519PrivateKey):
            raise TypeError(f"the key of {purpose} is not Ed25519")
        return found

    def ed25519s(self, purpose: str) -> list[Ed25519PrivateKey]:
        """Every Ed25519 key that ``purpose`` ever had, newest first."""
        return [Ed25519PrivateKey.from_private_bytes(raw) for raw in self._all(purpose, "ed25519")]

    def mldsa44(self, purpose: str) -> MLDSA44PrivateKey:
        """The ML-DSA-44 key of ``purpose`` (FIPS 204), made at the first call. Only its seed (32 bytes) is kept."""
        _, seed = self._key(purpose, "mldsa44")
        return MLDSA44PrivateKey.from_seed_bytes(seed)

    def mldsa44s(self, purpose: str) -> list[MLDSA44PrivateKey]:
        """Every ML-DSA-44 key that ``purpose`` ever had, newest first."""
        return [MLDSA44PrivateKey.from_seed_bytes(seed) for seed in self._all(purpose, "mldsa44")]

    def p256(self, purpose: str) -> ec.EllipticCurvePrivateKey:
        """The P-256 key of ``purpose``, made at the first call."""
        found = self._signing.get((purpose, "p256"))
        if found is None:
            found = self._signing[(purpose, "p256")] = _read_p256(self._key(purpose, "p256")[1])
        if not isinstance(found, ec.EllipticCurvePrivateKey):
            raise TypeError(f"the key of {purpose} is not P-256")
        return found

    def p256s(self, purpose: str) -> list[ec.EllipticCurvePrivateKey]:
        """Every P-256 key that ``purpose`` ever had, newest first."""
        return [_read_p256(raw) for raw in self._all(purpose, "p256")]

    def rsa2048(self, purpose: str) -> rsa.RSAPrivateKey:
        """The RSA key of ``purpose`` (2048 bits), made at the first call, which takes some hundred milliseconds."""
        return _read_rsa(self._key(purpose, "rsa2048")[1])

    def rsa2048s(self, purpose: str) -> list[rsa.RSAPrivateKey]:
        """Every RSA key that ``purpose`` ever had, newest first."""
        return [_read_rsa(raw) for raw in self._all(purpose, "rsa2048")]

    def secret(self, purpose: str) -> bytes:
        """32 secret bytes for MACs of ``purpose`` (pepper, cursor), made at the first call."""
        return self._key(purpose, "secret")[1]

    def secrets(self, purpose: str) -> list[bytes]:
        """Every secret that ``purpose`` ever had, newest first; the first one made at the first call."""
        self.secret(purpose)
        return self._all(purpose, "secret")

    def has_secret(self, purpose: str) -> bool:
        """Whether ``secret(purpose)`` was ever made on this site."""
        with self._lock:
            return (purpose, "secret") in self._newest

    def given_secret(self, purpose: str) -> bytes | None:
        """What a person gave as the secret of ``purpose`` (a password); None: nothing."""
        with self._lock:
            kid = self._newest.get((purpose, "secret"))
            return None if kid is None else self._raw[kid][2]

    def give_secret(self, purpose: str, raw: bytes) -> None:
        """Keep what a person gives as the secret of ``purpose`` in place of an earlier one, which is deleted. Other
        processes use it from their next start."""
        with self._lock, self._storing(purpose), self._change():
            self._load()
            self._file.execute("DELETE FROM wrapped_key WHERE purpose = ? AND kind = 'secret'", (purpose,))
            self._raw = {kid: one for kid, one in self._raw.items() if one[:2] != (purpose, "secret")}
            self._insert(purpose, "secret", raw)
            self._load()

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        """A data key of ``purpose`` (``sealed.DataKeys``); the newest for ``FIELDS`` more fields."""
        with self._lock:
            if kid is None:
                kid = self._reserve(purpose)
            elif kid not in self._raw:
                self._load()
            owner, kind, raw = self._raw[kid]
        if owner != purpose or kind != "data":
            raise KeyError(kid)
        return kid, raw

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        """The newest data key of ``purpose`` that exists (``sealed.DataKeys``); ``KeyError`` if there is none."""
        with self._lock:
            kid = self._newest[(purpose, "data")]
            return kid, self._raw[kid][2]

    def renew(self, purpose: str, kind: Literal["ed25519", "p256", "secret", "mldsa44", "rsa2048"]) -> int:
        """Replace the key of ``purpose``; the new key id. The old key stays (``ed25519s``, ``p256s``) and verifies what
        it signed, as long as its users accept that. Other processes use the new key from their next start."""
        with self._lock, self._storing(purpose), self._change():
            self._load()
            if (purpose, kind) not in self._newest:
                raise KeyError(purpose)
            kid = self._insert(purpose, kind, _MAKE[kind]())
            self._load()
            self._signing.pop((purpose, kind), None)
        return kid

    def reload(self) -> None:
        """Load the keys that other processes have made since."""
        with self._lock, self._storing("every purpose"), self._change():
            self._load()

    def retire_data_keys(self) -> None:
        """Seal nothing more under the present data keys; they still open what they sealed."""
        with self._lock, self._storing("every purpose"), self._change():
            self._file.execute("UPDATE wrapped_key SET fields = ? WHERE kind = 'data'", (FIELDS_LIMIT,))

    def rewrap(self) -> int:
        """Wrap every key by the newest key-encryption key, in one transaction, and read all back; how many keys were
        wrapped by another one."""
        with self._lock, self._storing("every purpose"), self._change():
            if self._find is not None:
                # Never with the one in memory, which another process may have replaced.
                self._kek = self._find()
            self._load()
            return self._rewrap()

    def one_kek(self) -> bool:
        """Whether the newest key-encryption key alone opens every key."""
        with self._lock:
            named = {row[0] for row in self._file.execute("SELECT DISTINCT kek FROM wrapped_key")}
        return named <= {self._kek.name}

    def close(self) -> None:
        """Close the file; keys in memory stay usable."""
        with self._lock:
            self._file.close()

    # -- the lock is held

    def _key(self, purpose: str, kind: Kind) -> tuple[int, bytes]:
        with self._lock:
            kid = self._newest.get((purpose, kind))
            if kid is None:
                with self._storing(purpose), self._change():
                    kid = self._make(purpose, kind)
            return kid, self._raw[kid][2]

    def _all(self, purpose: str, kind: Kind) -> list[bytes]:
        with self._lock:
            return [
                raw
                for _, (owner, its, raw) in sorted(self._raw.items(), reverse=True)
                if (owner, its) == (purpose, kind)
            ]

    def _reserve(self, purpose: str) -> int:
        """Count ``FIELDS`` more fields for the newest data key, before the first of them is sealed: after a kill the
        count is too high, never too low."""
        with self._storing(purpose), self._change():
            kid = self._make(purpose, "data")
            fields, created_us = self._file.execute(
                "SELECT fields, created_us FROM wrapped_key WHERE kid = ?", (kid,)
            ).fetchone()
            if fields + FIELDS > FIELDS_LIMIT or self._clock() - created_us > DATA_KEY_US:
                kid = self._insert(purpose, "data", _MAKE["data"]())
                self._load()
            self._file.execute("UPDATE wrapped_key SET fields = fields + ? WHERE kid = ?", (FIELDS, kid))
        return kid

    def _make(self, purpose: str, kind: Kind) -> int:
        """The newest key of ``purpose``, made unless another process just did. In a transaction."""
        self._load()
        if (purpose, kind) not in self._newest:
            self._insert(purpose, kind, _MAKE[kind]())
            self._load()
        return self._newest[(purpose, kind)]

    def _insert(self, purpose: str, kind: Kind, raw: bytes) -> int:
        """Add a key, in a transaction, so that no key-encryption key is forgotten between its look-up and this use."""
        self._follow_kek()
        kid = 1 + int(self._file.execute("SELECT ifnull(max(kid), 0) FROM wrapped_key").fetchone()[0])
        self._file.execute(
            "INSERT INTO wrapped_key (kid, purpose, kind, kek, version, wrapped, created_us) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (kid, purpose, kind, self._kek.name, _VERSION, self._wrap(purpose, kid, raw), self._clock()),
        )
        return kid

    def _follow_kek(self) -> None:
        """Use the key-encryption key that the other rows name."""
        row = self._file.execute("SELECT kek FROM wrapped_key ORDER BY kid DESC LIMIT 1").fetchone()
        if row is not None and row[0] != self._kek.name and self._find is not None:
            self._kek = self._find()

    def _wrap(self, purpose: str, kid: int, raw: bytes) -> bytes:
        nonce = os.urandom(_NONCE)
        cipher = self._kek.ciphers[self._kek.name]
        return nonce + cipher.encrypt(nonce, raw, _associated_data(purpose, kid, _VERSION))

    def _rewrap(self) -> int:
        """Wraps again what the newest key-encryption key did not wrap, and reads it back; how many keys."""
        rows = self._file.execute(
            "SELECT kid, purpose FROM wrapped_key WHERE kek <> ? OR version <> ?", (self._kek.name, _VERSION)
        ).fetchall()
        for kid, purpose in rows:
            self._file.execute(
                "UPDATE wrapped_key SET kek = ?, version = ?, wrapped = ? WHERE kid = ?",
                (self._kek.name, _VERSION, self._wrap(purpose, kid, self._raw[kid][2]), kid),
            )
        for kid, purpose in rows:
            kek, wrapped = self._file.execute("SELECT kek, wrapped FROM wrapped_key WHERE kid = ?", (kid,)).fetchone()
            if self._unwrap(kek, wrapped, purpose, kid, _VERSION) != self._raw[kid][2]:
                raise KeysUnavailable(f"Key {kid} ({purpose}) could not be wrapped again; nothing was changed.")
        return len(rows)

    def _load(self) -> None:
        """Unwrap the keys that are not in memory yet."""
        rows = self._file.execute("SELECT kid, purpose, kind, kek, version, wrapped FROM wrapped_key ORDER BY kid")
        for kid, purpose, kind, kek, version, wrapped in rows.fetchall():
            if kid not in self._raw:
                self._raw[kid] = (purpose, kind, self._unwrap(kek, wrapped, purpose, kid, version))
                self._newest[(purpose, kind)] = kid

    def _unwrap(self, kek: str, wrapped: bytes, purpose: str, kid: int, version: int) -> bytes:
        """The key in a row; ``KeysUnavailable`` if no key-encryption key of the site opens it."""
        if kek not in self._kek.ciphers and self._find is not None:
            self._kek = self._find()
        cipher = self._kek.ciphers.get(kek)
        if cipher is None:
            raise KeysUnavailable(
                "The site's keys were wrapped by another key-encryption key. Give back the keyring entry, key file "
                "or passphrase that this site was made with."
            )
        try:
            return cipher.decrypt(wrapped[:_NONCE], wrapped[_NONCE:], _associated_data(purpose, kid, version))
        except (InvalidTag, ValueError):
            raise KeysUnavailable(f"Key {kid} ({purpose}) is damaged. Restore keys.db from a backup.") from None

    @contextlib.contextmanager
    def _change(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        before = dict(self._raw), dict(self._newest)
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            # A key that was not stored must not be used.
            self._raw, self._newest = before
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _storing(self, purpose: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreUnavailable(
                f"The key of {purpose} could not be stored. Check the disk and try again."
            ) from error


def _associated_data(purpose: str, kid: int, version: int) -> bytes:
    return f"{purpose}|{kid}|{version}".encode()


def _new_p256() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _read_p256(raw: bytes) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_der_private_key(raw, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError("a kept key is not P-256")
    return key


def _new_rsa() -> bytes:
    return rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _read_rsa(raw: bytes) -> rsa.RSAPrivateKey:
    key = serialization.load_der_private_key(raw, None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError("a kept key is not RSA")
    return key


def _32_bytes() -> bytes:
    return secrets.token_bytes(32)


_MAKE: Final[dict[Kind, Callable[[], bytes]]] = {
    "data": _32_bytes,
    "secret": _32_bytes,
    "ed25519": _32_bytes,
    "mldsa44": _32_bytes,
    "p256": _new_p256,
    "rsa2048": _new_rsa,
}
