"""The site's own certificate authority: card certificates, the content signer, TLS identities of the site.

The root is made at the first start and kept; its key is one of the site's sealed keys. A training root says TRAINING in
its organization and common name, so that no relying party takes it for a real one. The profiles follow FIPS 201-3 and
NIST SP 800-73-5, which say what each key is for; no federal policy identifier is ever asserted.
"""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import AuthorityInformationAccessOID, ExtendedKeyUsageOID, NameOID

from hardware.cards import tlv
from hardware.cards.objects import FASC_N

CARD_AUTHENTICATION = x509.ObjectIdentifier("2.16.840.1.101.3.6.8")
"""id-PIV-cardAuth, FIPS 201-3 section 4.2.3.3: critical in the certificate of key 9E."""
PIV_FASC_N = x509.ObjectIdentifier("2.16.840.1.101.3.6.6")
"""pivFASC-N: type of the alternative name that holds a card's FASC-N."""
CONTENT_SIGNING = x509.ObjectIdentifier("2.16.840.1.101.3.6.7")
"""id-PIV-content-signing: the signer of CHUID and security object."""
DOCUMENT_SIGNING = x509.ObjectIdentifier("1.3.6.1.5.5.7.3.36")
"""id-kp-documentSigning, RFC 9336."""
SMART_CARD_LOGON = x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2.2")
"""What a Windows domain controller demands of the certificate of a logon ([MS-PKCA], 3.1.5.2.1)."""
PRINCIPAL_NAME = x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2.3")
"""Type of the alternative name that holds a user principal name, a UTF8String."""
SECURITY_EXTENSION = x509.ObjectIdentifier("1.3.6.1.4.1.311.25.2")
"""szOID_NTDS_CA_SECURITY_EXT: the account's SID ([MS-WCCE], 2.2.2.7.7.4)."""
_OBJECT_SID = bytes.fromhex("060A2B060104018237190201")
"""szOID_NTDS_OBJECTSID 1.3.6.1.4.1.311.25.2.1 (DER), type of the name in that extension: the SID in text, an OCTET
STRING."""

ROOT_YEARS = 20
SIGNER_YEARS = 10
RESPONDER_DAYS = 397
CRL_PATH = "/pki/root.crl"
CERTIFICATE_PATH = "/pki/root.cer"
OCSP_PATH = "/pki/ocsp"
BACKDATE = timedelta(minutes=5)
"""Certificates begin a little in the past, so that a verifier whose clock is slow accepts them."""

_PRINTABLE = re.compile(r"[A-Za-z0-9 '()+,./:=?-]{1,64}")
"""X.680's PrintableString."""

Slot = Literal["9A", "9C", "9D", "9E"]
CardKey = ec.EllipticCurvePublicKey | rsa.RSAPublicKey


@dataclass(frozen=True)
class Issued:
    """A certificate, its DER, and its end."""

    certificate: x509.Certificate
    der: bytes
    not_after: datetime


@dataclass(frozen=True)
class LogonClaims:
    """What the certificates of a card say for a logon to computers; what is empty, they leave out. ``email`` is ASCII,
    ``policies`` are dotted."""

    smart_card: bool = False
    principal_name: str | None = None
    email: str | None = None
    sid: str | None = None
    policies: tuple[str, ...] = ()


NO_LOGON = LogonClaims()


@dataclass(frozen=True)
class Root:
    """The authority's own certificate and key. A root is never renewed by the program."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make_root(key: ec.EllipticCurvePrivateKey, *, training: bool, site: str, now: datetime) -> x509.Certificate:
    """Self-signed root (P-256, path length 0) for ``site``, the log origin's domain part."""
    name = _name("TRAINING ARC Console" if training else "ARC Console", f"{'TRAINING ' if training else ''}Root {site}")
    return (
        _builder(name, name, key.public_key(), now, now + timedelta(days=365 * ROOT_YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


class SiteAuthority:
    """Issues under the site's root. It keeps no record of what it issued; the caller does."""

    def __init__(
        self,
        root: Root,
        *,
        training: bool,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        address: str | None = None,
    ) -> None:
        """``address``: where relying parties reach the site (``https://host``); without one no certificate names any
        place of a revocation list or of OCSP."""
        if root.certificate.public_key() != root.key.public_key():
            raise ValueError("the site's root certificate does not belong to its key")
        self.root = root
        self.training = training
        self._clock = clock
        self._places = [] if address is None else _places(address)
        self._organization = "TRAINING ARC Console" if training else "ARC Console"

    def root_pem(self) -> bytes:
        """The root as PEM: what a relying party pins."""
        return self.root.certificate.public_bytes(serialization.Encoding.PEM)

    def card_certificate(
        self,
        slot: Slot,
        public_key: CardKey,
        *,
        node_id: str,
        display_name: str,
        guid: uuid.UUID,
        not_after: datetime,
        logon: LogonClaims = NO_LOGON,
    ) -> Issued:
        """Certificate for a key that was made on the card; ``not_after`` is cut to the root's own end. The certificate
        of 9E has nothing of ``logon``, those of 9C and 9D have e-mail and policies alone."""
        subject = (
            _name(self._organization, str(guid))
            if slot == "9E"
            else _name(self._organization, display_name, serial=node_id)
        )
        rsa_key = isinstance(public_key, rsa.RSAPublicKey)
        usage = {
            "9A": _key_usage(digital_signature=True),
            "9C": _key_usage(digital_signature=True, content_commitment=True),
            "9D": _key_usage(key_encipherment=True) if rsa_key else _key_usage(key_agreement=True),
            "9E": _key_usage(digital_signature=True),
        }[slot]
        purposes = {
            "9A": [ExtendedKeyUsageOID.CLIENT_AUTH],
            "9C": [ExtendedKeyUsageOID.EMAIL_PROTECTION, DOCUMENT_SIGNING],
            "9D": [ExtendedKeyUsageOID.EMAIL_PROTECTION],
            "9E": [CARD_AUTHENTICATION],
        }[slot]
        card = x509.UniformResourceIdentifier(f"urn:uuid:{guid}")
        names: list[x509.GeneralName] = [x509.UniformResourceIdentifier(f"urn:arc-node:{node_id}"), card]
        if slot == "9E":
            # Anybody's telephone reads it in passing: it names the card, never the person (FIPS 201-3, 4.2.2.5).
            names = [x509.OtherName(PIV_FASC_N, tlv.encode(0x04, FASC_N)), card]
            logon = NO_LOGON
        if slot == "9A" and logon.smart_card:
            purposes.append(SMART_CARD_LOGON)
        if slot == "9A" and logon.principal_name is not None:
            names.append(x509.OtherName(PRINCIPAL_NAME, tlv.encode(0x0C, logon.principal_name.encode())))
        if logon.email is not None:
            names.append(x509.RFC822Name(logon.email))
        extras: list[x509.ExtensionType] = []
        if logon.policies:
            named = [x509.PolicyInformation(x509.ObjectIdentifier(one), None) for one in logon.policies]
            extras.append(x509.CertificatePolicies(named))
        if slot == "9A" and logon.sid is not None:
            extras.append(_security_extension(logon.sid))
        critical = slot == "9E"
        return self._issue(
            subject, public_key, not_after, usage, purposes, names, critical_purpose=critical, extras=extras
        )

    def content_signer(self, public_key: ec.EllipticCurvePublicKey) -> Issued:
        """Certificate of the key that signs CHUID and security object; outlives every card that it signs for."""
        subject = _name(self._organization, "Card content signer")
        return self._issue(
            subject,
            public_key,
            self._clock() + timedelta(days=365 * SIGNER_YEARS),
            _key_usage(digital_signature=True),
            [CONTENT_SIGNING],
            [],
            critical_purpose=True,
        )

    def receipt_signer(self, public_key: ed25519.Ed25519PublicKey) -> Issued:
        """Certificate of the key that signs receipts."""
        return self._issue(
            _name(self._organization, "Receipt signer"),
            public_key,
            self._clock() + timedelta(days=365 * SIGNER_YEARS),
            _key_usage(digital_signature=True, content_commitment=True),
            [DOCUMENT_SIGNING],
            [],
        )

    def declaration_signer(self, public_key: ec.EllipticCurvePublicKey) -> Issued:
        """Certificate of the key that signs declarations and notices. contentCommitment is there because validators of
        PAdES signatures ask for it; emailProtection, because NSS (pdfsig) takes no other purpose for a document."""
        return self._issue(
            _name(self._organization, "Declarations"),
            public_key,
            self._clock() + timedelta(days=365 * SIGNER_YEARS),
            _key_usage(digital_signature=True, content_commitment=True),
            [DOCUMENT_SIGNING, ExtendedKeyUsageOID.EMAIL_PROTECTION],
            [],
        )

    def stamp_signer(self, public_key: ec.EllipticCurvePublicKey) -> Issued:
        """Certificate of the key that signs time stamps; timeStamping is its only purpose and critical (RFC 3161,
        2.3)."""
        return self._issue(
            _name(self._organization, "Time stamps"),
            public_key,
            self._clock() + timedelta(days=365 * SIGNER_YEARS),
            _key_usage(digital_signature=True),
            [ExtendedKeyUsageOID.TIME_STAMPING],
            [],
            critical_purpose=True,
        )

    def ocsp_signer(self, public_key: ec.EllipticCurvePublicKey) -> Issued:
        """Certificate of the delegated OCSP responder (RFC 6960, 4.2.2.2): nobody needs to ask whether it is revoked
        (id-pkix-ocsp-nocheck), so it is short-lived."""
        return self._issue(
            _name(self._organization, "OCSP responder"),
            public_key,
            self._clock() + timedelta(days=RESPONDER_DAYS),
            _key_usage(digital_signature=True),
            [ExtendedKeyUsageOID.OCSP_SIGNING],
            [],
            unchecked=True,
        )

    def provenance_signer(self, public_key: ed25519.Ed25519PublicKey) -> Issued:
        """Certificate of the key that signs C2PA manifests, whose verifiers demand emailProtection."""
        return self._issue(
            _name(self._organization, "Content provenance"),
            public_key,
            self._clock() + timedelta(days=365 * SIGNER_YEARS),
            _key_usage(digital_signature=True),
            [ExtendedKeyUsageOID.EMAIL_PROTECTION],
            [],
        )

    def tls_certificate(
        self,
        public_key: ec.EllipticCurvePublicKey,
        *,
        common_name: str,
        server: bool,
        days: int = 397,
        addresses: Sequence[str] = (),
        dns: Sequence[str] = (),
    ) -> Issued:
        """TLS identity of the site: its client certificate for probing peers, or the certificate of a server frame."""
        purpose = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
        names: list[x509.GeneralName] = [x509.DNSName(name) for name in dns]
        names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        return self._issue(
            _name(self._organization, common_name),
            public_key,
            self._clock() + timedelta(days=days),
            _key_usage(digital_signature=True),
            [purpose],
            names,
        )

    def _issue(
        self,
        subject: x509.Name,
        public_key: CardKey | ed25519.Ed25519PublicKey,
        not_after: datetime,
        usage: x509.KeyUsage,
        purposes: list[x509.ObjectIdentifier],
        names: Sequence[x509.GeneralName],
        *,
        critical_purpose: bool = False,
        unchecked: bool = False,
        extras: Sequence[x509.ExtensionType] = (),
    ) -> Issued:
        """Signs an end-entity certificate with the extensions that all profiles share; it ends with the root at
        latest. ``unchecked``: it says that nobody needs to ask whether it is revoked, and so not where."""
        root = self.root.certificate
        end = min(not_after, root.not_valid_after_utc)
        builder = (
            _builder(subject, root.subject, public_key, self._clock(), end)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.ExtendedKeyUsage(purposes), critical=critical_purpose)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(
                    root.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
                ),
                critical=False,
            )
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        for extra in extras:
            builder = builder.add_extension(extra, critical=False)
        if unchecked:
            builder = builder.add_extension(x509.OCSPNoCheck(), critical=False)
        else:
            for place in self._places:
                builder = builder.add_extension(place, critical=False)
        certificate = builder.sign(self.root.key, hashes.SHA256())
        return Issued(certificate, certificate.public_bytes(serialization.Encoding.DER), end)


def _name(organization: str, common_name: str, serial: str | None = None) -> x509.Name:
    """A distinguished name. ``serial`` is left out where it is no X.520 PrintableString (it has ``_``, for example):
    the node is in the certificate's alternative names in any case."""
    attributes = [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
        x509.NameAttribute(NameOID.COMMON_NAME, _cut(common_name)),
    ]
    if serial is not None and _PRINTABLE.fullmatch(serial):
        attributes.append(x509.NameAttribute(NameOID.SERIAL_NUMBER, serial))
    return x509.Name(attributes)


def _security_extension(sid: str) -> x509.UnrecognizedExtension:
    """The account's SID as GeneralNames of one otherName, which the library cannot encode by itself."""
    name = tlv.encode(0xA0, _OBJECT_SID + tlv.encode(0xA0, tlv.encode(0x04, sid.encode())))
    return x509.UnrecognizedExtension(SECURITY_EXTENSION, tlv.encode(0x30, name))


def _places(address: str) -> list[x509.ExtensionType]:
    """Where to ask about a certificate: its revocation list (RFC 5280, 4.2.1.13), OCSP and issuer (4.2.2.1)."""

    def uri(path: str) -> x509.UniformResourceIdentifier:
        return x509.UniformResourceIdentifier(f"{address}{path}")

    return [
        x509.CRLDistributionPoints([x509.DistributionPoint([uri(CRL_PATH)], None, None, None)]),
        x509.AuthorityInformationAccess(
            [
                x509.AccessDescription(AuthorityInformationAccessOID.OCSP, uri(OCSP_PATH)),
                x509.AccessDescription(AuthorityInformationAccessOID.CA_ISSUERS, uri(CERTIFICATE_PATH)),
            ]
        ),
    ]


def _cut(text: str) -> str:
    """``text`` without control characters, cut to 64 bytes of UTF-8, which every verifier takes (X.520
    ub-common-name)."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain.encode()[:64].decode(errors="ignore").strip() or "?"


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public_key: CardKey | ed25519.Ed25519PublicKey,
    now: datetime,
    not_after: datetime,
) -> x509.CertificateBuilder:
    """A certificate with a random serial number, valid from ``BACKDATE`` before ``now``."""
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .not_valid_after(not_after)
    )


def _key_usage(
    *,
    digital_signature: bool = False,
    content_commitment: bool = False,
    key_encipherment: bool = False,
    key_agreement: bool = False,
    key_cert_sign: bool = False,
    crl_sign: bool = False,
) -> x509.KeyUsage:
    """A key usage of the bits that are named."""
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=content_commitment,
        key_encipherment=key_encipherment,
        data_encipherment=False,
        key_agreement=key_agreement,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        encipher_only=False,
        decipher_only=False,
    )
