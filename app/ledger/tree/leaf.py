"""A leaf, to the byte (``ledger/README.md``, section 1). Changing anything here breaks every proof ever given.

* header = canonical JSON ``{"action","actor","body","outcome","seq","ts","v":1}``, ``ts`` in microseconds, ``body`` =
  hexadecimal SHA-256(salt (16) || payload);
* payload = canonical JSON of those members that the entry has: ``clock`` (raw clock in microseconds where it had
  stepped back), ``detail``, ``node_id``, ``request_id``, ``unit_id``;
* leaf hash = SHA-256(0x00 || header).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Mapping
from json.encoder import encode_basestring
from typing import Any, Final

import msgspec

from app.store.writer import ActOutcome, Leaf, SealLeaf

_STANDING: Final = re.compile(r"[A-Z][A-Z_]{0,31}")
_ACTION: Final = re.compile(r"[a-z][a-z0-9_]{0,31}\.[a-z][a-z0-9_]{0,31}")
_ACTOR_LIMIT: Final = 128
GENERATION: Final = "log.generation"
"""Action of the first leaf under a new origin: it is about the log, not about a knot."""
REKEYED: Final = "log.key"
"""Action of the leaf that replaces the log's keys (``log/keys.py``)."""
REKEYED_STANDING: Final = "REKEYED"
OF_THE_LOG: Final = frozenset((GENERATION, REKEYED))
"""Actions of leaves about the log itself: they belong to no knot, and are never erased."""
PAYLOAD_LIMIT: Final = 65_536
"""Bytes of the longest payload. Longer content belongs in a capability's own rows, and its hash in the payload."""
_LARGEST: Final = 2**53 - 1
_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_seen_actions: set[str] = set()


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """An audit header as read back."""

    action: str
    actor: str
    body: str
    outcome: ActOutcome
    seq: int
    ts: int
    v: int


class SealHeader(msgspec.Struct, forbid_unknown_fields=True):
    """A seal's header as read back; its outcome is a standing."""

    action: str
    actor: str
    body: str
    outcome: str
    seq: int
    ts: int
    v: int


class Payload(msgspec.Struct, forbid_unknown_fields=True):
    """A payload as read back."""

    clock: int | None = None
    detail: dict[str, Any] = {}
    node_id: str | None = None
    request_id: str | None = None
    state: str | None = None
    unit_id: str | None = None


class Opened(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """As ``Payload``, with the detail as raw bytes for ``read_detail``; empty where there is no detail."""

    clock: int | None = None
    detail: msgspec.Raw = msgspec.Raw()
    node_id: str | None = None
    request_id: str | None = None
    state: str | None = None
    unit_id: str | None = None


read_header: Final = msgspec.json.Decoder(Header).decode
read_seal_header: Final = msgspec.json.Decoder(SealHeader).decode
read_payload: Final = msgspec.json.Decoder(Payload).decode
read_opened: Final = msgspec.json.Decoder(Opened).decode
read_detail: Final = msgspec.json.Decoder(dict[str, Any]).decode


def canonical(value: object) -> bytes:
    """RFC 8785 JSON of strings, integers within 2^53 - 1, finite floats, booleans, ``None``, lists and mappings.

    Raises ``TypeError`` for anything else, ``ValueError`` for a number or text that has no canonical form.
    """
    return _write(value).encode()


def _write(value: object) -> str:
    """The text of ``canonical``."""
    # encode_basestring escapes exactly what RFC 8785 section 3.2.2.2 demands: quote, backslash, C0 in lower-case hex.
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if -_LARGEST <= value <= _LARGEST:
            return str(int(value))
        raise ValueError("an integer beyond 2^53 - 1 has no canonical form; write it as text")
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        keys = list(value)
        if not all(isinstance(key, str) for key in keys):
            raise TypeError("only text may name a member")
        return "{" + ",".join([f"{encode_basestring(key)}:{_write(value[key])}" for key in _in_order(keys)]) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_write, value)) + "]"
    raise TypeError(f"{type(value).__name__} has no canonical form")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _number(value: float) -> str:
    """As ECMAScript's Number.prototype.toString: the shortest digits, which Python finds too, laid out its way."""
    if not math.isfinite(value):
        raise ValueError("NaN and infinity have no canonical form")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # Position of the decimal point relative to the first significant digit.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


def check(leaf: Leaf | SealLeaf) -> None:
    """``ValueError`` unless action, standing and actor are of the allowed form."""
    if leaf.action not in _seen_actions:
        if not _ACTION.fullmatch(leaf.action):
            raise ValueError(f"{leaf.action!r} is no audit action; actions are capability.verb")
        _seen_actions.add(leaf.action)
    if isinstance(leaf, SealLeaf) and not _STANDING.fullmatch(leaf.standing):
        raise ValueError(f"{leaf.standing!r} is no standing")
    if not leaf.actor or len(leaf.actor) > _ACTOR_LIMIT:
        raise ValueError("an actor is 1 to 128 characters")


def payload_of(leaf: Leaf) -> bytes:
    """The payload's bytes."""
    parts: dict[str, object] = {}
    if leaf.clock_us is not None:
        parts["clock"] = leaf.clock_us
    if leaf.detail:
        parts["detail"] = leaf.detail
    if leaf.node_id is not None:
        parts["node_id"] = leaf.node_id
    if leaf.request_id is not None:
        parts["request_id"] = leaf.request_id
    if leaf.unit_id is not None:
        parts["unit_id"] = leaf.unit_id
    return check_payload(canonical(parts))


def with_state(payload: bytes, unit_id: str | None, state: str) -> bytes:
    """``payload`` of an entry about ``unit_id`` with the member ``state``; ``PayloadTooLong`` where it has no room."""
    # Canonical order: only ``unit_id`` comes behind it.
    end = "}" if unit_id is None else f'"unit_id":{_write(unit_id)}}}'
    before = payload.removesuffix(end.encode()).removesuffix(b",")
    comma = "," if len(before) > 1 else ""
    stated = f'{comma}"state":"{state}"{"" if unit_id is None else ","}{end}'
    return check_payload(before + stated.encode())


class PayloadTooLong(ValueError):
    """The payload is longer than a leaf can hold."""


def check_payload(payload: bytes) -> bytes:
    """``payload``, if it is short enough for a leaf; raises ``PayloadTooLong``."""
    if len(payload) > PAYLOAD_LIMIT:
        raise PayloadTooLong(f"a payload of {len(payload)} bytes is beyond {PAYLOAD_LIMIT}")
    return payload


def body_of(salt: bytes, payload: bytes) -> str:
    """The header's ``body``. Without the salt, a short payload could be guessed from it after its erasure."""
    return hashlib.sha256(salt + payload).hexdigest()


def header_of(leaf: Leaf | SealLeaf, seq: int, body: str) -> bytes:
    """The header's bytes. A seal's outcome is its standing."""
    outcome = leaf.standing if isinstance(leaf, SealLeaf) else leaf.outcome.value
    return header_from(leaf.action, leaf.actor, body, outcome, seq, leaf.ts_us)


def header_bytes(header: Header | SealHeader) -> bytes:
    """The only bytes that a header with these fields may have; other bytes of the same meaning are no header."""
    return header_from(header.action, header.actor, header.body, header.outcome, header.seq, header.ts)


def header_from(action: str, actor: str, body: str, outcome: str, seq: int, ts: int) -> bytes:
    """The header with these fields."""
    before, between = header_frame(action, actor, outcome)
    return f'{before}{body}{between}{seq},"ts":{ts},"v":1}}'.encode()


def header_frame(action: str, actor: str, outcome: str) -> tuple[str, str]:
    """The header's text before ``body``, and the text between ``body`` and ``seq``: the same in many headers."""
    # The members are already in canonical order.
    return (
        f'{{"action":"{action}","actor":{encode_basestring(actor)},"body":"',
        f'","outcome":"{outcome}","seq":',
    )


def leaf_hash(header: bytes) -> bytes:
    """RFC 6962 section 2.1."""
    return hashlib.sha256(b"\x00" + header).digest()


def knot_id_of(hashed: bytes) -> str:
    """The name of a knot, from the hash of its first leaf: ``KNOT-`` and 16 digits of Crockford's base 32 of the first
    10 bytes."""
    number = int.from_bytes(hashed[:10])
    return "KNOT-" + "".join(_CROCKFORD[number >> shift & 31] for shift in range(75, -1, -5))


def words_of(leaf: Leaf) -> str:
    """The text under which a search finds the entry: action, actor, ids, and each text and number of the detail.

    The same leaf must always give the same text: a contentless index deletes an entry only if it is given exactly the
    text that it was made from.
    """
    return search_words(leaf.action, leaf.actor, leaf.node_id, leaf.unit_id, leaf.request_id, leaf.detail)


def search_words(
    action: str,
    actor: str,
    node_id: str | None,
    unit_id: str | None,
    request_id: str | None,
    detail: Mapping[str, object],
) -> str:
    """As ``words_of``, for an entry that is read back."""
    words = [action, actor]
    words += [word for word in (node_id, unit_id, request_id) if word is not None]
    if detail:
        _collect(detail, words)
    return " ".join(words)


def detail_words(detail: Mapping[str, object]) -> str:
    """The end of ``words_of``: the words of the detail."""
    words: list[str] = []
    _collect(detail, words)
    return " ".join(words)


def _collect(value: object, words: list[str]) -> None:
    """Appends each text and number in ``value``, members in canonical order."""
    if isinstance(value, str):
        words.append(value)
    elif isinstance(value, int):
        if not isinstance(value, bool):
            words.append(str(int(value)))
    elif isinstance(value, float):
        # A large whole float is written as digits and read back as an integer: both must give the same word.
        words.append(_number(value))
    elif isinstance(value, list | tuple):
        for item in value:
            _collect(item, words)
    elif isinstance(value, Mapping):
        for key in _in_order(value):
            _collect(value[key], words)


def _in_order(names: Collection[str]) -> list[str]:
    """RFC 8785 section 3.2.3: by UTF-16 code units. For ASCII that is Python's order of text."""
    return sorted(names, key=None if all(map(str.isascii, names)) else _utf16)
