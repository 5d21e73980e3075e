"""The state that a software card keeps without power, and the file that holds it.

The file is the card: private keys and management key are in it, and only its owner can read it. PIN and PUK are kept as
keyed digests, so that no search of a data directory ever finds one.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from hardware.cards.software.quirks import Quirks
from hardware.private_file import replace_private

FACTORY_PIN: Final = b"123456\xff\xff"
FACTORY_PUK: Final = b"12345678"
_FACTORY_KEY: Final = bytes(range(1, 9))
TRANSPORT_PUK: Final = b"73016284"
"""PUK of a card whose maker sets its own."""
_TRANSPORT_KEY: Final = bytes.fromhex("C1A5D3E7F8092B4D")
KEY_SIZES: Final = {0x03: 24, 0x08: 16, 0x0A: 24, 0x0C: 32}
"""Bytes of a management key by algorithm."""


class StateError(Exception):
    """The file is not the state of a software card."""


@dataclass(slots=True)
class Reference:
    """PIN or PUK: keyed digest of its eight bytes, and its counter."""

    salt: bytes
    digest: bytes
    tries: int
    limit: int
    default: bool

    @classmethod
    def of(cls, value: bytes, limit: int, *, default: bool = False) -> "Reference":
        """A new reference with all its tries."""
        salt = secrets.token_bytes(32)
        return cls(salt, _digest(salt, value), limit, limit, default)

    def matches(self, value: bytes) -> bool:
        """Compare in constant time; the counter is the caller's."""
        return hmac.compare_digest(self.digest, _digest(self.salt, value))


def _digest(salt: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, key=salt, digest_size=32).digest()


@dataclass(slots=True)
class CardManagementKey:
    """Key 9B: algorithm (SP 800-78-5) and key bytes."""

    algorithm: int
    key: bytes
    default: bool
    wrong: int = 0
    """Wrong answers since the last right one."""


@dataclass(slots=True)
class KeyPair:
    """A key made on the card: algorithm (SP 800-78-5), PKCS #8 DER, PIN policy (1 never, 2 once, 3 always)."""

    algorithm: int
    private: bytes
    pin_policy: int


@dataclass(slots=True)
class AttestationKey:
    """Key F9: PKCS #8 DER and certificate DER, put in by the (training) maker."""

    private: bytes
    certificate: bytes


@dataclass(slots=True)
class KeySet:
    """Keys of the secure channel: three AES keys of one length."""

    enc: bytes
    mac: bytes
    dek: bytes


DEFAULT_CHANNEL_VERSION: Final = 0xFF
"""Key version of the published default set, as cards leave the factory."""


def default_channel_keys() -> dict[int, KeySet]:
    """The published default set 404142..4F, three times the same."""
    key = bytes(range(0x40, 0x50))
    return {DEFAULT_CHANNEL_VERSION: KeySet(key, key, key)}


@dataclass(slots=True, kw_only=True)
class SoftwareCardState:
    """All of a card: `objects` by tag as raw BER-TLV, `keys` by slot, `channel_keys` by key version (the first one is
    the card's default)."""

    format: int = 1
    quirks: Quirks
    serial: int | None
    cplc: bytes
    pin: Reference
    puk: Reference
    management: CardManagementKey
    attestation: AttestationKey
    objects: dict[int, bytes] = field(default_factory=dict)
    keys: dict[int, KeyPair] = field(default_factory=dict)
    blocked: dict[int, list[Reference]] = field(default_factory=dict)
    """Values on the list of blocked ones, by reference (80, 81)."""
    channel_keys: dict[int, KeySet] = field(default_factory=default_channel_keys)


def factory_management_key(algorithm: int) -> CardManagementKey:
    """The published factory key 0102030405060708, repeated to the length of `algorithm`."""
    return CardManagementKey(algorithm, _FACTORY_KEY * (KEY_SIZES[algorithm] // 8), default=True)


def transport_management_key(algorithm: int) -> CardManagementKey:
    """The key of a maker that sets its own, in the length of `algorithm`."""
    return CardManagementKey(algorithm, _TRANSPORT_KEY * (KEY_SIZES[algorithm] // 8), default=False)


def load(path: Path) -> SoftwareCardState | None:
    """Read a card's file; None if there is none. Raises `StateError` if it is something else, `OSError` as usual."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        state = msgspec.json.decode(raw, type=SoftwareCardState)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # from None: the decoder's message may quote the file, and the file holds keys
        raise StateError(f"{path.name} is not a software card: {type(error).__name__}") from None
    if state.format != 1:
        raise StateError(f"{path.name} is a software card of format {state.format}; this program reads format 1")
    return state


def save(path: Path, state: SoftwareCardState) -> None:
    """Replace a card's file atomically, mode 0600: a killed process leaves the old card or the new one, never a half.

    Durable against the process, not against the machine's power: the directory is not synced, one fsync a change.
    """
    replace_private(path, msgspec.json.encode(state), survives_power_loss=False)
