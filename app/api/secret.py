"""Bodies that must not stay in this process: where they are kept while a request runs, and how they are wiped.

Rows of the operation table marked ``secret`` carry biometric values. Their bytes are gathered in one buffer,
decoded from there without copies in between, and overwritten when the request is over, however it ends.

Invariant: the code that makes a further copy of such bytes wipes it. Slices of a bytearray copy (``buffer[a:b] = part``
copies ``part`` as well); slices of a memoryview do not.
"""

from __future__ import annotations

import binascii
import contextlib
import re
from collections.abc import Iterator

import msgspec

from app.api.problems import invalid_field
from hardware.memory import wipe

_BASE64 = re.compile(rb"[A-Za-z0-9+/]*={0,2}")
_ESCAPED = re.compile(rb"(?:[A-Za-z0-9+/]++|\\/)*+={0,2}")
_NO_BASE64 = "This is no base64 of RFC 4648 with its padding."


class SecretBody:
    """One request's body, at most ``limit`` bytes. On the event loop alone."""

    __slots__ = ("_buffer", "_size", "begun", "limit", "over", "wiped")

    def __init__(self, announced: int, limit: int) -> None:
        self._buffer = bytearray(min(announced, limit))
        self._size = 0
        self.limit = limit
        self.over = False
        """More came than the limit: nothing of it is kept."""
        self.begun = False
        """Set by the request that has taken the body over and wipes it at its end; until then the connection wipes
        it."""
        self.wiped = False

    def take(self, part: bytes) -> None:
        """Appends ``part`` and wipes it, also when it is not wanted any more."""
        end = self._size + len(part)
        if end > self.limit:
            self.over = True
        if not self.over and not self.wiped:
            if end > len(self._buffer):
                self._grow(end)
            memoryview(self._buffer)[self._size : end] = part
            self._size = end
        wipe(part)

    def _grow(self, size: int) -> None:
        larger = bytearray(min(self.limit, max(size, 2 * len(self._buffer))))
        memoryview(larger)[: self._size] = memoryview(self._buffer)[: self._size]
        self._clear()
        self._buffer = larger

    def view(self) -> memoryview:
        """What has come so far, in place."""
        return memoryview(self._buffer)[: self._size]

    def wipe(self) -> None:
        """Overwrites everything; views of it read zeros from here on."""
        self.wiped = True
        self._clear()

    def _clear(self) -> None:
        memoryview(self._buffer)[:] = bytes(len(self._buffer))


@contextlib.contextmanager
def decode_base64(text: msgspec.Raw, pointer: str, *, limit: int) -> Iterator[memoryview]:
    """The bytes that a ``Base64`` field stands for (RFC 4648 section 4, padded; ``/`` may be escaped as JSON allows),
    wiped when the block ends. 422 ``invalid_body`` at ``pointer`` for anything else or more than ``limit`` bytes."""
    with memoryview(text) as quoted:
        if len(quoted) < 2 or not quoted[0] == quoted[-1] == 0x22:
            raise invalid_field(pointer, "Send a text of base64.")
        # The longest text of so many bytes: four characters for three bytes, each of them an escaped slash.
        if len(quoted) > 2 + 8 * -(-limit // 3):
            raise invalid_field(pointer, f"Send at most {limit} bytes.")
        found = _bytes(quoted[1:-1], pointer)
    try:
        if len(found) > limit:
            raise invalid_field(pointer, f"Send at most {limit} bytes.")
        yield memoryview(found)
    finally:
        wipe(found)


def _bytes(text: memoryview, pointer: str) -> bytes:
    """Decode base64 without leaving a copy behind, also where the text is refused."""
    # Looked at first: a decoder that gives up in the middle frees what it has decoded so far, and does not wipe
    # it.
    if _BASE64.fullmatch(text) is not None and len(text) % 4 == 0:
        return binascii.a2b_base64(text)
    if _ESCAPED.fullmatch(text) is None:
        raise invalid_field(pointer, _NO_BASE64)
    # Some encoders write every slash as "\/".
    copy = bytes(text)
    unescaped = copy.replace(b"\\/", b"/")
    try:
        if len(unescaped) % 4:
            raise invalid_field(pointer, _NO_BASE64)
        return binascii.a2b_base64(unescaped)
    finally:
        # One object where no slash was escaped.
        wipe(copy)
        wipe(unescaped)
