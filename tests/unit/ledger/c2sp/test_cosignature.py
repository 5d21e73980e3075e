"""Cosignatures of both types, to the byte of C2SP tlog-cosignature."""

from __future__ import annotations

import base64
import contextlib
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.c2sp.cosignature import Cosigner, CosignerKey, cosigned_message, parse_vkey
from app.ledger.c2sp.note import NoteError, Verifier, checkpoint_text, parse_note, vkey_of
from tests.unit.ledger.c2sp.note_strategies import LOG, ORIGIN, ROOT, WITNESSES, cosigned

TEXT = checkpoint_text(ORIGIN, 7, ROOT)


def test_ed25519_message_is_the_standards() -> None:
    """Header line, time line, the checkpoint's text; nothing of the name."""
    line = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
    text = f"example.com/behind-the-sofa\n20852163\n{line}\n"
    wanted = f"cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n{line}\n"
    assert cosigned_message(0x04, "witness.example.com/w1", text, 1679315147) == wanted.encode()


def test_mldsa_message_is_the_standards() -> None:
    """The presentation language of RFC 8446: label, two short vectors, three numbers of 8 bytes, the root."""
    message = cosigned_message(0x06, "w", TEXT, 258)
    wanted = b"subtree/v1\n\x00" + b"\x01w" + bytes.fromhex("0000000000000102") + bytes((len(ORIGIN),))
    wanted += ORIGIN.encode() + bytes(8) + bytes.fromhex("0000000000000007") + ROOT
    assert message == wanted


def test_ed25519_line_verifies_by_the_library_alone() -> None:
    """Key id, time, then a plain Ed25519 signature."""
    cosigner = WITNESSES[0][0]
    raw = base64.b64decode(cosigner.line(TEXT, 1_700_000_000).split(" ")[2])
    public = cosigner.key.public
    assert raw[:4] == hashlib.sha256(cosigner.key.name.encode() + b"\n\x04" + public).digest()[:4]
    assert int.from_bytes(raw[4:12]) == 1_700_000_000
    Ed25519PublicKey.from_public_bytes(public).verify(raw[12:], f"cosignature/v1\ntime 1700000000\n{TEXT}".encode())


def test_mldsa_line_verifies_by_the_library_alone() -> None:
    """Key id, time, then a plain ML-DSA-44 signature of 2,420 bytes."""
    cosigner = WITNESSES[0][1]
    raw = base64.b64decode(cosigner.line(TEXT, 5).split(" ")[2])
    assert len(raw) == 4 + 8 + 2420
    MLDSA44PublicKey.from_public_bytes(cosigner.key.public).verify(
        raw[12:], cosigned_message(0x06, cosigner.key.name, TEXT, 5)
    )


@pytest.mark.parametrize("kind", [0, 1], ids=["ed25519", "mldsa"])
def test_time_is_read_back(kind: int) -> None:
    """What the cosigner said, by either type."""
    note = parse_note(cosigned({1: 1_700_000_123}).encode())
    assert WITNESSES[1][kind].key.time_of(note) == 1_700_000_123


@pytest.mark.parametrize("kind", [0, 1], ids=["ed25519", "mldsa"])
@pytest.mark.parametrize("at", range(0, 40, 7))
def test_edited_cosignature_is_refused(kind: int, at: int) -> None:
    """Key id, time and signature are all covered."""
    cosigner = WITNESSES[2][kind]
    raw = bytearray(base64.b64decode(cosigner.line(TEXT, 9).split(" ")[2]))
    raw[at] ^= 1
    line = f"— {cosigner.key.name} {base64.b64encode(raw).decode()}\n"
    with pytest.raises(NoteError):
        cosigner.key.time_of(parse_note((LOG.sign(TEXT) + line).encode()))


@pytest.mark.parametrize("kind", [0, 1], ids=["ed25519", "mldsa"])
def test_another_checkpoint_is_refused(kind: int) -> None:
    """A cosignature stays with its size and root."""
    line = WITNESSES[0][kind].line(TEXT, 9)
    other = checkpoint_text(ORIGIN, 8, ROOT)
    with pytest.raises(NoteError):
        WITNESSES[0][kind].key.time_of(parse_note((LOG.sign(other) + line).encode()))


def test_a_wrong_line_beside_a_good_one_is_read_over() -> None:
    """Whoever adds rubbish under our name and key id takes nothing away."""
    cosigner = WITNESSES[0][0]
    bad = f"— {cosigner.key.name} {base64.b64encode(cosigner.key.key_id + bytes(72)).decode()}\n"
    note = parse_note((LOG.sign(TEXT) + bad + cosigner.line(TEXT, 9)).encode())
    assert cosigner.key.time_of(note) == 9


@pytest.mark.parametrize("kind", [0, 1], ids=["ed25519", "mldsa"])
def test_vkey_reads_back(kind: int) -> None:
    """Type, name and key."""
    key = WITNESSES[0][kind].key
    assert parse_vkey(key.vkey) == key
    coded = base64.b64decode(key.vkey.split("+", 2)[2])
    assert (coded[0], len(coded) - 1) == ((0x04, 32), (0x06, 1312))[kind]


def test_log_vkey_is_no_cosigner() -> None:
    """Type 0x01 stays what it is."""
    assert isinstance(parse_vkey(LOG.verifier.vkey), Verifier)


@pytest.mark.parametrize("name", ["a b", "a+b", "", "x" * 256])
def test_bad_cosigner_name(name: str) -> None:
    """A name that no line can carry."""
    with pytest.raises(ValueError, match="name"):
        Cosigner(name, Ed25519PrivateKey.generate())


@given(st.text(max_size=80) | st.builds(lambda raw: f"w+00000000+{base64.b64encode(raw).decode()}", st.binary()))
def test_any_vkey_is_a_key_or_refused(text: str) -> None:
    """Nothing but ``NoteError``."""
    with contextlib.suppress(NoteError):
        assert isinstance(parse_vkey(text), Verifier | CosignerKey)


@pytest.mark.parametrize(("kind", "size"), [(4, 31), (4, 33), (6, 1311), (6, 1313), (5, 32), (2, 32)])
def test_a_vkey_of_another_type_or_length_is_refused(kind: int, size: int) -> None:
    """Type 0x04 has 32 bytes, 0x06 has 1,312; no other type is known."""
    with pytest.raises(NoteError, match="type that is not known"):
        parse_vkey(vkey_of("w.invalid", kind, bytes(size)))


@pytest.mark.parametrize("kind", [0, 1], ids=["ed25519", "mldsa"])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_cosignature_of_another_length_is_refused(kind: int, change: int) -> None:
    """8 bytes of time and the signature: 64 or 2,420."""
    key = WITNESSES[0][kind].key
    size = 8 + (64, 2420)[kind] + change
    line = f"— {key.name} {base64.b64encode(key.key_id + bytes(size)).decode()}\n"
    with pytest.raises(NoteError, match="another length"):
        key.time_of(parse_note((LOG.sign(TEXT) + line).encode()))


@pytest.mark.parametrize("kind", [0, 1], ids=["ed25519", "mldsa"])
def test_the_latest_time_is_that_of_a_signed_number(kind: int) -> None:
    """2^63 - 1; a later one is signed in vain."""
    cosigner = WITNESSES[0][kind]
    note = LOG.sign(TEXT) + cosigner.line(TEXT, 9_223_372_036_854_775_807)
    assert cosigner.key.time_of(parse_note(note.encode())) == 9_223_372_036_854_775_807
    late = LOG.sign(TEXT) + cosigner.line(TEXT, 9_223_372_036_854_775_808)
    with pytest.raises(NoteError, match="no possible time"):
        cosigner.key.time_of(parse_note(late.encode()))


def test_an_origin_has_255_bytes_at_most() -> None:
    """Its length stands in one byte of what ML-DSA signs."""
    message = cosigned_message(0x06, "w", checkpoint_text("o" * 255, 7, ROOT), 5)
    assert message[22:24] == b"\xffo"
    with pytest.raises(NoteError, match="255 bytes"):
        cosigned_message(0x06, "w", checkpoint_text("o" * 256, 7, ROOT), 5)


def test_a_cosigners_name_has_255_bytes_at_most() -> None:
    """As the origin; counted in UTF-8."""
    assert Cosigner("x" * 255, Ed25519PrivateKey.generate()).key.name == "x" * 255
    with pytest.raises(ValueError, match="255 bytes"):
        Cosigner("\u00e9" * 128, Ed25519PrivateKey.generate())


def test_a_note_without_the_key_is_not_cosigned() -> None:
    """Neither the name nor the key id alone counts."""
    key = WITNESSES[0][0].key
    other = Cosigner(key.name, Ed25519PrivateKey.from_private_bytes(bytes(32)))
    note = parse_note((LOG.sign(TEXT) + other.line(TEXT, 9)).encode())
    with pytest.raises(NoteError, match=f"not cosigned by {key.name}"):
        key.time_of(note)
