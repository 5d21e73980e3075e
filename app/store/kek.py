"""The key-encryption key: where it is kept, how it is found, replaced and forgotten.

It is never in the store, in a backup or in an archive. Its place keeps the newest key and those that it replaced: each
row names the key that wraps it, and a backup made before a replacement names the older one.

Training: a file ``kek`` (0600) in the data directory. Production: a PKCS#11 token where the settings name one, else the
operating system's keyring, else a passphrase file. ``kek.json`` then says how token or passphrase give the key; without
them it reveals nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from app.site.private_files import write_private
from app.site.site import Site
from app.store.errors import KeysUnavailable, StoreError
from app.store.token import Token, has_token

KEK_FILE: Final = "kek"
DERIVATION_FILE: Final = "kek.json"
KEPT: Final = 8
"""Most keys in one place: some systems limit the size of a keyring's entry."""
SCRYPT_N = 2**16
"""Cost of a new derivation from a passphrase (RFC 7914): 64 MiB."""

_SIZE: Final = 32
_NONCE: Final = 12
_SERVICE: Final = "arc-console"
_ASSOCIATED: Final = b"arc-console/kek.json"
_SHORTEST: Final = 16
"""Characters of a passphrase."""


class KekRefused(StoreError):
    """The key-encryption key stays as it is; the text says why."""


@dataclass(frozen=True, repr=False)
class Kek:
    """The newest key-encryption key (32 bytes) and the earlier ones, newest first."""

    key: bytes
    older: tuple[bytes, ...] = ()

    @cached_property
    def name(self) -> str:
        """Its name in rows, which reveals nothing about the key."""
        return _name(self.key)

    @cached_property
    def ciphers(self) -> Mapping[str, AESGCM]:
        """The cipher of each key, by the key's name."""
        return {_name(key): AESGCM(key) for key in (self.key, *self.older)}

    def __repr__(self) -> str:
        return f"Kek({self.name})"


def _name(key: bytes) -> str:
    return hmac.new(key, b"arc-console/kek-name", hashlib.sha256).hexdigest()[:16]


class KeyringLike(Protocol):
    """The two calls that we use of a keyring backend."""

    def get_password(self, service: str, username: str) -> str | None:
        """The entry, ``None`` if there is none."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Store the entry."""


class _Place(Protocol):
    """Where the keys are kept. Every change is one atomic, durable step: a kill leaves the old keys or the new ones."""

    def read(self) -> Sequence[bytes]:
        """The keys, newest first; none at the first start."""

    def draw(self) -> bytes:
        """A new key, not kept yet."""

    def write(self, keys: Sequence[bytes]) -> None:
        """Keep exactly these."""


def find_kek(site: Site, *, keyring: KeyringLike | None = None, make: bool | None = None) -> Kek:
    """The site's key-encryption key. ``make``: whether the first one may be made; by default only while the site has no
    keys to open. ``keyring`` replaces the system's. Raises ``KeysUnavailable`` with the remedy."""
    place = _place(site, keyring)
    keys = place.read()
    if not keys:
        if not (make if make is not None else not site.keys_path.exists()):
            raise KeysUnavailable(
                f"The key that opens this site's keys is not there: {keeping(site)} Bring it back from where you keep "
                "it, or restore a backup whose key you have."
            )
        place.write((place.draw(),))
        # Read back, because the next start will get what the place gives, not the copy in memory.
        keys = place.read()
    return Kek(keys[0], tuple(keys[1:]))


def add_kek(site: Site, *, keyring: KeyringLike | None = None, new_passphrase: Path | None = None) -> Kek:
    """Put a new key before the existing ones. ``Keys.rewrap`` then wraps the rows again; until that is done, also after
    a kill, the older key opens them.

    ``new_passphrase``: a file with another passphrase, for a site that has one. Both then open the site until the older
    keys are forgotten. Raises ``KekRefused`` or ``KeysUnavailable``.
    """
    place = _place(site, keyring)
    keys = place.read()
    if not keys:
        raise KekRefused("This site has no key-encryption key yet. Start its service once.")
    if len(keys) >= KEPT:
        raise KekRefused(f"{KEPT} key-encryption keys are kept already. Forget the older ones first.")
    if new_passphrase is not None:
        if not isinstance(place, _Passphrase):
            raise KekRefused("This site's key is not made from a passphrase.")
        place.change(new_passphrase)
    place.write((place.draw(), *keys))
    # Read again, with the old passphrase where there is a new one: a start after a kill from here on gets this.
    kept = place.read()
    if tuple(kept[1:]) != tuple(keys):
        raise KeysUnavailable("The key's place did not keep the new key beside the old one. Nothing was wrapped by it.")
    return Kek(kept[0], tuple(kept[1:]))


def forget_older_keks(site: Site, *, keyring: KeyringLike | None = None) -> int:
    """Keep the newest key alone; how many were forgotten. The caller has made sure that no row names an older one."""
    place = _place(site, keyring)
    keys = place.read()
    if isinstance(place, _Passphrase) and not place.newest_opened:
        raise KekRefused(
            f"The passphrase in {place.path} opens an older key alone. Put the new passphrase there first."
        )
    if len(keys) > 1:
        place.write(keys[:1])
    return len(keys) - 1


def keeping(site: Site) -> str:
    """The end of a sentence: what opens this site's keys and is in no backup."""
    if site.training:
        return f"the file {site.data_dir / KEK_FILE} (32 bytes a key)."
    if has_token(site.data_dir / DERIVATION_FILE):
        return f"the token {site.settings.pkcs11_token}, with its PIN."
    if (site.data_dir / DERIVATION_FILE).exists():
        return "the passphrase of this site, which its operator keeps."
    return f"the entry {_SERVICE} / {site.site_id} of the operating system's keyring."


def _place(site: Site, keyring: KeyringLike | None) -> _Place:
    """The place of this site's keys: file, token, keyring or passphrase, in this order; ``KeysUnavailable``."""
    if site.training:
        return _File(site.data_dir / KEK_FILE)
    derivation = site.data_dir / DERIVATION_FILE
    if site.settings.pkcs11_module is not None or has_token(derivation):
        return _token(site, derivation)
    # A site that once chose a passphrase keeps it, even if a keyring appears later.
    if not derivation.exists():
        ring = keyring if keyring is not None else _system_keyring()
        if ring is not None:
            return _Ring(ring, site.site_id)
        if site.keys_path.exists():
            raise KeysUnavailable("The keyring that holds this site's key does not answer. Unlock it and start again.")
    for path in site.passphrase_files():
        if path.is_file():
            return _Passphrase(path, derivation)
    raise KeysUnavailable(
        "This production site has no place for its key: no keyring answers and there is no passphrase file. Put a "
        f"passphrase of at least {_SHORTEST} characters into {site.passphrase_files()[-1]} (mode 0600), or give the "
        "systemd credential store-passphrase.",
        site.passphrase_files()[-1],
    )


def _token(site: Site, derivation: Path) -> _Place:
    """The token that the settings name; ``KeysUnavailable`` where settings and ``kek.json`` contradict each other."""
    module, label = site.settings.pkcs11_module, site.settings.pkcs11_token
    if module is None or label is None:
        raise KeysUnavailable(
            f"This site's key is behind a token. Name its library and label (pkcs11_module, pkcs11_token) in "
            f"{site.data_dir / 'site.json'}."
        )
    if site.keys_path.exists() and not has_token(derivation):
        raise KeysUnavailable(
            "This site's keys were made without the token that its settings name. Take pkcs11_module out of "
            f"{site.data_dir / 'site.json'}; a token is chosen before the first start."
        )
    return _Sealed(Token(module, label, site.site_id, site.passphrase_files(), derivation))


def _split(data: bytes) -> tuple[bytes, ...]:
    """Keys that lie end to end; ``ValueError`` for anything else."""
    if not data or len(data) % _SIZE or len(data) > KEPT * _SIZE:
        raise ValueError("not keys of 32 bytes")
    return tuple(data[at : at + _SIZE] for at in range(0, len(data), _SIZE))


class _File:
    """Keys end to end in a private file: training."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Sequence[bytes]:
        try:
            return _split(self._path.read_bytes())
        except FileNotFoundError:
            return ()
        except ValueError:
            raise KeysUnavailable(f"{self._path} is not a key of 32 bytes. Restore it from a backup.") from None

    def draw(self) -> bytes:
        return secrets.token_bytes(_SIZE)

    def write(self, keys: Sequence[bytes]) -> None:
        write_private(self._path, b"".join(keys))


class _Ring:
    """Keys end to end, in hexadecimal, in one entry of a keyring."""

    def __init__(self, ring: KeyringLike, site_id: str) -> None:
        self._ring = ring
        self._site_id = site_id

    def read(self) -> Sequence[bytes]:
        from keyring.errors import KeyringError

        try:
            found = self._ring.get_password(_SERVICE, self._site_id)
        except KeyringError as error:
            raise KeysUnavailable(f"The keyring refused: {error}. Unlock it, or use a passphrase file.") from error
        if found is None:
            return ()
        try:
            return _split(bytes.fromhex(found))
        except ValueError:
            raise KeysUnavailable(
                "The keyring's entry for this site is damaged. Restore it, or the site from a backup."
            ) from None

    def draw(self) -> bytes:
        return secrets.token_bytes(_SIZE)

    def write(self, keys: Sequence[bytes]) -> None:
        from keyring.errors import KeyringError

        try:
            self._ring.set_password(_SERVICE, self._site_id, b"".join(keys).hex())
        except KeyringError as error:
            raise KeysUnavailable(f"The keyring refused: {error}. Unlock it, or use a passphrase file.") from error


class _Sealed:
    """Keys end to end, sealed by a token."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def read(self) -> Sequence[bytes]:
        kept = self._token.read()
        try:
            return _split(kept) if kept else ()
        except ValueError:
            raise KeysUnavailable("What the token opened are no keys. Restore kek.json from a backup.") from None

    def draw(self) -> bytes:
        return secrets.token_bytes(_SIZE)

    def write(self, keys: Sequence[bytes]) -> None:
        self._token.write(b"".join(keys))


class _PassphraseEntry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """How a passphrase becomes one key. ``keys``: all of the site's keys, end to end, sealed under that key."""

    salt: Annotated[bytes, msgspec.Meta(min_length=16, max_length=64)]
    n: Annotated[int, msgspec.Meta(ge=2**14, le=2**20)]
    r: Annotated[int, msgspec.Meta(ge=8, le=16)] = 8
    p: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    keys: bytes = b""


class _Derivation(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``kek.json``: one entry for each key, newest first. Any one entry gives all keys, so that two passphrases can be
    valid while one replaces the other."""

    v: Literal[1] = 1
    entries: Annotated[list[_PassphraseEntry], msgspec.Meta(min_length=1, max_length=KEPT)]


class _Passphrase:
    """Keys derived from a passphrase by scrypt (RFC 7914)."""

    def __init__(self, path: Path, derivation: Path) -> None:
        self.path = path
        self.newest_opened = False
        """Whether the passphrase is the newest key's own."""
        self._derivation = derivation
        self._new: Path | None = None
        self._entries: dict[bytes, _PassphraseEntry] = {}

    def change(self, new_passphrase: Path) -> None:
        """Derive the next key from another passphrase."""
        self._new = new_passphrase

    def read(self) -> Sequence[bytes]:
        passphrase = _passphrase(self.path)
        try:
            how = msgspec.json.decode(self._derivation.read_bytes(), type=_Derivation)
        except FileNotFoundError:
            return ()
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise KeysUnavailable(f"{self._derivation} is damaged: {error}. Restore it from a backup.") from error
        for at, entry in enumerate(how.entries):
            try:
                cipher = AESGCM(_derive(passphrase, entry))
                keys = _split(cipher.decrypt(entry.keys[:_NONCE], entry.keys[_NONCE:], _ASSOCIATED))
            except (InvalidTag, ValueError):
                continue
            if len(keys) != len(how.entries):
                break
            self.newest_opened = at == 0
            self._entries = dict(zip(keys, how.entries, strict=True))
            return keys
        raise KeysUnavailable(
            f"The passphrase in {self.path} does not open {self._derivation}. Give the right one.", self.path
        )

    def draw(self) -> bytes:
        entry = _PassphraseEntry(salt=secrets.token_bytes(16), n=SCRYPT_N)
        key = _derive(_passphrase(self._new or self.path), entry)
        self._entries[key] = entry
        return key

    def write(self, keys: Sequence[bytes]) -> None:
        for key in keys:
            nonce = os.urandom(_NONCE)
            self._entries[key].keys = nonce + AESGCM(key).encrypt(nonce, b"".join(keys), _ASSOCIATED)
        write_private(self._derivation, msgspec.json.encode(_Derivation(entries=[self._entries[key] for key in keys])))


def _passphrase(path: Path) -> bytes:
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise KeysUnavailable(f"{path} can be read by others. Set its mode to 0600.")
        passphrase = path.read_bytes().strip()
    except OSError as error:
        raise KeysUnavailable(f"{path} cannot be read: {error.strerror}. Make it readable for the service.") from error
    if len(passphrase) < _SHORTEST:
        raise KeysUnavailable(
            f"The passphrase in {path} is shorter than {_SHORTEST} characters. Choose a longer one.", path
        )
    return passphrase


def _derive(passphrase: bytes, entry: _PassphraseEntry) -> bytes:
    return Scrypt(salt=entry.salt, length=_SIZE, n=entry.n, r=entry.r, p=entry.p).derive(passphrase)


# A list, not the library's priorities: keyring also has backends that write plain text or do nothing.
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
