"""BER-TLV as PIV uses it (ISO/IEC 7816-4, 5.2.2; SP 800-73-5 part 2): definite lengths, tags of one to three bytes.

A tag is the big-endian integer of its bytes as printed in the standards: `0x53`, `0x7F49`, `0x5FC102`.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

MAX_ITEMS: Final = 512
"""Most elements that one `parse` returns: far more than any PIV template has, and hostile bytes stay cheap."""

MAX_VALUE: Final = 0xFFFFFF
"""Longest value in bytes: three length bytes are the most that are written or accepted."""


class TlvError(ValueError):
    """The bytes are not a well-formed sequence of BER-TLV elements, or a tag or value cannot be encoded."""


class Tlv(NamedTuple):
    """One element: its tag (1 to 3 bytes, big endian) and its value (0 to `MAX_VALUE` bytes)."""

    tag: int
    value: bytes

    def __bytes__(self) -> bytes:
        return encode(self.tag, self.value)


def _read_tag(data: bytes, at: int) -> tuple[int, int]:
    """Return the tag that starts at `at` and the offset behind it."""
    first = data[at]
    if first in (0x00, 0xFF):  # padding bytes of ISO/IEC 7816-4, never tags
        raise TlvError(f"no tag at offset {at}")
    at += 1
    if first & 0x1F != 0x1F:
        return first, at
    tag = first
    for position in range(2):
        if at >= len(data):
            raise TlvError("tag is cut off")
        following = data[at]
        if position == 0 and following & 0x7F == 0:
            raise TlvError("tag number has leading zeros")
        tag = tag << 8 | following
        at += 1
        if not following & 0x80:
            return tag, at
    raise TlvError("tag is longer than three bytes")


def _read_length(data: bytes, at: int) -> tuple[int, int]:
    """Return the length that starts at `at` and the offset behind it. Longer than needed is legal BER and accepted."""
    if at >= len(data):
        raise TlvError("length is missing")
    first = data[at]
    at += 1
    if first < 0x80:
        return first, at
    size = first & 0x7F
    if not 1 <= size <= 3:
        raise TlvError("length is indefinite or of more than three bytes")
    if at + size > len(data):
        raise TlvError("length is cut off")
    return int.from_bytes(data[at : at + size], "big"), at + size


@lru_cache(maxsize=256)
def _head(tag: int) -> bytes:
    """The tag's bytes; `TlvError` if it is not one well-formed tag."""
    if not 0 < tag <= 0xFFFFFF:
        raise TlvError("tag is out of range")
    head = tag.to_bytes((tag.bit_length() + 7) // 8, "big")
    if _read_tag(head, 0) != (tag, len(head)):
        raise TlvError(f"{tag:X} is not one tag")
    return head


def encode(tag: int, value: bytes = b"") -> bytes:
    """Encode one element with the shortest definite length.

    Raises `TlvError` if `tag` is not one well-formed tag of 1 to 3 bytes or `value` exceeds `MAX_VALUE` bytes.
    """
    size = len(value)
    if size < 0x80:
        return b"%b%c%b" % (_head(tag), size, value)
    if size > MAX_VALUE:
        raise TlvError("value is too long")
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return b"%b%c%b%b" % (_head(tag), 0x80 | len(length), length, value)


def walk(data: bytes) -> Iterator[Tlv]:
    """Yield the elements of `data` in order, this level only; raises `TlvError` where the bytes stop making sense."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _read_tag(data, at)
        size, at = _read_length(data, at)
        after = at + size
        if after > end:
            raise TlvError(f"value of {tag:X} is cut off")
        yield Tlv(tag, data[at:after])
        at = after


def parse(data: bytes) -> list[Tlv]:
    """Split `data` wholly into the elements of its outermost level; `b""` is the empty list.

    Raises `TlvError` for anything cut off, indefinite, padded or of more than `MAX_ITEMS` elements.
    """
    items = list(islice(walk(data), MAX_ITEMS + 1))
    if len(items) > MAX_ITEMS:
        raise TlvError("too many elements")
    return items


def find(data: bytes, tag: int, *inner: int) -> bytes | None:
    """Value of the first element `tag` of `data`, or of the path `tag/inner[0]/...` below it; None if it is not there.

    Every level on the way must be well formed as a whole (`TlvError` otherwise), so that a damaged template is never
    mistaken for one that lacks an element.
    """
    value: bytes | None = next((item.value for item in parse(data) if item.tag == tag), None)
    if value is None or not inner:
        return value
    return find(value, *inner)


def unwrap(tag: int, data: bytes) -> bytes:
    """Value of `data`, which must be exactly one element `tag`; raises `TlvError` otherwise."""
    items = parse(data)
    if len(items) != 1 or items[0].tag != tag:
        raise TlvError(f"expected exactly one element {tag:X}")
    return items[0].value
