"""The published vectors of provisioning: profiles of card certificates, derived secrets, a receipt."""

import base64
import hashlib
import json
import warnings
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.errors import BadSignatureError
from joserfc.jwk import OKPKey

from app.capabilities.provisioning.issuer.card_secrets import CardMaster
from app.capabilities.provisioning.paper.receipts import sign_receipt
from app.pki.document_signer import DocumentSigner

FOLDER = Path(__file__).parents[3] / "vectors"


def vector(name: str) -> dict[str, Any]:
    """One file of the vectors."""
    found: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return found


CARD, SECRETS, RECEIPT = vector("card-1.json"), vector("card-secrets-1.json"), vector("receipt-1.json")
ROOT = x509.load_der_x509_certificate(bytes.fromhex(CARD["root"]))
PROFILES = {
    "9A": ({"digital_signature"}, ["1.3.6.1.5.5.7.3.2"], False),
    "9C": ({"digital_signature", "content_commitment"}, ["1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.36"], False),
    "9D": ({"key_agreement"}, ["1.3.6.1.5.5.7.3.4"], False),
    "9E": ({"digital_signature"}, ["2.16.840.1.101.3.6.8"], True),
}
USAGES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
    "key_cert_sign", "crl_sign",
)  # fmt: skip


@pytest.mark.parametrize("slot", PROFILES)
def test_card_certificate_has_the_profile_of_its_slot(slot: str) -> None:
    """Key usage, extended key usage and its criticality, names, and the root are as the table in the page says."""
    usage, purposes, critical = PROFILES[slot]
    certificate = x509.load_der_x509_certificate(bytes.fromhex(CARD["slots"][slot]["certificate"]))
    certificate.verify_directly_issued_by(ROOT)
    found = certificate.extensions.get_extension_for_class(x509.KeyUsage)
    assert {name for name in USAGES if getattr(found.value, name)} == usage
    extended = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert ([one.dotted_string for one in extended.value], extended.critical) == (purposes, critical)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.UniformResourceIdentifier) == [
        f"urn:arc-node:{CARD['node_id']}",
        f"urn:uuid:{CARD['guid']}",
    ]
    subject = {one.oid: one.value for one in certificate.subject}
    holder = (CARD["guid"], None) if slot == "9E" else (CARD["printed"]["name"], CARD["node_id"])
    assert (subject[x509.NameOID.COMMON_NAME], subject.get(x509.NameOID.SERIAL_NUMBER)) == holder


def test_card_secrets_are_the_vectors() -> None:
    """Master key and GUID give PUK and management keys of the vector."""
    master = CardMaster(bytes.fromhex(SECRETS["master"]))
    made = master.secrets_for(UUID(SECRETS["guid"]), pin="", attempt=SECRETS["attempt"])
    assert (master.check_value(), made.puk) == (SECRETS["check_value"], SECRETS["puk"])
    assert made.management_key.hex() == SECRETS["aes_256"]
    assert made.management_key_192.hex() == SECRETS["aes_192"]
    assert made.management_key_128.hex() == SECRETS["aes_128"]
    assert made.management_key_3des.hex() == SECRETS["tdes"]


def receipt_payload(value: dict[str, str]) -> Any:
    """The payload that joserfc verifies with the first certificate of ``x5c``."""
    header = json.loads(base64.urlsafe_b64decode(value["protected"] + "=="))
    signer = x509.load_der_x509_certificate(base64.b64decode(header["x5c"][0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # RFC 9864 has another name for EdDSA
        registry = jws.JWSRegistry(algorithms=["EdDSA"])
        registry.max_header_length = 16_384
        found = jws.deserialize_json(dict(value), OKPKey.import_key(signer.public_key()), registry=registry)
    return json.loads(found.payload)


def test_receipt_is_the_vectors() -> None:
    """Payload, key and chain give the receipt of the vector, to the byte."""
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(RECEIPT["signer_key"]))
    chain = [x509.load_der_x509_certificate(bytes.fromhex(RECEIPT[name])) for name in ("signer", "root")]
    assert json.loads(sign_receipt(DocumentSigner(key, chain), RECEIPT["payload"])) == RECEIPT["jws"]


def test_receipt_of_the_vector_verifies() -> None:
    """joserfc accepts the signature; the signer's certificate leads to the root."""
    assert receipt_payload(RECEIPT["jws"]) == RECEIPT["payload"]
    signer, root = (x509.load_der_x509_certificate(bytes.fromhex(RECEIPT[name])) for name in ("signer", "root"))
    signer.verify_directly_issued_by(root)


def test_receipt_of_another_type_is_refused() -> None:
    """The type is signed: the same payload under another ``typ`` does not verify."""
    header = json.loads(base64.urlsafe_b64decode(RECEIPT["jws"]["protected"] + "=="))
    assert header["typ"] == "arc-receipt+jws"
    other = json.dumps(header | {"typ": "arc-bundle+jws"}, separators=(",", ":")).encode()
    protected = base64.urlsafe_b64encode(other).rstrip(b"=").decode()
    with pytest.raises(BadSignatureError):
        receipt_payload(RECEIPT["jws"] | {"protected": protected})


def test_journal_of_the_vector_has_the_receipts_digest() -> None:
    """SHA-256 over the lines of the journal."""
    digest = hashlib.sha256("".join(RECEIPT["journal"]).encode()).hexdigest()
    assert digest == RECEIPT["payload"]["journal_sha256"]
