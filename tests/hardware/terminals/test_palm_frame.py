"""The palm frame: its layout, its parser against anything at all, its signature."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from hardware.terminals.frame import (
    ENROL_INTENT,
    HEAD_BYTES,
    MAX_FRAME_BYTES,
    MAX_NUMBER,
    MAX_VIEWS,
    FrameError,
    FrameForged,
    FrameShape,
    PalmFrame,
    TemplateKind,
    pack,
    parse,
    registry_tag,
    sign,
    verify,
)
from hardware.terminals.keystone import terminal_tag
from hardware.terminals.signing import SIGNATURE_BYTES, SigningKey

ED25519 = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
ES256 = ec.derive_private_key(20_261_122, ec.SECP256R1())
TERMINAL = "T-14"
INTENT = "ACCESS_ENTRY"
EVERY_KEY = pytest.mark.parametrize("key", [ED25519, ES256], ids=["ed25519", "es256"])

percentages = st.none() | st.integers(0, 100)


def views(count: int, seed: int = 1) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-127, 128, (count, 512), dtype=np.int8)


def frame(count: int = 1, **changes: Any) -> PalmFrame:
    """A frame of `count` views, with `changes` of its fields."""
    fields: dict[str, Any] = {
        "alg": 1,
        "kind": TemplateKind.PROBE,
        "registry_tag": registry_tag("training"),
        "key_epoch": 3,
        "counter": 77,
        "captured_ms": 1_790_000_000_123,
        "nonce": bytes(range(12)),
        "terminal_tag": terminal_tag(TERMINAL),
        "templates": views(count),
        "quality": 88,
    }
    return PalmFrame(**{**fields, **changes})


def signed(count: int = 1, key: SigningKey = ED25519, **changes: Any) -> bytes:
    made = frame(count, **changes)
    return sign(pack(made), key, TERMINAL, ENROL_INTENT if made.kind is TemplateKind.ENROL else INTENT)


frames = st.builds(
    frame,
    st.integers(1, MAX_VIEWS),
    alg=st.integers(1, 255),
    kind=st.sampled_from(TemplateKind),
    registry_tag=st.binary(min_size=8, max_size=8),
    key_epoch=st.integers(0, 2**32 - 1),
    counter=st.integers(1, MAX_NUMBER),
    captured_ms=st.integers(0, MAX_NUMBER),
    nonce=st.binary(min_size=12, max_size=12),
    terminal_tag=st.binary(min_size=4, max_size=4),
    quality=percentages,
    liveness=percentages,
)


@given(frames)
def test_a_frame_comes_back_as_it_was_made(made: PalmFrame) -> None:
    """Packing and parsing are inverse in every field."""
    found = parse(bytes(pack(made)) + bytes(SIGNATURE_BYTES))
    assert np.array_equal(found.templates, made.templates)
    for name in set(PalmFrame.__slots__) - {"templates"}:
        assert getattr(found, name) == getattr(made, name), name


@given(st.binary(max_size=1500))
def test_rubbish_is_refused(data: bytes) -> None:
    """Chance makes no frame."""
    with pytest.raises(FrameShape):
        parse(data)


@given(st.binary(min_size=HEAD_BYTES - 4, max_size=HEAD_BYTES - 4), st.integers(1, 3))
def test_a_chance_head_is_a_frame_or_is_refused(head: bytes, count: int) -> None:
    """What is taken packs to the very same bytes: nothing is half believed."""
    whole = b"ARP1" + head + views(count).tobytes() + bytes(SIGNATURE_BYTES)
    try:
        found = parse(whole)
    except FrameShape:
        return
    assert bytes(pack(found)) == whole[:-SIGNATURE_BYTES]


@given(st.sampled_from(range(HEAD_BYTES)), st.integers(0, 255))
def test_any_byte_of_the_head_is_a_frame_or_is_refused(at: int, value: int) -> None:
    """One byte off a good frame: the parser and `pack` agree on what is one."""
    data = bytearray(signed())
    data[at] = value
    try:
        found = parse(data)
    except FrameShape:
        return
    assert pack(found) == data[:-SIGNATURE_BYTES]


@pytest.mark.parametrize(
    "changes",
    [
        {"alg": 0},
        {"alg": 256},
        {"registry_tag": bytes(7)},
        {"terminal_tag": bytes(5)},
        {"key_epoch": -1},
        {"key_epoch": 2**32},
        {"counter": 0},
        {"counter": 2**63},
        {"captured_ms": -1},
        {"captured_ms": 2**63},
        {"nonce": bytes(11)},
        {"quality": 101},
        {"quality": -1},
        {"liveness": 101},
        {"liveness": -1},
        {"registry_tag": bytes(9)},
        {"terminal_tag": bytes(3)},
        {"nonce": bytes(13)},
        {"templates": views(50)},
        {"templates": views(1)[:0]},
        {"templates": views(1)[0]},
        {"templates": views(1)[:, :511]},
        {"templates": views(1).astype(np.int16)},
        {"templates": np.full((1, 512), -128, np.int8)},
        {"templates": np.concatenate([views(1), np.zeros((1, 512), np.int8)])},
    ],
    ids="-".join,
)
def test_no_frame_is_made_out_of_bounds(changes: dict[str, Any]) -> None:
    """The bounds hold on both sides of the wire."""
    with pytest.raises(FrameShape):
        frame(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"alg": 1},
        {"alg": 255},
        {"key_epoch": 0},
        {"key_epoch": 4_294_967_295},
        {"counter": 1},
        {"counter": 9_223_372_036_854_775_807},
        {"captured_ms": 0},
        {"captured_ms": 9_223_372_036_854_775_807},
        {"quality": 0, "liveness": 100},
        {"quality": 100, "liveness": 0},
        {"quality": None, "liveness": None},
        {"templates": views(49)},
        {"templates": np.full((1, 512), -127, np.int8)},
    ],
    ids="-".join,
)
def test_a_frame_at_its_bounds_comes_back(changes: dict[str, Any]) -> None:
    """The bounds themselves are frames, on both sides of the wire."""
    found = parse(bytes(pack(frame(**changes))) + bytes(SIGNATURE_BYTES))
    for name, value in changes.items():
        assert np.array_equal(getattr(found, name), value)


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, b"ARP2"),
        (4, b"\0"),
        (5, b"\2"),
        (6, b"\0"),
        (6, b"\2"),
        (7, b"\1"),
        (20, b"\x65"),
        (21, b"\xfe"),
        (22, b"\0\1"),
        (24, bytes(8)),
        (24, b"\x80" + bytes(7)),
        (32, b"\xff" * 8),
        (56, b"\x80"),
        (56, bytes(512)),
    ],
)
def test_what_no_terminal_makes_is_refused(at: int, value: bytes) -> None:
    """Version, kind, count, reserved bytes, bounds, -128 and a template of nothing."""
    data = bytearray(signed())
    data[at : at + len(value)] = value
    with pytest.raises(FrameShape):
        parse(data)


def test_the_layout_is_the_design() -> None:
    """Every field at its offset; 25 views are 12,920 bytes, 17,228 characters."""
    made = frame(25, liveness=93, kind=TemplateKind.ENROL)
    data = signed(25, liveness=93, kind=TemplateKind.ENROL)
    assert (data[:8], data[8:16]) == (b"ARP1\x01\x01\x19\x00", hashlib.sha256(b"arc-registry/1\0training").digest()[:8])
    assert (data[16:20], data[20:24], data[24:32]) == (b"\0\0\0\3", bytes([88, 93, 0, 0]), (77).to_bytes(8, "big"))
    assert (data[32:40], data[40:52]) == ((1_790_000_000_123).to_bytes(8, "big"), bytes(range(12)))
    assert data[52:56] == hashlib.sha256(b"arc-terminal/1\0T-14").digest()[:4]
    assert data[56 : 56 + 25 * 512] == made.templates.tobytes()
    assert (len(data), len(base64.b64encode(data))) == (12_920, 17_228)
    assert signed()[20:22] == bytes([88, 255])
    assert (len(signed(49)), MAX_FRAME_BYTES, HEAD_BYTES) == (25_208, 25_208, 56)


@pytest.mark.parametrize("change", [-1, 1, -512, 512, 64])
def test_another_length_is_refused(change: int) -> None:
    """Cut or lengthened frames of two views."""
    data = signed(2)
    with pytest.raises(FrameShape):
        parse(data[:change] if change < 0 else data + bytes(change))


def test_templates_are_no_copy() -> None:
    """Whoever wipes the buffer wipes the templates of the frame."""
    buffer = bytearray(signed(3))
    found = parse(memoryview(buffer))
    memoryview(buffer)[:] = bytes(len(buffer))
    assert not found.templates.any()
    assert "templates" not in repr(found)


@EVERY_KEY
@pytest.mark.parametrize("kind", TemplateKind)
def test_a_terminal_s_own_frame_is_taken(key: SigningKey, kind: TemplateKind) -> None:
    """Both kinds of key, both kinds of frame, also from a buffer that is wiped later."""
    data = signed(2, key, kind=kind)
    verify(
        memoryview(bytearray(data)), key.public_key(), TERMINAL, ENROL_INTENT if kind is TemplateKind.ENROL else INTENT
    )


@EVERY_KEY
@given(bit=st.integers(0, (HEAD_BYTES + 512 + SIGNATURE_BYTES) * 8 - 1))
def test_any_changed_bit_is_refused(key: SigningKey, bit: int) -> None:
    """By its shape or by its signature."""
    data = bytearray(signed(1, key))
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises(FrameError):
        verify(memoryview(data) if parse(data) else b"", key.public_key(), TERMINAL, INTENT)


@EVERY_KEY
def test_a_frame_counts_for_one_terminal_key_and_intent(key: SigningKey) -> None:
    """Another terminal's id, another key, another intent, the other algorithm's key."""
    data = signed(1, key)
    other = Ed25519PrivateKey.generate() if key is ED25519 else ec.generate_private_key(ec.SECP256R1())
    crossed = ES256 if key is ED25519 else ED25519
    for public, terminal, intent in (
        (key.public_key(), "T-15", INTENT),
        (key.public_key(), TERMINAL, "LOGIN"),
        (key.public_key(), TERMINAL, ""),
        (key.public_key(), TERMINAL, ENROL_INTENT),
        (other.public_key(), TERMINAL, INTENT),
        (crossed.public_key(), TERMINAL, INTENT),
    ):
        with pytest.raises(FrameForged):
            verify(data, public, terminal, intent)


@given(st.binary(max_size=700))
def test_bytes_that_were_never_parsed_are_only_forged(data: bytes) -> None:
    """`verify` on its own is as strict: no other error leaves it."""
    with pytest.raises(FrameForged):
        verify(data, ED25519.public_key(), TERMINAL, INTENT)


@pytest.mark.parametrize("other", [TemplateKind.PROBE, TemplateKind.ENROL])
def test_kind_and_intent_belong_together(other: TemplateKind) -> None:
    """A terminal signs no probe to enrol with, and no enrolment for anything else."""
    packed = pack(frame(kind=other))
    with pytest.raises(FrameForged, match="ENROL"):
        sign(packed, ED25519, TERMINAL, INTENT if other is TemplateKind.ENROL else ENROL_INTENT)


@pytest.mark.parametrize(("terminal", "intent"), [("", INTENT), (TERMINAL, ""), (TERMINAL, "i" * 65_536)])
def test_terminal_and_intent_have_a_length(terminal: str, intent: str) -> None:
    """1 to 65,535 bytes each: their length stands in two bytes of what is signed."""
    packed = pack(frame())
    with pytest.raises(FrameForged, match="1 to 65535 bytes"):
        sign(packed, ED25519, terminal, intent)
    verify(sign(packed, ED25519, TERMINAL, "i" * 65_535), ED25519.public_key(), TERMINAL, "i" * 65_535)


def test_only_two_kinds_of_key_sign() -> None:
    """P-384 is neither Ed25519 nor ES256."""
    wrong = ec.generate_private_key(ec.SECP384R1())
    with pytest.raises(ValueError, match="P-256"):
        sign(pack(frame()), wrong, TERMINAL, INTENT)
    with pytest.raises(ValueError, match="P-256"):
        verify(signed(), wrong.public_key(), TERMINAL, INTENT)


@EVERY_KEY
def test_openssl_takes_the_signature(key: SigningKey, tmp_path: Path) -> None:
    """Over the text of the design, written out by hand."""
    data = signed(25, key)
    body, signature = data[:-64], data[-64:]
    if key is ES256:
        signature = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    (tmp_path / "text").write_bytes(b"arc-palm/1\x00\x00\x04T-14\x00\x0cACCESS_ENTRY" + body)
    (tmp_path / "signature").write_bytes(signature)
    (tmp_path / "key").write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    command = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-rawin",
        "-pubin",
        "-inkey",
        "key",
        "-sigfile",
        "signature",
        "-in",
        "text",
    ]
    if key is ES256:
        command += ["-digest", "sha256"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr.decode()


@given(st.integers(0, HEAD_BYTES - 1), st.integers(0, 255), st.integers(0, 2**16))
def test_no_error_repeats_the_frame(at: int, value: int, seed: int) -> None:
    """The text of an error is the same whatever the frame holds, and no other error is chained to it."""

    def refusal(templates: np.ndarray[Any, Any], nonce: bytes) -> str:
        data = bytearray(signed(templates=templates, nonce=nonce))
        data[at] = value
        try:
            parse(data)
            verify(data, ED25519.public_key(), TERMINAL, INTENT)
        except FrameError as error:
            traced = traceback.TracebackException.from_exception(error)
            return "".join(traced.format_exception_only()) + str(traced.__cause__ or traced.__context__)
        return "taken"

    assert refusal(views(1, seed), bytes(12)) == refusal(views(1, seed + 1), bytes([255]) * 12) or 40 <= at < 52
