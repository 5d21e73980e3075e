"""A small real site that writes cards: store, ledger, keys, registry, authority, in-process readers, HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import re
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import httpx
from sqlalchemy import Row, select

from app.api.context import Context
from app.api.health import OPERATIONS as HEALTH
from app.api.keys_messages import CreateKey
from app.api.keys_operations import OPERATIONS as KEYS
from app.api.operation import Caller, Clearance, Rate
from app.api.problems import Problem
from app.api.rates import RateRule, Rates
from app.approvals.messages import ApprovalBody, ApprovalKind
from app.approvals.service import Approvals
from app.capabilities.provisioning.issuer.card_certificates import CardRevocations
from app.capabilities.provisioning.issuer.card_issuer import CardIssuer
from app.capabilities.provisioning.issuer.card_secrets import CardMaster
from app.capabilities.provisioning.messages import Provision, ProvisionBody
from app.capabilities.provisioning.operations import OPERATIONS
from app.capabilities.provisioning.readers.card_readers import CardReaders, ReaderFamily
from app.capabilities.provisioning.service import ANSWER_S, Provisioning
from app.capabilities.provisioning.stock.policy import FipsPolicy
from app.capabilities.provisioning.tables import card_certificate, provision, provision_step
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.ledger.log.append import AuditLog
from app.pki.crl import RevocationLists
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority
from app.registry.denyset import Cause
from app.registry.messages.nodes import NodeBody
from app.registry.service import Registry, now_us
from app.service import serving as serve
from app.site.site import Profile, Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Kek, Keys
from app.store.writer import Transaction
from hardware.cards.inprocess import InProcessBackend, InsertableCard
from hardware.cards.software import CardAbsent, Quirks, SoftwareCard
from tests.door_site import until
from tests.unrelated_keys import UnrelatedKeys

CardT = TypeVar("CardT", bound=InsertableCard)

READER, SECOND = "Reader 1", "Reader 2"
ACTOR = "key-test"
APPROVER = "key-approves"
WRITER = Caller(ACTOR, Clearance.SOVEREIGN, "desk")
FIPS = "FIPS 140-3 Level 2"
NAMELESS = Quirks(refusals={0xF8: 0x6D00, 0xF9: 0x6D00}, cplc_status=0x6A88)
"""A card that names itself by nothing but its GUID, once it has one."""


def pin_on(mailer: bytes) -> str:
    """The PIN that a reader of PDF finds on the mailer."""
    read = subprocess.run(["pdftotext", "-layout", "-", "-"], input=mailer, capture_output=True, check=True).stdout
    found = re.search(r"PIN (\d{8})", read.decode())
    assert found is not None
    return found[1]


class PulledCard(Generic[CardT]):
    """A card that is pulled out of its reader once, before or after the APDU that `at` points out."""

    def __init__(self, card: CardT) -> None:
        self.card = card
        self.sent: list[bytes] = []
        self._at: Callable[[int, bytes], bool] | None = None
        self._after = False

    def arm(self, at: Callable[[int, bytes], bool], *, after: bool) -> None:
        """Watch from now on: `at` gets the number of the APDU, from 1, and its bytes."""
        self.sent, self._at, self._after = [], at, after

    @property
    def pulled(self) -> bool:
        """Whether the switch went off."""
        return self._at is None

    @property
    def atr(self) -> bytes:
        return self.card.atr

    def power(self, on: bool) -> None:
        self.card.power(on)

    def transmit(self, apdu: bytes) -> bytes:
        self.sent.append(apdu)
        if self._at is None or not self._at(len(self.sent), apdu):
            return self.card.transmit(apdu)
        self._at = None
        if self._after:
            self.card.transmit(apdu)
        self.card.power(False)
        raise CardAbsent


class GatedCard:
    """A software card that stops at APDU ``at`` (counted from ``arm``) until it is let go on."""

    def __init__(self, card: SoftwareCard) -> None:
        self.card = card
        self.reached = threading.Event()
        self.open = threading.Event()
        self.count = 0
        self._at: int | None = None

    def arm(self, at: int) -> None:
        """Stop before the ``at``-th APDU from now."""
        self.count, self._at = 0, at
        self.reached.clear()
        self.open.clear()

    @property
    def atr(self) -> bytes:
        return self.card.atr

    def transmit(self, apdu: bytes) -> bytes:
        self.count += 1
        if self.count == self._at:
            self._at = None
            self.reached.set()
            assert self.open.wait(20)
        return self.card.transmit(apdu)

    def power(self, on: bool) -> None:
        self.card.power(on)


class Desk:
    """The open parts of one data directory. ``running`` writes cards on the test's own loop."""

    def __init__(self, data_dir: Path, profile: Profile = "training") -> None:
        # A production site asks for a keyring or a passphrase; the key is given here in either case.
        self.site = Site.open(data_dir, profile)
        self.keys = Keys(self.site.keys_path, Kek(bytes(32)))
        log = AuditLog(self.site.origin("audit"), self.keys.ed25519("audit"))
        self.store = Store.open(self.site.store_path, log, sealer=self.keys.sealer)
        self.bus = EventBus()
        self.events: list[Event] = []
        self.bus.subscribe(self.events.append)
        self.cursors = Cursors(self.keys.secret("cursor"))
        self.registry = Registry(self.site, self.store, self.keys, self.cursors)
        self.registry.load()
        self.alarms = AlarmBook(self.store, self.bus)
        self.approvals = Approvals(
            self.store,
            self.cursors,
            self.alarms,
            ttl_s=self.site.settings.approval_ttl_s,
            lines=UnrelatedKeys,
        )
        authority, signer = open_authority(self.site, self.store, self.keys)
        self.authority = authority
        self.receipts = DocumentSigner.open(self.store, self.keys, authority)
        self.lists = RevocationLists(self.store, authority.root, lifetime_s=86_400)
        self.lists.add_source(CardRevocations())
        self.issuer = CardIssuer(authority, signer, self.keys)
        self.master = CardMaster(self.keys.secret("card-master"))
        self._nodes = 0

    def close(self) -> None:
        self.store.close()
        self.keys.close()

    def write(self, job: Callable[[Transaction], Any]) -> Any:
        """One transaction."""
        return self.store.writer.submit(job).result()

    def node(self, node_id: str | None = None, **body: Any) -> str:
        """A registered node; a new one unless named."""
        self._nodes += 1
        name = node_id or f"ARC-DESK-{self._nodes:04}"
        shown = body.pop("display_name", f"Training Person {self._nodes:02}")
        self.write(lambda tx: self.registry.nodes.put_in(tx, name, NodeBody(display_name=shown, **body), ACTOR))
        return name

    def deny(self, node_id: str, cause: Cause, provisioning: Provisioning | None = None) -> None:
        """What a burn or a containment does first; with ``provisioning`` its grants are revoked in the same commit."""

        def job(tx: Transaction) -> None:
            self.registry.deny.store(tx, node_id, cause, "burn-test")
            if provisioning is not None:
                provisioning.holder.revoke(tx, node_id, "burn-test")

        self.registry.deny.deny(node_id, cause, "burn-test")
        self.write(job)

    def provisioning(
        self, *backends: ReaderFamily, answer_s: float = ANSWER_S, fips: FipsPolicy | None = None
    ) -> Provisioning:
        """A service on these readers, not started."""
        return Provisioning(
            self.site,
            self.store,
            self.registry,
            self.issuer,
            self.master,
            self.cursors,
            self.bus,
            self.registry.standing,
            self.approvals,
            lambda on_change: CardReaders(backends, self.issuer.authorities, on_change),
            receipts=self.receipts,
            lists=self.lists,
            alarms=self.alarms,
            fips=fips,
            answer_s=answer_s,
        )

    @contextlib.asynccontextmanager
    async def running(
        self,
        cards: Mapping[str, InsertableCard] | None = None,
        *,
        answer_s: float = ANSWER_S,
        fips: FipsPolicy | None = None,
    ) -> AsyncIterator[CardTable]:
        """A started service with these cards in its readers, all of them seen."""
        backend = InProcessBackend([READER, SECOND])
        service = self.provisioning(ReaderFamily(backend, simulated=True, service=False), answer_s=answer_s, fips=fips)
        table = CardTable(self, service, backend)
        await service.start()
        try:
            for reader, card in (cards or {}).items():
                await table.insert(card, reader)
            yield table
        finally:
            await service.stop()

    async def asked(self, kind: ApprovalKind, provision_id: str) -> str:
        """A request by one key."""
        body = ApprovalBody(kind=kind, provision_id=provision_id, reason="asked for in a test")
        made, _ = await self.approvals.request(body, actor="key-asks")
        return made.approval_id

    async def approved(self, kind: ApprovalKind, provision_id: str) -> str:
        """A request by one key, approved by another."""
        approval_id = await self.asked(kind, provision_id)
        await self.approvals.approve(approval_id, actor=APPROVER)
        return approval_id

    def state(self, approval_id: str) -> str:
        """The state of an approval."""
        return self.approvals.get(approval_id, now_us(), actor=ACTOR).state

    def rows(self, provision_id: str) -> Row[Any]:
        """The provisioning's row."""
        with self.store.read() as connection:
            return connection.execute(select(provision).where(provision.c.provision_id == provision_id)).one()

    def count(self) -> int:
        """Provisionings in the store."""
        with self.store.read() as connection:
            return len(connection.execute(select(provision.c.provision_id)).all())

    def steps(self, provision_id: str) -> list[Row[Any]]:
        """The journal of a provisioning, in order."""
        table = provision_step
        with self.store.read() as connection:
            return list(
                connection.execute(
                    select(table).where(table.c.provision_id == provision_id).order_by(table.c.attempt, table.c.n)
                )
            )

    def certificates(self, provision_id: str, *, live: bool = False) -> list[Row[Any]]:
        """Certificates issued under a provisioning; ``live``: those not revoked."""
        with self.store.read() as connection:
            rows = connection.execute(
                select(card_certificate).where(card_certificate.c.provision_id == provision_id)
            ).all()
        return [row for row in rows if not live or row.revoked_us is None]

    def leaves(self, node_id: str) -> list[str]:
        """Actions audited under the node, in order."""
        with self.store.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT w.text FROM audit_entry e JOIN log_word w ON w.id = e.action "
                "JOIN log_word n ON n.id = e.node WHERE n.text = ? ORDER BY e.seq",
                (node_id,),
            )
            return [row[0] for row in rows]

    @contextlib.contextmanager
    def served(self, service: Provisioning) -> Iterator[httpx.Client]:
        """``service`` behind the real HTTP server of this process; a client with a Sovereign key."""
        context = Context.open(self.store, self.keys, self.site.settings, training=True, request_log=False)
        context.rates = Rates({rate: RateRule(100_000.0, 100_000) for rate in Rate})
        key = context.keyring.create_now(CreateKey(label="test", clearance="sovereign"), actor="test").key
        services = {"health": context.health, "keys": context.keyring, "provisioning": service}
        rows = [row for row in OPERATIONS if row.capability in services]
        assembly = serve.Assembly((*HEALTH, *KEYS, *rows), services, context, service.start, service.stop)
        read_end, write_end = os.pipe()
        stdin, ready = os.fdopen(read_end, "rb"), _Ready()
        launch = serve.Launch(supervised=True, stdin=stdin, stdout=ready)
        listener = serve.bind("127.0.0.1", 0)
        thread = threading.Thread(target=lambda: asyncio.run(serve._serve(assembly, listener, launch)), name="served")
        thread.start()
        try:
            assert ready.event.wait(10)
            base_url = json.loads(ready.getvalue())["base_url"]
            headers = {"Authorization": f"Bearer {key}"}
            with httpx.Client(base_url=base_url, headers=headers, trust_env=False, timeout=30) as client:
                yield client
        finally:
            os.close(write_end)
            thread.join(20)
            stdin.close()
            listener.close()
        assert not thread.is_alive()


class CardTable:
    """The started service, its readers, and what a person at the desk does."""

    def __init__(self, desk: Desk, service: Provisioning, backend: InProcessBackend) -> None:
        self.desk = desk
        self.service = service
        self.backend = backend

    async def insert(self, card: InsertableCard, reader: str = READER) -> None:
        """Puts a card in, and waits until the service knows it."""
        self.backend.insert(reader, card)
        await self.service.readers.wait_for_card(reader, present=True)
        await self.service.readers.settle()

    async def remove(self, reader: str = READER) -> None:
        """Takes the card out, and waits until the service knows it."""
        self.backend.remove(reader)
        await self.service.readers.wait_for_card(reader, present=False)

    def changes(self, reader: str = READER) -> int:
        """How often the service has noticed that another card may be in the reader."""
        known = self.service.readers.get(reader)
        assert known is not None
        return known.changes

    async def noticed(self, before: int, reader: str = READER) -> None:
        """Waits until the service has noticed that the card tore after ``before`` changes, and has identified it again:
        until then commands go to the card that no call asked for."""
        await until(lambda: self.changes(reader) > before)
        await self.service.readers.settle()

    async def call(self, node_id: str, uid: str = f"reader:{READER}", fips: str = FIPS) -> tuple[Provision, int]:
        """The provision call."""
        body = ProvisionBody(node_id=node_id, hardware_uid=uid, fips_standard=fips)
        return await self.service.provision(body, actor=ACTOR, request_id="req_test")

    async def done(self, node_id: str, uid: str = f"reader:{READER}") -> Provision:
        """The reply of a call that must finish; on a slow machine a desk that answers soon is asked again."""
        for left in reversed(range(100)):
            try:
                reply, status = await self.call(node_id, uid)
            except Problem as problem:
                if problem.code != "dependency_unavailable" or not left:
                    raise
                continue
            if status != 202:
                break
        assert (status, reply.state) == (200, "COMPLETE")
        return reply

    async def refused(self, node_id: str, uid: str = f"reader:{READER}", fips: str = FIPS) -> Problem:
        """The problem of a call that must not."""
        try:
            reply, status = await self.call(node_id, uid, fips)
        except Problem as problem:
            return problem
        raise AssertionError(f"answered {status} {reply.state}")

    async def reached(self, card: GatedCard) -> None:
        """The write stands at the card's gate."""
        assert await asyncio.to_thread(card.reached.wait, 20)


class _Ready(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.event = threading.Event()

    def flush(self) -> None:
        super().flush()
        if self.getvalue():
            self.event.set()
