"""The doors: drives the site's readers and keeps their grant table.

Threads: what the fleet calls back comes on its loop threads and is handed to the event loop or the event bus at once.
Changes of the registry and of grants come on the writer's thread after their commit; they only take notes there and
are carried out on the event loop, several at a time.

Invariant: the deny set and the grants are in memory before the fleet is started (``load`` before ``start``); without
them every door stays shut.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlalchemy import Connection, Row, select

from app.api.wire import rfc3339
from app.credentials.tables import reader_grant
from app.delivery.events import Event, EventBus
from app.registry import schedules
from app.registry.clusters import SIMULATED, ReaderNow, ReaderRow
from app.registry.denyset import Denial
from app.registry.messages import AccessEvent
from app.registry.service import Registry
from app.registry.tables import reader_cluster
from app.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction
from hardware.readers import panel
from hardware.readers.decision import Credential, Grant, GrantTable
from hardware.readers.fleet import ReaderFleet
from hardware.readers.panel import ReaderConfig, ReaderState

log = logging.getLogger(__name__)

_SWEEP_S = 60.0
ReaderUp = Callable[[str], None]
"""Told on the event loop that a reader's secure channel is up."""


class Doors:
    """Implements ``registry.clusters.ReaderBoard``.

    Order of life: construct; ``load()`` after ``Registry.load()``; ``start()`` on the event loop; ``stop()``.
    """

    def __init__(self, site: Site, store: Store, registry: Registry, bus: EventBus) -> None:
        self._zone = site.settings.time_zone
        self._store = store
        self._registry = registry
        self._bus = bus
        self.fleet = ReaderFleet(registry.deny, self._on_access, self._on_state, simulated=site.training)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._grants: dict[str, dict[str, Grant]] = {}
        self._grants_dirty = False
        self._readers_dirty = False
        self._work = asyncio.Lock()
        self._enrolling: dict[str, float] = {}
        self._up: list[ReaderUp] = []
        self._secure: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        registry.clusters.drive(self)
        registry.clusters.on_change(self._cluster_changed)
        registry.profiles.on_change(self._profile_changed)

    # --- life ---

    def load(self) -> None:
        """Takes in readers and grants; blocks on the disk. An error keeps the doors shut and the service down."""
        with self._store.read() as connection:
            readers = self._registry.clusters.readers(connection)
            ids = connection.scalars(
                select(reader_grant.c.profile_id).where(reader_grant.c.ended_us.is_(None)).distinct()
            ).all()
            grants = {profile_id: self._granted(connection, profile_id) for profile_id in ids}
        with self._lock:
            self._grants = {profile_id: found for profile_id, found in grants.items() if found}
        self.fleet.configure([self._config(row) for row in readers])
        self._swap()

    async def start(self) -> None:
        """Connects every reader."""
        self._loop = asyncio.get_running_loop()
        # What was registered between load and here (a training site's first doors) told nobody yet.
        await self.settled()
        self.fleet.start()
        if self._registry.deny.epoch:
            # Readers start from nothing: tell them where the site stands, so that the epochs shown are true.
            self.fleet.announce(self._registry.deny.epoch, digest(f"epoch|{self._registry.deny.epoch}"))
        self._spawn(self._sweep())

    async def stop(self) -> None:
        """Lets go of every reader."""
        self._loop = None
        for task in list(self._tasks):
            task.cancel()
        for task in list(self._tasks):
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(self.fleet.stop)

    def on_up(self, up: ReaderUp) -> None:
        """Calls ``up`` on the event loop whenever a reader's secure channel comes up. Before start only."""
        self._up.append(up)

    async def settled(self) -> None:
        """Returns when every change that was committed before the call is in force at the readers' threads."""
        async with self._work:
            if self._readers_dirty:
                self._readers_dirty = False
                await asyncio.to_thread(self._configure)
            if self._grants_dirty:
                self._grants_dirty = False
                await asyncio.to_thread(self._swap)

    # --- the registry's reader board ---

    def now(self, reader_ids: Collection[str]) -> Mapping[str, ReaderNow]:
        """How these readers are at this moment."""
        states = self.fleet.states()
        return {
            reader_id: ReaderNow(
                online=state.online,
                secure_channel=state.secure_channel,
                firmware=state.firmware or None,
                epoch=state.epoch,
                since_us=int(state.since * 1_000_000) or None,
            )
            for reader_id in reader_ids
            if (state := states.get(reader_id)) is not None
        }

    async def enrol(self, reader_ids: Collection[str], seconds: int) -> None:
        """Opens the key window of these readers for ``seconds``; it closes early for one that took its key."""
        until = time.monotonic() + seconds
        self._enrolling.update(dict.fromkeys(reader_ids, until))
        self._readers_dirty = True
        await self.settled()
        self._spawn(self._close_windows(seconds))

    async def _close_windows(self, seconds: int) -> None:
        await asyncio.sleep(seconds)
        now = time.monotonic()
        self._enrolling = {reader_id: until for reader_id, until in self._enrolling.items() if until > now}
        self._readers_dirty = True
        await self.settled()

    # --- grants ---

    def grant_changed(self, tx: Transaction, profile_id: str) -> None:
        """Reads the profile's grants anew inside the transaction; they are in force once ``settled`` returns."""
        found = self._granted(tx.connection, profile_id)

        def durable() -> None:
            with self._lock:
                if found:
                    self._grants[profile_id] = found
                else:
                    self._grants.pop(profile_id, None)
                self._grants_dirty = True
            self._settle_soon()

        tx.after_commit(durable)

    def _granted(self, connection: Connection, profile_id: str) -> dict[str, Grant]:
        """The live grants of a profile by cluster, with its credentials and schedules of now."""
        profile = self._registry.profiles.profile(connection, profile_id)
        if profile is None:
            return {}
        rows = connection.execute(
            select(reader_grant.c.cluster_id, reader_grant.c.not_after_us, reader_cluster.c.schedule)
            .join(reader_cluster, reader_cluster.c.cluster_id == reader_grant.c.cluster_id)
            .where(reader_grant.c.profile_id == profile_id, reader_grant.c.ended_us.is_(None))
        ).all()
        wall, monotonic = time.time(), time.monotonic()
        return {
            row.cluster_id: Grant(
                node_id=profile.node_id,
                credentials=profile.credentials,
                clusters=frozenset((row.cluster_id,)),
                schedule=schedules.decided(profile.schedule, row.schedule, self._zone),
                not_after=row.not_after_us / 1e6,
                deadline=monotonic + row.not_after_us / 1e6 - wall,
            )
            for row in rows
            if row.not_after_us / 1e6 > wall
        }

    def _swap(self) -> None:
        with self._lock:
            grants = [grant for found in self._grants.values() for grant in found.values()]
        try:
            table = GrantTable(grants)
        except ValueError:
            # The registry refuses a credential of two nodes; should one be there all the same, it opens nothing.
            log.exception("a credential names two nodes: it is denied until its profiles are put right")
            table = GrantTable(_unambiguous(grants))
        self.fleet.replace_grants(table)

    def _profile_changed(self, tx: Transaction, profile_id: str, before: Row[Any] | None) -> None:
        if before is not None:
            self.grant_changed(tx, profile_id)

    def _cluster_changed(self, tx: Transaction, cluster_id: str, before: Row[Any] | None) -> None:
        if before is not None:
            for profile_id in tx.connection.scalars(
                select(reader_grant.c.profile_id).where(
                    reader_grant.c.cluster_id == cluster_id, reader_grant.c.ended_us.is_(None)
                )
            ).all():
                self.grant_changed(tx, profile_id)

        def durable() -> None:
            self._readers_dirty = True
            self._settle_soon()

        tx.after_commit(durable)

    def _settle_soon(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # closed in between: nobody is left to decide anything
                loop.call_soon_threadsafe(lambda: self._spawn(self.settled()))

    async def _sweep(self) -> None:
        """Takes grants that ran out off the table; the decision refused them from their end on."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            now = time.time()
            with self._lock:
                for profile_id, found in list(self._grants.items()):
                    live = {cluster_id: grant for cluster_id, grant in found.items() if grant.not_after > now}
                    if len(live) < len(found):
                        self._grants_dirty = True
                        if live:
                            self._grants[profile_id] = live
                        else:
                            del self._grants[profile_id]
            await self.settled()

    # --- readers ---

    def _config(self, row: ReaderRow) -> ReaderConfig:
        simulated = row.channel == SIMULATED
        return ReaderConfig(
            reader_id=row.reader_id,
            cluster_id=row.cluster_id,
            channel=row.channel,
            address=row.address,
            scbk=row.scbk,
            baud=row.baud,
            install=row.reader_id in self._enrolling,
            # Where the controller decides, a reader of another maker needs no delta of ours, and would refuse it.
            delta=simulated or row.onboard_list,
        )

    def _configure(self) -> None:
        try:
            with self._store.read() as connection:
                readers = self._registry.clusters.readers(connection)
            self.fleet.configure([self._config(row) for row in readers])
        except (StoreError, ValueError):
            # Tried again by the next change or sweep: a reader that was deleted must not be driven for ever.
            self._readers_dirty = True
            log.exception("the readers could not be set up anew; they go on as before")

    def _on_access(self, event: panel.AccessEvent) -> None:
        owner = event.deny.node_id if isinstance(event.deny, Denial) else None
        at_us = int(event.at * 1_000_000)
        body = AccessEvent(
            reader_id=event.reader_id,
            cluster_id=event.cluster_id,
            node_id=event.node_id or owner,
            decision="GRANT" if event.grant else "DENY",
            reason=event.reason,
            ref=None if event.deny is None else event.deny.reference,
            latency_ms=event.latency_us / 1000,
            epoch=event.epoch,
            at=rfc3339(at_us),
        )
        self._bus.publish(Event("access", body, at_us))

    def _on_state(self, state: ReaderState) -> None:
        # A reader's states come on one thread, in order; only the step to secure is news here.
        if not state.secure_channel:
            self._secure.discard(state.reader_id)
            return
        loop = self._loop
        if state.reader_id not in self._secure and loop is not None:
            self._secure.add(state.reader_id)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._reader_up, state.reader_id)

    def _reader_up(self, reader_id: str) -> None:
        if reader_id in self._enrolling:
            del self._enrolling[reader_id]
            self._readers_dirty = True
            self._spawn(self._enrolled(reader_id))
        for up in self._up:
            up(reader_id)

    async def _enrolled(self, reader_id: str) -> None:
        await self._store.writer.run(lambda tx: self._registry.clusters.enrolled(tx, reader_id))
        await self.settled()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("work on the doors failed", exc_info=task.exception())


def digest(of: str) -> bytes:
    """16 bytes that name a step of the epoch to the readers; tells nothing of whom it is about."""
    return hashlib.sha256(of.encode()).digest()[:16]


def _unambiguous(grants: Collection[Grant]) -> list[Grant]:
    owners: dict[Credential, set[str]] = {}
    for grant in grants:
        for credential in grant.credentials:
            owners.setdefault(credential, set()).add(grant.node_id)
    return [grant for grant in grants if all(len(owners[credential]) == 1 for credential in grant.credentials)]
