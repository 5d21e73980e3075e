"""Re-issue: an approval takes a card from its node, so that it may be written for another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, update

from app.api.problems import Problem
from app.approvals.messages import ApprovalKind
from app.approvals.service import Approvals, ApprovalSubject
from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.rows import provision_row
from app.capabilities.provisioning.tables import pin_reset, provision
from app.pki.revocation import RevocationReason
from app.registry.service import Registry, now_us
from app.store.writer import Transaction

RELEASE = "provisioning.release"
REISSUE: ApprovalKind = "reissue"


class Reissues:
    """Approvals of the kind ``reissue``: which cards they may be requested for, and their use."""

    def __init__(self, registry: Registry, approvals: Approvals) -> None:
        self._registry = registry
        self._approvals = approvals
        approvals.add_kind(REISSUE, _subject)

    def is_granted(self, connection: Connection, row: Row[Any]) -> bool:
        """Whether the card of this provisioning may be taken from its node now."""
        return self._approvals.find_approved(connection, REISSUE, row.provision_id, now_us()) is not None

    def release(self, tx: Transaction, provision_id: str, *, to: str, actor: str, request_id: str) -> str:
        """Takes the card from its node in the transaction that begins the provisioning ``to``; returns the approver.
        Certificates, PIN and door credentials of the old record become invalid. 409 if the approval is gone."""
        row = provision_row(tx.connection, provision_id)
        approval = self._approvals.find_approved(tx.connection, REISSUE, provision_id, tx.now_us)
        if approval is None:
            raise Problem("state_conflict", "The approval of this card's re-issue holds no more; ask for another one.")
        approver = self._approvals.use(
            tx, approval.approval_id, REISSUE, provision_id, actor=actor, request_id=request_id
        )
        certificates.revoke_provision(tx, provision_id, RevocationReason.SUPERSEDED)
        values: dict[str, object] = {"released_us": tx.now_us, "pin": None}
        if row.state != "COMPLETE":
            # It will not be finished under this record, and no reply must ask for it.
            values |= {"state": "REFUSED", "detail": "The card was re-issued before it was finished."}
        tx.connection.execute(update(provision).where(provision.c.provision_id == provision_id).values(**values))
        tx.connection.execute(update(pin_reset).where(pin_reset.c.provision_id == provision_id).values(pin=None))
        withdrawn = self._registry.profiles.withdraw_card(tx, row.card_guid, actor=actor, request_id=request_id)
        tx.audit(
            RELEASE,
            actor=actor,
            node_id=row.node_id,
            request_id=request_id,
            detail={
                "provision_id": provision_id,
                "card_guid": row.card_guid,
                "approval_id": approval.approval_id,
                "approver": approver,
                "to": to,
                "profiles": withdrawn,
            },
        )
        return approver


def _subject(connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
    row = provision_row(connection, subjects[0])
    if row.released_us is not None or row.state == "REFUSED":
        raise Problem("state_conflict", "The card of this provisioning is nobody's any more; it needs no re-issue.")
    words = f"Re-issue of card {row.card_guid}, taken from node {row.node_id}"
    return ApprovalSubject(row.provision_id, row.node_id, row.card_guid, words)
