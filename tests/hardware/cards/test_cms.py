"""Signed messages: what an independent ASN.1 implementation makes of ours, and bytes that are none."""

from hashlib import sha256

import pytest
from asn1crypto import cms, core
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from hypothesis import example, given
from hypothesis import strategies as st

from hardware.cards.backend import ProtocolError
from hardware.cards.cms import ContentSigner, integer, oid, sign_cms, verify_cms
from tests.hardware.cards.card_site import TestSite

KIND = "1.3.27.1.1.1"
CONTENT = bytes(range(200))
SITE = TestSite()
SIGNER = SITE.content_signer
ATTACHED = sign_cms(SIGNER, KIND, CONTENT, attach=True, certificate=False, name_signer=False)
DETACHED = sign_cms(SIGNER, KIND, CONTENT, attach=False, certificate=True, name_signer=True)


def judged(der: bytes, content: bytes | None) -> bytes:
    """The signed content by asn1crypto alone; ValueError, InvalidSignature and the like where it is none."""
    signed = cms.ContentInfo.load(der, strict=True)["content"]
    (one,) = signed["signer_infos"]
    attributes = {attribute["type"].dotted: attribute["values"] for attribute in one["signed_attrs"]}
    inner = signed["encap_content_info"]["content"]
    said = content if content is not None else b"" if isinstance(inner, core.Void) else bytes(inner)
    assert attributes["1.2.840.113549.1.9.4"][0].native == sha256(said).digest()
    assert attributes["1.2.840.113549.1.9.3"][0].dotted == signed["encap_content_info"]["content_type"].dotted
    key = SIGNER.certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    key.verify(one["signature"].native, one["signed_attrs"].untag().dump(force=True), ec.ECDSA(hashes.SHA256()))
    return said


@pytest.mark.parametrize(("der", "content"), [(ATTACHED, None), (DETACHED, CONTENT)])
def test_another_implementation_reads_the_same(der: bytes, content: bytes | None) -> None:
    """asn1crypto finds content and signature good, and writes the very same bytes: they are DER."""
    assert judged(der, content) == CONTENT
    assert cms.ContentInfo.load(der, strict=True).copy().dump(force=True) == der


def test_message_names_its_signer_by_issuer_and_number() -> None:
    """Issuer, serial number, pivSigner-DN and the certificate are the signer's."""
    signed = cms.ContentInfo.load(DETACHED)["content"]
    (one,) = signed["signer_infos"]
    own = signed["certificates"][0].chosen
    assert one["sid"].chosen["serial_number"].native == SIGNER.certificate.serial_number
    assert one["sid"].chosen["issuer"].dump() == own.issuer.dump()
    named = next(value for value in one["signed_attrs"] if value["type"].dotted == "2.16.840.1.101.3.6.5")
    assert named["values"][0].dump() == own.subject.dump()


def test_rsa_key_signs_pkcs1() -> None:
    """A signer with an RSA key is verified, and named as one in the message."""
    key = rsa.generate_private_key(65537, 2048)
    signer = ContentSigner.of(key, SITE._certificate("TRAINING Signer", key.public_key(), []))
    der = sign_cms(signer, KIND, CONTENT, attach=True, certificate=True, name_signer=False)
    assert verify_cms(der, (KIND,)).certificate == signer.certificate
    (one,) = cms.ContentInfo.load(der, strict=True)["content"]["signer_infos"]
    assert one["signature_algorithm"]["algorithm"].native == "rsassa_pkcs1v15"
    data = one["signed_attrs"].untag().dump(force=True)
    key.public_key().verify(one["signature"].native, data, padding.PKCS1v15(), hashes.SHA256())


def test_content_of_another_type_is_refused() -> None:
    """A good signature over something else is not one over this."""
    with pytest.raises(ProtocolError, match="another type"):
        verify_cms(ATTACHED, ("2.16.840.1.101.3.6.1",), signer=SIGNER.certificate)


def test_second_signer_is_refused() -> None:
    """A message with two signers is not judged by one of them."""
    info = cms.ContentInfo.load(ATTACHED)
    infos = info["content"]["signer_infos"]
    infos.append(infos[0].copy())
    with pytest.raises(ProtocolError, match="one signer"):
        verify_cms(info.dump(force=True), (KIND,), signer=SIGNER.certificate)


def test_attribute_that_is_there_twice_is_refused() -> None:
    """Two message digests leave open which one counts."""
    info = cms.ContentInfo.load(ATTACHED)
    attributes = info["content"]["signer_infos"][0]["signed_attrs"]
    attributes.append(attributes[1].copy())
    with pytest.raises(ProtocolError, match="malformed"):
        verify_cms(info.dump(force=True), (KIND,), signer=SIGNER.certificate)


@given(st.integers(0, 10**6), st.integers(1, 255), st.booleans())
def test_no_changed_byte_passes(position: int, change: int, attached: bool) -> None:
    """A changed byte never raises anything but `ProtocolError`; one that no signature covers changes nothing else, and
    what is taken another implementation takes too."""
    original, content = (ATTACHED, None) if attached else (DETACHED, CONTENT)
    signer = SIGNER.certificate if attached else None
    changed = bytearray(original)
    changed[position % len(changed)] ^= change
    try:
        verified = verify_cms(bytes(changed), (KIND,), content, signer)
    except ProtocolError:
        return
    assert verified.content == CONTENT
    assert verified.content_type == KIND
    assert verified.certificate.public_key() == SIGNER.certificate.public_key()
    try:
        assert judged(bytes(changed), content) == CONTENT
    except InvalidSignature:
        pytest.fail("taken, although the signature does not verify")


@given(st.binary(max_size=300))
def test_no_bytes_surprise_the_reader(der: bytes) -> None:
    """Any bytes are refused as a signed message."""
    with pytest.raises(ProtocolError):
        verify_cms(der, (KIND,), signer=SIGNER.certificate)


@given(st.integers(0, 1), st.integers(0, 39), st.lists(st.integers(0, 2**40), max_size=8))
@example(2, 999, [3])
def test_identifiers_are_encoded_as_by_another(first: int, second: int, rest: list[int]) -> None:
    """Object identifiers are asn1crypto's to the byte."""
    dotted = ".".join(str(arc) for arc in (first, second, *rest))
    assert oid(dotted) == core.ObjectIdentifier(dotted).contents


@given(st.integers(0, 2**200))
def test_numbers_are_encoded_as_by_another(value: int) -> None:
    """Integers are asn1crypto's to the byte."""
    assert integer(value) == core.Integer(value).dump()
