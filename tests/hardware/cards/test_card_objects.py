"""CHUID, CCC, printed information, security object: round trips, openssl as the judge, and bytes that are none."""

import contextlib
import datetime
import subprocess
import uuid
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards import tlv
from hardware.cards.backend import ProtocolError
from hardware.cards.objects import (
    PrintedInformation,
    ascii_text,
    build_ccc,
    build_chuid,
    build_printed,
    build_security_object,
    parse_ccc,
    parse_chuid,
    parse_printed,
    verify_chuid,
    verify_security_object,
)
from hardware.cards.piv import PivObject
from tests.hardware.cards.card_site import TestSite

GUID = uuid.UUID("6c1d3c0e-5b7d-4f0a-9d3a-0123456789ab")
DAY = datetime.date(2029, 2, 28)
SITE = TestSite()
CHUID = build_chuid(GUID, DAY, SITE.content_signer)
CONTENTS = {PivObject.CHUID: CHUID, PivObject.CCC: build_ccc()}
SECURITY = build_security_object(CONTENTS, SITE.content_signer)


def openssl_verify(directory: Path, cms: bytes, *options: str | Path) -> subprocess.CompletedProcess[bytes]:
    (directory / "cms.der").write_bytes(cms)
    (directory / "root.pem").write_bytes(SITE.root.public_bytes(Encoding.PEM))
    (directory / "signer.pem").write_bytes(SITE.content_signer.certificate.public_bytes(Encoding.PEM))
    base = ["openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", directory / "cms.der"]
    trust = ["-CAfile", directory / "root.pem", "-purpose", "any"]
    return subprocess.run([*base, *trust, *options], capture_output=True, check=False)


def test_chuid_reads_back() -> None:
    """GUID and expiry come out as they went in."""
    chuid = parse_chuid(CHUID)
    assert (chuid.guid, chuid.expires) == (GUID, DAY)


def test_chuid_signature_names_its_signer() -> None:
    """The signature verifies with the certificate it carries."""
    assert verify_chuid(parse_chuid(CHUID)).certificate == SITE.content_signer.certificate


def test_openssl_accepts_the_chuid(tmp_path: Path) -> None:
    """`openssl cms -verify` takes the detached signature over all other fields."""
    chuid = parse_chuid(CHUID)
    (tmp_path / "content").write_bytes(chuid.signed)
    result = openssl_verify(tmp_path, chuid.signature, "-content", tmp_path / "content")
    assert result.returncode == 0, result.stderr
    assert result.stdout == chuid.signed


def test_openssl_refuses_another_chuid(tmp_path: Path) -> None:
    """The same signature over another GUID is refused by openssl, so the test above can fail."""
    chuid = parse_chuid(CHUID)
    (tmp_path / "content").write_bytes(chuid.signed.replace(GUID.bytes, bytes(16)))
    assert openssl_verify(tmp_path, chuid.signature, "-content", tmp_path / "content").returncode != 0


def test_openssl_accepts_the_security_object(tmp_path: Path) -> None:
    """`openssl cms -verify` takes the attached signature, given the signer's certificate."""
    signed = tlv.find(SECURITY, 0xBB) or b""
    result = openssl_verify(tmp_path, signed, "-certfile", tmp_path / "signer.pem")
    assert result.returncode == 0, result.stderr


def test_unsigned_chuid_is_told() -> None:
    """Other tools leave the signature empty: that is no signature."""
    unsigned = tlv.encode(0x34, GUID.bytes) + tlv.encode(0x3E) + tlv.encode(0xFE)
    with pytest.raises(ProtocolError, match="not signed"):
        verify_chuid(parse_chuid(unsigned))


def test_changed_chuid_is_refused() -> None:
    """A signature does not cover another GUID."""
    with pytest.raises(ProtocolError):
        verify_chuid(parse_chuid(CHUID.replace(GUID.bytes, bytes(range(16)))))


def test_security_object_covers_what_is_on_the_card() -> None:
    """Equal objects verify."""
    verify_security_object(SECURITY, CONTENTS, SITE.content_signer.certificate)


@pytest.mark.parametrize("item", list(CONTENTS))
def test_security_object_finds_a_changed_object(item: PivObject) -> None:
    """One changed byte in any covered object is found."""
    changed = CONTENTS | {item: CONTENTS[item] + b"\x00"}
    with pytest.raises(ProtocolError, match="hashes"):
        verify_security_object(SECURITY, changed, SITE.content_signer.certificate)


def test_security_object_finds_a_missing_object() -> None:
    """An object that it covers and the card lacks is found."""
    with pytest.raises(ProtocolError, match="hashes"):
        verify_security_object(SECURITY, {PivObject.CHUID: CHUID}, SITE.content_signer.certificate)


def test_security_object_of_another_signer_is_refused() -> None:
    """The same hashes under another site's certificate are refused."""
    with pytest.raises(ProtocolError):
        verify_security_object(SECURITY, CONTENTS, TestSite().content_signer.certificate)


def test_ccc_says_data_model_10() -> None:
    """The capability container is a PIV one."""
    ccc = parse_ccc(build_ccc())
    assert (ccc.data_model, len(ccc.identifier)) == (0x10, 21)


def test_printed_information_reads_back() -> None:
    """All fields come out as they went in, the date as YYYYMMMDD."""
    printed = PrintedInformation("Training Person 07", "ARC", DAY, "0007", "TRAINING ARC")
    content = build_printed(printed)
    assert parse_printed(content) == printed
    assert b"2029FEB28" in content


def test_printed_texts_are_ascii_of_bounded_length() -> None:
    """Accents go, unknown letters are `?`, and no text exceeds its field."""
    assert ascii_text("Łódź, Ünïcode", 9) == "?odz, Uni"


@given(st.text(max_size=300), st.text(max_size=50), st.dates())
def test_any_name_can_be_printed(name: str, issuer: str, day: datetime.date) -> None:
    """No text a person may have as a name breaks the object, and the date always survives."""
    parsed = parse_printed(build_printed(PrintedInformation(name, "", day, "", issuer)))
    assert parsed.expires == day
    assert len(parsed.name) <= 125


@given(st.binary(max_size=400))
def test_no_bytes_surprise_the_object_parsers(content: bytes) -> None:
    """Any bytes are an object or a `ProtocolError`."""
    for parse in (parse_chuid, parse_ccc, parse_printed):
        with contextlib.suppress(ProtocolError):
            parse(content)


@given(st.lists(st.tuples(st.sampled_from([0x30, 0x34, 0x35, 0x3E, 0xFE, 0xEE]), st.binary(max_size=40)), max_size=8))
def test_no_fields_surprise_the_chuid_parser(fields: list[tuple[int, bytes]]) -> None:
    """Well-formed TLV with senseless fields is a CHUID without GUID, expiry or signature, and never verifies."""
    chuid = parse_chuid(b"".join(tlv.encode(tag, value) for tag, value in fields))
    with pytest.raises(ProtocolError):
        verify_chuid(chuid)
