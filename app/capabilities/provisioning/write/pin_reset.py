"""PIN reset: an approval gives a finished card a new PIN, and its holder another mailer.

The new PIN is sealed before it is sent to the card. The old one is destroyed in the transaction that announces the one
command that changes the card, so that no PIN is ever handed out that may not be the card's. Only success uses the
approval up, so the same call can resume after any failure.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from cryptography import x509
from sqlalchemy import Connection, Row, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.approvals.messages import ApprovalKind
from app.approvals.service import Approvals, ApprovalSubject
from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.issuer.card_secrets import CardMaster, new_pin
from app.capabilities.provisioning.messages import PinReset, PinResetEvent, ProvisionState, SlotReply, Stage
from app.capabilities.provisioning.paper.pin_mailers import PIN_PURPOSE, pin_context
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders
from app.capabilities.provisioning.rows import provision_row
from app.capabilities.provisioning.stock.service import Stock, key_source
from app.capabilities.provisioning.tables import pin_reset, provision
from app.capabilities.provisioning.write.jobs import CardJobs, OnBegun, WriteJob
from app.capabilities.provisioning.write.journal import StepJournal, secret_draws
from app.capabilities.provisioning.write.lookup import own_names
from app.capabilities.provisioning.write.order import BARRED, require_open
from app.capabilities.provisioning.write.outcome import NodeBarred, problem_of, unrecorded_problem
from app.capabilities.provisioning.write.progress import StepProgress, waiting_stage
from app.registry.service import Registry, now_us
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.tables import json_text
from app.store.writer import FAILED, Transaction
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardConnection
from hardware.cards.identify import CardIdentity, CardState
from hardware.cards.pin_reset import RESET_STEPS, IssuedCard, reset_pin
from hardware.cards.piv import Algorithm, Slot

log = logging.getLogger(__name__)

PIN_RESET: ApprovalKind = "pin_reset"
BEGIN = "provisioning.pin_reset_begin"
COMPLETE = "provisioning.pin_reset"
TORN = "provisioning.pin_reset_torn"
REFUSE = "provisioning.pin_reset_refuse"


@dataclass(frozen=True)
class _PinResetOrder:
    """One reset, decided without an await in between."""

    row: Row[Any]
    approval_id: str
    card_reader: CardReader
    identity: CardIdentity
    actor: str
    request_id: str


class PinResets:
    """Gives cards new PINs. ``tell`` is called with each step, on the card's thread."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        approvals: Approvals,
        master: CardMaster,
        stock: Stock,
        readers: CardReaders,
        jobs: CardJobs,
        tell: Callable[[PinResetEvent], None],
        *,
        answer_s: float,
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._approvals = approvals
        self._master = master
        self._stock = stock
        self._readers = readers
        self._jobs = jobs
        self._tell = tell
        self._answer_s = answer_s
        self._running: dict[str, list[Stage]] = {}
        approvals.add_kind(PIN_RESET, self._subject)

    def _subject(self, connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
        row = self._resettable(connection, subjects[0])
        words = f"New PIN for card {row.card_guid} of node {row.node_id}"
        return ApprovalSubject(row.provision_id, row.node_id, row.card_guid, words)

    def _resettable(self, connection: Connection, provision_id: str) -> Row[Any]:
        """The row of a finished card that is still its node's, if cards are written for that node; 404, 409."""
        row = provision_row(connection, provision_id)
        if row.released_us is not None:
            raise Problem("state_conflict", "An approved re-issue took this card from its node; it gets no new PIN.")
        if row.state != "COMPLETE":
            raise Problem("state_conflict", "The card is not finished; only a finished card gets a new PIN.")
        node = self._registry.require_node(connection, row.node_id)
        if node.standing in BARRED:
            sentence = f"Node {row.node_id} is {BARRED[node.standing]}; its card gets no new PIN."
            raise Problem("state_conflict", sentence)
        return row

    async def recover(self) -> None:
        """Marks what a dead process left RUNNING as torn. Before the readers are watched."""

        def job(tx: Transaction) -> None:
            for reset in tx.connection.execute(select(pin_reset).where(pin_reset.c.state == "RUNNING")).all():
                row = provision_row(tx.connection, reset.provision_id)
                why = "The service stopped while the card was getting its PIN; repeat the call with this card."
                self._end(tx, row, reset, "TORN", Problem("state_conflict", why), [])

        await self._store.writer.run(job)

    # --- the call ---

    async def reset(self, provision_id: str, approval_id: str, *, actor: str, request_id: str) -> tuple[PinReset, int]:
        """Gives the card of this provisioning a new PIN, joins a reset under way, resumes a torn one, or gives the
        reply of a finished one. 200, or 202 while it goes on. 409: no such approval holds, another card or none is in
        the readers, the node is barred, the card was torn out; 423: its PUK is not ours or blocked."""
        until = asyncio.get_running_loop().time() + self._answer_s
        with self._store.read() as connection:
            over = self._ended_reply(connection, provision_id, approval_id)
        if over is not None:
            return over, 200
        if (running := self._jobs.get(approval_id)) is not None:
            return await self._join(running, until)
        self._jobs.refuse_when_stopping()
        card_readers = await self._readers.settle(again=True)
        # From here to the job's registration nothing may await: two calls would both begin.
        if (running := self._jobs.get(approval_id)) is not None:
            return await self._join(running, until)
        with self._store.read() as connection:
            over = self._ended_reply(connection, provision_id, approval_id)
            if over is not None:
                return over, 200
            row = self._resettable(connection, provision_id)
            self._approvals.require(connection, approval_id, PIN_RESET, provision_id, now_us())
        self._jobs.refuse_when_stopping()
        card_reader, identity = _reader_with(card_readers, row)
        order = _PinResetOrder(row, approval_id, card_reader, identity, actor, request_id)
        stages = self._running[approval_id] = [waiting_stage(step) for step in RESET_STEPS]

        async def work(on_begun: OnBegun) -> Problem | None:
            try:
                return await self._work(order, stages, on_begun)
            finally:
                del self._running[approval_id]

        job = self._jobs.begin(WriteJob(approval_id, provision_id, row.node_id, card_reader.name), work)
        return await self._join(job, until)

    async def _join(self, job: WriteJob, until: float) -> tuple[PinReset, int]:
        ended = await self._jobs.wait_for(job, until)
        with self._store.read() as connection:
            row, reset = provision_row(connection, job.provision_id), _reset_of(connection, job.key)
        if reset is None:
            raise LookupError(job.key)
        return self._reply(row, reset), 200 if ended else 202

    def _ended_reply(self, connection: Connection, provision_id: str, approval_id: str) -> PinReset | None:
        """The reply of a reset that is done. The problem of a refused one is raised again, so that a card whose PUK is
        not ours loses no further try."""
        row, reset = provision_row(connection, provision_id), _reset_of(connection, approval_id)
        if reset is None or reset.provision_id != provision_id:
            return None
        if reset.state == "REFUSED":
            raise Problem(reset.code, reset.detail, extra={"provision_id": provision_id, "approval_id": approval_id})
        return self._reply(row, reset) if reset.state == "COMPLETE" else None

    def _reply(self, row: Row[Any], reset: Row[Any]) -> PinReset:
        """The reset as the wire's message, with the live stages while it is under way."""
        live = self._running.get(reset.approval_id)
        return PinReset(
            provision_id=row.provision_id,
            approval_id=reset.approval_id,
            node_id=row.node_id,
            card_guid=row.card_guid,
            reader=reset.reader,
            state=reset.state,
            stages=list(live) if live is not None else msgspec.json.decode(reset.stages, type=list[Stage]),
            mailer_printed=row.mailer_us is not None,
            timestamp=rfc3339(reset.finished_us or reset.started_us),
            detail=reset.detail,
            training=self._site.training,
        )

    # --- the work ---

    async def _work(self, order: _PinResetOrder, stages: list[Stage], on_begun: OnBegun) -> Problem | None:
        """Does one reset, from its durable row to its end; the problem to answer with, if any."""
        row = order.row
        try:
            reset, pin = await self._store.writer.run(lambda tx: self._open_row(tx, order))
        except Problem as problem:
            return problem
        except NodeBarred as barred:
            return Problem("state_conflict", str(barred))
        except StoreError as error:
            return Problem("dependency_unavailable", str(error), headers={"Retry-After": "5"})
        on_begun()
        journal = StepJournal(
            self._store, row.provision_id, row.node_id, reset.attempt, lambda tx: self._guard_announcement(tx, order)
        )
        progress = StepProgress(stages, lambda stage: self._publish(row, reset, "RUNNING", stage))
        failure: Exception | None
        pins = self._master.pins(uuid.UUID(row.card_guid), pin)
        try:
            card = self._issued_card(row, order.identity)

            def on_card(connection: CardConnection) -> Exception | str:
                channel = ApduChannel(connection, self._readers.memory)
                progress.attach(channel)
                try:
                    taken = reset_pin(channel, card, pins, journal, progress.begin)
                except Exception as error:
                    progress.end("failed")
                    return error
                progress.end("done")
                return taken

            outcome, _ = await asyncio.wrap_future(self._readers.write(order.card_reader, on_card))
            failure = outcome if isinstance(outcome, Exception) else None
            pin = pin if isinstance(outcome, Exception) else outcome
        except Exception as error:
            failure = error
        try:
            return await self._store.writer.run(
                lambda tx: self._finish(tx, order, reset, pin, failure, journal, stages)
            )
        except StoreError as error:
            # The row stays RUNNING without a job: the same call resumes it, and the next start marks it torn.
            log.error("the end of a PIN reset could not be recorded", exc_info=error)
            if failure is not None:
                return problem_of(failure, row.provision_id)[1]
            return unrecorded_problem(row.provision_id)

    def _open_row(self, tx: Transaction, order: _PinResetOrder) -> tuple[Row[Any], str]:
        """Makes or renews the durable row before anything is sent to the card; returns it with the PIN, kept sealed
        there."""
        row = self._resettable(tx.connection, order.row.provision_id)
        node = require_open(self._registry, tx, row.node_id)
        self._approvals.require(tx.connection, order.approval_id, PIN_RESET, row.provision_id, tx.now_us)
        attempt, context = row.attempt + 1, _context(order.approval_id)
        of_card = update(provision).where(provision.c.provision_id == row.provision_id)
        tx.connection.execute(of_card.values(attempt=attempt))
        known = _reset_of(tx.connection, order.approval_id)
        values: dict[str, object] = {
            "reader": order.card_reader.name,
            "state": "RUNNING",
            "operator": order.actor,
            "attempt": attempt,
            "stages": "[]",
            "finished_us": None,
            "code": None,
            "detail": None,
        }
        if known is not None and known.pin is not None:
            pin = self._store.sealer.open(PIN_PURPOSE, known.pin, context).decode()
        else:
            pin = new_pin(row.node_id, node.employee_id or "")
            values["pin"] = self._store.sealer.seal(PIN_PURPOSE, pin.encode(), context)
        if known is None:
            values |= {
                "approval_id": order.approval_id,
                "provision_id": row.provision_id,
                "started_us": tx.now_us,
            }
            tx.connection.execute(insert(pin_reset).values(**values))
        else:
            tx.connection.execute(
                update(pin_reset).where(pin_reset.c.approval_id == order.approval_id).values(**values)
            )
        reset = _reset_of(tx.connection, order.approval_id)
        if reset is None:
            raise LookupError(order.approval_id)
        tx.audit(
            BEGIN,
            actor=order.actor,
            node_id=row.node_id,
            request_id=order.request_id,
            detail={**_about(row, reset), "reader": order.card_reader.name, "attempt": attempt},
        )
        return reset, pin

    def _guard_announcement(self, tx: Transaction, order: _PinResetOrder) -> None:
        """Guards the transaction that announces the new PIN: checks that it may still be set, and destroys the old
        one."""
        require_open(self._registry, tx, order.row.node_id)
        self._approvals.require(tx.connection, order.approval_id, PIN_RESET, order.row.provision_id, tx.now_us)
        of_card = update(provision).where(provision.c.provision_id == order.row.provision_id)
        tx.connection.execute(of_card.values(pin=None))

    def _issued_card(self, row: Row[Any], identity: CardIdentity) -> IssuedCard:
        """The card as its record describes it."""
        slots = msgspec.json.decode(row.slots, type=list[SlotReply])
        slot = next(one for one in slots if one.slot == Slot.CARD_AUTHENTICATION.label)
        with self._store.read() as connection:
            der = certificates.certificate(connection, slot.certificate_sha256)
            way = self._stock.transport(connection, own_names(identity))
            puk = secret_draws(connection, uuid.UUID(row.card_guid), "puk")[0]
        guid = uuid.UUID(row.card_guid)
        return IssuedCard(
            guid=guid,
            certificate=x509.load_der_x509_certificate(der),
            algorithm=next(one for one in Algorithm if one.label == slot.algorithm),
            puk=self._master.puks(guid)[0 if puk is None else puk[1] - 1],
            channel=None if way.scp03 is None else key_source(way.scp03),
        )

    # --- the end ---

    def _finish(
        self,
        tx: Transaction,
        order: _PinResetOrder,
        reset: Row[Any],
        pin: str,
        error: Exception | None,
        journal: StepJournal,
        stages: Sequence[Stage],
    ) -> Problem | None:
        """Records the end of a reset; the problem to answer with, None for success."""
        journal.settle(tx)
        row = order.row
        if error is None:
            try:
                require_open(self._registry, tx, row.node_id)
                self._complete(tx, order, reset, pin, stages)
            except (NodeBarred, Problem) as kept:
                error = kept
            else:
                return None
        if isinstance(error, Problem):
            # The approval was withdrawn while the card was in work: another one may finish it, with another PIN.
            state: ProvisionState = "TORN"
            problem = error
        else:
            state, problem = problem_of(error, row.provision_id)
            if state == "REFUSED" and not journal.announced and not isinstance(error, NodeBarred):
                # Refused before PUK or PIN was sent: no try is spent, and the same call may try again.
                state = "TORN"
        self._end(tx, row, reset, state, problem, stages)
        extra = {**problem.extra, "provision_id": row.provision_id, "approval_id": reset.approval_id}
        return Problem(problem.code, problem.detail, headers=problem.headers, extra=extra)

    def _complete(
        self, tx: Transaction, order: _PinResetOrder, reset: Row[Any], pin: str, stages: Sequence[Stage]
    ) -> None:
        """Records a proven new PIN: it moves to the provisioning, and the approval is used up."""
        row, approval_id = order.row, reset.approval_id
        approver = self._approvals.use(
            tx, approval_id, PIN_RESET, row.provision_id, actor=order.actor, request_id=order.request_id
        )
        sealed = self._store.sealer.seal(PIN_PURPOSE, pin.encode(), pin_context(row.provision_id))
        of_card = update(provision).where(provision.c.provision_id == row.provision_id)
        tx.connection.execute(of_card.values(pin=sealed, mailer_us=None))
        # Torn resets of other approvals: their PIN is not on the card any more.
        others = (pin_reset.c.provision_id == row.provision_id, pin_reset.c.approval_id != approval_id)
        tx.connection.execute(update(pin_reset).where(*others).values(pin=None))
        over = {"state": "COMPLETE", "pin": None, "finished_us": tx.now_us, "stages": json_text(stages)}
        tx.connection.execute(update(pin_reset).where(pin_reset.c.approval_id == approval_id).values(**over))
        tx.audit(
            COMPLETE,
            actor=order.actor,
            node_id=row.node_id,
            request_id=order.request_id,
            detail={**_about(row, reset), "approver": approver},
        )
        tx.after_commit(lambda: self._publish(row, reset, "COMPLETE", None))

    def _end(
        self,
        tx: Transaction,
        row: Row[Any],
        reset: Row[Any],
        state: ProvisionState,
        problem: Problem,
        stages: Sequence[Stage],
    ) -> None:
        """Records a reset that failed, with its leaf."""
        values: dict[str, object] = {
            "state": state,
            "code": problem.code,
            "detail": problem.detail,
            "finished_us": tx.now_us,
            "stages": json_text(stages),
        }
        if state == "REFUSED":
            values["pin"] = None
        tx.connection.execute(update(pin_reset).where(pin_reset.c.approval_id == reset.approval_id).values(**values))
        tx.audit(
            TORN if state == "TORN" else REFUSE,
            actor=reset.operator,
            outcome=FAILED,
            node_id=row.node_id,
            detail={**_about(row, reset), "why": problem.detail},
        )
        tx.after_commit(lambda: self._publish(row, reset, state, None))

    def _publish(self, row: Row[Any], reset: Row[Any], state: ProvisionState, stage: Stage | None) -> None:
        self._tell(
            PinResetEvent(
                approval_id=reset.approval_id,
                provision_id=row.provision_id,
                node_id=row.node_id,
                reader=reset.reader,
                pin_reset=state,
                stage=stage,
            )
        )


def _reader_with(card_readers: Sequence[CardReader], row: Row[Any]) -> tuple[CardReader, CardIdentity]:
    """The reader with the card of this provisioning; 409 where there is none, or where it cannot be used now."""
    found = [
        (card_reader, card_reader.identity)
        for card_reader in card_readers
        if card_reader.present
        and card_reader.identity is not None
        and str(card_reader.identity.card_guid) == row.card_guid
    ]
    extra = {"provision_id": row.provision_id}
    if not found:
        sentence = f"Card {row.card_guid} of node {row.node_id} is in no reader; put this card in and call again."
        raise Problem("state_conflict", sentence, extra=extra)
    if len(found) > 1:
        readers = ", ".join(card_reader.name for card_reader, _ in found)
        sentence = f"Two cards answer to this card's GUID ({readers}); take the wrong one out."
        raise Problem("state_conflict", sentence, extra=extra)
    card_reader, identity = found[0]
    if card_reader.writing is not None:
        sentence = f"The card in {card_reader.name} is in work; wait for its end."
        raise Problem("state_conflict", sentence, extra=extra)
    # A reset mends a blocked PIN, and nothing else that is wrong with a card.
    if identity.state not in (CardState.PROVISIONED, CardState.LOCKED):
        sentence = (
            f"The card in {card_reader.name} is not as it was issued ({identity.detail}); have its re-issue approved."
        )
        raise Problem("state_conflict", sentence, extra=extra)
    return card_reader, identity


def _reset_of(connection: Connection, approval_id: str) -> Row[Any] | None:
    return connection.execute(select(pin_reset).where(pin_reset.c.approval_id == approval_id)).one_or_none()


def _about(row: Row[Any], reset: Row[Any]) -> dict[str, str]:
    return {"provision_id": row.provision_id, "card_guid": row.card_guid, "approval_id": reset.approval_id}


def _context(approval_id: str) -> bytes:
    return f"pin_reset.pin|{approval_id}".encode()
