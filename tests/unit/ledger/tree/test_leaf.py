"""The leaf format, to the byte."""

from __future__ import annotations

import hashlib
import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.tree.leaf import (
    PAYLOAD_LIMIT,
    body_of,
    canonical,
    check,
    header_of,
    leaf_hash,
    payload_of,
    read_header,
    read_payload,
    words_of,
)
from app.store.writer import ActOutcome, Leaf


def leaf(**fields: object) -> Leaf:
    """A leaf with defaults."""
    values: dict[str, object] = {
        "action": "burn.started",
        "actor": "key_1",
        "outcome": ActOutcome.ACCEPTED,
        "ts_us": 1_790_000_000_000_001,
        "clock_us": None,
        "node_id": None,
        "unit_id": None,
        "request_id": None,
        "detail": {},
    }
    return Leaf(**{**values, **fields})  # type: ignore[arg-type]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2.0**53) + 1, 2.0**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_header_bytes() -> None:
    """A header is exactly these bytes, for ever."""
    body = body_of(b"\x00" * 16, b"{}")
    assert body == hashlib.sha256(b"\x00" * 16 + b"{}").hexdigest()
    assert header_of(leaf(), 7, body) == (
        b'{"action":"burn.started","actor":"key_1","body":"' + body.encode() + b'","outcome":"ACCEPTED","seq":7,'
        b'"ts":1790000000000001,"v":1}'
    )


def test_payload_bytes() -> None:
    """A payload is exactly these bytes, for ever."""
    found = payload_of(
        leaf(
            clock_us=5,
            node_id="ARC-1",
            unit_id="u",
            request_id="req_0",
            detail={"z": [1, True, None], "é": "\u2028", "a": {"b": "\x01"}},
        )
    )
    assert (
        found
        == (
            '{"clock":5,"detail":{"a":{"b":"\\u0001"},"z":[1,true,null],"é":"\u2028"},"node_id":"ARC-1",'
            '"request_id":"req_0","unit_id":"u"}'
        ).encode()
    )


def test_empty_payload() -> None:
    """An entry that says nothing more has the empty object as payload."""
    assert payload_of(leaf()) == b"{}"


def test_leaf_hash_is_rfc_6962() -> None:
    """Certificate Transparency's hash of the empty leaf."""
    assert leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


@given(actor=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), seq=st.integers(0, 2**53 - 1))
def test_header_is_canonical(actor: str, seq: int) -> None:
    """The header written by hand is what the canonical writer gives, and reads back."""
    raw = header_of(leaf(actor=actor), seq, "00" * 32)
    assert raw == canonical(json.loads(raw))
    found = read_header(raw)
    assert (found.actor, found.seq, found.v) == (actor, seq, 1)


# RFC 8785 appendix B: bits of the double, and its text.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_number_of_rfc_8785(bits: str, text: str) -> None:
    """The standard's own numbers come out as it writes them."""
    assert canonical(struct.unpack(">d", bytes.fromhex(bits))[0]) == text.encode()


def test_members_are_sorted_by_utf_16() -> None:
    """RFC 8785 section 3.2.3: its own example of the order of names."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(dict.fromkeys(names, 0)))) == ordered


@given(JSON)
def test_canonical_reads_back(value: object) -> None:
    """What was written is JSON of the same value, and writing that again gives the same bytes."""
    raw = canonical(value)
    assert json.loads(raw) == value
    assert canonical(json.loads(raw)) == raw


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, -(2**53), "\ud800", {"\udfff": 1}])
def test_value_without_canonical_form(value: object) -> None:
    """What JSON cannot carry safely is refused."""
    with pytest.raises(ValueError):  # noqa: PT011 -- UnicodeEncodeError is one
        canonical(value)


@pytest.mark.parametrize("value", [b"bytes", {1: "x"}, {1, 2}, object()])
def test_type_without_canonical_form(value: object) -> None:
    """What is no JSON is refused, keys and secrets in bytes above all."""
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize(
    "action", ["burn", "Burn.start", "burn.", ".start", "burn.start.now", "burn start", "bürn.x", ""]
)
def test_action_outside_the_vocabulary(action: str) -> None:
    """An action that is not ``capability.verb`` is refused."""
    with pytest.raises(ValueError, match=r"capability\.verb"):
        check(leaf(action=action))


@pytest.mark.parametrize("actor", ["", "x" * 129])
def test_actor_out_of_bounds(actor: str) -> None:
    """An actor is 1 to 128 characters."""
    with pytest.raises(ValueError, match="actor"):
        check(leaf(actor=actor))


def test_long_payload_is_refused() -> None:
    """A payload beyond its bound is refused: the log is no place for documents."""
    with pytest.raises(ValueError, match="beyond"):
        payload_of(leaf(detail={"x": "y" * PAYLOAD_LIMIT}))


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        JSON | st.floats(allow_nan=False, allow_infinity=False),
        max_size=4,
    )
)
def test_words_follow_from_what_is_stored(detail: dict[str, object]) -> None:
    """The search text made from the stored payload is that made from the job's own detail: erasure depends on it."""
    written = leaf(detail=detail, node_id="ARC-1")
    stored = read_payload(payload_of(written))
    assert words_of(leaf(detail=stored.detail, node_id=stored.node_id)) == words_of(written)
