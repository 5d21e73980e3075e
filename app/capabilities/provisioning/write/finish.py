"""The end of a write in one transaction: row, certificates, stock, receipt, live check and audit leaf."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Row, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.messages import (
    FipsVerdict,
    ProvisionEvent,
    ProvisionState,
    SlotReply,
    Stage,
    Verification,
)
from app.capabilities.provisioning.paper import receipts
from app.capabilities.provisioning.paper.receipts import sign_receipt
from app.capabilities.provisioning.rows import provision_row
from app.capabilities.provisioning.stock.policy import FipsNotMet
from app.capabilities.provisioning.stock.service import Stock
from app.capabilities.provisioning.tables import provision
from app.capabilities.provisioning.write.card_records import former_records, keep_names, keep_refused_keys
from app.capabilities.provisioning.write.journal import StepJournal, chuid_was_acknowledged
from app.capabilities.provisioning.write.lookup import own_names
from app.capabilities.provisioning.write.order import REFUSE, require_open
from app.capabilities.provisioning.write.outcome import NodeBarred, problem_of
from app.capabilities.provisioning.write.progress import trace_json
from app.delivery.events import LiveChecks
from app.pki.document_signer import DocumentSigner
from app.pki.revocation import RevocationReason
from app.registry.service import Registry
from app.site.site import Site
from app.store.tables import json_text
from app.store.writer import FAILED, ActOutcome, Transaction
from hardware.cards.apdu import ApduTrace
from hardware.cards.backend import CardError, CardUnproven
from hardware.cards.identify import CardIdentity, UidSource
from hardware.cards.profile import PersonalizationResult, SlotResult

COMPLETE = "provisioning.complete"
TORN = "provisioning.torn"


@dataclass(frozen=True)
class Written:
    """What the card thread returned: a result or an error, and in any case the trace."""

    result: PersonalizationResult | None
    error: Exception | None
    trace: ApduTrace


class WriteFinisher:
    """Records the outcome of writes. ``tell`` is called with each outcome once it is durable."""

    def __init__(
        self,
        site: Site,
        registry: Registry,
        live_checks: LiveChecks,
        stock: Stock,
        receipts: DocumentSigner,
        tell: Callable[[ProvisionEvent], None],
    ) -> None:
        self._site = site
        self._registry = registry
        self._live_checks = live_checks
        self._stock = stock
        self._receipts = receipts
        self._tell = tell

    def finish(
        self,
        tx: Transaction,
        row: Row[Any],
        written: Written,
        identity: CardIdentity,
        journal: StepJournal,
        stages: Sequence[Stage],
        verdict: FipsVerdict,
        names: Collection[str],
        refused: Sequence[str] = (),
        pin: bytes | None = None,
    ) -> Problem | None:
        """Records the end of a write; the problem to answer with, None for a finished card. ``names``: the card's
        before and after the write; ``refused``: marks of what it refused for good, which are remembered; ``pin``: the
        finished card's PIN, sealed, where it is not the record's."""
        journal.settle(tx)
        error = written.error
        if written.result is not None:
            try:
                require_open(self._registry, tx, row.node_id)
            except NodeBarred as barred:
                error = barred
            else:
                self._complete(tx, row, written.result, identity, stages, verdict)
                if pin is not None:
                    of_it = update(provision).where(provision.c.provision_id == row.provision_id)
                    tx.connection.execute(of_it.values(pin=pin))
                return None
        state, problem = problem_of(error or CardError("the card was lost"), row.provision_id)
        self.fail(tx, row, state, problem.detail, FAILED, written.trace, stages, refused)
        values = {"unproven": int(isinstance(error, CardUnproven)), "fips": json_text(verdict)}
        tx.connection.execute(update(provision).where(provision.c.provision_id == row.provision_id).values(**values))
        if state == "REFUSED" and not isinstance(error, NodeBarred | FipsNotMet):
            # The card's fault: it must not be used for another person. Its stock row may know it by the GUID that it
            # came with, which a CHUID of this site replaced.
            came_as = {row.former_guid} - {None} if chuid_was_acknowledged(tx.connection, row.provision_id) else set()
            self._stock.follow(tx, {*names, *came_as}, row.provision_id, issued=False, detail=problem.detail)
        return problem

    def _complete(
        self,
        tx: Transaction,
        row: Row[Any],
        result: PersonalizationResult,
        identity: CardIdentity,
        stages: Sequence[Stage],
        verdict: FipsVerdict,
    ) -> None:
        """Records a finished card: its row, its certificates, the stock, the receipt, the live check and the leaf."""
        slots = _slot_replies(result)
        names = set(msgspec.json.decode(row.aliases, type=list[str])) | {str(result.guid)} | own_names(identity)
        self._update_finished_row(tx, row, result, identity, stages, verdict, slots, names)
        kept = [slot.certificate_sha256 for slot in slots]
        replaced = self._revoke_former(tx, row, identity, kept)
        keep_names(tx, row.provision_id, names)
        leaf = tx.audit(
            COMPLETE,
            actor=row.operator,
            node_id=row.node_id,
            detail={
                "provision_id": row.provision_id,
                "card_guid": str(result.guid),
                "apdus": result.apdu_count,
                "certificates": kept,
                "names": sorted(names),
                "replaced": replaced,
                "training": self._site.training,
            },
        )
        self._stock.follow(tx, names, row.provision_id, issued=True)
        self._receipt(tx, row.provision_id, result, identity, leaf)
        self._live_checks.record(tx, node_id=row.node_id, kind="card", ref=row.provision_id)
        self._publish(tx, row, "COMPLETE")

    def _update_finished_row(
        self,
        tx: Transaction,
        row: Row[Any],
        result: PersonalizationResult,
        identity: CardIdentity,
        stages: Sequence[Stage],
        verdict: FipsVerdict,
        slots: Sequence[SlotReply],
        names: set[str],
    ) -> None:
        """The row of a finished card; ``names`` are all names that it answers to."""
        verification = Verification(
            read_back=result.verification.read_back,
            proof_of_possession=result.verification.proof_of_possession,
            chuid_signature=result.verification.chuid_signature,
            security_object=result.verification.security_object,
        )
        tx.connection.execute(
            update(provision)
            .where(provision.c.provision_id == row.provision_id)
            .values(
                state="COMPLETE",
                hardware_uid_now=_name_now(identity, result.guid),
                aliases=json_text(sorted(names)),
                finished_us=tx.now_us,
                apdu_count=result.apdu_count,
                duration_ms=result.duration_ms,
                slots=json_text(slots),
                verification=json_text(verification),
                stages=json_text(stages),
                warnings=json_text(result.warnings),
                weak_management_key=int(result.weak_management_key),
                trace=trace_json(result.trace),
                fips=json_text(verdict),
                unproven=0,
                detail=None,
            )
        )

    def _revoke_former(
        self, tx: Transaction, row: Row[Any], identity: CardIdentity, kept: Sequence[str]
    ) -> Sequence[str]:
        """Revokes what is not on the card any more: certificates of torn attempts, except those with a SHA-256 in
        ``kept``, and all that was issued under the records that the site had of this card before: certificates, PIN,
        door credentials. Returns the ids of those records that were finished cards."""
        certificates.revoke_provision(tx, row.provision_id, RevocationReason.SUPERSEDED, keep=kept)
        certificates.reinstate(tx, row.provision_id, kept)
        replaced: list[str] = []
        for former in former_records(tx.connection, row, identity):
            certificates.revoke_provision(tx, former.provision_id, RevocationReason.SUPERSEDED)
            of_it = update(provision).where(provision.c.provision_id == former.provision_id)
            tx.connection.execute(of_it.values(pin=None))
            if former.state == "COMPLETE" and former.released_us is None:
                self._registry.profiles.withdraw_card(tx, former.card_guid, actor=row.operator)
                replaced.append(former.provision_id)
        return replaced

    def _receipt(
        self, tx: Transaction, provision_id: str, result: PersonalizationResult, identity: CardIdentity, leaf: int
    ) -> None:
        """Signs the receipt of the row as it is now, and stores it there."""
        row = provision_row(tx.connection, provision_id)
        reply = {
            "provision_id": row.provision_id,
            "batch_id": row.batch_id,
            "node_id": row.node_id,
            "hardware_uid": row.hardware_uid,
            "hardware_uid_now": row.hardware_uid_now,
            "state": row.state,
            "card_guid": row.card_guid,
            **{name: msgspec.json.decode(row._mapping[name]) for name in ("slots", "fips", "verification", "warnings")},
            "weak_management_key": bool(row.weak_management_key),
            "management_algorithm": result.management_algorithm.name,
            "apdu_count": row.apdu_count,
            "duration_ms": row.duration_ms,
            "timestamp": rfc3339(row.finished_us),
        }
        card = {
            "uid_source": identity.uid_source.value,
            "names": sorted(msgspec.json.decode(row.aliases, type=list[str])),
            "atr": identity.atr.hex().upper(),
            "cplc": identity.cplc.hex().upper() or None,
            "kdd": None if result.kdd is None else result.kdd.hex().upper(),
            "attestations": [_attestation_facts(slot) for slot in result.slots if slot.statement is not None],
        }
        signed = sign_receipt(
            self._receipts,
            receipts.payload(
                reply,
                origin=self._site.origin("audit"),
                site_id=self._site.site_id,
                card=card,
                operator=row.operator,
                approver=row.approver,
                journal=receipts.journal_digest(tx.connection, provision_id),
                leaf=leaf,
                now_us=tx.now_us,
                training=self._site.training,
            ),
        )
        tx.connection.execute(update(provision).where(provision.c.provision_id == provision_id).values(receipt=signed))

    def fail(
        self,
        tx: Transaction,
        row: Row[Any],
        state: ProvisionState,
        detail: str,
        outcome: ActOutcome,
        trace: ApduTrace | None = None,
        stages: Sequence[Stage] | None = None,
        refused_keys: Sequence[str] = (),
    ) -> None:
        """Records a write that failed, with its leaf. TORN: it may be resumed; REFUSED: it is over."""
        values: dict[str, object] = {"state": state, "detail": detail, "finished_us": tx.now_us}
        leaf: dict[str, object] = {"provision_id": row.provision_id, "why": detail}
        if refused_keys:
            keep_refused_keys(tx, row.provision_id, refused_keys)
            leaf["refused_keys"] = list(refused_keys)
        if trace is not None:
            values |= {"trace": trace_json(trace), "apdu_count": trace.apdus}
        if stages is not None:
            values["stages"] = json_text(stages)
        if state == "REFUSED":
            # This record ends here: none of its secrets is kept.
            values["pin"] = None
        # A half-written card may still have the factory PIN: nothing on it is valid until it is finished.
        # The same call may finish a torn one, with the certificates that it has.
        reason = RevocationReason.HOLD if state == "TORN" else RevocationReason.CESSATION
        certificates.revoke_provision(tx, row.provision_id, reason)
        tx.connection.execute(update(provision).where(provision.c.provision_id == row.provision_id).values(**values))
        tx.audit(
            TORN if state == "TORN" else REFUSE,
            actor=row.operator,
            outcome=outcome,
            node_id=row.node_id,
            detail=leaf,
        )
        self._publish(tx, row, state)

    def _publish(self, tx: Transaction, row: Row[Any], state: ProvisionState) -> None:
        event = ProvisionEvent(
            provision_id=row.provision_id, node_id=row.node_id, reader=row.reader, state=state, stage=None
        )
        tx.after_commit(lambda: self._tell(event))


def _name_now(identity: CardIdentity, guid: uuid.UUID) -> str:
    """The card's name from now on; its GUID where the card was gone before it could be identified again."""
    unknown = identity.card_guid != guid and identity.uid_source in (UidSource.GUID, UidSource.UID, UidSource.READER)
    return str(guid) if unknown else identity.hardware_uid


def _slot_replies(result: PersonalizationResult) -> list[SlotReply]:
    """The card's keys as the wire's messages."""
    return [
        SlotReply(
            slot=slot.slot.label,
            algorithm=slot.algorithm.label,
            certificate_sha256=slot.certificate_sha256,
            public_key_sha256=slot.public_key_sha256,
            not_after=rfc3339(int(slot.not_after.timestamp()) * 1_000_000),
        )
        for slot in result.slots
    ]


def _attestation_facts(slot: SlotResult) -> dict[str, object]:
    """The maker's attestation of one key, with its certificates, so that anybody can judge it again."""
    proven = slot.attestation is not None and slot.attestation.proven
    statement = slot.statement
    return {
        "slot": slot.slot.label,
        "proven": proven,
        "leaf": None if statement is None else base64.b64encode(statement.leaf).decode(),
        "signer": None if statement is None else base64.b64encode(statement.signer).decode(),
    }
