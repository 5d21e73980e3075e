"""Tracking tokens: what a declarant is given and a platform is told, to ask for a strike again.

``ARC-ST-`` and 32 digits of Crockford's base 32: 12 random bytes, then HMAC-SHA256(key, ``"strike/v1" || them``)[:8].
The row keeps the 12 bytes alone; a token whose MAC is wrong is refused before the store is asked.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from typing import Final

PREFIX: Final = "ARC-ST-"
RANDOM: Final = 12
_MAC: Final = 8
_DOMAIN: Final = b"strike/v1"
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES: Final = {digit: value for value, digit in enumerate(_DIGITS)} | {"O": 0, "I": 1, "L": 1}
_LENGTH: Final = (RANDOM + _MAC) * 8 // 5
# The prefix is folded as the digits are: I and L stand for 1, O for 0.
_TOKEN: Final = re.compile(rf"ARC-ST-([0-9A-TV-Z]{{{_LENGTH}}})", re.ASCII)


class TrackingTokens:
    """Makes and reads tokens. ``keys``: secrets of the site, newest first; the first one makes, all of them read."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = tuple(keys)

    def draw(self) -> bytes:
        """The random part of a new token."""
        return secrets.token_bytes(RANDOM)

    def token(self, track: bytes) -> str:
        """The token of its random part; always the same as long as the key is the newest."""
        return PREFIX + _encode(track + _mac(self._keys[0], track))

    def read(self, token: str) -> bytes | None:
        """The random part of a token of this site, None for any other text. Case, O, I and L are folded."""
        found = _TOKEN.fullmatch(token.upper())
        if found is None:
            return None
        raw = _decode(found[1])
        track, mac = raw[:RANDOM], raw[RANDOM:]
        # Each key is tried: how long it takes says nothing of which one fits.
        fits = [hmac.compare_digest(mac, _mac(key, track)) for key in self._keys]
        return track if any(fits) else None


def notice_tracking(token: str, number: int) -> str:
    """What the notice ``number`` of a strike quotes."""
    return f"{token}.{number}"


def _mac(key: bytes, track: bytes) -> bytes:
    return hmac.digest(key, _DOMAIN + track, hashlib.sha256)[:_MAC]


def _encode(data: bytes) -> str:
    number = int.from_bytes(data)
    return "".join(_DIGITS[number >> shift & 31] for shift in range(len(data) * 8 - 5, -1, -5))


def _decode(text: str) -> bytes:
    number = 0
    for digit in text:
        number = number << 5 | _VALUES[digit]
    return number.to_bytes(RANDOM + _MAC)
