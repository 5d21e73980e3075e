"""Attestations of a card's maker: that a key was made on this very card, by instruction F9 (Yubico's extension).

An attestation counts only as a whole: a chain to a maker root that the site pinned, the very key that was generated,
and the serial number that the card itself gives. Any other answer (short DER, an unsigned chain, another key) gives an
attestation with reasons against it, never an error.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from asn1crypto import core
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hardware.cards.apdu import ANY, CommandApdu
from hardware.cards.backend import ProtocolError, StatusWordError
from hardware.cards.chain import BROKEN, directly_issued, issued_by
from hardware.cards.piv import PivSession, PublicKey, Slot, parse_certificate

CARD_MAKERS: Final = Path(__file__).parents[2] / "resources" / "card-makers.json"

ATTEST: Final = 0xF9
ATTESTATION_CERTIFICATE: Final = 0x5FFF01
"""Data object with the certificate of the attesting key F9."""

OID_FIRMWARE: Final = "1.3.6.1.4.1.41482.3.3"
OID_SERIAL: Final = "1.3.6.1.4.1.41482.3.7"
OID_FORM_FACTOR: Final = "1.3.6.1.4.1.41482.3.9"
"""Extensions of an attestation's leaf (published by Yubico)."""

OID_FIPS: Final = "1.3.6.1.4.1.41482.3.10"
"""The maker's mark of a module that was validated. Yubico's documentation lists it among the leaf's extensions; in
every published chain of a FIPS key that was looked at it stands on the F9 certificate alone, a small DER INTEGER."""

FORM_FIPS: Final = 0x80
"""Bit of the form factor that a FIPS key has set (Yubico's management documentation)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a card sent: the leaf for one key and the certificate of its F9 key. Unchecked bytes, perhaps no DER."""

    leaf: bytes
    signer: bytes


@dataclass(frozen=True, slots=True)
class Attestation:
    """What an attestation proves. `reasons` name what is wrong; without any, the maker vouches for all other fields.

    `firmware` is three numbers, `form_factor` the maker's code, `fips` whether the maker marks the module as FIPS
    certified (by the mark and, where the leaf names a form factor, by that as well), `root` the SHA-256 (lower-case
    hex) of the pinned root that it leads to. A field is None where the leaf does not say. The claims of a leaf with
    reasons are shown to people and never relied on.
    """

    reasons: tuple[str, ...]
    firmware: tuple[int, int, int] | None = None
    serial: int | None = None
    form_factor: int | None = None
    fips: bool = False
    root: str | None = None

    @property
    def proven(self) -> bool:
        """Whether the maker vouches for it."""
        return not self.reasons


class CardMaker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A maker whose attestation authorities ship with this program. `pem`: roots and intermediates; `checked_on`: the
    day on which they were last compared with `source`."""

    id: str
    maker: str
    products: str
    source: str
    checked_on: datetime.date
    pem: tuple[str, ...] = msgspec.field(name="certificates")

    @property
    def certificates(self) -> list[x509.Certificate]:
        """Raises ValueError where there is no root among them."""
        return load_makers("".join(self.pem).encode())


class _Makers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    note: str
    makers: tuple[CardMaker, ...]


def card_makers(raw: bytes) -> tuple[CardMaker, ...]:
    """The makers of a file such as `resources/card-makers.json`. They are known, not trusted: a site pins them. Raises
    `msgspec.DecodeError`."""
    return msgspec.json.decode(raw, type=_Makers).makers


def load_makers(pem: bytes) -> list[x509.Certificate]:
    """Pinned maker certificates (roots, and intermediates if any) out of a PEM file. Raises ValueError."""
    found = x509.load_pem_x509_certificates(pem)
    if not any(one.subject == one.issuer for one in found):
        raise ValueError("no maker root is among the certificates")
    return found


def attesting_certificate(piv: PivSession) -> bytes | None:
    """DER of the F9 certificate, the same for all keys of the card; None if the card has none. Raises `CardError`."""
    try:
        content = piv.get_object(ATTESTATION_CERTIFICATE)
        return parse_certificate(content) if content else None
    except StatusWordError:
        return None
    except ProtocolError:
        return b""  # there is a certificate, but a broken one


def attest(piv: PivSession, slot: Slot) -> bytes | None:
    """The leaf for the key in `slot`; None if the card refuses, with any status. Raises `CardError` otherwise."""
    reply = piv.channel.send(CommandApdu(0, ATTEST, slot, 0, b"", ANY))
    return reply.data if reply.ok else None


def verify(
    statement: Statement,
    key: PublicKey,
    makers: Sequence[x509.Certificate],
    serial: int | None,
    at: datetime.datetime | None = None,
) -> Attestation:
    """Judge a statement about `key`. `makers`: the certificates that the site pinned; `serial`: the card's own answer.

    Never raises because of what a card sent.
    """
    try:
        leaf = x509.load_der_x509_certificate(statement.leaf)
        signer = x509.load_der_x509_certificate(statement.signer)
        values = _extensions(leaf)
        # What stands on the signer is proven by the chain, below.
        marks = [_extensions(signer).get(OID_FIPS), values.get(OID_FIPS)]
        public = leaf.public_key()
    except BROKEN as error:
        return Attestation((f"the attestation is no certificate ({type(error).__name__})",))
    reasons = []
    if not directly_issued(leaf, signer):
        reasons.append("the card's F9 key did not sign it, or is no authority")
    root = _root_of(signer, makers, at)
    if root is None:
        reasons.append("the F9 certificate does not lead to a pinned maker")
    if not _valid(leaf, at):
        reasons.append("the attestation is not valid now")
    if _spki(public) != _spki(key):
        reasons.append("it attests another key")
    claimed = _integer(values.get(OID_SERIAL))
    if claimed is None or claimed != serial:
        reasons.append("its serial number is not the card's")
    firmware = values.get(OID_FIRMWARE, b"")
    form = values.get(OID_FORM_FACTOR, b"")
    form_factor = form[0] if len(form) == 1 else None
    if len(firmware) != 3:
        reasons.append("it names no firmware")
    return Attestation(
        reasons=tuple(reasons),
        firmware=(firmware[0], firmware[1], firmware[2]) if len(firmware) == 3 else None,
        serial=claimed,
        form_factor=form_factor,
        fips=_has_mark(marks) and (form_factor is None or form_factor & FORM_FIPS != 0),
        root=root,
    )


def _extensions(certificate: x509.Certificate) -> dict[str, bytes]:
    """The values of the extensions that only makers know, by OID."""
    return {
        one.oid.dotted_string: one.value.value
        for one in certificate.extensions
        if isinstance(one.value, x509.UnrecognizedExtension)
    }


def _has_mark(marks: Sequence[bytes | None]) -> bool:
    """Whether one certificate has the FIPS mark and none denies it."""
    present = [mark for mark in marks if mark is not None]
    return bool(present) and not any(map(_denies, present))


def _root_of(signer: x509.Certificate, makers: Sequence[x509.Certificate], at: datetime.datetime | None) -> str | None:
    """Digest of the pinned root that `signer` leads to. A signer that is a pinned root itself attests nothing."""
    others = [one for one in makers if one != signer]
    for root in others:
        if root.subject != root.issuer:
            continue
        path = [root, *(one for one in others if one.subject != one.issuer)]
        if issued_by(signer, path, at):
            return sha256(root.public_bytes(Encoding.DER)).hexdigest()
    return None


def _valid(certificate: x509.Certificate, at: datetime.datetime | None) -> bool:
    now = at or datetime.datetime.now(datetime.UTC)
    return certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc


def _spki(key: object) -> bytes | None:
    """DER SubjectPublicKeyInfo; None for anything but a public key."""
    try:
        return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)  # type: ignore[attr-defined,no-any-return]
    except BROKEN:
        return None


def _integer(der: bytes | None) -> int | None:
    """A non-negative DER INTEGER."""
    if der is None:
        return None
    try:
        value = core.Integer.load(der, strict=True).native
    except BROKEN:
        return None
    return value if isinstance(value, int) and value >= 0 else None


def _denies(der: bytes) -> bool:
    """Whether the FIPS extension says no (false or zero). Without that, its presence alone is the mark."""
    return der in (b"\x01\x01\x00", b"\x02\x01\x00")
