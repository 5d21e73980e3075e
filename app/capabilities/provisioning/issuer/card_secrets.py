"""Secrets of a card: a random PIN, and PUK and management key derived from the site's master key.

The master never leaves the site's key store. A card's PUK and management key are derived whenever they are needed, so
no table holds them. The PIN exists sealed until its mailer is printed. ``README.md`` of provisioning gives the
derivation with a vector.
"""

from __future__ import annotations

import itertools
import re
import secrets
import uuid
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.kdf.kbkdf import KBKDFCMAC, CounterLocation, Mode

from hardware.cards.steps import DRAWS

PIN_DIGITS = 8
KEY_VERSION = 1

WEAK_PINS = frozenset(
    {"12345678", "87654321", "00000000", "11223344", "12344321", "12121212", "13579246", "24681357", "98765432",
     "01234567", "76543210", "10203040", "11112222", "12341234", "20202020", "31415926", "27182818", "11235813"}
)  # fmt: skip
"""Refused although they fit no pattern below (FIPS 201-3, 4.3.1: a list of at least ten common values)."""


@dataclass(frozen=True, repr=False)
class CardSecrets:
    """New secrets of one card. ``repr`` shows none of them, so that no log or traceback can."""

    pin: str
    puk: str
    management_key: bytes
    management_key_192: bytes
    management_key_128: bytes
    management_key_3des: bytes

    def __repr__(self) -> str:
        return "CardSecrets(...)"


def is_weak_pin(pin: str) -> bool:
    """True for repeats, runs, patterns, dates and common values, which a thief would try first."""
    digits = [int(digit) for digit in pin]
    steps = {(b - a) % 10 for a, b in itertools.pairwise(digits)}
    if len(steps) == 1 or len(set(digits)) < 4:
        return True
    if pin in WEAK_PINS or pin[:4] == pin[4:] or pin == pin[::-1]:
        return True
    if len(set(zip(pin[::2], pin[1::2], strict=False))) <= 2:
        return True
    return bool(_DATE.search(pin))


_DATE = re.compile(
    r"^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d"
    r"|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d\d)$"
)


def new_pin(*identifiers: str) -> str:
    """Eight random digits that are not weak and are not part of one of ``identifiers`` (node id, employee id)."""
    while True:
        pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"
        if not is_weak_pin(pin) and not any(pin in re.sub(r"\D", "", identifier) for identifier in identifiers):
            return pin


_NOBODY = uuid.UUID(int=0)


class CardMaster:
    """The site's 256-bit card master key, from which every PUK and management key is derived (SP 800-108 KDF in counter
    mode with AES-CMAC; context: GUID, key version, attempt)."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise ValueError("the card master key has 32 bytes")
        self._key = key

    def __repr__(self) -> str:
        return f"CardMaster(kcv={self.check_value()})"

    def check_value(self) -> str:
        """Key check value: the first three bytes of CMAC over sixteen zero bytes. The only thing ever shown of it."""
        mac = cmac.CMAC(algorithms.AES(self._key))
        mac.update(bytes(16))
        return mac.finalize()[:3].hex().upper()

    def mark(self, value: bytes) -> bytes:
        """A digest of a secret under the master key, 32 bytes: it tells whether two are the same, and nothing else."""
        mac = cmac.CMAC(algorithms.AES(self._derive(b"ARC-MARK", _NOBODY, 1, 32)))
        mac.update(value)
        return sha256(mac.finalize()).digest()

    def secrets_for(self, guid: uuid.UUID, *, pin: str, attempt: int = 1) -> CardSecrets:
        """The secrets of the card with this GUID. ``attempt`` (1 to 255) gives others, for a card that refuses the
        first."""
        puk = int.from_bytes(self._derive(b"ARC-PUK", guid, attempt, 16), "big") % 10**8
        return CardSecrets(
            pin=pin,
            puk=f"{puk:08d}",
            management_key=self._derive(b"ARC-9B", guid, attempt, 32),
            management_key_192=self._derive(b"ARC-9B", guid, attempt, 24),
            management_key_128=self._derive(b"ARC-9B", guid, attempt, 16),
            management_key_3des=_odd_parity(self._derive(b"ARC-9B-3DES", guid, attempt, 24)),
        )

    def puks(self, guid: uuid.UUID) -> tuple[str, ...]:
        """The PUK of each draw, the first one first."""
        return tuple(self.secrets_for(guid, pin="", attempt=draw).puk for draw in range(1, DRAWS + 1))

    def pins(self, guid: uuid.UUID, pin: str) -> tuple[str, ...]:
        """The PIN of each draw: ``pin``, and what is sent in its place to a card that refuses the one before. These are
        derived from it, so that a draw's number is all that a journal needs to know of them; none is weak."""
        return (pin, *(self._later_pin(guid, pin, draw) for draw in range(2, DRAWS + 1)))

    def _later_pin(self, guid: uuid.UUID, pin: str, draw: int) -> str:
        """The first value of this draw that is not weak."""
        for counter in range(256):
            number = self._derive(b"ARC-PIN", guid, draw, 16, bytes((counter,)) + pin.encode())
            found = f"{int.from_bytes(number, 'big') % 10**PIN_DIGITS:0{PIN_DIGITS}d}"
            if not is_weak_pin(found):
                return found
        raise ValueError("every value of this draw is weak")

    def _derive(self, label: bytes, guid: uuid.UUID, attempt: int, length: int, more: bytes = b"") -> bytes:
        return KBKDFCMAC(
            algorithm=algorithms.AES,
            mode=Mode.CounterMode,
            length=length,
            rlen=4,
            llen=4,
            location=CounterLocation.BeforeFixed,
            label=label,
            context=guid.bytes + bytes((KEY_VERSION, attempt)) + more,
            fixed=None,
        ).derive(self._key)


def _odd_parity(key: bytes) -> bytes:
    """Sets the low bit of each byte to odd parity: some cards refuse DES keys without it."""
    return bytes((byte & 0xFE) | (1 - (byte >> 1).bit_count() % 2) for byte in key)
