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


MARK = b"\x02\x01\x07"
"""The FIPS mark as published chains of FIPS keys have it, on the F9 certificate."""


def yubico(firmware: tuple[int, int, int] = (5, 7, 4), serial: int = SERIAL) -> dict[str, bytes]:
    """The extensions of a leaf of a FIPS key, which has no mark itself."""
    return {OID_FIRMWARE: bytes(firmware), OID_SERIAL: der_integer(serial), OID_FORM_FACTOR: b"\x81"}


class Maker:
    """A maker root and one F9 key below it; `ca` makes the F9 certificate an authority, `mark` a FIPS module's."""

    def __init__(self, *, ca: bool = True, years: int = 20, mark: bytes | None = MARK) -> None:
        self.key, self.signer_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        self._end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=365 * years)
        self.root = self.certificate("Maker root", "Maker root", self.key.public_key(), self.key, ca=True)
        marks = {} if mark is None else {OID_FIPS: mark}
        self.signer = self.certificate(
            "F9", "Maker root", self.signer_key.public_key(), self.key, ca=ca, extensions=marks
        )

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
