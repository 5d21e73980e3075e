"""Secret bodies: gathered in one buffer, read as base64 in place, wiped."""

from __future__ import annotations

import base64
import binascii
import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.api import decode
from app.api.problems import Problem
from app.api.secret import SecretBody, decode_base64
from app.api.wire import Base64, Request
from hardware.memory import wipe


class Sent(Request, kw_only=True):
    """A secret body."""

    value: Base64
    name: str = ""


SENT = msgspec.json.Decoder(Sent)


@given(value=st.binary(max_size=600), escaped=st.booleans())
def test_base64_is_read_as_it_was_written(value: bytes, escaped: bool) -> None:
    """Any bytes come back, also from encoders that escape slashes; after the block they read as zeros."""
    text = base64.b64encode(value)
    if escaped:
        text = text.replace(b"/", rb"\/")
    with decode_base64(msgspec.Raw(b'"%s"' % text), "/value", limit=600) as found:
        assert bytes(found) == value
        kept = found
    assert len(value) < 2 or bytes(kept) == bytes(len(value))


@given(text=st.binary(max_size=80))
@example(b'"AAA"')
@example(b'"AA=A"')
@example(b'"=AAA"')
@example(b'"AAA=="')
@example(rb'"AAA\/=="')
@example(b"5")
@example(b"")
def test_what_is_no_base64_is_refused_without_repeating_it(text: bytes) -> None:
    """What the standard library's strict reader takes is taken; anything else is 422 at its place."""
    expected = strictly(text)
    if expected is not None:
        with decode_base64(msgspec.Raw(text), "/value", limit=60) as found:
            assert bytes(found) == expected
        return
    with pytest.raises(Problem) as caught, decode_base64(msgspec.Raw(text), "/value", limit=60):
        pass
    assert caught.value.code == "invalid_body"
    assert caught.value.errors[0].pointer == "/value"


def strictly(text: bytes) -> bytes | None:
    """By the standard library; its strict mode still overlooks superfluous padding at the end."""
    if text[:1] != b'"' or text[-1:] != b'"' or b"\\u" in text:
        return None
    try:
        value = json.loads(text)
        found = binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        return None
    return found if len(base64.b64encode(found)) == len(value) else None


def test_more_than_the_limit_is_refused() -> None:
    """One byte too many is 422."""
    with (
        pytest.raises(Problem, match="at most 9 bytes"),
        decode_base64(msgspec.Raw(b'"' + base64.b64encode(bytes(10)) + b'"'), "/value", limit=9),
    ):
        pass


@given(parts=st.lists(st.binary(max_size=50), max_size=8), announced=st.integers(0, 400), limit=st.integers(1, 200))
def test_a_body_is_what_came_or_over(parts: list[bytes], announced: int, limit: int) -> None:
    """Whatever was announced, up to the limit the pieces are there in order; beyond it the body is over; wiped views
    read zeros."""
    whole = b"".join(parts)
    body = SecretBody(announced, limit)
    for part in parts:
        body.take(bytes(bytearray(part)))
    assert body.over == (len(whole) > limit)
    view = body.view()
    if not body.over:
        assert bytes(view) == whole
    body.wipe()
    assert not any(view)


def test_taken_pieces_are_wiped_in_place() -> None:
    """The received object itself is overwritten; one byte is the interpreter's own and left alone."""
    part = bytes(bytearray(b"not for keeping"))
    SecretBody(100, 100).take(part)
    assert part == bytes(15)
    single = bytes(bytearray(b"x"))
    wipe(single)
    assert b"x"[0] == 0x78


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        (b'{"value":"AAAA","name":5}', "invalid_body", "/name"),
        (b'{"name":"x"}', "invalid_body", "/value"),
        (b'{"value":"AAAA","more":1}', "invalid_body", "/more"),
        (b'{"value":"AAAA","' + b"A" * 90 + b'":1}', "invalid_body", ""),
        (b'{"value":"AAAA","name":5', "malformed_json", None),
        (b'{"value":', "malformed_json", None),
        (b"[]", "invalid_body", ""),
    ],
)
def test_secret_bodies_are_refused_by_place(body: bytes, code: str, pointer: str | None) -> None:
    """The same codes as of other bodies; a name too long for a field is perhaps a value and is not repeated."""
    with pytest.raises(Problem) as caught:
        decode.secret_body(SENT, memoryview(body))
    assert caught.value.code == code
    if pointer is not None:
        assert [error.pointer for error in caught.value.errors] == [pointer]
