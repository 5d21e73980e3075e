"""Attestation of keys made on a software card: a training maker root, each card's F9 key, the leaves of instruction F9.

Leaves carry the extensions that Yubico publishes (1.3.6.1.4.1.41482.3.*), so that the host reads them with one parser;
names say TRAINING and no FIPS extension is ever written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from hardware.cards.software.keys import CardKey, to_der
from hardware.cards.software.quirks import AttestationQuirk
from hardware.cards.software.state import AttestationKey

_ARC: Final = "1.3.6.1.4.1.41482.3."
_LIFE: Final = timedelta(days=365 * 20)
_FORM_FACTOR_OTHER: Final = b"\x00"


def _name(text: str) -> x509.Name:
    return x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "TRAINING"), x509.NameAttribute(NameOID.COMMON_NAME, text)]
    )


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    public: CardKey,
    signer: ec.EllipticCurvePrivateKey,
    extensions: Iterable[tuple[x509.ExtensionType, bool]],
) -> x509.Certificate:
    """A certificate of 20 years; each extension with whether it is critical."""
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _LIFE)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(signer, hashes.SHA256())


@dataclass(frozen=True, slots=True)
class TrainingMaker:
    """The pretended maker of training cards: a root that signs each card's F9 key. A production site never pins it."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def create(cls) -> "TrainingMaker":
        """A new root with a new key."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("TRAINING card maker root")
        ca = [(x509.BasicConstraints(ca=True, path_length=1), True)]
        return cls(key, _certificate(name, name, key, key, ca))

    def equip(self, kind: AttestationQuirk) -> AttestationKey:
        """Make a card's F9 key and certificate: signed by this root, or by itself and no CA for `SELF_SIGNED`."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("TRAINING PIV attestation F9")
        if kind is AttestationQuirk.SELF_SIGNED:
            certificate = _certificate(name, name, key, key, [])
        else:
            ca = [(x509.BasicConstraints(ca=True, path_length=0), True)]
            certificate = _certificate(name, self.certificate.subject, key, self.key, ca)
        return AttestationKey(to_der(key), certificate.public_bytes(Encoding.DER))


def attest(
    signer: ec.EllipticCurvePrivateKey,
    certificate: bytes,
    slot: int,
    key: CardKey,
    *,
    pin_policy: int,
    serial: int | None,
    firmware: tuple[int, int, int],
) -> bytes:
    """Leaf certificate (DER) for the key of `slot`, signed by F9 key `signer` whose certificate DER is given."""
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (x509.UnrecognizedExtension(x509.ObjectIdentifier(_ARC + "3"), bytes(firmware)), False),
        (x509.UnrecognizedExtension(x509.ObjectIdentifier(_ARC + "8"), bytes((pin_policy, 1))), False),
        (x509.UnrecognizedExtension(x509.ObjectIdentifier(_ARC + "9"), _FORM_FACTOR_OTHER), False),
    ]
    if serial is not None:
        number = serial.to_bytes(serial.bit_length() // 8 + 1, "big")  # DER INTEGER: the sign bit needs its room
        value = b"\x02" + bytes((len(number),)) + number
        extensions.append((x509.UnrecognizedExtension(x509.ObjectIdentifier(_ARC + "7"), value), False))
    issuer = x509.load_der_x509_certificate(certificate).subject
    leaf = _certificate(_name(f"TRAINING PIV attestation {slot:02X}"), issuer, key, signer, extensions)
    return leaf.public_bytes(Encoding.DER)
