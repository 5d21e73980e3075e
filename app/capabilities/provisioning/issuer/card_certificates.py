"""Every certificate that the site issued for a card: recorded before the card gets it, revoked when it must not be
valid.

The row decides: a card that was torn, refused or burned has no valid certificate, even if some are still on it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from cryptography import x509
from sqlalchemy import BindParameter, ColumnElement, Connection, Row, bindparam, insert, or_, select, update

from app.api.wire import rfc3339
from app.capabilities.provisioning.tables import card_certificate, provision
from app.pki.revocation import KnownCertificate, NodeCertificate, RevocationReason, RevokedEntry
from app.registry.messages.nodes import NodeCredential
from app.store.writer import Transaction

_MINE: BindParameter[str] = bindparam("of")
_ANY = select(
    or_(
        select(provision.c.provision_id).where(provision.c.node_id == _MINE).exists(),
        select(card_certificate.c.sha256).where(card_certificate.c.node_id == _MINE).exists(),
    )
)


@dataclass(frozen=True)
class IssuedCertificate:
    """A certificate for a key of a card; ``slot`` is 9A, 9C, 9D or 9E, ``not_after_us`` Unix microseconds."""

    slot: str
    der: bytes
    not_after_us: int


def record(tx: Transaction, provision_id: str, node_id: str, issued: Sequence[IssuedCertificate]) -> None:
    """Records certificates that are about to be written."""
    if not issued:
        return
    rows = [
        {
            "sha256": sha256(one.der).hexdigest(),
            "provision_id": provision_id,
            "node_id": node_id,
            "slot": one.slot,
            "certificate": one.der,
            "not_after_us": one.not_after_us,
            "serial": f"{x509.load_der_x509_certificate(one.der).serial_number:x}",
        }
        for one in issued
    ]
    tx.connection.execute(insert(card_certificate), rows)


def revoke_provision(
    tx: Transaction, provision_id: str, reason: RevocationReason, keep: Sequence[str] = ()
) -> Sequence[str]:
    """Revokes the certificates of this provisioning, except those with a SHA-256 in ``keep``; the SHA-256 of those that
    were valid until now. A hold becomes ``reason``, unless that is a hold as well; any other reason stays."""
    mine = (card_certificate.c.provision_id == provision_id, card_certificate.c.sha256.not_in(keep))
    if reason is not RevocationReason.HOLD:
        held = card_certificate.c.reason == RevocationReason.HOLD
        tx.connection.execute(update(card_certificate).where(*mine, held).values(reason=reason))
    return _revoke(tx, mine, {"reason": reason})


def of_provision(connection: Connection, provision_id: str) -> Sequence[str]:
    """SHA-256 of every certificate of this provisioning."""
    mine = card_certificate.c.provision_id == provision_id
    return connection.scalars(select(card_certificate.c.sha256).where(mine).order_by(card_certificate.c.sha256)).all()


def reinstate(tx: Transaction, provision_id: str, kept: Sequence[str]) -> None:
    """Makes certificates of torn attempts valid again that are on the finished card: those on hold, never those that
    were revoked for good."""
    tx.connection.execute(
        update(card_certificate)
        .where(
            card_certificate.c.provision_id == provision_id,
            card_certificate.c.sha256.in_(kept),
            card_certificate.c.reason == RevocationReason.HOLD,
        )
        .values(revoked_us=None, reason=None)
    )


def revoke_node(tx: Transaction, node_id: str, burn_id: str) -> None:
    """Revokes all certificates of the node's cards; those on hold for good."""
    mine = (card_certificate.c.node_id == node_id,)
    burned = {"reason": RevocationReason.PRIVILEGE_WITHDRAWN, "burn_id": burn_id}
    held = card_certificate.c.reason == RevocationReason.HOLD
    tx.connection.execute(update(card_certificate).where(*mine, held).values(burned))
    _revoke(tx, mine, burned)


def _revoke(tx: Transaction, where: Sequence[ColumnElement[bool]], values: Mapping[str, object]) -> Sequence[str]:
    return tx.connection.scalars(
        update(card_certificate)
        .where(*where, card_certificate.c.revoked_us.is_(None))
        .values(revoked_us=tx.now_us, **values)
        .returning(card_certificate.c.sha256)
    ).all()


class CardRevocations:
    """The certificates of cards, as revocation lists and OCSP ask for them. Implements ``RevocationSource``."""

    def entries(self, connection: Connection, ended_after_us: int) -> Sequence[RevokedEntry]:
        """The revoked certificates that end after this moment."""
        rows = connection.execute(
            select(card_certificate.c.serial, card_certificate.c.revoked_us, card_certificate.c.reason).where(
                card_certificate.c.revoked_us.is_not(None), card_certificate.c.not_after_us > ended_after_us
            )
        )
        return [_entry(row.serial, row.revoked_us, row.reason) for row in rows]

    def find(self, connection: Connection, serial: int) -> KnownCertificate | None:
        """The certificate with this serial number; None if there is none here."""
        row = connection.execute(
            select(card_certificate.c.serial, card_certificate.c.revoked_us, card_certificate.c.reason).where(
                card_certificate.c.serial == f"{serial:x}"
            )
        ).one_or_none()
        if row is None:
            return None
        return KnownCertificate(None if row.revoked_us is None else _entry(row.serial, row.revoked_us, row.reason))

    def of_node(self, connection: Connection, node_id: str) -> Sequence[NodeCertificate]:
        """The certificates of the node's cards that have not ended."""
        rows = connection.execute(
            select(card_certificate).where(
                card_certificate.c.node_id == node_id, card_certificate.c.not_after_us > time.time_ns() // 1000
            )
        )
        return [NodeCertificate(int(row.serial, 16), row.provision_id, row.revoked_us, row.burn_id) for row in rows]


def _entry(serial: str, revoked_us: int, reason: str | None) -> RevokedEntry:
    return RevokedEntry(int(serial, 16), revoked_us, None if reason is None else RevocationReason(reason))


def holding(connection: Connection, node_id: str) -> Sequence[Row[Any, Any]]:
    """``sha256`` and ``provision_id`` of the node's certificates that are valid now."""
    return connection.execute(
        select(card_certificate.c.sha256, card_certificate.c.provision_id).where(
            card_certificate.c.node_id == node_id,
            card_certificate.c.revoked_us.is_(None),
            card_certificate.c.not_after_us > time.time_ns() // 1000,
        )
    ).all()


def any_valid(connection: Connection, provision_id: str) -> bool:
    """Whether a certificate that is not revoked was issued under this provisioning."""
    held = select(card_certificate.c.sha256).where(
        card_certificate.c.provision_id == provision_id, card_certificate.c.revoked_us.is_(None)
    )
    return connection.execute(held.limit(1)).one_or_none() is not None


def certificate(connection: Connection, digest: str) -> bytes:
    """The certificate (DER) with this SHA-256."""
    of_it = select(card_certificate.c.certificate).where(card_certificate.c.sha256 == digest)
    return bytes(connection.execute(of_it).scalar_one())


def any_card(connection: Connection, node_id: str) -> bool:
    """Whether the node ever had a card, or one was begun for it."""
    return bool(connection.scalar(_ANY, {"of": node_id}))


def ever_issued(connection: Connection, node_id: str) -> bool:
    """Whether a certificate was ever issued for a card of the node."""
    of_node = select(card_certificate.c.sha256).where(card_certificate.c.node_id == node_id).limit(1)
    return connection.execute(of_node).one_or_none() is not None


def credentials(connection: Connection, node_ids: Sequence[str]) -> Mapping[str, Sequence[NodeCredential]]:
    """The finished cards of these nodes, oldest first, for the registry's replies."""
    rows = connection.execute(
        select(
            card_certificate.c.node_id,
            provision.c.card_guid,
            card_certificate.c.not_after_us,
            card_certificate.c.revoked_us,
        )
        .join(provision, provision.c.provision_id == card_certificate.c.provision_id)
        .where(
            card_certificate.c.node_id.in_(node_ids),
            card_certificate.c.slot == "9E",
            provision.c.state == "COMPLETE",
            # A resumed write also has certificates of its torn attempts; ``slots`` names those that are on the card.
            provision.c.slots.contains(card_certificate.c.sha256),
        )
        .order_by(provision.c.started_us)
    ).all()
    now_us = time.time_ns() // 1000
    found: dict[str, list[NodeCredential]] = {}
    for row in rows:
        state: Literal["revoked", "expired", "active"] = "expired" if row.not_after_us <= now_us else "active"
        if row.revoked_us is not None:
            state = "revoked"
        found.setdefault(row.node_id, []).append(
            NodeCredential(
                profile=None,
                format="piv-guid",
                card_guid=row.card_guid,
                state=state,
                not_after=rfc3339(row.not_after_us),
            )
        )
    return found
