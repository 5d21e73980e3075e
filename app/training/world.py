"""What a training site holds at its first start: persons, doors, server frames, and issued cards.

Rows go through the registry and cards through provisioning, exactly as with a partner's calls; the simulation is at the
edge of the wire only (software cards, OSDP readers, TLS frames, a SCIM directory). No person here is real, and every
name says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from urllib.parse import urlsplit

from sqlalchemy import func, select

from app.api.problems import Problem
from app.capabilities.credentials.messages import SyncBody
from app.capabilities.credentials.service import CredentialService
from app.capabilities.provisioning.messages import ProvisionBody
from app.capabilities.provisioning.service import Provisioning
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.directories import DirectoryBody
from app.registry.messages.nodes import DirectoryAccount, NodeBody
from app.registry.messages.peers import PeerBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.messages.shared import DRILL_TAG
from app.registry.messages.terminals import TerminalBody
from app.registry.service import Registry
from app.registry.tables import node
from app.store.engine import Store
from app.store.writer import Transaction
from app.training.cards import HOLDERS, READERS, CardDrawer
from app.training.directory.accounts import Person
from app.training.directory.process import DIRECTORY_ID, DISPLAY_NAME, TrainingDirectory
from app.training.frames import TrainingFrames
from app.training.messages import ACTOR

log = logging.getLogger(__name__)

PERSONS = 60
SCREEN = "gate-screen"
"""The terminal that shows rotating codes."""
CLUSTERS = (
    ("north-tower", "North tower", 40),
    ("south-lab", "South laboratory", 32),
    ("data-hall", "Data hall", 20),
    ("garage", "Garage", 12),
)
"""Cluster, its name, its readers: 104 doors."""
ACCOUNTS = (*range(1, 13), 40, 41, PERSONS)
"""Numbers of the persons who have an account in the training directory, the drill identity among them."""
DRILL_CLUSTER = "garage"
"""The doors that the drill identity's burn reaches."""
TTL_S = 604_800


class TrainingSite:
    """Fills the site once, and keeps its simulated edge running. It is constructed on training sites only."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        credentials: CredentialService,
        provisioning: Provisioning,
        drawer: CardDrawer,
        frames: TrainingFrames,
        directory: TrainingDirectory,
    ) -> None:
        self._store = store
        self._registry = registry
        self._credentials = credentials
        self._provisioning = provisioning
        self._drawer = drawer
        self._frames = frames
        self._directory = directory
        self._new = False
        self._task: asyncio.Task[None] | None = None

    def fill(self) -> None:
        """Registers persons and doors in one transaction if the registry is empty. Called before the readers are
        driven."""

        def job(tx: Transaction) -> bool:
            if tx.connection.execute(select(func.count()).select_from(node)).scalar_one():
                return False
            for number in range(1, PERSONS + 1):
                person = _person(number)
                account = DirectoryAccount(directory_id=DIRECTORY_ID, account=person.external_id)
                body = NodeBody(
                    display_name=person.display_name,
                    employee_id=person.external_id,
                    email=f"{person.user_name}@site.invalid",
                    directory_accounts=[account] if number in ACCOUNTS else [],
                    tags=[DRILL_TAG] if number == PERSONS else [],
                )
                self._registry.nodes.put_in(tx, f"ARC-T{number:04}", body, ACTOR)
            for cluster_id, name, count in CLUSTERS:
                readers = [
                    ReaderBody(reader_id=f"{cluster_id}-{number:02}", channel="simulated:", address=number)
                    for number in range(1, count + 1)
                ]
                tags = [DRILL_TAG] if cluster_id == DRILL_CLUSTER else []
                cluster = ReaderClusterBody(display_name=name, readers=readers, tags=tags)
                self._registry.clusters.put_in(tx, cluster_id, cluster, ACTOR)
            screen = TerminalBody(kind="keystone", display_name="TRAINING gate screen")
            self._registry.terminals.put_in(tx, SCREEN, screen, ACTOR)
            return True

        self._new = self._store.writer.submit(job).result()

    async def start(self) -> None:
        """Starts the server frames and the directory and registers them; at the first start issues the holders' cards
        and puts a blank card into the first reader and a holder's into the second; later cards lie where they lay."""
        known = {peer.peer_id: int(peer.url.rpartition(":")[2]) for peer in self._registry.peers()}
        for frame in await self._frames.start(known):
            body = PeerBody(node_id=frame.node_id, url=frame.url, level=frame.level, maintenance=frame.maintenance)
            await self._registry.peers_kind.put(frame.peer_id, body, actor=ACTOR)
        await self._start_directory()
        # Issuing takes seconds; the service answers meanwhile.
        self._task = asyncio.create_task(self._hand_out(), name="training-cards")

    async def _start_directory(self) -> None:
        with self._store.read() as connection:
            known = self._registry.directories.without_secret(connection, DIRECTORY_ID)
        port = 0 if known is None else urlsplit(known.url).port or 0
        url, token = await self._directory.start([_person(number) for number in ACCOUNTS], port)
        body = DirectoryBody(kind="scim", url=url, display_name=DISPLAY_NAME, secret=token, tags=[DRILL_TAG])
        await self._registry.directories.put(DIRECTORY_ID, body, actor=ACTOR)

    async def _hand_out(self) -> None:
        """At the first start issues the holders' cards, then puts a blank card and a holder's into the first two
        readers; at every other start the cards lie where they lay."""
        if self._new:
            for node_id in HOLDERS:
                try:
                    await self._issue(node_id)
                except Exception:
                    # After any failure the other persons still get their cards, and the service still ends cleanly.
                    log.exception("a training card was not issued", extra={"node_id": node_id})
        elif self._drawer.restore():
            return
        for reader, card in ((READERS[0], None), (READERS[1], f"card-of-{HOLDERS[0]}")):
            try:
                self._drawer.insert(reader, card)
            except Problem as problem:
                log.info("no training card was put into a reader", extra={"reader": reader, "why": problem.detail})

    async def stop(self) -> None:
        """Ends the server frames, the directory, and the issuing of cards if it is still under way."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self._directory.stop()
        await self._frames.stop()

    async def _issue(self, node_id: str) -> None:
        """Issues one person's card and grants, by the same calls that an operator makes."""
        reader = READERS[0]
        self._drawer.insert(reader, f"card-of-{node_id}")
        try:
            await self._drawer.readers.wait_for_card(reader, present=True)
            order = ProvisionBody(node_id=node_id, hardware_uid=f"reader:{reader}", fips_standard="FIPS 201-3")
            written, _ = await self._provisioning.provision(order, actor=ACTOR, request_id="first-start")
        finally:
            self._drawer.remove(reader)
            await self._drawer.readers.wait_for_card(reader, present=False)
        profile_id = f"badge-{node_id}"
        clusters = [cluster_id for cluster_id, _, _ in CLUSTERS]
        profile = CredentialProfileBody(
            node_id=node_id,
            credentials=[CredentialBody(format="piv-guid", card_guid=written.card_guid)],
            clusters=clusters,
        )
        await self._registry.profiles.put(profile_id, profile, actor=ACTOR)
        for cluster_id in clusters:
            sync = SyncBody(
                hardware_reader_cluster=cluster_id, credential_profile_token=profile_id, reauth_ttl_seconds=TTL_S
            )
            await self._credentials.sync(sync, actor=ACTOR)


def _person(number: int) -> Person:
    return Person(
        external_id=f"T-{number:04}",
        user_name=f"training.person.{number:02}",
        display_name=f"Training Person {number:02}",
    )
