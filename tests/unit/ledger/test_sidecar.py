"""C2PA sidecar manifests, judged against roots that are pinned."""

from __future__ import annotations

import random
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from app.ledger.sidecar import SidecarError, SidecarSigner, verify_sidecar
from app.pki.authority import Root, SiteAuthority, make_root

LABEL = "org.arc.test"
DATA = b'{"a":1}\n{"b":2}\n'


class Signing:
    """A site's authority with a signer under it."""

    def __init__(self) -> None:
        key, own = ec.generate_private_key(ec.SECP256R1()), Ed25519PrivateKey.generate()
        self.root = make_root(key, training=True, site="test.invalid", now=datetime.now(UTC))
        authority = SiteAuthority(Root(self.root, key), training=True)
        self.certificate = authority.provenance_signer(own.public_key()).certificate
        self.signer = SidecarSigner(own, [self.certificate, self.root])


@pytest.fixture(scope="module")
def signing() -> Signing:
    """One for all."""
    return Signing()


@pytest.fixture(scope="module")
def manifest(signing: Signing) -> bytes:
    """Of ``DATA``."""
    return signing.signer.sign(DATA, "test", LABEL, {"number": 3, "name": "Größe"})


def test_the_statement_is_given_back(signing: Signing, manifest: bytes) -> None:
    """What the signer stated of exactly these bytes."""
    said = {"number": 3, "name": "Größe"}
    assert verify_sidecar(DATA, manifest, LABEL, [signing.root]) == (said, signing.root)


def test_any_of_several_roots_will_do(signing: Signing, manifest: bytes) -> None:
    """An auditor pins the roots of many sites, and is told whose it is."""
    assert verify_sidecar(DATA, manifest, LABEL, [Signing().root, signing.root])[1] == signing.root


def test_a_changed_file_is_refused(signing: Signing, manifest: bytes) -> None:
    """One byte more, one less, one other."""
    for data in (DATA + b"\n", DATA[:-1], DATA.replace(b"1", b"2")):
        with pytest.raises(SidecarError, match="was changed"):
            verify_sidecar(data, manifest, LABEL, [signing.root])


def test_a_foreign_root_is_refused(manifest: bytes) -> None:
    """The signature is good, and says nothing: anybody has a root."""
    with pytest.raises(SidecarError, match="no root that you trust"):
        verify_sidecar(DATA, manifest, LABEL, [Signing().root])


def test_without_roots_nothing_is_believed(manifest: bytes) -> None:
    """The library's own list of trust is not ours."""
    with pytest.raises(SidecarError, match="no root that you trust"):
        verify_sidecar(DATA, manifest, LABEL, [])


def test_another_statement_is_not_taken_for_ours(signing: Signing, manifest: bytes) -> None:
    """The label is part of what is asked."""
    with pytest.raises(SidecarError, match="makes no statement"):
        verify_sidecar(DATA, manifest, "org.arc.other", [signing.root])


def test_an_edited_manifest_is_never_good_for_more(signing: Signing, manifest: bytes) -> None:
    """Bits turned all over it: refused, but where the edit is of bytes that nobody signs; what it states stays."""
    dice = random.Random(5)
    refused = 0
    for _ in range(300):
        data = bytearray(manifest)
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        try:
            said, _ = verify_sidecar(DATA, bytes(data), LABEL, [signing.root])
        except SidecarError:
            refused += 1
        else:
            assert said == {"number": 3, "name": "Größe"}
    assert refused > 150


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"{}", b"\xff" * 4096])
def test_what_is_no_manifest_is_refused(signing: Signing, data: bytes) -> None:
    """In a sentence."""
    with pytest.raises(SidecarError):
        verify_sidecar(DATA, data, LABEL, [signing.root])


def test_openssl_takes_the_chain(signing: Signing, tmp_path: Path) -> None:
    """An independent program verifies the signer's certificate for the purpose that C2PA asks for."""
    (tmp_path / "root").write_bytes(signing.root.public_bytes(Encoding.PEM))
    (tmp_path / "leaf").write_bytes(signing.certificate.public_bytes(Encoding.PEM))
    command = ["openssl", "verify", "-x509_strict", "-purpose", "smimesign", "-CAfile", "root", "leaf"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "leaf: OK\n"), done.stderr


def test_the_signer_is_for_signing_alone(signing: Signing) -> None:
    """Key usage critical, an organization in the name, both key identifiers."""
    extensions = signing.certificate.extensions
    usage = extensions.get_extension_for_class(x509.KeyUsage)
    assert (usage.critical, usage.value.digital_signature, usage.value.key_cert_sign) == (True, True, False)
    assert signing.certificate.subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)
    assert extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    assert extensions.get_extension_for_class(x509.AuthorityKeyIdentifier)
