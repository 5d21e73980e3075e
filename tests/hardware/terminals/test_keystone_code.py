"""The rotating code: the design's vector, second implementations, and whatever a scanner may read."""

from __future__ import annotations

import hashlib
import hmac
import subprocess

import numpy as np
import pytest
import segno
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st

from hardware.terminals.keystone import (
    FRAME_BYTES,
    PAYLOAD_CHARACTERS,
    PREFIX,
    STEP_MAX,
    BadPayload,
    CodeFrame,
    CodeSession,
    base45,
    parse,
    step_at,
    to_next_ns,
    unbase45,
)

TOKEN, NONCE, TERMINAL = bytes(range(32)), bytes(range(16)), "T-14"
VECTOR = "KQ1:1B0Y$N06BMQQ4502AFOW8000000B-0F-0YZP:954SDXWSN6IL4UD2"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
MS = 1_000_000
REFUSALS = {
    "no payload of a keystone code",
    "another version of keystone codes",
    "a character that base45 does not have",
    "characters that stand for no bytes",
}

tokens, nonces = st.binary(min_size=32, max_size=32), st.binary(min_size=16, max_size=16)
terminals = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", fullmatch=True)
steps = st.integers(0, STEP_MAX)


def openssl(*command: str, given: bytes = b"") -> bytes:
    """What OpenSSL's command line prints."""
    return subprocess.run(["openssl", *command], input=given, capture_output=True, check=True).stdout


def hkdf(token: bytes, nonce: bytes, info: bytes, length: int) -> bytes:
    """HKDF-SHA256 by ``openssl kdf``."""
    options = ["digest:SHA256", f"hexkey:{token.hex()}", f"hexsalt:{nonce.hex()}", f"hexinfo:{info.hex()}"]
    named = [word for option in options for word in ("-kdfopt", option)]
    return openssl("kdf", "-keylen", str(length), "-binary", *named, "HKDF")


def in_base45(raw: bytes) -> str:
    """RFC 9285 told by numbers: two bytes as three digits, the lowest first."""
    text = ""
    for at in range(0, len(raw), 2):
        part = raw[at : at + 2]
        number = int.from_bytes(part, "big")
        for _ in range(len(part) + 1):
            text += ALPHABET[number % 45]
            number //= 45
    return text


def test_the_vector_of_the_design() -> None:
    """Token 00..1f, nonce 00..0f, terminal T-14, step 7."""
    assert CodeSession(TOKEN, NONCE, TERMINAL).payload(7) == VECTOR


def test_openssl_makes_the_same_payload() -> None:
    """Keys by ``openssl kdf``, the MAC by ``openssl mac``, the frame put together by hand."""
    key = hkdf(TOKEN, NONCE, b"keystone-qr/1\0T-14", 32)
    sid = hkdf(TOKEN, NONCE, b"keystone-sid/1", 8)
    tag = openssl("dgst", "-sha256", "-binary", given=b"arc-terminal/1\0T-14")[:4]
    signed = b"\x01" + sid + tag + (7).to_bytes(6, "big")
    options = ["-digest", "SHA256", "-macopt", f"hexkey:{key.hex()}", "-binary", "HMAC"]
    mac = openssl("mac", *options, given=b"kqr1" + signed)[:16]
    assert PREFIX + in_base45(signed + mac) == VECTOR
    assert CodeSession(TOKEN, NONCE, TERMINAL).sid == sid


@given(tokens, nonces, terminals, steps)
def test_what_a_terminal_shows_is_proved(token: bytes, nonce: bytes, terminal_id: str, step: int) -> None:
    """A payload is 57 characters, says its session and step, and is equal to one made by Python's own HMAC."""
    session = CodeSession(token, nonce, terminal_id)
    payload = session.payload(step)
    frame = parse(payload)
    assert len(payload) == PAYLOAD_CHARACTERS
    assert (frame.sid, frame.step, session.proves(frame)) == (session.sid, step, True)
    extracted = hmac.new(nonce, token, hashlib.sha256).digest()
    key = hmac.new(extracted, b"keystone-qr/1\0" + terminal_id.encode() + b"\x01", hashlib.sha256).digest()
    signed = b"\x01" + frame.sid + frame.terminal + step.to_bytes(6, "big")
    assert frame.mac == hmac.new(key, b"kqr1" + signed, hashlib.sha256).digest()[:16]


@given(steps, st.integers(8, FRAME_BYTES * 8 - 1))
def test_no_bit_of_a_frame_may_change(step: int, bit: int) -> None:
    """One bit of the session, terminal, step or proof, and it is not proved any more."""
    session = CodeSession(TOKEN, NONCE, TERMINAL)
    raw = bytearray(unbase45(session.payload(step)[len(PREFIX) :]))
    raw[bit // 8] ^= 1 << bit % 8
    assert not session.proves(parse(PREFIX + base45(bytes(raw))))


def test_another_terminal_nonce_or_token_proves_nothing() -> None:
    """The key belongs to all three."""
    frame = parse(VECTOR)
    assert CodeSession(TOKEN, NONCE, TERMINAL).proves(frame)
    for other in (
        CodeSession(TOKEN, NONCE, "T-15"),
        CodeSession(TOKEN, bytes(16), TERMINAL),
        CodeSession(bytes(32), NONCE, TERMINAL),
    ):
        assert not other.proves(frame)
        assert not other.proves(CodeFrame(other.sid, frame.terminal, frame.step, frame.mac))


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"AB", "BB8"), (b"Hello!!", "%69 VD92EX0"), (b"base-45", "UJCLQE7W581"), (b"ietf!", "QED8WEX0"), (b"", "")],
)
def test_base45_as_rfc_9285_writes_it(raw: bytes, text: str) -> None:
    """The examples of its sections 4.3 and 4.4."""
    assert (base45(raw), unbase45(text)) == (text, raw)


@pytest.mark.parametrize("text", ["A", "AAAA", "GGW", ":::", "::", "ab8", "BB\n", "é00", "BB8\x00"])
def test_what_is_no_base45_is_refused(text: str) -> None:
    """A length that no bytes have, a number above 65535 or 255 (RFC 9285, section 6), a foreign character."""
    with pytest.raises(BadPayload):
        unbase45(text)


@given(st.binary(max_size=64))
def test_base45_gives_its_bytes_back(raw: bytes) -> None:
    """And writes as the second implementation does."""
    assert base45(raw) == in_base45(raw)
    assert unbase45(base45(raw)) == raw


def read(scanned: str) -> CodeFrame | str:
    """The frame, or the words of its refusal."""
    try:
        return parse(scanned)
    except BadPayload as error:
        return str(error)


shaped = st.text(ALPHABET, min_size=53, max_size=53).map(PREFIX.__add__)


@given(st.one_of(st.text(), shaped, st.text(min_size=57, max_size=57), shaped.map(str.lower)))
def test_whatever_is_scanned_is_a_frame_or_refused(scanned: str) -> None:
    """Never another error, never the text in the refusal, and one writing of each frame."""
    found = read(scanned)
    if isinstance(found, str):
        assert found in REFUSALS
    else:
        raw = b"\x01" + found.sid + found.terminal + found.step.to_bytes(6, "big") + found.mac
        assert PREFIX + base45(raw) == scanned


@given(steps, st.integers(2, 255))
def test_another_version_is_refused(step: int, version: int) -> None:
    """What a later terminal shows is no code of this one."""
    raw = unbase45(CodeSession(TOKEN, NONCE, TERMINAL).payload(step)[len(PREFIX) :])
    with pytest.raises(BadPayload, match="version"):
        parse(PREFIX + base45(bytes([version]) + raw[1:]))


def test_spaces_belong_to_a_payload() -> None:
    """One without them is another text."""
    session = CodeSession(TOKEN, NONCE, TERMINAL)
    spaced = next(payload for step in range(1_000) if " " in (payload := session.payload(step)))
    assert session.proves(parse(spaced))
    with pytest.raises(BadPayload):
        parse(spaced.replace(" ", ""))


def test_a_session_is_read_from_its_reply() -> None:
    """base64url without padding and 0x hexadecimal, as ``qr-rotate`` writes them; anything else is no session."""
    token = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    session = CodeSession.of_reply(token, "0x000102030405060708090a0b0c0d0e0f", TERMINAL)
    assert session.payload(7) == VECTOR
    for wrong in ((token[:-1], "0x" + NONCE.hex()), (token, "0x00"), ("", ""), (token, "zz"), (token + "!", "0x")):
        with pytest.raises(ValueError, match="session") as refused:
            CodeSession.of_reply(*wrong, TERMINAL)
        assert token not in str(refused.value)


def test_a_session_does_not_show_its_secret() -> None:
    """Neither as text nor by its attributes' names does the key stand in a trace."""
    session = CodeSession(TOKEN, NONCE, TERMINAL)
    key = hkdf(TOKEN, NONCE, b"keystone-qr/1\0T-14", 32)
    for text in (repr(session), str(session), f"{session}"):
        assert key.hex() not in text
        assert repr(key)[2:-1] not in text


@given(st.integers(0, 10**18))
def test_a_step_lasts_400_ms(since_ns: int) -> None:
    """The next one begins when its time is over, never before."""
    step, rest = step_at(since_ns), to_next_ns(since_ns)
    assert step * 400 * MS <= since_ns < (step + 1) * 400 * MS
    assert step_at(since_ns + rest) == step + 1
    assert step_at(since_ns + rest - 1) == step


def matrix(payload: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Dark modules as zxing-cpp sets them."""
    code = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.QRCode, ec_level="M")
    return np.asarray(code.to_image(scale=1, add_quiet_zones=False)) == 0


def test_the_symbol_is_that_of_segno() -> None:
    """29x29 at level M; the same modules as segno's under one of the eight masks (ISO/IEC 18004 leaves ties open)."""
    session = CodeSession(TOKEN, NONCE, TERMINAL)
    for step in range(10):
        payload = session.payload(step)
        ours = matrix(payload)
        assert ours.shape == (29, 29)
        made = [segno.make(payload, error="M", mask=mask, boost_error=False, micro=False) for mask in range(8)]
        assert {(symbol.designator, symbol.mode) for symbol in made} == {("3-M", "alphanumeric")}
        assert any(np.array_equal(ours, np.array([list(row) for row in symbol.matrix]) != 0) for symbol in made)
