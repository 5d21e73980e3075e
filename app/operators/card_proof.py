"""Signing in by the operator's own PIV card: what it signs, and who that proves.

The statement names the service by its address and the unit: a proof for one service or desk is none for another.

    arc-operator-sign-in/v1
    origin http://127.0.0.1:8700
    unit desk-1
    nonce <32 random bytes, base64url without padding>

Each line ends with a line feed. The console shows the origin to nobody but compares it with the address that it calls.
The key of slot 9A signs it after the PIN: ECDSA with SHA-256 (P-256) or SHA-384 (P-384), RSA with PKCS #1 v1.5 and
SHA-256. The certificate is judged in the steps of ``judge``.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID
from sqlalchemy import Connection

from app.api.wire import base64url_text
from app.pki.revocation import RevocationSource
from hardware.cards.chain import BROKEN, issued_by

FORMAT: Final = "arc-operator-sign-in/v1"
_NODE: Final = "urn:arc-node:"


class CardUnfit(Exception):
    """The card proves nobody. ``cause`` is one word for the audit log."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


@dataclass(frozen=True)
class CardStatement:
    """What a card is asked to sign, and the unit that the session will be bound to."""

    unit_id: str
    text: str


@dataclass(frozen=True)
class ProvenCard:
    """The person whose card signed, and the certificate's serial number."""

    node_id: str
    serial: int


def make_statement(origin: str, unit_id: str, nonce: bytes | None = None) -> CardStatement:
    """A statement. ``origin``: scheme and host of this service as the caller addresses it; ``nonce``: 32 bytes, drawn
    unless given."""
    drawn = base64url_text(secrets.token_bytes(32) if nonce is None else nonce)
    return CardStatement(unit_id, f"{FORMAT}\norigin {origin}\nunit {unit_id}\nnonce {drawn}\n")


def judge(
    certificate: bytes,
    signature: bytes,
    statement: CardStatement,
    *,
    root: x509.Certificate,
    sources: Sequence[RevocationSource],
    connection: Connection,
) -> ProvenCard:
    """Whose card signed the statement. Raises ``CardUnfit`` at the first step that fails:

    1. the certificate is one (``malformed``), was issued by this site's root, and both are valid now (``not_ours``);
    2. it is for authentication with the PIN, which 9A alone is: 9E signs without one (``wrong_slot``);
    3. it names one person (``no_person``);
    4. the site knows that it issued it (``unknown``), and has not revoked it, nor holds it (``revoked``);
    5. its key signed the statement (``signature``).
    """
    try:
        # Of what cryptography warns about, nothing was issued here.
        parsed = x509.load_der_x509_certificate(certificate)
        if not issued_by(parsed, [root]):
            raise CardUnfit("not_ours")
        _check_purpose(parsed)
        node_id = _person(parsed)
        key = parsed.public_key()
    except (*BROKEN, x509.ExtensionNotFound):
        raise CardUnfit("malformed") from None
    serial = parsed.serial_number
    known = next((found for source in sources if (found := source.find(connection, serial)) is not None), None)
    if known is None:
        raise CardUnfit("unknown")
    if known.revoked is not None:
        raise CardUnfit("revoked")
    _check_signature(key, signature, statement.text.encode())
    return ProvenCard(node_id, serial)


def _check_purpose(certificate: x509.Certificate) -> None:
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    purposes = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    if not usage.digital_signature or ExtendedKeyUsageOID.CLIENT_AUTH not in purposes:
        raise CardUnfit("wrong_slot")


def _person(certificate: x509.Certificate) -> str:
    """The node that the certificate's alternative names say."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        raise CardUnfit("no_person") from None
    uris = names.get_values_for_type(x509.UniformResourceIdentifier)
    nodes = [uri.removeprefix(_NODE) for uri in uris if uri.startswith(_NODE)]
    if len(nodes) != 1:
        raise CardUnfit("no_person")
    return nodes[0]


def _check_signature(key: object, signature: bytes, signed: bytes) -> None:
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey):
            digest = hashes.SHA384() if isinstance(key.curve, ec.SECP384R1) else hashes.SHA256()
            key.verify(signature, signed, ec.ECDSA(digest))
        else:
            raise CardUnfit("wrong_slot")
    except InvalidSignature:
        raise CardUnfit("signature") from None


def is_revoked(sources: Sequence[RevocationSource], connection: Connection, serial: int) -> bool:
    """Whether the certificate of a card by which somebody signed in is revoked or held now."""
    found = [known for source in sources if (known := source.find(connection, serial)) is not None]
    return not found or any(known.revoked is not None for known in found)
