"""Provisioning: one person's profile on one card, durable at every step, and proven before it counts as done.

A call is a durable row first and a task second: a caller that hangs up stops nothing, and the same call again joins the
write, resumes it, or gets the first reply. After a tear, keys whose public half was lost are made anew; PUK and
management key are derived again from the card's GUID, so the same call can open the torn card.
"""

from __future__ import annotations

import asyncio
import logging
import secrets as random
import time
from collections.abc import Callable

import msgspec
from sqlalchemy import select

from app.api.problems import Problem
from app.api.wire import FieldError
from app.approvals.service import Approvals
from app.capabilities.provisioning.card_listing import CardListing
from app.capabilities.provisioning.card_revocation import CardRevoker
from app.capabilities.provisioning.grants import IssuedCards
from app.capabilities.provisioning.issuer.card_issuer import CardIssuer
from app.capabilities.provisioning.issuer.card_secrets import CardMaster
from app.capabilities.provisioning.messages import (
    CardEvent,
    CardList,
    PinResetEvent,
    Provision,
    ProvisionBody,
    ProvisionEvent,
)
from app.capabilities.provisioning.paper.pin_mailers import PinMailers
from app.capabilities.provisioning.paper.receipts import Receipts
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders
from app.capabilities.provisioning.records import Records
from app.capabilities.provisioning.rows import find_provision, refused_provision
from app.capabilities.provisioning.stock.makers import PinnedMakers
from app.capabilities.provisioning.stock.policy import FipsNotMet, FipsPolicy
from app.capabilities.provisioning.stock.service import Stock
from app.capabilities.provisioning.tables import provision
from app.capabilities.provisioning.write.card_writer import CardWriter
from app.capabilities.provisioning.write.jobs import CardJobs, OnBegun, WriteJob
from app.capabilities.provisioning.write.lookup import Lookup, own_names
from app.capabilities.provisioning.write.order import BARRED, WriteOrder
from app.capabilities.provisioning.write.pin_reset import PinResets
from app.capabilities.provisioning.write.progress import waiting_stage
from app.capabilities.provisioning.write.reissue import Reissues
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus, LiveChecks
from app.pki.crl import RevocationLists
from app.pki.document_signer import DocumentSigner
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.writer import FAILED, Transaction
from hardware.cards import pcscd
from hardware.cards.fips import ACCEPTED_FORMS, FipsDemand, FipsDemandError
from hardware.cards.steps import STEPS

log = logging.getLogger(__name__)

ANSWER_S = 25.0
"""The caller waits this long, then gets 202; the same call joins the write."""
STOP_S = 15.0
"""A stopping service waits this long for cards that are being written; what is not done then is torn and can be
resumed."""


class Provisioning:
    """The capability: which card may be written for which node, and every write that is under way.

    Order of life: construct, ``start`` on the loop, ``stop``.
    """

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        issuer: CardIssuer,
        master: CardMaster,
        cursors: Cursors,
        bus: EventBus,
        live_checks: LiveChecks,
        approvals: Approvals,
        readers: Callable[[Callable[[CardReader], None]], CardReaders],
        *,
        receipts: DocumentSigner,
        lists: RevocationLists,
        alarms: AlarmBook,
        fips: FipsPolicy | None = None,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._bus = bus
        self._answer_s = answer_s
        self.readers = readers(self._card_changed)
        self.records = Records(site, store, registry, cursors)
        self.holder = IssuedCards(store)
        self._lists = lists
        self.revoker = CardRevoker(site, store, registry, self.records, lists)
        self.mailers = PinMailers(site, store, registry)
        reissues = Reissues(registry, approvals)
        self._lookup = Lookup(store, self.readers, self.records, reissues)
        self.stock = Stock(store, cursors)
        self.listing = CardListing(store, registry, self.readers, self.stock)
        self.receipts = Receipts(store)
        self._fips = fips if fips is not None else FipsPolicy.open(site)
        self.makers = PinnedMakers(site, store, self._fips, alarms)
        self._writer = CardWriter(
            site,
            store,
            registry,
            issuer,
            master,
            live_checks,
            self.stock,
            self._fips,
            receipts,
            reissues,
            self.readers,
            self._publish,
        )
        self._jobs = CardJobs(self.readers)
        self.resets = PinResets(
            site,
            store,
            registry,
            approvals,
            master,
            self.stock,
            self.readers,
            self._jobs,
            self._publish,
            answer_s=answer_s,
        )

    async def start(self) -> None:
        """Marks the provisionings that a dead process left RUNNING as torn, states who is trusted where the log says
        otherwise, then watches the readers."""

        def job(tx: Transaction) -> None:
            left = tx.connection.execute(select(provision).where(provision.c.state == "RUNNING")).all()
            for row in left:
                self._writer.finisher.fail(
                    tx, row, "TORN", "The service stopped while the card was being written.", FAILED
                )

            self.makers.state_in(tx)

        await self._store.writer.run(job)
        await self.resets.recover()
        self.readers.start()

    async def stop(self) -> None:
        """Takes no more cards, lets those in work finish, and releases the readers."""
        await self._jobs.stop(STOP_S)
        await asyncio.to_thread(self.readers.stop)

    # --- cards ---

    async def cards(self, *, again: bool = False) -> CardList:
        """Every reader with the card in it; ``again``: cards that could not be used are looked at once more."""
        card_readers = await self.readers.settle(again=again)
        service, detail = self.readers.service()
        return CardList(
            items=[self.listing.card(card_reader) for card_reader in card_readers],
            service=service,
            detail=detail,
            trouble=pcscd.trouble(detail or "") if service == "down" else None,
            restarts=self.readers.restarts,
        )

    def _card_changed(self, card_reader: CardReader) -> None:
        self._publish(CardEvent(card=self.listing.card(card_reader)))

    def _publish(self, body: CardEvent | ProvisionEvent | PinResetEvent) -> None:
        self._bus.publish(Event("card", body, time.time_ns() // 1000))
        if isinstance(body, ProvisionEvent) and body.state != "RUNNING":
            # What the write revoked, or gave back, relying parties must learn.
            self._lists.hasten()

    # --- provision ---

    async def provision(
        self,
        body: ProvisionBody,
        *,
        actor: str,
        request_id: str,
        card_reader: CardReader | None = None,
        batch_id: str | None = None,
    ) -> tuple[Provision, int]:
        """Writes the card, joins a write under way, resumes a torn one, or gives the stored reply of a finished one.

        ``card_reader``: the card was chosen already, and no other reader is waited for. Returns the reply and 200, or
        202 while the write goes on. A finished write, this call's or an earlier one's, is judged by this call's demand:
        422 if it does not meet it. Raises the contract's problems; every one that comes after the first write carries
        ``provision_id``.
        """
        demand = self.demand(body.fips_standard)
        reply, status = await self._provide(
            body, demand, actor=actor, request_id=request_id, card_reader=card_reader, batch_id=batch_id
        )
        if status != 200:
            return reply, status
        with self._store.read() as connection:
            element = self.stock.of(connection, {reply.hardware_uid})
        try:
            return msgspec.structs.replace(reply, fips=self._fips.require(demand, reply.fips, element)), status
        except FipsNotMet as refusal:
            problem = await self._writer.refuse_unmet(body, refusal, actor=actor, request_id=request_id)
        problem.extra = {**(problem.extra or {}), "provision_id": reply.provision_id}
        raise problem

    async def _provide(
        self,
        body: ProvisionBody,
        demand: FipsDemand,
        *,
        actor: str,
        request_id: str,
        card_reader: CardReader | None,
        batch_id: str | None,
    ) -> tuple[Provision, int]:
        """The stored reply, or the write that was joined, resumed or begun."""
        # Waiting for the readers counts too: the answer must be out before the server's own limit.
        until = asyncio.get_running_loop().time() + self._answer_s
        with self._store.read() as connection:
            self._registry.require_node(connection, body.node_id)
            record = find_provision(connection, body.node_id, {body.hardware_uid})
        if record is not None and (running := self._jobs.get(record.provision_id)) is not None:
            return await self._join(running, until)
        self._jobs.refuse_when_stopping()
        card_readers = await self.readers.settle(again=True) if card_reader is None else self._same_card(card_reader)
        # From here to the job's registration nothing may await: two calls would both begin.
        with self._store.read() as connection:
            node = self._registry.require_node(connection, body.node_id)
            record = find_provision(connection, body.node_id, {body.hardware_uid})
        if record is not None and (running := self._jobs.get(record.provision_id)) is not None:
            return await self._join(running, until)
        if node.standing in BARRED:
            raise Problem(
                "state_conflict", f"Node {body.node_id} is {BARRED[node.standing]}; no card is written for it."
            )
        with self._store.read() as connection:
            refused = None if record is not None else refused_provision(connection, body.node_id, body.hardware_uid)
        found = self._lookup.find(card_readers, body.hardware_uid, record or refused)
        if found is None and refused is not None and not body.hardware_uid.startswith("reader:"):
            raise self._lookup.refused_before(refused)
        if found is None:
            return self._lookup.without_card(body.hardware_uid, record), 200
        if found.writing is not None:
            return await self._join_other(found, body.node_id, until)
        identity = self._lookup.identity(found)
        resumed, freed = self._lookup.judge(identity, body, record)
        if resumed is not None:
            if (running := self._jobs.get(resumed.provision_id)) is not None:
                return await self._join(running, until)
            if resumed.state == "COMPLETE":
                return self.records.get(resumed.provision_id), 200
        with self._store.read() as connection:
            self.stock.usable(connection, own_names(identity))
        self._jobs.refuse_when_stopping()
        provision_id = resumed.provision_id if resumed is not None else f"prv_{random.token_hex(8)}"
        order = WriteOrder(provision_id, body, found, identity, resumed, demand, actor, request_id, batch_id, freed)
        return await self._join(self._begin(order), until)

    def _same_card(self, card_reader: CardReader) -> list[CardReader]:
        """The reader as it is now; none if its card was moved since it was chosen."""
        now = self.readers.get(card_reader.name)
        return [] if now is None or now.changes != card_reader.changes else [now]

    def _begin(self, order: WriteOrder) -> WriteJob:
        """Holds the reader and starts the write; the same call joins it from now on."""
        stages = [waiting_stage(step) for step in STEPS]

        async def work(on_begun: OnBegun) -> Problem | None:
            try:
                return await self._writer.write(order, stages, on_begun)
            finally:
                del self.records.running[order.provision_id]

        self.records.running[order.provision_id] = stages
        job = WriteJob(order.provision_id, order.provision_id, order.body.node_id, order.card_reader.name)
        return self._jobs.begin(job, work)

    async def _join(self, job: WriteJob, until: float) -> tuple[Provision, int]:
        ended = await self._jobs.wait_for(job, until)
        return self.records.get(job.provision_id), 200 if ended else 202

    async def _join_other(self, card_reader: CardReader, node_id: str, until: float) -> tuple[Provision, int]:
        """Joins the write that holds this reader, if it is the same node's; 409 otherwise."""
        job = self._jobs.get(card_reader.writing or "")
        if job is None:
            raise Problem("state_conflict", f"The card in {card_reader.name} gets a new PIN; wait for its end.")
        if job.node_id == node_id:
            return await self._join(job, until)
        raise Problem(
            "state_conflict", f"The card in {card_reader.name} is being written for another node; wait for its end."
        )

    def demand(self, text: str) -> FipsDemand:
        """The parsed demand; 422 with the accepted forms."""
        try:
            return FipsDemand.parse(text)
        except FipsDemandError:
            forms = "; ".join(ACCEPTED_FORMS)
            detail = f"Name the standard in one of these forms: {forms}."
            raise Problem("invalid_body", detail, [FieldError(pointer="/fips_standard", detail=detail)]) from None
