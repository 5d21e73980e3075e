"""What is revoked, as a revocation list and OCSP tell it: entries, and the interface of those who know them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from cryptography import x509
from sqlalchemy import Connection, select

from app.pki.tables import site_certificate


class RevocationReason(enum.StrEnum):
    """Why a certificate is revoked, by the names of RFC 5280, section 5.3.1. ``HOLD`` alone may be taken back."""

    KEY_COMPROMISE = "keyCompromise"
    SUPERSEDED = "superseded"
    CESSATION = "cessationOfOperation"
    HOLD = "certificateHold"
    PRIVILEGE_WITHDRAWN = "privilegeWithdrawn"

    @property
    def flag(self) -> x509.ReasonFlags:
        """The reason as a certificate library takes it."""
        return x509.ReasonFlags(self.value)


@dataclass(frozen=True, slots=True)
class RevokedEntry:
    """One entry of a revocation list. ``reason`` None: unspecified, which is said by saying nothing."""

    serial: int
    revoked_us: int
    reason: RevocationReason | None


@dataclass(frozen=True, slots=True)
class NodeCertificate:
    """A certificate of a card of a node that has not ended. ``card`` names the card, ``ref`` what revoked it."""

    serial: int
    card: str
    revoked_us: int | None
    ref: str | None


@dataclass(frozen=True, slots=True)
class KnownCertificate:
    """A certificate that the site issued: valid, or revoked by ``revoked``."""

    revoked: RevokedEntry | None


class RevocationSource(Protocol):
    """Who keeps records of issued certificates. Its methods only read, on any thread."""

    def entries(self, connection: Connection, ended_after_us: int) -> Sequence[RevokedEntry]:
        """The revoked certificates that end after this moment."""
        ...

    def find(self, connection: Connection, serial: int) -> KnownCertificate | None:
        """The certificate with this serial number; None if there is none here."""
        ...

    def of_node(self, connection: Connection, node_id: str) -> Sequence[NodeCertificate]:
        """The certificates of the node's cards that have not ended."""
        ...


class SiteCertificates:
    """The certificates that the site issued to itself; none of them is ever revoked by the program. Implements
    ``RevocationSource``."""

    def entries(self, _connection: Connection, _ended_after_us: int) -> Sequence[RevokedEntry]:
        return ()

    def find(self, connection: Connection, serial: int) -> KnownCertificate | None:
        for der in connection.scalars(select(site_certificate.c.certificate)):
            if x509.load_der_x509_certificate(der).serial_number == serial:
                return KnownCertificate(None)
        return None

    def of_node(self, _connection: Connection, _node_id: str) -> Sequence[NodeCertificate]:
        return ()


def utc(us: int) -> datetime:
    """Whole seconds of a time in microseconds, as certificates write them."""
    return datetime.fromtimestamp(us // 1_000_000, UTC)
