"""Which certificate and signature prove a person: every key of a card, and bytes of any kind."""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from hypothesis import given
from hypothesis import strategies as st

from app.operators.card_proof import CardUnfit, ProvenCard, is_revoked, judge, make_statement
from app.pki.authority import Root, SiteAuthority, make_root
from app.pki.revocation import KnownCertificate, RevokedEntry

NODE = "ARC-1"
STATEMENT = make_statement("http://127.0.0.1:1", "desk-1")


class Known:
    """A source that knows one certificate, or none."""

    def __init__(self, serial: int | None, *, revoked: bool = False) -> None:
        self.serial = serial
        self.revoked = revoked

    def find(self, _connection: Any, serial: int) -> KnownCertificate | None:
        """As of ``RevocationSource``."""
        entry = RevokedEntry(serial, 1, None) if self.revoked else None
        return KnownCertificate(entry) if serial == self.serial else None


def authority() -> SiteAuthority:
    """A site's authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    made = make_root(key, training=True, site="x", now=datetime.now(UTC) - timedelta(days=30))
    return SiteAuthority(Root(made, key), training=True)


AUTHORITY = authority()
KEYS: dict[str, Any] = {
    "P-256": ec.generate_private_key(ec.SECP256R1()),
    "P-384": ec.generate_private_key(ec.SECP384R1()),
    "RSA-2048": rsa.generate_private_key(65537, 2048),
}


def certificate(key: Any, slot: Any = "9A", by: SiteAuthority = AUTHORITY, days: int = 30) -> Any:
    """A card's certificate."""
    return by.card_certificate(
        slot,
        key.public_key(),
        node_id=NODE,
        display_name="Somebody",
        guid=uuid.UUID(int=7),
        not_after=datetime.now(UTC) + timedelta(days=days),
    )


def signature(key: Any, digest: hashes.HashAlgorithm | None = None, text: str = STATEMENT.text) -> bytes:
    """As the card signs, or with another digest."""
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(text.encode(), padding.PKCS1v15(), digest or hashes.SHA256())
    natural = hashes.SHA384() if isinstance(key.curve, ec.SECP384R1) else hashes.SHA256()
    signed: bytes = key.sign(text.encode(), ec.ECDSA(digest or natural))
    return signed


def verdict(der: bytes, signed: bytes, *sources: Any) -> str | ProvenCard:
    """Who is proven, or the cause."""
    try:
        return judge(
            der,
            signed,
            STATEMENT,
            root=AUTHORITY.root.certificate,
            sources=sources,
            connection=None,  # type: ignore[arg-type]
        )
    except CardUnfit as unfit:
        return unfit.cause


@pytest.mark.parametrize("name", KEYS)
def test_every_key_of_a_card_proves_its_person(name: str) -> None:
    """With the digest of its kind alone."""
    key = KEYS[name]
    made = certificate(key)
    source = Known(made.certificate.serial_number)
    assert verdict(made.der, signature(key), Known(None), source) == ProvenCard(NODE, made.certificate.serial_number)
    other = hashes.SHA256() if name == "P-384" else hashes.SHA384()
    assert verdict(made.der, signature(key, other), source) == "signature"
    assert verdict(made.der, signature(key, text="another"), source) == "signature"
    assert verdict(made.der, b"", source) == "signature"


@pytest.mark.parametrize(("slot", "cause"), [("9C", "wrong_slot"), ("9D", "wrong_slot"), ("9E", "wrong_slot")])
def test_other_slots_prove_nobody(slot: str, cause: str) -> None:
    """Least of all 9E, which signs without a PIN."""
    key = KEYS["P-256"]
    made = certificate(key, slot)
    assert verdict(made.der, signature(key), Known(made.certificate.serial_number)) == cause


def test_an_unknown_or_revoked_certificate_proves_nobody() -> None:
    """The site's own records decide, not the certificate alone."""
    key = KEYS["P-256"]
    made = certificate(key)
    serial = made.certificate.serial_number
    assert verdict(made.der, signature(key)) == "unknown"
    assert verdict(made.der, signature(key), Known(serial + 1)) == "unknown"
    assert verdict(made.der, signature(key), Known(serial, revoked=True)) == "revoked"


def test_an_ended_certificate_or_another_root_proves_nobody() -> None:
    """Nor does a TLS certificate of this very root, which names no person."""
    key = KEYS["P-256"]
    then = datetime.now(UTC) - timedelta(days=10)
    ended = certificate(key, by=SiteAuthority(AUTHORITY.root, training=True, clock=lambda: then), days=-1)
    assert verdict(ended.der, signature(key), Known(ended.certificate.serial_number)) == "not_ours"
    foreign = certificate(key, by=authority())
    assert verdict(foreign.der, signature(key), Known(foreign.certificate.serial_number)) == "not_ours"
    tls = AUTHORITY.tls_certificate(key.public_key(), common_name="probe", server=False)
    assert verdict(tls.der, signature(key), Known(tls.certificate.serial_number)) == "no_person"


def test_what_opened_a_session_stays_known() -> None:
    """Revoked, or known to nobody any more: both end it."""
    for sources, revoked in (([Known(7)], False), ([Known(7, revoked=True)], True), ([], True), ([Known(8)], True)):
        assert is_revoked(sources, None, 7) is revoked  # type: ignore[arg-type]


@given(st.binary(max_size=400), st.binary(max_size=100))
def test_any_bytes_are_refused(der: bytes, signed: bytes) -> None:
    """A certificate and a signature of any bytes prove nobody, and nothing else happens."""
    assert verdict(der, signed, Known(None)) == "malformed"


@given(st.integers(0, 2_000), st.integers(1, 255))
def test_a_changed_certificate_is_refused(at: int, change: int) -> None:
    """One byte of the holder's certificate is another one."""
    der = bytearray(DER)
    der[at % len(der)] ^= change
    assert isinstance(verdict(bytes(der), SIGNATURE, Known(SERIAL)), str)


DER = certificate(KEYS["P-256"]).der
SIGNATURE = signature(KEYS["P-256"])
SERIAL = x509.load_der_x509_certificate(DER).serial_number


def test_the_statement_is_that_of_the_vector() -> None:
    """``tests/vectors/operator-sign-in-1.json``: to the byte, and its signature is one over these bytes."""
    vector = json.loads((Path(__file__).parents[2] / "vectors" / "operator-sign-in-1.json").read_text())
    statement = make_statement(vector["origin"], vector["unit_id"], bytes.fromhex(vector["nonce"]))
    assert statement.text == vector["statement"]
    assert hashlib.sha256(statement.text.encode()).hexdigest() == vector["sha256"]
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(vector["public_key"]))
    public.verify(bytes.fromhex(vector["signature"]), statement.text.encode(), ec.ECDSA(hashes.SHA256()))
