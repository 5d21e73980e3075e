"""Passphrases of operators: what is kept of one, and how it is compared.

scrypt (RFC 7914) with N 2^15, r 8, p 1: 32 MiB and about a tenth of a second for each guess. Salt, cost and digest are
sealed under a key of the site, so that a copy of the store alone is nothing to guess at. A passphrase is a buffer of
the caller's that is wiped by the caller; no copy of it is made here.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import struct
from typing import Final

from app.api.problems import Problem, invalid_field

LEAST_CHARACTERS: Final = 12
MOST_BYTES: Final = 1024

_SALT: Final = 16
_DIGEST: Final = 32
_COST: Final = (15, 8, 1)
_HEAD: Final = struct.Struct(">BBB")
_NOBODY: Final = bytes(_SALT)


def check_passphrase(passphrase: memoryview, pointer: str) -> None:
    """422 at ``pointer`` for a passphrase that is too short, or no UTF-8 text without control characters. Looks at the
    bytes in place: a ``str`` of it would stay in memory."""
    characters = 0
    following = 0
    for byte in passphrase:
        if following:
            if byte & 0xC0 != 0x80:
                raise invalid_field(pointer, "A passphrase is UTF-8 text.")
            following -= 1
            continue
        characters += 1
        if byte < 0x80:
            if byte < 0x20 or byte == 0x7F:
                raise invalid_field(pointer, "A passphrase has no control characters.")
        elif 0xC2 <= byte < 0xE0:
            following = 1
        elif 0xE0 <= byte < 0xF0:
            following = 2
        elif 0xF0 <= byte < 0xF5:
            following = 3
        else:
            raise invalid_field(pointer, "A passphrase is UTF-8 text.")
    if following:
        raise invalid_field(pointer, "A passphrase is UTF-8 text.")
    if characters < LEAST_CHARACTERS:
        raise invalid_field(pointer, f"A passphrase has at least {LEAST_CHARACTERS} characters.")


def make_verifier(passphrase: memoryview) -> bytes:
    """What a passphrase is compared with: cost, salt and digest. Takes a tenth of a second."""
    salt = os.urandom(_SALT)
    return _HEAD.pack(*_COST) + salt + _derive(passphrase, salt, _COST)


def matches(passphrase: memoryview, verifier: bytes | None) -> bool:
    """Whether ``verifier`` was made of this passphrase. Without one it takes as long, and says no: a guesser does not
    learn which operators have a passphrase."""
    if verifier is None:
        _derive(passphrase, _NOBODY, _COST)
        return False
    cost = _HEAD.unpack_from(verifier)
    salt, digest = verifier[_HEAD.size : _HEAD.size + _SALT], verifier[_HEAD.size + _SALT :]
    return hmac.compare_digest(_derive(passphrase, salt, cost), digest)


def _derive(passphrase: memoryview, salt: bytes, cost: tuple[int, ...]) -> bytes:
    log_n, r, p = cost
    # OpenSSL refuses more than 32 MiB unless it is told; it needs 128 * r * (N + p + 2) bytes.
    room = 128 * r * ((1 << log_n) + p + 2)
    return hashlib.scrypt(passphrase, salt=salt, n=1 << log_n, r=r, p=p, maxmem=room, dklen=_DIGEST)


def wrong_passphrase() -> Problem:
    """What a guesser is told of anything that was wrong."""
    return Problem("proof_invalid", "This operator does not sign in by this passphrase here: check both.")
