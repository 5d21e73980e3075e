"""Makers for attestation tests: real chains and forged ones, with and without the FIPS extension."""

import datetime
from collections.abc import Mapping

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from hardware.cards.attestation import OID_FIPS, OID_FIRMWARE, OID_FORM_FACTOR, OID_SERIAL, Statement
from hardware.cards.piv import PublicKey
from tests.hardware.cards.card_site import name

SERIAL = 0x4711


def der_integer(value: int) -> bytes:
    raw = value.to_bytes(value.bit_length() // 8 + 1, "big")
    return bytes((2, len(raw))) + raw


def yubico(firmware: tuple[int, int, int] = (5, 7, 4), serial: int = SERIAL, *, fips: bool = True) -> dict[str, bytes]:
    """The extensions of a leaf."""
    values = {OID_FIRMWARE: bytes(firmware), OID_SERIAL: der_integer(serial), OID_FORM_FACTOR: b"\x81"}
    return values | ({OID_FIPS: b"\x01\x01\xff"} if fips else {})


class Maker:
    """A maker root and one F9 key below it; `ca` marks the F9 certificate as an authority."""

    def __init__(self, *, ca: bool = True, years: int = 20) -> None:
        self.key, self.signer_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        self._end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=365 * years)
        self.root = self.certificate("Maker root", "Maker root", self.key.public_key(), self.key, ca=True)
        self.signer = self.certificate("F9", "Maker root", self.signer_key.public_key(), self.key, ca=ca)

    def certificate(
        self,
        subject: str,
        issuer: str,
        key: PublicKey,
        by: ec.EllipticCurvePrivateKey,
        *,
        ca: bool = False,
        extensions: Mapping[str, bytes] | None = None,
    ) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name(issuer))
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC))
            .not_valid_after(self._end)
        )
        if ca:
            builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        for oid, value in (extensions or {}).items():
            one = x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value)
            builder = builder.add_extension(one, critical=False)
        return builder.sign(by, hashes.SHA256())

    def leaf(self, key: PublicKey, extensions: Mapping[str, bytes] | None = None) -> x509.Certificate:
        """An attestation of `key`."""
        return self.certificate("Attestation 9A", "F9", key, self.signer_key, extensions=extensions or yubico())

    def statement(self, key: PublicKey, extensions: Mapping[str, bytes] | None = None) -> Statement:
        """What a card of this maker answers about `key`."""
        leaf = self.leaf(key, extensions)
        return Statement(leaf.public_bytes(Encoding.DER), self.signer.public_bytes(Encoding.DER))
