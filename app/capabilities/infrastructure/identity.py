"""TLS identities of the site: the one that it shows to the frames that it probes, and the one of its own frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

VALID_DAYS = 30
RENEW_BEFORE = timedelta(days=10)
"""Keys live in memory alone and are made at each start; a running service renews them this long before the end."""


class _IssuedIdentity(Protocol):
    @property
    def certificate(self) -> x509.Certificate: ...


class TlsAuthority(Protocol):
    """The part of the site's certificate authority that TLS identities need."""

    def root_pem(self) -> bytes:
        """The root as PEM."""
        ...

    def tls_certificate(
        self,
        public_key: ec.EllipticCurvePublicKey,
        *,
        common_name: str,
        server: bool,
        days: int = ...,
        addresses: Sequence[str] = ...,
        dns: Sequence[str] = ...,
    ) -> _IssuedIdentity:
        """A certificate for TLS under the site's root."""
        ...


@dataclass(frozen=True)
class TlsIdentity:
    """A P-256 key and its certificate."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def expires_before(self, moment: datetime) -> bool:
        """Whether the certificate ends before ``moment`` (aware)."""
        return self.certificate.not_valid_after_utc < moment


def client_identity(authority: TlsAuthority, common_name: str) -> TlsIdentity:
    """A fresh identity for probing."""
    key = ec.generate_private_key(ec.SECP256R1())
    issued = authority.tls_certificate(key.public_key(), common_name=common_name, server=False, days=VALID_DAYS)
    return TlsIdentity(issued.certificate, key)


def server_identity(
    authority: TlsAuthority, common_name: str, addresses: Sequence[str], *, days: int = VALID_DAYS
) -> TlsIdentity:
    """A fresh identity for a frame that listens on ``addresses``."""
    key = ec.generate_private_key(ec.SECP256R1())
    issued = authority.tls_certificate(
        key.public_key(), common_name=common_name, server=True, days=days, addresses=addresses
    )
    return TlsIdentity(issued.certificate, key)
