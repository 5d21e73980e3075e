"""One write: from its durable row over every step of the card to its end, which is one transaction again."""

from __future__ import annotations

import asyncio
import base64
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from cryptography import x509
from sqlalchemy import Row, insert, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.delivery.events import LiveChecks
from app.provisioning import certificates, policy, receipt
from app.provisioning.certificates import IssuedCertificate
from app.provisioning.issuer import CardIssuer
from app.provisioning.journal import Acknowledged, StepJournal, acknowledged, secret_holders
from app.provisioning.lookup import own_names
from app.provisioning.messages import (
    FipsVerdict,
    ProvisionBody,
    ProvisionEvent,
    ProvisionState,
    SlotReply,
    Stage,
    Verification,
)
from app.provisioning.outcome import NodeBarred, problem_of, unrecorded
from app.provisioning.pins import PIN_PURPOSE, pin_context
from app.provisioning.policy import FipsNotMet, FipsPolicy
from app.provisioning.receipt import ReceiptSigner
from app.provisioning.records import by_guid, packed, row_of
from app.provisioning.room import CardRoom, Seat
from app.provisioning.secrets import CardMaster, CardSecrets, new_pin
from app.provisioning.stepper import Progress, packed_trace, waiting
from app.provisioning.stock import Stock, key_source
from app.provisioning.stock_messages import Transport
from app.provisioning.tables import provision
from app.registry.messages import Standing
from app.registry.nodes import NodeRow
from app.registry.service import Registry
from app.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import DENIED, FAILED, Outcome, Transaction
from hardware.cards import apdu
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import (
    CardConnection,
    CardError,
    CardUnproven,
)
from hardware.cards.device import DeviceReport, read_device_report
from hardware.cards.fips import FipsDemand
from hardware.cards.identify import CardIdentity, UidSource
from hardware.cards.objects import ContentSigner
from hardware.cards.personalize import (
    KeyProof,
    PersonalizationResult,
    Personalizer,
    Profile,
    Secrets,
    SlotResult,
    factory_management_keys,
    steps,
)
from hardware.cards.piv import FACTORY_PIN, FACTORY_PUK, ManagementAlgorithm, ManagementKey, PivSession, PublicKey, Slot

log = logging.getLogger(__name__)

BEGIN = "provisioning.begin"
COMPLETE = "provisioning.complete"
TORN = "provisioning.torn"
REFUSE = "provisioning.refuse"

BARRED: Mapping[Standing, str] = {"REVOKED": "burned", "SUSPENDED": "contained"}
"""Standings of nodes that no card is written for, and their words."""


@dataclass(frozen=True)
class Order:
    """What is to be written, decided without a pause: the call, the card that was found, the row that it continues."""

    provision_id: str
    body: ProvisionBody
    seat: Seat
    identity: CardIdentity
    resumed: Row[Any] | None
    demand: FipsDemand
    actor: str
    request_id: str
    batch_id: str | None = None


@dataclass
class _Judged:
    """What is held of the element's claim; ``verdict`` is what its first keys proved, once they did."""

    verdict: FipsVerdict
    element: Row[Any] | None
    approved_first: bool


@dataclass(frozen=True)
class _Written:
    """What came back from the card thread: a result or an error, and in any case the trace."""

    result: PersonalizationResult | None
    error: Exception | None
    trace: apdu.Trace


class CardWriter:
    """Writes cards and records what came of it. ``tell`` hears each step, on the card's thread."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        issuer: CardIssuer,
        master: CardMaster,
        live_checks: LiveChecks,
        stock: Stock,
        fips: FipsPolicy,
        receipts: ReceiptSigner,
        room: CardRoom,
        tell: Callable[[ProvisionEvent], None],
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._issuer = issuer
        self._master = master
        self._live_checks = live_checks
        self._stock = stock
        self._fips = fips
        self._receipts = receipts
        self._room = room
        self._tell = tell

    async def write(self, order: Order, stages: list[Stage], begun: Callable[[], None]) -> Problem | None:
        """One write; the problem to answer with, if any. ``begun`` hears that its row is there."""
        try:
            judged = await self._preflight(order)
            row, node, pin = await self._store.writer.run(lambda tx: self._open_row(tx, order, judged.verdict))
        except NodeBarred as barred:
            return Problem("state_conflict", str(barred))
        except FipsNotMet as refusal:
            return await self._not_met(order, refusal)
        except StoreError as error:
            return Problem("dependency_unavailable", str(error), headers={"Retry-After": "5"})
        except CardError as error:
            return Problem("state_conflict", f"{error}. {error.remedy()}")
        begun()
        stages[:] = [waiting(step) for step in steps(approved_first=judged.approved_first)]
        journal = StepJournal(
            self._store, row.provision_id, row.node_id, row.attempt, lambda tx: self._guard(tx, row.node_id)
        )
        progress = Progress(stages, lambda stage: self._stepped(row, stage))
        trace = apdu.Trace()
        identity: CardIdentity | None = None
        try:
            guid = uuid.UUID(row.card_guid)
            profile = self._profile(row.node_id, node.display_name, guid, approved_first=judged.approved_first)
            new, resume = self._card_secrets(guid, pin, order.identity), self._resume(row, order.identity)
            # A gate costs APDUs, and where nothing is claimed and no maker is pinned it has nothing to say.
            claims = not self._site.training or self._fips.makers is not None
            gate = _Gate(self._fips, order, judged) if claims else None
            personalizer = Personalizer(
                _RecordingIssuer(self._issuer, journal), progress.begin, makers=self._fips.makers, gate=gate
            )

            def on_card(connection: CardConnection) -> _Written:
                channel = ApduChannel(connection, self._room.memory)
                progress.attach(channel)
                try:
                    result = personalizer.run(channel, profile, new, journal, order.identity, resume)
                except Exception as error:
                    progress.end("failed")
                    return _Written(None, error, channel.trace)
                progress.end("done")
                return _Written(result, None, channel.trace)

            written, identity = await asyncio.wrap_future(self._room.write(order.seat, on_card))
        except Exception as error:
            written = _Written(None, error, trace)
        try:
            return await self._store.writer.run(
                lambda tx: self._finish(tx, row, written, identity or order.identity, journal, stages, judged.verdict)
            )
        except StoreError as error:
            # The row stays RUNNING without a job: everybody, the next start included, takes it for torn.
            log.error("the end of a write could not be recorded", exc_info=error)
            if written.error is not None:
                return problem_of(written.error, row.provision_id)[1]
            return unrecorded(row.provision_id)

    async def _preflight(self, order: Order) -> _Judged:
        """What is known of the element before anything is written; ``FipsNotMet`` if that can never be enough."""
        with self._store.read() as connection:
            element = self._stock.of(connection, own_names(order.identity))
        report, may_attest = None, False
        if not self._site.training:
            # A training site accepts what is not proven; a production site asks the card itself, writing nothing.

            def ask(connection: CardConnection) -> tuple[DeviceReport | None, bool]:
                channel = ApduChannel(connection, self._room.memory)
                found = read_device_report(channel)
                session = PivSession(channel)
                session.select()
                return found, self._fips.may_attest(session)

            report, may_attest = await asyncio.wrap_future(self._room.ask(order.seat, ask))
        verdict, finding = self._fips.judge(order.demand, order.identity, element, report=report, before_write=True)
        # What only an attestation proves is proven on the card's first key, before it gets a certificate or a secret.
        if not verdict.accepted and not (may_attest and verdict.verdict == "UNKNOWN"):
            raise FipsNotMet(policy.reply(order.demand, verdict))
        approved_first = finding.module is not None and finding.module.approved_first
        return _Judged(policy.reply(order.demand, verdict), element, approved_first)

    async def _not_met(self, order: Order, refusal: FipsNotMet) -> Problem:
        body, verdict = order.body, refusal.verdict

        def job(tx: Transaction) -> None:
            tx.audit(
                REFUSE,
                actor=order.actor,
                outcome=DENIED,
                node_id=body.node_id,
                request_id=order.request_id,
                detail={
                    "hardware_uid": body.hardware_uid,
                    "required": verdict.required,
                    "verdict": verdict.verdict,
                    "evidence": verdict.evidence,
                },
            )

        try:
            await self._store.writer.run(job)
        except StoreError as error:
            return Problem("dependency_unavailable", str(error), headers={"Retry-After": "5"})
        return Problem("fips_not_met", str(refusal), extra={"fips": msgspec.to_builtins(verdict)})

    def _guard(self, tx: Transaction, node_id: str) -> NodeRow:
        """The node, as long as a card may be written for it."""
        node = self._registry.node(tx.connection, node_id)
        if node is None:
            raise NodeBarred(f"Node {node_id} was deleted; no card is written for it.", final=True)
        if node.standing in BARRED:
            sentence = f"Node {node_id} is {BARRED[node.standing]}; no card is written for it."
            raise NodeBarred(sentence, final=node.standing == "REVOKED")
        return node

    def _open_row(self, tx: Transaction, order: Order, verdict: FipsVerdict) -> tuple[Row[Any], NodeRow, str]:
        """The durable row, before the card hears anything, and the PIN that it keeps sealed."""
        body, resumed, identity = order.body, order.resumed, order.identity
        node = self._guard(tx, body.node_id)
        pin = new_pin(body.node_id, node.employee_id or "")
        context = pin_context(order.provision_id)
        values: dict[str, object] = {
            "reader": order.seat.reader,
            "state": "RUNNING",
            "fips": packed(verdict),
            "operator": order.actor,
            "batch_id": order.batch_id if resumed is None else order.batch_id or resumed.batch_id,
        }
        if resumed is None:
            values |= {
                "provision_id": order.provision_id,
                "node_id": body.node_id,
                "hardware_uid": body.hardware_uid,
                "aliases": packed(sorted(own_names(identity))),
                "card_guid": str(uuid.uuid4()),
                "former_guid": None if identity.card_guid is None else str(identity.card_guid),
                "attempt": 1,
                "started_us": tx.now_us,
                "apdu_count": 0,
                "duration_ms": 0.0,
                "slots": "[]",
                "stages": "[]",
                "warnings": "[]",
                "weak_management_key": 0,
                "unproven": 0,
                "pin": self._store.sealer.seal(PIN_PURPOSE, pin.encode(), context),
            }
            tx.connection.execute(insert(provision).values(**values))
        else:
            if resumed.pin is not None:
                pin = self._store.sealer.open(PIN_PURPOSE, resumed.pin, context).decode()
            else:
                values["pin"] = self._store.sealer.seal(PIN_PURPOSE, pin.encode(), context)
            names = own_names(identity) | set(msgspec.json.decode(resumed.aliases, type=list[str]))
            values |= {
                "attempt": resumed.attempt + 1,
                "aliases": packed(sorted(names)),
                "detail": None,
                "finished_us": None,
            }
            if not acknowledged(tx.connection, order.provision_id) and str(identity.card_guid) != resumed.card_guid:
                # Any blank card will do. It gets a GUID of its own: the card before may have taken the first one.
                former = None if identity.card_guid is None else str(identity.card_guid)
                values |= {"card_guid": str(uuid.uuid4()), "former_guid": former}
            tx.connection.execute(
                update(provision).where(provision.c.provision_id == order.provision_id).values(**values)
            )
        row = row_of(tx.connection, order.provision_id)
        tx.audit(
            BEGIN,
            actor=order.actor,
            node_id=body.node_id,
            request_id=order.request_id,
            detail={
                "provision_id": order.provision_id,
                "hardware_uid": body.hardware_uid,
                "reader": order.seat.reader,
                "card_guid": row.card_guid,
                "attempt": row.attempt,
                "fips": verdict.required,
            },
        )
        return row, node, pin

    def _profile(self, node_id: str, display_name: str, guid: uuid.UUID, *, approved_first: bool) -> Profile:
        wanted = datetime.now(UTC) + timedelta(days=self._site.settings.card_validity_days)
        return Profile(
            node_id=node_id,
            display_name=display_name,
            issuer="TRAINING" if self._site.training else "ARC",
            expires=min(wanted, self._issuer.latest_end).replace(microsecond=0),
            affiliation="TRAINING" if self._site.training else "",
            serial=str(guid)[:8].upper(),
            guid=guid,
            approved_first=approved_first,
        )

    def _resume(self, row: Row[Any], identity: CardIdentity) -> Acknowledged | None:
        """What earlier attempts did on this very card; nothing is believed of one that proved something else."""
        if row.attempt == 1 or row.unproven or str(identity.card_guid) != row.card_guid:
            return None
        with self._store.read() as connection:
            return Acknowledged(connection, row.provision_id)

    def _card_secrets(self, guid: uuid.UUID, pin: str, identity: CardIdentity) -> Secrets:
        """New secrets, and the old ones that may open the card: as the journal tells it, then the element's transport
        keys, the published factory values at last."""
        with self._store.read() as connection:
            way = self._stock.transport(connection, own_names(identity))
            keys, puks, pins = (secret_holders(connection, guid, step) for step in ("management_key", "puk", "pin"))
        new = self._master.secrets_for(guid, pin=pin)

        def of(holder: uuid.UUID) -> CardSecrets:
            return self._master.secrets_for(holder, pin=pin)

        return Secrets(
            pin=new.pin,
            puk=new.puk,
            management=_management(new, weak=self._site.training or self._site.settings.accept_weak_management_key),
            old_management=[
                key for one in keys for key in (_way_keys(way) if one is None else _management(of(one), weak=True))
            ],
            old_puks=[puk for one in puks for puk in (_way(way.puk, FACTORY_PUK) if one is None else (of(one).puk,))],
            # Of another record's PIN nothing is known; only a card without RESET RETRY COUNTER asks for the old one.
            old_pins=[
                old
                for one in pins
                if one in (None, guid)
                for old in (_way(way.pin, FACTORY_PIN) if one is None else (pin,))
            ],
            channel=None if way.scp03 is None else key_source(way.scp03),
        )

    def _stepped(self, row: Row[Any], stage: Stage) -> None:
        self._tell(
            ProvisionEvent(
                provision_id=row.provision_id, node_id=row.node_id, reader=row.reader, state="RUNNING", stage=stage
            )
        )

    def _finish(
        self,
        tx: Transaction,
        row: Row[Any],
        written: _Written,
        identity: CardIdentity,
        journal: StepJournal,
        stages: Sequence[Stage],
        verdict: FipsVerdict,
    ) -> Problem | None:
        """The end of a write in one transaction: row, certificates, live check, leaf."""
        journal.settle(tx)
        error = written.error
        if written.result is not None:
            try:
                self._guard(tx, row.node_id)
            except NodeBarred as barred:
                error = barred
            else:
                self._completed(tx, row, written.result, identity, stages, verdict)
                return None
        state, problem = problem_of(error or CardError("the card was lost"), row.provision_id)
        self.end(tx, row, state, problem.detail, FAILED, written.trace, stages)
        values = {"unproven": int(isinstance(error, CardUnproven)), "fips": packed(verdict)}
        tx.connection.execute(update(provision).where(provision.c.provision_id == row.provision_id).values(**values))
        if state == "REFUSED" and not isinstance(error, NodeBarred | FipsNotMet):
            # The card's fault: it is not to be taken for another person.
            self._stock.follow(tx, own_names(identity), row.provision_id, issued=False, detail=problem.detail)
        return problem

    def _completed(
        self,
        tx: Transaction,
        row: Row[Any],
        result: PersonalizationResult,
        identity: CardIdentity,
        stages: Sequence[Stage],
        verdict: FipsVerdict,
    ) -> None:
        slots = [
            SlotReply(
                slot=slot.slot.label,
                algorithm=slot.algorithm.label,
                certificate_sha256=slot.certificate_sha256,
                public_key_sha256=slot.public_key_sha256,
                not_after=rfc3339(int(slot.not_after.timestamp()) * 1_000_000),
            )
            for slot in result.slots
        ]
        verification = Verification(
            read_back=result.verification.read_back,
            proof_of_possession=result.verification.proof_of_possession,
            chuid_signature=result.verification.chuid_signature,
            security_object=result.verification.security_object,
        )
        names = set(msgspec.json.decode(row.aliases, type=list[str])) | {str(result.guid)} | own_names(identity)
        tx.connection.execute(
            update(provision)
            .where(provision.c.provision_id == row.provision_id)
            .values(
                state="COMPLETE",
                hardware_uid_now=_name_now(identity, result.guid),
                aliases=packed(sorted(names)),
                finished_us=tx.now_us,
                apdu_count=result.apdu_count,
                duration_ms=result.duration_ms,
                slots=packed(slots),
                verification=packed(verification),
                stages=packed(stages),
                warnings=packed(result.warnings),
                weak_management_key=int(result.weak_management_key),
                trace=packed_trace(result.trace),
                fips=packed(verdict),
                unproven=0,
                detail=None,
            )
        )
        # What was issued for this card before is not on it any more: torn attempts, and the record it had from us.
        kept = [slot.certificate_sha256 for slot in slots]
        certificates.revoke_provision(tx, row.provision_id, keep=kept)
        certificates.reinstate(tx, row.provision_id, kept)
        former = by_guid(tx.connection, None if row.former_guid is None else uuid.UUID(row.former_guid))
        if former is not None:
            certificates.revoke_provision(tx, former.provision_id)
            tx.connection.execute(
                update(provision).where(provision.c.provision_id == former.provision_id).values(pin=None)
            )
        leaf = tx.audit(
            COMPLETE,
            actor=row.operator,
            node_id=row.node_id,
            detail={
                "provision_id": row.provision_id,
                "card_guid": str(result.guid),
                "apdus": result.apdu_count,
                "certificates": kept,
                "training": self._site.training,
            },
        )
        self._stock.follow(tx, names, row.provision_id, issued=True)
        self._receipt(tx, row.provision_id, result, identity, leaf)
        self._live_checks.record(tx, node_id=row.node_id, kind="card", ref=row.provision_id)
        self._told(tx, row, "COMPLETE")

    def _receipt(
        self, tx: Transaction, provision_id: str, result: PersonalizationResult, identity: CardIdentity, leaf: int
    ) -> None:
        """Signs what stands in the row now."""
        row = row_of(tx.connection, provision_id)
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
            "attestations": [_attested(slot) for slot in result.slots if slot.statement is not None],
        }
        signed = self._receipts.sign(
            receipt.content(
                reply,
                origin=self._site.origin("audit"),
                site_id=self._site.site_id,
                card=card,
                operator=row.operator,
                approver=row.approver,
                journal=receipt.journal_digest(tx.connection, provision_id),
                leaf=leaf,
                now_us=tx.now_us,
                training=self._site.training,
            )
        )
        tx.connection.execute(update(provision).where(provision.c.provision_id == provision_id).values(receipt=signed))

    def end(
        self,
        tx: Transaction,
        row: Row[Any],
        state: ProvisionState,
        detail: str,
        outcome: Outcome,
        trace: apdu.Trace | None = None,
        stages: Sequence[Stage] | None = None,
    ) -> None:
        """What is left of a write that did not end well, with its leaf."""
        values: dict[str, object] = {"state": state, "detail": detail, "finished_us": tx.now_us}
        if trace is not None:
            values |= {"trace": packed_trace(trace), "apdu_count": trace.apdus}
        if stages is not None:
            values["stages"] = packed(stages)
        if state == "REFUSED":
            # Nothing more will come of this card under this record: no secret of it is kept.
            values["pin"] = None
        # Half a card may still have the factory's PIN: nothing on it is to be believed until it is finished.
        certificates.revoke_provision(tx, row.provision_id)
        tx.connection.execute(update(provision).where(provision.c.provision_id == row.provision_id).values(**values))
        tx.audit(
            TORN if state == "TORN" else REFUSE,
            actor=row.operator,
            outcome=outcome,
            node_id=row.node_id,
            detail={"provision_id": row.provision_id, "why": detail},
        )
        self._told(tx, row, state)

    def _told(self, tx: Transaction, row: Row[Any], state: ProvisionState) -> None:
        event = ProvisionEvent(
            provision_id=row.provision_id, node_id=row.node_id, reader=row.reader, state=state, stage=None
        )
        tx.after_commit(lambda: self._tell(event))


class _RecordingIssuer:
    """The site's issuer for one card: what it issues goes into the card's journal."""

    def __init__(self, issuer: CardIssuer, journal: StepJournal) -> None:
        self._issuer = issuer
        self._journal = journal

    @property
    def authorities(self) -> Sequence[x509.Certificate]:
        return self._issuer.authorities

    @property
    def content_signer(self) -> ContentSigner:
        return self._issuer.content_signer

    def issue(self, slot: Slot, public_key: PublicKey, guid: uuid.UUID, profile: Profile) -> bytes:
        der = self._issuer.issue(slot, public_key, guid, profile)
        not_after = int(x509.load_der_x509_certificate(der).not_valid_after_utc.timestamp()) * 1_000_000
        self._journal.certified(IssuedCertificate(slot.label, der, not_after))
        return der


class _Gate:
    """Judges each key that the card made, 9A first, and keeps what that proved."""

    def __init__(self, fips: FipsPolicy, order: Order, judged: _Judged) -> None:
        self._fips = fips
        self._order = order
        self._judged = judged

    def __call__(self, proof: KeyProof) -> None:
        verdict, _ = self._fips.judge(
            self._order.demand,
            self._order.identity,
            self._judged.element,
            attestation=proof.attestation,
            report=proof.report,
            before_write=False,
        )
        self._judged.verdict = policy.reply(self._order.demand, verdict)
        if not verdict.accepted:
            raise FipsNotMet(self._judged.verdict)


def _management(secret: CardSecrets, *, weak: bool) -> tuple[ManagementKey, ...]:
    """The derived management key, best cipher first; ``weak``: 3DES may be one."""
    strong = ManagementKey(ManagementAlgorithm.AES_256, secret.management_key)
    return (strong, ManagementKey(ManagementAlgorithm.TDES, secret.management_key_3des)) if weak else (strong,)


def _way_keys(way: Transport) -> tuple[ManagementKey, ...]:
    """The management keys that a card may come with: the one of its stock row, for each cipher of its length, else the
    published ones. Of one and not of both: tries are counted."""
    if way.management_key is None:
        return factory_management_keys()
    key = bytes.fromhex(way.management_key)
    return tuple(ManagementKey(cipher, key) for cipher in ManagementAlgorithm if cipher.key_length == len(key))


def _way(given: str | None, factory: str) -> tuple[str, ...]:
    return (factory,) if given is None else (given, factory)


def _name_now(identity: CardIdentity, guid: uuid.UUID) -> str:
    """How the card is called from now on; its GUID, where it was not there any more to be asked."""
    unknown = identity.card_guid != guid and identity.uid_source in (UidSource.GUID, UidSource.UID, UidSource.READER)
    return str(guid) if unknown else identity.hardware_uid


def _attested(slot: SlotResult) -> dict[str, object]:
    """The maker's statement of one key, with its certificates, so that anybody may judge it again."""
    proven = slot.attestation is not None and slot.attestation.proven
    statement = slot.statement
    return {
        "slot": slot.slot.label,
        "proven": proven,
        "leaf": None if statement is None else base64.b64encode(statement.leaf).decode(),
        "signer": None if statement is None else base64.b64encode(statement.signer).decode(),
    }
