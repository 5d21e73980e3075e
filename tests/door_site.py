"""A small real site for tests of registry, credentials and burn: store, ledger, keys, simulated readers. No HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from app.approvals.service import Approvals
from app.biometrics.service import Biometrics
from app.capabilities.burn.mass import MassBurns
from app.capabilities.burn.messages import Burn, BurnBody, BurnTarget
from app.capabilities.burn.running import Failpoint
from app.capabilities.burn.service import BurnService
from app.capabilities.burn.targets.connector import Connector, Tools
from app.capabilities.credentials.decisions import DoorDecisions
from app.capabilities.credentials.messages import SyncBody, SyncReply
from app.capabilities.credentials.service import CredentialService
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus, GrantHolder
from app.delivery.outbound import Outbound
from app.ledger.log.append import AuditLog
from app.pki.crl import RevocationList, RevocationLists
from app.pki.revocation import RevocationSource
from app.pki.site_certificates import MADE as AUTHORITY_MADE
from app.pki.site_certificates import open_authority, sidecar_signer
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.directories import DirectoryBody
from app.registry.messages.nodes import DirectoryAccount, NodeBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Kek, Keys
from app.store.writer import Transaction
from tests.unrelated_keys import UnrelatedKeys

ACTOR = "key-test"
GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@dataclass
class DoorSite:
    """One site in this process; ``running`` connects its readers."""

    site: Site
    keys: Keys
    store: Store
    log: AuditLog
    registry: Registry
    biometrics: Biometrics
    bus: EventBus
    alarms: AlarmBook
    decisions: DoorDecisions
    credentials: CredentialService
    outbound: Outbound
    burns: BurnService
    approvals: Approvals
    mass: MassBurns
    lists: RevocationLists
    events: list[Event] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Everything started in the order of the assembly, and stopped the other way."""
        await self.registry.start()
        await self.decisions.start()
        await self.credentials.start()
        await self.burns.start()
        await self.mass.start()
        try:
            yield
        finally:
            await self.mass.stop()
            await self.burns.stop()
            await self.outbound.close()
            await self.credentials.stop()
            await self.decisions.stop()
            await self.registry.stop()
            await self.biometrics.stop()

    def write(self, job: Callable[[Transaction], object]) -> None:
        """One transaction, from the test's thread."""
        self.store.writer.submit(job).result()

    def person(self, node_id: str, *, verified: bool = True, clusters: Sequence[str] = (), guid: str = GUID) -> None:
        """A registered node; with clusters also the profile ``badge-<node>`` whose card opens them."""

        def job(tx: Transaction) -> None:
            self.registry.nodes.put_in(tx, node_id, NodeBody(display_name=f"Training Person {node_id}"), ACTOR)
            if verified:
                self.registry.standing.record(tx, node_id=node_id, kind="card", ref="test")
            if clusters:
                body = CredentialProfileBody(
                    node_id=node_id,
                    credentials=[CredentialBody(format="piv-guid", card_guid=guid)],
                    clusters=list(clusters),
                )
                self.registry.profiles.put_in(tx, f"badge-{node_id}", body, ACTOR)

        self.write(job)

    def cluster(self, cluster_id: str, readers: int, lines: Sequence[str] = ()) -> None:
        """A registered cluster of readers ``<cluster>-1`` and so on: simulated ones, or one at each of ``lines``, which
        keep a list of their own: others on a line are told no epochs."""
        parts = [
            ReaderBody(reader_id=f"{cluster_id}-{number}", channel=line, address=number % 127, onboard_list=bool(lines))
            for number, line in enumerate(lines or ["simulated:"] * readers, start=1)
        ]
        body = ReaderClusterBody(display_name=f"Cluster {cluster_id}", readers=parts)
        self.write(lambda tx: self.registry.clusters.put_in(tx, cluster_id, body, ACTOR))

    async def secure(self, readers: int, seconds: float = 20.0) -> None:
        """Waits until so many readers have their secure channel."""
        await until(lambda: sum(state.secure_channel for state in self.fleet_states()) >= readers, seconds)

    def fleet_states(self) -> Sequence[object]:
        """States of all readers."""
        return list(self.credentials.doors.fleet.states().values())

    async def sync(self, node_id: str, cluster_id: str, ttl: int = 600) -> SyncReply:
        """Grants the person's badge at the cluster."""
        body = SyncBody(
            hardware_reader_cluster=cluster_id, credential_profile_token=f"badge-{node_id}", reauth_ttl_seconds=ttl
        )
        return await self.credentials.sync(body, actor=ACTOR)

    def directory(self, directory_id: str, kind: str, url: str, **fields: object) -> None:
        """A registered directory."""
        body = msgspec.convert({"kind": kind, "url": url, **fields}, DirectoryBody)
        self.write(lambda tx: self.registry.directories.put_in(tx, directory_id, body, ACTOR))

    def account(self, node_id: str, *accounts: tuple[str, str], **fields: object) -> None:
        """A registered node with accounts (directory, account)."""
        named = [DirectoryAccount(directory_id=directory_id, account=account) for directory_id, account in accounts]
        body = msgspec.convert({"display_name": f"Training Person {node_id}", **fields}, NodeBody)
        body.directory_accounts = named
        self.write(lambda tx: self.registry.nodes.put_in(tx, node_id, body, ACTOR))

    async def burn(self, node_id: str, wait_s: float | None = None) -> Burn:
        """Burns the node."""
        body = BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason="badge found on the street")
        return await self.burns.burn(body, actor=ACTOR, wait_s=wait_s)

    async def tried(self, kind: str, wait_s: float = 0.0) -> tuple[Burn, BurnTarget]:
        """Burns ARC-1; the burn and its only target of this kind once that was tried, COMPLETE if so in ``wait_s``."""
        burn_id = (await self.burn("ARC-1", wait_s)).burn_id

        def found() -> BurnTarget:
            (only,) = [target for target in self.burns.get(burn_id).targets if target.kind == kind]
            return only

        await until(lambda: found().attempts > 0)
        return self.burns.get(burn_id), found()

    def newest_list(self) -> RevocationList:
        """The newest revocation list."""
        found = self.lists.newest()
        assert found is not None
        return found

    def actions(self) -> list[str]:
        """Actions of all leaves but those of the site's own certificates, in order."""
        with self.store.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT w.text FROM audit_entry e JOIN log_word w ON w.id = e.action ORDER BY e.seq"
            )
            return [row[0] for row in rows if row[0] != AUTHORITY_MADE]


@contextlib.contextmanager
def door_site(
    data_dir: Path,
    *,
    holders: Sequence[GrantHolder] = (),
    sources: Sequence[RevocationSource] = (),
    connectors: Sequence[Callable[[Tools], Connector]] = (),
    failpoint: Failpoint = lambda _: None,
    training: bool = True,
) -> Iterator[DoorSite]:
    """Opens (or makes) the site in ``data_dir`` with its deny set and grants loaded; closes it at the end."""
    site = Site.open(data_dir, "training")
    if not training:
        # Keys as on a training site (no keyring in a test), everything else as in production.
        site = dataclasses.replace(site, profile="production")
    keys = Keys(site.keys_path, Kek(bytes(32)))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    store = Store.open(site.store_path, log, sealer=keys.sealer)
    try:
        bus = EventBus()
        alarms = AlarmBook(store, bus)
        cursors = Cursors(keys.secret("cursor"))
        registry = Registry(site, store, keys, cursors)
        registry.load()
        biometrics = Biometrics(site, store, keys, cursors, registry, alarms)
        biometrics.load()
        approvals = Approvals(store, cursors, alarms, ttl_s=site.settings.approval_ttl_s, lines=UnrelatedKeys)
        decisions = DoorDecisions(store, bus, cursors, days=site.settings.door_history_days)
        decisions.load()
        credentials = CredentialService(site, store, registry, bus, keys)
        credentials.load()
        outbound = Outbound()
        tools = Tools(outbound, keys, site.name, site.training)
        authority = open_authority(site, store, keys)[0]
        lists = RevocationLists(store, authority.root, lifetime_s=site.settings.crl_lifetime_h * 3600)
        for source in sources:
            lists.add_source(source)
        burns = BurnService(
            site,
            store,
            registry,
            biometrics,
            credentials.doors.fleet,
            [credentials, *holders],
            lists,
            alarms,
            bus,
            cursors,
            sidecar_signer(store, keys, authority),
            approvals,
            [make(tools) for make in connectors],
            trace=decisions,
            failpoint=failpoint,
        )
        burns.load()
        mass = MassBurns(site, store, registry, burns, approvals, failpoint=failpoint)
        mass.load()
        made = DoorSite(
            site,
            keys,
            store,
            log,
            registry,
            biometrics,
            bus,
            alarms,
            decisions,
            credentials,
            outbound,
            burns,
            approvals,
            mass,
            lists,
        )
        bus.subscribe(made.events.append)
        yield made
    finally:
        store.close()
        keys.close()


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Returns when the condition holds; fails when it does not within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("the awaited state was not reached")
        await asyncio.sleep(0.01)
