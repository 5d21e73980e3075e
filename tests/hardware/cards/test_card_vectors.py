"""The published vector of a written card (`tests/vectors/card-1.json`), rebuilt byte by byte and read back."""

import datetime
import json
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from hardware.cards import tlv
from hardware.cards.cms import ContentSigner
from hardware.cards.objects import (
    PrintedInformation,
    build_chuid,
    build_printed,
    build_security_object,
    parse_ccc,
    parse_chuid,
    verify_chuid,
    verify_security_object,
)
from hardware.cards.piv import PivObject, certificate_object, parse_certificate

VECTOR: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors" / "card-1.json").read_text(encoding="utf-8"))
GUID, EXPIRES = UUID(VECTOR["guid"]), datetime.date.fromisoformat(VECTOR["expires"])
KEY = ec.derive_private_key(int(VECTOR["signer_key"], 16), ec.SECP256R1())
# RFC 6979: the same bytes give the same signature, so that the vector can be rebuilt.
SIGNER = ContentSigner(
    x509.load_der_x509_certificate(bytes.fromhex(VECTOR["signer"])),
    lambda data: KEY.sign(data, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)),
)
COVERED = {
    PivObject.CCC: bytes.fromhex(VECTOR["ccc"]),
    PivObject.CHUID: bytes.fromhex(VECTOR["chuid"]),
    PivObject.PRINTED: bytes.fromhex(VECTOR["printed"]["object"]),
}


def tags(content: bytes) -> list[int]:
    """The tags of the outermost level, in their order."""
    return [item.tag for item in tlv.parse(content)]


def test_chuid_is_the_vectors() -> None:
    """GUID, expiry and signer give the CHUID of the vector, to the byte."""
    assert build_chuid(GUID, EXPIRES, SIGNER) == COVERED[PivObject.CHUID]
    assert tags(COVERED[PivObject.CHUID]) == [0x30, 0x34, 0x35, 0x3E, 0xFE]


def test_chuid_of_the_vector_verifies() -> None:
    """Read back, it names the card, and its signature is the signer's."""
    chuid = parse_chuid(COVERED[PivObject.CHUID])
    assert (chuid.guid, chuid.expires) == (GUID, EXPIRES)
    assert verify_chuid(chuid).certificate == SIGNER.certificate


def test_printed_information_is_the_vectors() -> None:
    """The fields give the object of the vector; a letter with an accent is written without it."""
    fields = VECTOR["printed"]
    printed = PrintedInformation(fields["name"], fields["affiliation"], EXPIRES, fields["serial"], fields["issuer"])
    assert build_printed(printed) == COVERED[PivObject.PRINTED]
    assert tags(COVERED[PivObject.PRINTED]) == [0x01, 0x02, 0x04, 0x05, 0x06, 0xFE]


def test_capability_container_of_the_vector_names_the_piv_data_model() -> None:
    """The card identifier is GSC-RID, manufacturer 01, card type 02 and 14 random bytes; the data model is 10."""
    ccc = parse_ccc(COVERED[PivObject.CCC])
    assert (ccc.identifier[:7].hex(), len(ccc.identifier), ccc.data_model) == ("a0000001160102", 21, 0x10)


def test_security_object_is_the_vectors() -> None:
    """The three objects give the security object of the vector, to the byte."""
    assert build_security_object(COVERED, SIGNER) == bytes.fromhex(VECTOR["security_object"])


def test_security_object_of_the_vector_verifies() -> None:
    """Its map names CCC, CHUID and printed information, and its hashes are theirs."""
    content = bytes.fromhex(VECTOR["security_object"])
    assert tlv.find(content, 0xBA) == bytes.fromhex("01DB00023000033001")
    verify_security_object(content, COVERED, SIGNER.certificate)


def test_certificate_objects_are_the_vectors() -> None:
    """Each certificate gives the container of the vector, and comes out of it again."""
    for slot in VECTOR["slots"].values():
        der, content = bytes.fromhex(slot["certificate"]), bytes.fromhex(slot["object"])
        assert certificate_object(der) == content
        assert parse_certificate(content) == der
