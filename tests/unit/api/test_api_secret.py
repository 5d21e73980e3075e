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
@example(b'"\x00')
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


@pytest.mark.parametrize(("limit", "characters"), [(3, 4), (4, 8), (5, 8), (6, 8)])
def test_a_text_longer_than_any_of_the_limit_is_not_decoded(limit: int, characters: int) -> None:
    """Each character of the longest text may be an escaped slash; what is longer is refused by its length alone."""
    longest = rb"\/" * (characters - 4) + base64.b64encode(b"\xff" * (limit - (characters - 4) // 4 * 3)).replace(
        b"/", rb"\/"
    )
    with decode_base64(msgspec.Raw(b'"%s"' % longest), "/value", limit=limit) as found:
        assert bytes(found) == b"\xff" * limit
    for text, said in ((b"!" * 2 * characters, "no base64"), (b"!" * (2 * characters + 1), f"at most {limit} bytes")):
        with pytest.raises(Problem, match=said), decode_base64(msgspec.Raw(b'"%s"' % text), "/value", limit=limit):
            pass


@pytest.mark.parametrize("announced", [0, 3, 9, 10, 99])
def test_a_body_of_exactly_the_limit_is_kept(announced: int) -> None:
    """One byte more is over, in whichever piece it comes; the rest is not wanted any more."""
    body = SecretBody(announced, 9)
    body.take(bytes(bytearray(b"12345")))
    body.take(bytes(bytearray(b"6789")))
    assert (bytes(body.view()), body.over) == (b"123456789", False)
    body.take(bytes(bytearray(b"0")))
    assert (body.over, body.wiped) == (True, False)
    body.wipe()
    assert (bytes(body.view()), body.wiped) == (bytes(9), True)


def test_nothing_is_kept_behind_a_wipe() -> None:
    """Pieces that come late are wiped themselves."""
    body, late = SecretBody(0, 100), bytes(bytearray(b"late"))
    body.take(bytes(bytearray(b"early")))
    body.wipe()
    body.take(late)
    assert (bytes(body.view()), late, body.over) == (bytes(5), bytes(4), False)


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
