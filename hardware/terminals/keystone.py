"""The rotating QR code of a terminal (specification part 4.9): a new payload each 400 ms from one session's secret.

Terminal and service derive the same payload from what ``qr-rotate`` answered: HKDF-SHA256 (RFC 5869) with the session's
token as key material and its nonce as salt gives the key K and the public name ``sid``. A payload is ``KQ1:`` followed
by the base45 (RFC 9285) of a 35-byte frame, all numbers big-endian::

    0   1   version, 01
    1   8   sid
    9   4   the terminal's tag (``terminal_tag``)
    13  6   step: whole 400 ms since the session's issue
    19  16  HMAC-SHA256(K, "kqr1" + bytes 0..19), cut to 16 bytes

This module imports the standard library alone, so that a console may use it before anything heavy is loaded; this is
why ``terminal_tag`` is here and not in ``frame``. Times are nanoseconds of a clock that is never set and that goes on
while the machine sleeps (``boot_ns``), never of the wall clock.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import sys
import time
from dataclasses import dataclass

STEP_MS = 400
"""Milliseconds between two payloads (specification part 8)."""
TOKEN_BYTES, NONCE_BYTES, SID_BYTES = 32, 16, 8
FRAME_BYTES = 35
PREFIX = "KQ1:"
PAYLOAD_CHARACTERS = 57
STEP_MAX = (1 << 48) - 1

_STEP_NS = STEP_MS * 1_000_000
_VERSION = 1
_SIGNED = struct.Struct(">B8s4sHI")
_MAC_BYTES = 16
_BASE45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
_VALUE = {character: value for value, character in enumerate(_BASE45)}

if sys.platform == "linux":

    def boot_ns() -> int:
        """Nanoseconds since the machine's start, suspend included (CLOCK_BOOTTIME)."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)

else:
    boot_ns = time.monotonic_ns


def terminal_tag(terminal_id: str) -> bytes:
    """The 4 bytes that name a terminal, in a code and in a palm frame (`hardware.terminals.frame`)."""
    return hashlib.sha256(b"arc-terminal/1\0" + terminal_id.encode()).digest()[:4]


class BadPayload(ValueError):
    """Not a payload of this version. The message says why and never repeats the payload."""


@dataclass(frozen=True, slots=True)
class CodeFrame:
    """One code as read. Its fields may be believed only once ``CodeSession.proves`` it."""

    sid: bytes
    terminal: bytes
    """Tag of the terminal that shows the code."""
    step: int
    mac: bytes


class CodeSession:
    """The codes that one terminal shows within one session. It holds a secret, so it has no readable form."""

    __slots__ = ("_key", "_tag", "sid", "terminal_id")

    def __init__(self, token: bytes, nonce: bytes, terminal_id: str) -> None:
        if len(token) != TOKEN_BYTES or len(nonce) != NONCE_BYTES:
            raise ValueError("a session has a token of 32 bytes and a nonce of 16")
        extracted = hmac.digest(nonce, token, hashlib.sha256)
        self.terminal_id = terminal_id
        self._tag = terminal_tag(terminal_id)
        self._key = _expand(extracted, b"keystone-qr/1\0" + terminal_id.encode(), 32)
        self.sid = _expand(extracted, b"keystone-sid/1", SID_BYTES)
        """Public name of the session, 8 bytes."""

    @classmethod
    def of_reply(cls, session_token: str, seed_nonce: str, terminal_id: str) -> CodeSession:
        """From the fields of ``qr-rotate``'s answer: base64url without padding, and 0x with hexadecimal digits.

        ValueError for anything else.
        """
        try:
            token = base64.b64decode(session_token + "=", altchars=b"-_", validate=True)
            nonce = bytes.fromhex(seed_nonce.removeprefix("0x"))
        except ValueError:
            raise ValueError("no token and nonce of a session") from None
        return cls(token, nonce, terminal_id)

    def payload(self, step: int) -> str:
        """The text of the code at ``step``, 0..2^48-1: 57 characters of QR's alphanumeric mode."""
        signed = self._head(step)
        return PREFIX + base45(signed + self._mac(signed))

    def proves(self, frame: CodeFrame) -> bool:
        """Whether this session's terminal made the frame. The time that it takes does not depend on what differs."""
        signed = self._head(frame.step)
        genuine = hmac.compare_digest(frame.mac, self._mac(signed))
        return genuine & (frame.sid == self.sid) & (frame.terminal == self._tag)

    def _head(self, step: int) -> bytes:
        return _SIGNED.pack(_VERSION, self.sid, self._tag, step >> 32, step & 0xFFFFFFFF)

    def _mac(self, signed: bytes) -> bytes:
        return hmac.digest(self._key, b"kqr1" + signed, hashlib.sha256)[:_MAC_BYTES]


def parse(payload: str) -> CodeFrame:
    """The frame of a scanned text. Raises ``BadPayload``. Spaces belong to the alphabet and are never stripped."""
    if len(payload) != PAYLOAD_CHARACTERS or not payload.startswith(PREFIX):
        raise BadPayload("no payload of a keystone code")
    raw = unbase45(payload[len(PREFIX) :])
    version, sid, terminal, high, low = _SIGNED.unpack_from(raw)
    if version != _VERSION:
        raise BadPayload("another version of keystone codes")
    return CodeFrame(sid, terminal, high << 32 | low, raw[_SIGNED.size :])


def step_at(since_issue_ns: int) -> int:
    """The step that belongs to a time since the session's issue (the terminal: since its receipt)."""
    return since_issue_ns // _STEP_NS


def to_next_ns(since_issue_ns: int) -> int:
    """Nanoseconds until the step after this time begins, 1..400,000,000."""
    return _STEP_NS - since_issue_ns % _STEP_NS


def base45(raw: bytes) -> str:
    """Base45 by RFC 9285, section 4: two bytes become three characters, a last single byte two."""
    text: list[str] = []
    for at in range(0, len(raw) - 1, 2):
        rest, low = divmod(raw[at] << 8 | raw[at + 1], 45)
        high, middle = divmod(rest, 45)
        text += (_BASE45[low], _BASE45[middle], _BASE45[high])
    if len(raw) % 2:
        high, low = divmod(raw[-1], 45)
        text += (_BASE45[low], _BASE45[high])
    return "".join(text)


def unbase45(text: str) -> bytes:
    """The bytes of a base45 text. Raises ``BadPayload`` for a text that encodes no bytes."""
    try:
        values = [_VALUE[character] for character in text]
    except KeyError:
        raise BadPayload("a character that base45 does not have") from None
    raw = bytearray()
    for at in range(0, len(values), 3):
        group = values[at : at + 3]
        number = sum(value * 45**place for place, value in enumerate(group))
        if len(group) == 1 or number >= 1 << 8 * (len(group) - 1):
            raise BadPayload("characters that stand for no bytes")
        raw += number.to_bytes(len(group) - 1, "big")
    return bytes(raw)


def _expand(extracted: bytes, info: bytes, length: int) -> bytes:
    """HKDF-Expand of RFC 5869 for one block, at most 32 bytes."""
    return hmac.digest(extracted, info + b"\x01", hashlib.sha256)[:length]
