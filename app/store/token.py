"""The key-encryption key behind a PKCS#11 token.

An AES-256 key that never leaves the token seals this site's key-encryption keys. The sealed keys are in ``kek.json``,
which reveals nothing without the token and its PIN. The token is used at the start and when a key is replaced, never
for a field. The mechanism is ``CKM_AES_GCM`` (PKCS #11 v2.40, 2.12): the token itself refuses an altered file.

A refused PIN counts against the token, so each PIN file is tried only once: a service that is started again and again
must not lock the token.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Protocol, cast

import msgspec

from app.site.private_files import write_private
from app.store.errors import KeysUnavailable

if TYPE_CHECKING:
    import pkcs11

_NONCE: Final = 12
_TAG_BITS: Final = 128
_ASSOCIATED: Final = b"arc-console/kek.json/token"
_REFUSED_FILE: Final = ".kek.pin-refused"


class TokenSealed(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``kek.json`` of a site with a token: ``nonce (12) || AES-256-GCM`` of its keys end to end, newest first, by the
    token's key ``key_label``."""

    v: Literal[1] = 1
    token: str
    key_label: str
    sealed: Annotated[bytes, msgspec.Meta(min_length=_NONCE + 16, max_length=4096)]


def has_token(derivation: Path) -> bool:
    """Whether ``kek.json`` is that of a token."""
    try:
        msgspec.json.decode(derivation.read_bytes(), type=TokenSealed)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return False
    return True


class Token:
    """Keys end to end, sealed by a key of the token. ``module``: the PKCS#11 library. ``label``: of the token.
    ``pins``: files; the first one that exists holds the PIN."""

    def __init__(self, module: str, label: str, site_id: str, pins: Sequence[Path], derivation: Path) -> None:
        self._module = module
        self._label = label
        self._key_label = f"arc-console {site_id}"
        self._pins = pins
        self._derivation = derivation

    def read(self) -> bytes:
        """The keys end to end; empty at the first start. ``KeysUnavailable`` if the token or its key is missing, or did
        not seal this file."""
        try:
            kept = msgspec.json.decode(self._derivation.read_bytes(), type=TokenSealed)
        except FileNotFoundError:
            return b""
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise KeysUnavailable(f"{self._derivation} is damaged: {error}. Restore it from a backup.") from error
        if kept.token != self._label:
            raise KeysUnavailable(
                f"This site's key is sealed by the token {kept.token}, but the settings name {self._label}. Name it."
            )
        with self._session() as session:
            key = _key(session, kept.key_label)
            if key is None:
                raise KeysUnavailable(
                    f"The token {self._label} has no key {kept.key_label}. Insert the right one, or restore its key."
                )
            return _crypt(key, kept.sealed, opening=True)

    def write(self, keys: bytes) -> None:
        """Keep exactly these keys. At the first call the token makes its own key."""
        with self._session() as session:
            key = _key(session, self._key_label) or _make(session, self._key_label)
            sealed = _crypt(key, keys, opening=False)
        kept = TokenSealed(token=self._label, key_label=self._key_label, sealed=sealed)
        write_private(self._derivation, msgspec.json.encode(kept))

    @contextlib.contextmanager
    def _session(self) -> Iterator[pkcs11.Session]:
        """An open session with the PIN. A refused PIN is remembered and not tried again; ``KeysUnavailable``."""
        import pkcs11
        from pkcs11 import exceptions

        pin_file = next((path for path in self._pins if path.is_file()), None)
        if pin_file is None:
            raise KeysUnavailable(f"There is no PIN for the token: put it into {self._pins[-1]} (mode 0600).")
        if os.name == "posix" and pin_file.stat().st_mode & 0o077:
            raise KeysUnavailable(f"{pin_file} can be read by others. Set its mode to 0600.")
        stamp = str(pin_file.stat().st_mtime_ns)
        refused = self._derivation.with_name(_REFUSED_FILE)
        if refused.exists() and refused.read_text() == stamp:
            raise KeysUnavailable(
                f"The token refused the PIN in {pin_file} and it is not tried again, which could lock the token. Write "
                "the right PIN into the file."
            )
        try:
            token = pkcs11.lib(self._module).get_token(token_label=self._label)
            session = token.open(rw=True, user_pin=pin_file.read_text().strip())
        except (exceptions.PinIncorrect, exceptions.PinInvalid, exceptions.PinLenRange) as error:
            write_private(refused, stamp.encode())
            raise KeysUnavailable(f"The token {self._label} refused the PIN in {pin_file}. Correct it.") from error
        except exceptions.PinLocked as error:
            raise KeysUnavailable(
                f"The PIN of the token {self._label} is locked. Its officer can unlock it."
            ) from error
        except (exceptions.PKCS11Error, OSError, RuntimeError) as error:
            raise KeysUnavailable(
                f"The token {self._label} does not answer through {self._module} ({_words(error)}). Connect it."
            ) from error
        try:
            with session:
                yield session
        except exceptions.PKCS11Error as error:
            raise KeysUnavailable(f"The token {self._label} refused: {_words(error)}.") from error
        refused.unlink(missing_ok=True)


class _Cipher(Protocol):
    """What a token's AES key can do; the library's types do not say so of any key."""

    def encrypt(self, data: bytes, *, mechanism: pkcs11.Mechanism, mechanism_param: object) -> bytes:
        """Ciphertext and tag."""

    def decrypt(self, data: bytes, *, mechanism: pkcs11.Mechanism, mechanism_param: object) -> bytes:
        """The plaintext."""


def _key(session: pkcs11.Session, label: str) -> _Cipher | None:
    from pkcs11 import KeyType, ObjectClass, exceptions

    try:
        found = session.get_key(object_class=ObjectClass.SECRET_KEY, key_type=KeyType.AES, label=label)
        return cast(_Cipher, found)
    except exceptions.NoSuchKey:
        return None
    except exceptions.MultipleObjectsReturned as error:
        raise KeysUnavailable(f"The token has several keys {label}; keep the one that sealed this site's.") from error


def _make(session: pkcs11.Session, label: str) -> _Cipher:
    from pkcs11 import Attribute, KeyType

    template = {Attribute.SENSITIVE: True, Attribute.EXTRACTABLE: False}
    return cast(_Cipher, session.generate_key(KeyType.AES, 256, label=label, store=True, template=template))


def _crypt(key: _Cipher, data: bytes, *, opening: bool) -> bytes:
    from pkcs11 import GCMParams, Mechanism

    nonce = data[:_NONCE] if opening else os.urandom(_NONCE)
    how = GCMParams(nonce, _ASSOCIATED, _TAG_BITS)
    if opening:
        return bytes(key.decrypt(data[_NONCE:], mechanism=Mechanism.AES_GCM, mechanism_param=how))
    return nonce + bytes(key.encrypt(data, mechanism=Mechanism.AES_GCM, mechanism_param=how))


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
