"""The embedded time-stamp authority, judged by openssl and rfc3161-client."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.stamps.timestamp import StampAuthority, StampError, response_of, token_of, verify_token

NOW = datetime.now(UTC).replace(microsecond=0)
DATA = b"training-0123456789abcdef.site.invalid/seal\n7\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"


def certified(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    *,
    ca: bool,
    begins: datetime = NOW - timedelta(days=1),
) -> x509.Certificate:
    """A certificate of a time-stamp authority, or of a root (``ca``)."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(NOW + timedelta(days=365))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if not ca:
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        builder = builder.add_extension(usage, critical=True)
    return builder.sign(signer, hashes.SHA256())


ROOT_KEY = ec.generate_private_key(ec.SECP256R1())
ROOT_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "TRAINING root")])
ROOT = certified("TRAINING root", ROOT_KEY, ROOT_NAME, ROOT_KEY, ca=True)
KEY = ec.generate_private_key(ec.SECP256R1())
CERTIFICATE = certified("TRAINING time stamps", KEY, ROOT_NAME, ROOT_KEY, ca=False)
AUTHORITY = StampAuthority(CERTIFICATE, KEY, "2.25.329800735698586629295641978511506172918")


def test_openssl_accepts_the_token(tmp_path: Path) -> None:
    """An independent judge: chain, purpose, imprint, signature and the certificate's identifier."""
    (tmp_path / "token").write_bytes(AUTHORITY.token(DATA, NOW))
    (tmp_path / "data").write_bytes(DATA)
    (tmp_path / "root.pem").write_bytes(ROOT.public_bytes(Encoding.PEM))
    command = ["openssl", "ts", "-verify", "-in", "token", "-token_in", "-data", "data", "-CAfile", "root.pem"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Verification: OK" in done.stdout + done.stderr
    assert done.returncode == 0


def test_openssl_refuses_other_data(tmp_path: Path) -> None:
    """The imprint binds."""
    (tmp_path / "token").write_bytes(AUTHORITY.token(DATA, NOW))
    (tmp_path / "data").write_bytes(DATA + b"x")
    (tmp_path / "root.pem").write_bytes(ROOT.public_bytes(Encoding.PEM))
    command = ["openssl", "ts", "-verify", "-in", "token", "-token_in", "-data", "data", "-CAfile", "root.pem"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0


def test_time_reads_back() -> None:
    """To the second; a fraction is cut off."""
    at = NOW.replace(microsecond=999_999)
    assert verify_token(AUTHORITY.token(DATA, at), DATA, [ROOT]) == NOW


@pytest.mark.parametrize("days", [-2, 366])
def test_a_token_that_nobody_would_take_is_not_made(days: int) -> None:
    """By a clock that was set back behind the certificate's beginning, or after its end: refused with both times."""
    with pytest.raises(StampError, match=r"clock says .* is good from"):
        AUTHORITY.token(DATA, NOW + timedelta(days=days))
    later = certified("TRAINING root", ROOT_KEY, ROOT_NAME, ROOT_KEY, ca=True, begins=NOW + timedelta(days=9))
    under = StampAuthority(CERTIFICATE, KEY, "2.25.1", [later])
    with pytest.raises(StampError, match="is good from"):
        under.token(DATA, NOW)


def test_no_byte_is_read_over() -> None:
    """Not even where OpenSSL does not look: versions, and the name of the signature's algorithm."""
    good = AUTHORITY.token(DATA, NOW)
    for at in range(len(good)):
        token = bytearray(good)
        token[at] ^= 1
        with pytest.raises(StampError):
            verify_token(bytes(token), DATA, [ROOT])


def test_other_data_is_refused() -> None:
    """Another checkpoint."""
    with pytest.raises(StampError):
        verify_token(AUTHORITY.token(DATA, NOW), DATA + b"x", [ROOT])


def test_another_root_is_refused() -> None:
    """A stranger's authority."""
    other = certified("TRAINING root", KEY, ROOT_NAME, KEY, ca=True)
    with pytest.raises(StampError):
        verify_token(AUTHORITY.token(DATA, NOW), DATA, [other])


def test_serials_differ() -> None:
    """Two stamps of the same bytes are two stamps."""
    tokens = {AUTHORITY.token(DATA, NOW) for _ in range(20)}
    assert len(tokens) == 20


def test_a_response_gives_its_token() -> None:
    """As an authority answers over HTTP."""
    token = AUTHORITY.token(DATA, NOW)
    assert verify_token(token_of(response_of(token)), DATA, [ROOT]) == NOW


def test_foreign_key_is_refused() -> None:
    """A certificate of another key."""
    with pytest.raises(ValueError, match="does not belong"):
        StampAuthority(CERTIFICATE, ROOT_KEY, "2.25.1")


TOKEN = AUTHORITY.token(DATA, NOW)


@given(st.integers(0, len(TOKEN) - 1), st.integers(1, 255))
def test_every_edited_byte_is_refused(at: int, flip: int) -> None:
    """No byte of a token is free."""
    edited = bytearray(TOKEN)
    edited[at] ^= flip
    with pytest.raises(StampError):
        verify_token(bytes(edited), DATA, [ROOT])


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(data: bytes) -> None:
    """Nothing but ``StampError``."""
    with pytest.raises(StampError):
        verify_token(data, DATA, [ROOT])
    with pytest.raises(StampError):
        token_of(data)
