"""Tracking tokens: what a declarant is given and a platform is told, to ask for a strike again.

``ARC-ST-`` and 32 digits of Crockford's base 32: 12 random bytes, then HMAC-SHA256(key, ``"strike/v1" || them``)[:8].
The row keeps the 12 bytes alone; a token whose MAC is wrong is refused before the store is asked.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from typing import Final

PREFIX: Final = "ARC-ST-"
RANDOM: Final = 12
_MAC: Final = 8
_DOMAIN: Final = b"strike/v1"
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# To the digits that ``int`` knows in base 32; O, I and L are folded, and U is no digit.
_FOLDED: Final = str.maketrans(_DIGITS + "OILU", "0123456789ABCDEFGHIJKLMNOPQRSTUV" + "011" + "!")
_LENGTH: Final = len(PREFIX) + (RANDOM + _MAC) * 8 // 5


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
        text = token.upper()
        digits = text[len(PREFIX) :]
        # ``int`` alone would take signs, blanks and digits of other scripts.
        if len(text) != _LENGTH or not (text.startswith(PREFIX) and digits.isascii() and digits.isalnum()):
            return None
        try:
            raw = int(digits.translate(_FOLDED), 32).to_bytes(RANDOM + _MAC)
        except ValueError:
            return None
        track, mac = raw[:RANDOM], raw[RANDOM:]
        # Each key is tried: how long it takes says nothing of which one fits.
        fits = [hmac.compare_digest(mac, _mac(key, track)) for key in self._keys]
        return track if any(fits) else None


def notice_tracking(token: str, number: int) -> str:
    """What the notice ``number`` of a strike quotes."""
    return f"{token}.{number}"


def _mac(key: bytes, track: bytes) -> bytes:
    return hmac.digest(key, _DOMAIN + track, "sha256")[:_MAC]


def _encode(data: bytes) -> str:
    number = int.from_bytes(data)
    return "".join(_DIGITS[number >> shift & 31] for shift in range(len(data) * 8 - 5, -1, -5))
