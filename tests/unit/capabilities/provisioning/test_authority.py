"""The site's authority: certificates that an independent verifier accepts for their purpose and no other."""

import subprocess
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from app.pki.authority import (
    CARD_AUTHENTICATION,
    PIV_FASC_N,
    Issued,
    Root,
    SiteAuthority,
    Slot,
    make_root,
)
from hardware.cards.objects import FASC_N

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
GUID = uuid.UUID("00112233-4455-4677-8899-aabbccddeeff")


@pytest.fixture(scope="module")
def authority() -> SiteAuthority:
    """A training authority at a fixed time."""
    key = ec.generate_private_key(ec.SECP256R1())
    root = Root(make_root(key, training=True, site="training-0.site.invalid", now=NOW), key)
    return SiteAuthority(root, training=True, clock=lambda: NOW)


def issue(authority: SiteAuthority, slot: Slot, *, years: int = 3) -> Issued:
    """A certificate for a fresh P-256 key in ``slot``."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    return authority.card_certificate(
        slot,
        key,
        node_id="ARC-T0001",
        display_name="Training Person 01",
        guid=GUID,
        not_after=NOW + timedelta(days=365 * years),
    )


def openssl_verify(tmp_path: Path, authority: SiteAuthority, issued: Issued, *purpose: str) -> int:
    """Exit code of ``openssl verify`` with the root as the only trust anchor."""
    (tmp_path / "root.pem").write_bytes(authority.root_pem())
    (tmp_path / "leaf.pem").write_bytes(issued.certificate.public_bytes(serialization.Encoding.PEM))
    command = ["openssl", "verify", "-x509_strict", "-attime", str(int(NOW.timestamp()) + 60), *purpose]
    command += ["-CAfile", str(tmp_path / "root.pem"), str(tmp_path / "leaf.pem")]
    return subprocess.run(command, capture_output=True, check=False).returncode


@pytest.mark.parametrize("slot", ["9A", "9C", "9D", "9E"])
def test_openssl_accepts_the_chain(authority: SiteAuthority, tmp_path: Path, slot: Slot) -> None:
    """Each slot's certificate chains to the root under strict checks."""
    assert openssl_verify(tmp_path, authority, issue(authority, slot)) == 0


def test_openssl_takes_9a_for_client_authentication(authority: SiteAuthority, tmp_path: Path) -> None:
    """Key 9A logs its holder in."""
    assert openssl_verify(tmp_path, authority, issue(authority, "9A"), "-purpose", "sslclient") == 0


def test_openssl_refuses_9a_for_a_server(authority: SiteAuthority, tmp_path: Path) -> None:
    """A card cannot pass for a server of the site."""
    assert openssl_verify(tmp_path, authority, issue(authority, "9A"), "-purpose", "sslserver") != 0


def test_card_authentication_certificate_carries_no_name(authority: SiteAuthority) -> None:
    """Key 9E answers to every reader that comes near: it must not tell who the holder is."""
    certificate = issue(authority, "9E").certificate
    assert "Training Person" not in certificate.subject.rfc4514_string()
    purpose = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert purpose.critical
    assert list(purpose.value) == [CARD_AUTHENTICATION]
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert list(names) == [
        x509.OtherName(PIV_FASC_N, b"\x04\x19" + FASC_N),
        x509.UniformResourceIdentifier(f"urn:uuid:{GUID}"),
    ]
    assert b"ARC-T0001" not in certificate.public_bytes(serialization.Encoding.DER)


def test_names_bind_node_and_card(authority: SiteAuthority) -> None:
    """The node id and the GUID stand in the subject alternative name."""
    names = issue(authority, "9A").certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.UniformResourceIdentifier) == ["urn:arc-node:ARC-T0001", f"urn:uuid:{GUID}"]


def test_rsa_key_management_enciphers(authority: SiteAuthority) -> None:
    """An RSA key in 9D transports keys, an elliptic curve key agrees on them."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    issued = authority.card_certificate(
        "9D", key, node_id="ARC-T0001", display_name="x", guid=GUID, not_after=NOW + timedelta(days=9)
    )
    usage = issued.certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    assert (usage.key_encipherment, usage.key_agreement) == (True, False)


def test_no_certificate_outlives_the_root(authority: SiteAuthority) -> None:
    """A card's expiry is cut to the issuer's."""
    assert issue(authority, "9A", years=60).not_after == authority.root.certificate.not_valid_after_utc


def test_training_root_says_so(authority: SiteAuthority) -> None:
    """Whoever looks at the root sees that it is for training."""
    assert authority.root.certificate.subject.rfc4514_string().count("TRAINING") == 2


def test_foreign_key_is_refused() -> None:
    """A root certificate with another key never becomes an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    root = make_root(key, training=True, site="x", now=NOW)
    with pytest.raises(ValueError, match="does not belong"):
        SiteAuthority(Root(root, ec.generate_private_key(ec.SECP256R1())), training=True)


@pytest.mark.parametrize(
    ("node_id", "name", "serial"),
    [
        ("ARC-T0001", "Training Person 01", "ARC-T0001"),
        ("node_with_underscore", "Training Person 01", None),
        ("ARC-T0001", "\u0394\u03b9\u03ac\u738b" * 50, "ARC-T0001"),
        ("ARC-T0001", "\x00\n\t", "ARC-T0001"),
    ],
    ids=["plain", "underscore", "long", "control"],
)
def test_any_registered_name_gives_a_certificate(
    authority: SiteAuthority, tmp_path: Path, node_id: str, name: str, serial: str | None
) -> None:
    """Names are cut and cleaned to what X.520 allows; a node id that PrintableString lacks stays in the SAN alone."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    end = NOW + timedelta(days=365)
    issued = authority.card_certificate("9A", key, node_id=node_id, display_name=name, guid=GUID, not_after=end)
    found = issued.certificate.subject.get_attributes_for_oid(x509.NameOID.SERIAL_NUMBER)
    assert [attribute.value for attribute in found] == ([] if serial is None else [serial])
    assert openssl_verify(tmp_path, authority, issued) == 0
