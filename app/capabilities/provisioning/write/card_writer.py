"""One write: its durable row, every step of the card, and its end in one transaction."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from cryptography import x509
from sqlalchemy import Row

from app.api.problems import Problem
from app.capabilities.provisioning.issuer.card_certificates import IssuedCertificate
from app.capabilities.provisioning.issuer.card_issuer import CardIssuer
from app.capabilities.provisioning.issuer.card_secrets import CardMaster
from app.capabilities.provisioning.issuer.logon_claims import logon_claims
from app.capabilities.provisioning.messages import ProvisionBody, ProvisionEvent, Stage
from app.capabilities.provisioning.paper.printed_information import affiliation_and_issuer, serial_of
from app.capabilities.provisioning.readers.card_readers import CardReaders
from app.capabilities.provisioning.stock.policy import FipsNotMet, FipsPolicy
from app.capabilities.provisioning.stock.service import Stock
from app.capabilities.provisioning.write.card_keys import CardKeys, OfferedKeys
from app.capabilities.provisioning.write.finish import WriteFinisher, Written
from app.capabilities.provisioning.write.journal import AcknowledgedSteps, StepJournal
from app.capabilities.provisioning.write.lookup import own_names
from app.capabilities.provisioning.write.order import REFUSE, WriteOrder, open_row, require_open
from app.capabilities.provisioning.write.outcome import NodeBarred, problem_of, unrecorded_problem
from app.capabilities.provisioning.write.preflight import Preflight
from app.capabilities.provisioning.write.progress import StepProgress, waiting_stage
from app.capabilities.provisioning.write.reissue import Reissues
from app.delivery.events import LiveChecks
from app.pki.authority import LogonClaims
from app.pki.document_signer import DocumentSigner
from app.registry.service import Registry
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import DENIED, Transaction
from hardware.cards.apdu import ApduChannel, ApduTrace
from hardware.cards.backend import CardConnection, CardError
from hardware.cards.cms import ContentSigner
from hardware.cards.fips import Module
from hardware.cards.identify import CardIdentity
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import Algorithm, PublicKey, Slot
from hardware.cards.profile import Profile
from hardware.cards.steps import steps

log = logging.getLogger(__name__)

_ALGORITHMS = {algorithm.label: algorithm for algorithm in Algorithm}


class CardWriter:
    """Writes cards and records the outcome. ``tell`` is called with each step, on the card's thread."""

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
        receipts: DocumentSigner,
        reissues: Reissues,
        readers: CardReaders,
        tell: Callable[[ProvisionEvent], None],
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._issuer = issuer
        self._fips = fips
        self._stock = stock
        self._reissues = reissues
        self._readers = readers
        self._tell = tell
        self._preflight = Preflight(site, store, stock, fips, readers)
        self._keys = CardKeys(site, store, master, stock)
        self.finisher = WriteFinisher(site, registry, live_checks, stock, receipts, tell)

    async def write(self, order: WriteOrder, stages: list[Stage], on_begun: Callable[[], None]) -> Problem | None:
        """One write; the problem to answer with, if any. ``on_begun`` is called when its row is there."""
        known = None if order.resumed is None else uuid.UUID(order.resumed.card_guid)
        barrier = self._keys.refusal(known or order.identity.card_guid, order.identity)
        if barrier is not None:
            locked, record = barrier
            return Problem("card_locked", f"{locked}.", extra={"provision_id": record.provision_id})
        unfit = self._keys.unfit(known or order.identity.card_guid, order.identity)
        if unfit is not None:
            return await self._quarantine_again(order.identity, *unfit)
        pin_was_sealed = order.resumed is not None and order.resumed.pin is not None
        try:
            judged = await self._preflight.judge(order.card_reader, order.identity, order.demand)
            row, node, pin = await self._store.writer.run(
                lambda tx: open_row(tx, order, judged.verdict, self._registry, self._reissues, self._store.sealer)
            )
        except Problem as problem:
            return problem
        except NodeBarred as barred:
            return Problem("state_conflict", str(barred))
        except FipsNotMet as refusal:
            return await self.refuse_unmet(order.body, refusal, actor=order.actor, request_id=order.request_id)
        except StoreError as error:
            return Problem("dependency_unavailable", str(error), headers={"Retry-After": "5"})
        except CardError as error:
            return Problem("state_conflict", f"{error}. {error.remedy()}")
        on_begun()
        stages[:] = [waiting_stage(step) for step in steps(approved_first=judged.approved_first)]
        journal = StepJournal(
            self._store,
            row.provision_id,
            row.node_id,
            row.attempt,
            lambda tx: require_open(self._registry, tx, row.node_id),
        )
        progress = StepProgress(stages, lambda stage: self._publish_step(row, stage))
        trace = ApduTrace()
        identity: CardIdentity | None = None
        offered: OfferedKeys | None = None
        try:
            guid = uuid.UUID(row.card_guid)
            profile = self._profile(row.node_id, node.display_name, guid, judged.module)
            resume = self._resume(row, order.identity)
            offered = self._keys.of(row, pin, order.identity, pin_was_sealed=pin_was_sealed and resume is not None)
            gate = self._preflight.gate(judged, order.identity, order.demand)
            with self._store.read() as connection:
                accounts = self._registry.nodes.accounts(connection, row.node_id)
            logon = logon_claims(self._site.settings.card_logon, row.node_id, node.email, accounts)
            personalizer = Personalizer(
                _RecordingIssuer(self._issuer, journal, logon), progress.begin, makers=self._fips.makers, gate=gate
            )

            def on_card(connection: CardConnection) -> Written:
                channel = ApduChannel(connection, self._readers.memory)
                progress.attach(channel)
                try:
                    result = personalizer.run(channel, profile, offered.secrets, journal, order.identity, resume)
                except Exception as error:
                    progress.end("failed")
                    return Written(None, error, channel.trace)
                progress.end("done")
                return Written(result, None, channel.trace)

            written, identity = await asyncio.wrap_future(self._readers.write(order.card_reader, on_card))
        except Exception as error:
            written = Written(None, error, trace)
        refused = () if offered is None else offered.refused_by(written.error)
        now = identity or order.identity
        names = own_names(order.identity) | own_names(now)
        drawn = None
        if offered is not None and written.result is not None and written.result.pin_draw > 1:
            drawn = self._keys.seal_pin(row, pin, written.result.pin_draw)
        try:
            return await self._store.writer.run(
                lambda tx: self.finisher.finish(
                    tx, row, written, now, journal, stages, judged.verdict, names, refused, drawn
                )
            )
        except StoreError as error:
            # The row stays RUNNING without a job: readers and the next start take it for torn.
            log.error("the end of a write could not be recorded", exc_info=error)
            if written.error is not None:
                return problem_of(written.error, row.provision_id)[1]
            return unrecorded_problem(row.provision_id)

    async def _quarantine_again(self, identity: CardIdentity, sentence: str, record: Row[Any]) -> Problem:
        """Quarantines the element of a card that can never be this site's, and was released; the problem to answer
        with."""
        try:
            await self._store.writer.run(
                lambda tx: self._stock.follow(
                    tx, own_names(identity), record.provision_id, issued=False, detail=sentence
                )
            )
        except StoreError as error:
            return Problem("dependency_unavailable", str(error), headers={"Retry-After": "5"})
        return Problem("state_conflict", sentence, extra={"provision_id": record.provision_id})

    async def refuse_unmet(
        self, body: ProvisionBody, refusal: FipsNotMet, *, actor: str, request_id: str | None
    ) -> Problem:
        """Audits that the element does not meet the demand; the problem to answer with."""
        verdict = refusal.verdict

        def job(tx: Transaction) -> None:
            tx.audit(
                REFUSE,
                actor=actor,
                outcome=DENIED,
                node_id=body.node_id,
                request_id=request_id,
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

    def _profile(self, node_id: str, display_name: str, guid: uuid.UUID, module: Module | None) -> Profile:
        """What is written on the card, by the site's settings and the row of its module."""
        wanted = datetime.now(UTC) + timedelta(days=self._site.settings.card_validity_days)
        affiliation, issuer = affiliation_and_issuer(training=self._site.training)
        return Profile(
            node_id=node_id,
            display_name=display_name,
            issuer=issuer,
            expires=min(wanted, self._issuer.latest_end).replace(microsecond=0),
            affiliation=affiliation,
            serial=serial_of(str(guid)),
            guid=guid,
            algorithms=dict.fromkeys(Slot, tuple(_ALGORITHMS[name] for name in self._site.settings.card_algorithms)),
            approved_first=module is not None and module.approved_first,
            management_command=None if module is None else module.management_key,
        )

    def _resume(self, row: Row[Any], identity: CardIdentity) -> AcknowledgedSteps | None:
        """What earlier attempts did on this very card; None after an attempt whose proof failed."""
        if row.attempt == 1 or row.unproven or str(identity.card_guid) != row.card_guid:
            return None
        with self._store.read() as connection:
            return AcknowledgedSteps(connection, row.provision_id)

    def _publish_step(self, row: Row[Any], stage: Stage) -> None:
        self._tell(
            ProvisionEvent(
                provision_id=row.provision_id, node_id=row.node_id, reader=row.reader, state="RUNNING", stage=stage
            )
        )


class _RecordingIssuer:
    """The site's issuer for one card: it adds each certificate to the card's journal."""

    def __init__(self, issuer: CardIssuer, journal: StepJournal, logon: LogonClaims) -> None:
        self._issuer = issuer
        self._journal = journal
        self._logon = logon

    @property
    def authorities(self) -> Sequence[x509.Certificate]:
        return self._issuer.authorities

    @property
    def content_signer(self) -> ContentSigner:
        return self._issuer.content_signer

    def issue(self, slot: Slot, public_key: PublicKey, guid: uuid.UUID, profile: Profile) -> bytes:
        der = self._issuer.issue(slot, public_key, guid, profile, self._logon)
        not_after = int(x509.load_der_x509_certificate(der).not_valid_after_utc.timestamp()) * 1_000_000
        self._journal.add_certificate(IssuedCertificate(slot.label, der, not_after))
        return der
