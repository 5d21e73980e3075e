"""A real training site with infrastructure and gateway over store, log and registry; served on loopback when asked."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
from cryptography.hazmat.primitives.asymmetric import ec

from app.api.context import Context
from app.api.health import OPERATIONS as HEALTH
from app.api.keys_messages import CreateKey
from app.api.keys_operations import OPERATIONS as KEYS
from app.api.operation import Rate
from app.api.rates import RateRule, Rates
from app.capabilities.gateway.actions.operations import OPERATIONS as PERMITS
from app.capabilities.gateway.actions.service import Permits
from app.capabilities.gateway.actions.token import PermitTokens
from app.capabilities.gateway.audit.operations import OPERATIONS as AUDIT
from app.capabilities.gateway.audit.service import AuditQueries
from app.capabilities.gateway.telemetry.operations import OPERATIONS as TELEMETRY
from app.capabilities.gateway.telemetry.service import Telemetry
from app.capabilities.gateway.telemetry.stream import Hub
from app.capabilities.infrastructure.identity import TlsIdentity, server_identity
from app.capabilities.infrastructure.listener import FrameServer, FrameSpec
from app.capabilities.infrastructure.operations import OPERATIONS as INFRASTRUCTURE
from app.capabilities.infrastructure.service import Infrastructure
from app.delivery.alarms import AlarmBook
from app.delivery.deliveries import Deliveries
from app.delivery.delivery_rows import DeliveryRows
from app.delivery.events import Event, EventBus
from app.delivery.notice_rows import NoticeRows
from app.delivery.notices import Notices
from app.delivery.operations import OPERATIONS as DELIVERY
from app.delivery.outbox import Outbox
from app.delivery.published_keys import PublishedKeys
from app.delivery.site_mail import SiteMail
from app.ledger.log.append import AuditLog
from app.ledger.query.query import AuditIndex, EntryCriteria, LoggedEntry
from app.pki.authority import Root, SiteAuthority, make_root
from app.registry.messages.peers import PeerBody
from app.registry.service import Registry
from app.service import serving as serve
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Keys, find_kek

OWN = "ARC-SITE-TEST"
PLENTY = {rate: RateRule(100_000.0, 100_000) for rate in Rate}
T = TypeVar("T")


def authority(site: str = "training.site.invalid") -> SiteAuthority:
    """A fresh training root."""
    key = ec.generate_private_key(ec.SECP256R1())
    return SiteAuthority(Root(make_root(key, training=True, site=site, now=datetime.now(UTC)), key), training=True)


def until(what: Callable[[], T], *, seconds: float = 20.0) -> T:
    """Waits for an outside party to make ``what`` true; its value."""
    end = time.monotonic() + seconds
    while True:
        value = what()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("did not come to pass")
        time.sleep(0.01)


class WatchSite:
    """The parts of one data directory, joined as the assembly does."""

    def __init__(self, data_dir: Path, *, interval_s: float = 0.1, ring: int = 4096) -> None:
        self.site = Site.open(data_dir, "training")
        self.keys = Keys(self.site.keys_path, find_kek(self.site))
        self.log = AuditLog(self.site.origin("audit"), self.keys.ed25519("audit"))
        self.store = Store.open(self.site.store_path, self.log, sealer=self.keys.sealer)
        self.cursors = Cursors(self.keys.secret("cursor"))
        self.bus = EventBus()
        self.events: list[Event] = []
        self.bus.subscribe(self.events.append)
        self.alarms = AlarmBook(self.store, self.bus)
        self.registry = Registry(self.site, self.store, self.keys, self.cursors)
        self.registry.load()
        self.authority = authority()
        self.context = Context.open(self.store, self.keys, self.site.settings, training=True, request_log=False)
        self.context.rates = Rates(PLENTY)
        self.delivery_rows = DeliveryRows(self.store, self.keys.secret("delivery-target"), self.alarms)
        keys = PublishedKeys(self.keys)
        self.outbox = Outbox(
            self.store, self.delivery_rows, self.context.keyring, keys, plain_http=True, reach=lambda: ()
        )
        self.site_mail = SiteMail(None, self.keys, training=True)
        self.notice_rows = NoticeRows(self.store, self.delivery_rows, self.alarms)
        self.notices = Notices(self.notice_rows, enter=self.outbox.enter, mail=self.site_mail)
        self.infrastructure = Infrastructure(
            registry=self.registry,
            store=self.store,
            bus=self.bus,
            alarms=self.alarms,
            authority=self.authority,
            node_id=OWN,
            training=True,
            interval_s=interval_s,
        )
        self.hub = Hub(self.bus, ring=ring)
        self.audit = AuditIndex(self.store, self.log, self.cursors)
        self.telemetry = Telemetry(store=self.store, registry=self.registry, hub=self.hub, keyring=self.context.keyring)
        self.permits = Permits(self.store, self.registry, PermitTokens(self.keys, self.site.origin("audit")))
        self.frames: list[FrameServer] = []
        self.base_url = ""

    def close(self) -> None:
        """Ends the frames and closes the store."""
        for server in self.frames:
            server.stop()
        self.store.close()
        self.keys.close()

    def frame(self, name: str, *, under: SiteAuthority | None = None, **how: Any) -> tuple[FrameServer, int]:
        """A server frame on loopback; its server and port. ``under``: whom its certificate and its clients are of."""
        issuer = under or self.authority
        identity: TlsIdentity = server_identity(issuer, f"TRAINING frame {name}", ["127.0.0.1"])
        server = FrameServer([FrameSpec(name, identity, issuer.root_pem(), **how)])
        self.frames.append(server)
        return server, server.start()[name]

    def put_peer(self, peer_id: str, port: int, **more: Any) -> None:
        """Registers a frame as an operator would."""
        body = PeerBody(node_id=f"FRAME-{peer_id}", url=f"127.0.0.1:{port}", **more)
        self.store.writer.submit(lambda tx: self.registry.peers_kind.put_in(tx, peer_id, body, "tester")).result(10)

    def leaves(self, **criteria: Any) -> list[LoggedEntry]:
        """Leaves of the audit log, oldest first."""
        now = time.time_ns() // 1000
        asked = EntryCriteria(order="asc", limit=500, **criteria)
        return list(self.audit.page(now - 3_600_000_000, now + 60_000_000, asked).entries)

    def bodies(self, kind: str) -> list[Any]:
        """Bodies of the events of a kind so far."""
        return [event.body for event in self.events if event.kind == kind]

    @contextlib.contextmanager
    def probing(self) -> Iterator[None]:
        """Infrastructure alone, on a loop of its own."""
        with _on_a_loop(self.infrastructure.start, self.infrastructure.stop):
            yield

    @contextlib.contextmanager
    def running(self) -> Iterator[WatchSite]:
        """Everything, served by the real server until the block ends."""
        read_end, write_end = os.pipe()
        stdin = os.fdopen(read_end, "rb")
        ready = _Ready()

        async def start() -> None:
            await self.infrastructure.start()
            await self.telemetry.start()

        async def stop() -> None:
            await self.telemetry.stop()
            await self.infrastructure.stop()

        # Evidence of entries takes witnesses, which this site has not.
        audit = [row for row in AUDIT if row.service == "audit"]
        table = (*HEALTH, *KEYS, *INFRASTRUCTURE, *TELEMETRY, *audit, *DELIVERY, *PERMITS)
        services = {
            "infrastructure": self.infrastructure,
            "telemetry": self.telemetry,
            "audit": AuditQueries(self.audit),
            "alarms": self.alarms,
            "deliveries": Deliveries(self.store, self.delivery_rows, self.outbox, self.notices, self.cursors),
            "published_keys": PublishedKeys(self.keys),
            "permits": self.permits,
        }
        assembly = serve.Assembly(table, services, self.context, start, stop)
        launch = serve.Launch(supervised=True, stdin=stdin, stdout=ready)
        listener = serve.bind("127.0.0.1", 0)
        failures: list[BaseException] = []

        def work() -> None:
            try:
                asyncio.run(serve._serve(assembly, listener, launch))
            except BaseException as error:
                failures.append(error)
            finally:
                ready.event.set()

        thread = threading.Thread(target=work, name="served")
        thread.start()
        try:
            assert ready.event.wait(20)
            if failures:
                raise failures[0]
            self.base_url = json.loads(ready.getvalue())["base_url"]
            yield self
        finally:
            os.close(write_end)
            thread.join(20)
            stdin.close()
            listener.close()
        assert not thread.is_alive()
        if failures:
            raise failures[0]

    def make_key(self, clearance: Any = "sovereign") -> Any:
        """A fresh API key."""
        return self.context.keyring.create_now(CreateKey(label="test", clearance=clearance), actor="tester")

    def client(self, key: str, **more: Any) -> httpx.Client:
        """A client of the served site."""
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.base_url, headers=headers, trust_env=False, verify=False, timeout=20, **more)


@contextlib.contextmanager
def _on_a_loop(start: Callable[[], Any], stop: Callable[[], Any]) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="loop")
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(start(), loop).result(20)
        try:
            yield
        finally:
            asyncio.run_coroutine_threadsafe(stop(), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


class _Ready(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.event = threading.Event()

    def flush(self) -> None:
        super().flush()
        if self.getvalue():
            self.event.set()
