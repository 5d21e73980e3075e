"""The doors: drives the site's readers, and has them decide by the grants in force.

Threads: what the fleet calls back comes on its loop threads and is handed to the event loop or the event bus at once.
Changes of the registry and of grants come on the writer's thread after their commit; they only take notes there and
are carried out on the event loop, several at a time.

Invariant: the deny set and the grants are in memory before the fleet is started (``load`` before ``start``); without
them every door stays shut.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, select

from app.api.wire import rfc3339
from app.capabilities.credentials.grant_book import GrantBook, RunOut, end_missed, end_run_out
from app.capabilities.credentials.lists import ListIssuer
from app.capabilities.credentials.tables import reader_grant
from app.delivery.events import Event, EventBus
from app.registry.clusters import SIMULATED, Keyed, ReaderNow, ReaderRow
from app.registry.denyset import Denial
from app.registry.messages.access import AccessEvent
from app.registry.service import Registry
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.keys import Keys
from app.store.writer import Transaction
from hardware.readers.decision import Grant, Moment
from hardware.readers.delta import step_digest
from hardware.readers.errors import DoorReaderError, ReaderRefused
from hardware.readers.fleet import ReaderFleet
from hardware.readers.reader import DecidedPresentation as Presented
from hardware.readers.reader import DoorReaderConfig, DoorReaderState, Setup

log = logging.getLogger(__name__)

_SWEEP_S = 60.0
_KEY_S = 3.0
"""Longest wait for a reader to come up with its new key."""
ReaderUp = Callable[[str], None]
"""Called on the event loop with a reader whose secure channel came up."""


class Doors:
    """Implements ``app.registry.clusters.ReaderBoard``.

    Order of life: construct; ``load()`` after ``Registry.load()``; ``start()`` on the event loop; ``stop()``.
    """

    def __init__(self, site: Site, store: Store, registry: Registry, bus: EventBus, keys: Keys) -> None:
        self._book = GrantBook(store, registry, site.settings.time_zone)
        self._store = store
        self._registry = registry
        self._bus = bus
        self.fleet = ReaderFleet(
            registry.deny, self._on_access, self._on_state, simulated=site.training, on_gap=self._on_gap
        )
        self._lists = ListIssuer(keys, site.settings.onboard_list_h * 3600)
        self._keepers: dict[str, str] = {}
        """Readers that keep a list, with their cluster."""
        self._stale: set[str] = set()
        """Clusters whose readers' lists no longer say who would pass."""
        self._unsettled: frozenset[str] = frozenset()
        """Readers with a pending key, or at another place than the registered one."""
        self._loop: asyncio.AbstractEventLoop | None = None
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
            self._book.load(connection)
        self._drive(readers)
        self._swap()

    async def start(self) -> None:
        """Connects every reader."""
        self._loop = asyncio.get_running_loop()
        # What was registered between load and here (a training site's first doors) is not in force yet.
        await self.settle()
        await self._end_missed()
        self.fleet.start()
        if self._registry.deny.epoch:
            # Readers start at no epoch: announce where the site stands, so that the epochs shown are true.
            self.fleet.announce(self._registry.deny.epoch, step_digest(f"epoch|{self._registry.deny.epoch}"))
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

    async def settle(self) -> None:
        """Returns when every change that was committed before the call is in force at the readers' threads."""
        async with self._work:
            if self._readers_dirty:
                self._readers_dirty = False
                await asyncio.to_thread(self._configure)
            if self._grants_dirty:
                self._grants_dirty = False
                try:
                    await asyncio.to_thread(self._swap)
                except Exception:
                    # What was taken away would stay in force: the next change or sweep tries it again.
                    self._grants_dirty = True
                    raise
            stale, self._stale = self._stale, set()
        for reader_id, cluster_id in list(self._keepers.items()):
            if cluster_id in stale:
                self._spawn(self._give_list(reader_id))

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

    def grants_of(self, node_id: str) -> tuple[list[Grant], Moment]:
        """The node's grants in force, and the moment by which the doors decide."""
        mine = [grant for grant in self._book.all() if grant.node_id == node_id]
        return mine, Moment(self._book.wall(), time.monotonic())

    async def enrol(self, reader_ids: Collection[str], seconds: int) -> None:
        """Opens the key window of these readers for ``seconds``; it closes early for one that took its key."""
        until = time.monotonic() + seconds
        self._enrolling.update(dict.fromkeys(reader_ids, until))
        self._readers_dirty = True
        await self.settle()
        self._spawn(self._close_windows(seconds))

    async def _close_windows(self, seconds: int) -> None:
        await asyncio.sleep(seconds)
        now = time.monotonic()
        self._enrolling = {reader_id: until for reader_id, until in self._enrolling.items() if until > now}
        self._readers_dirty = True
        await self.settle()

    # --- keys, places and lists of readers ---

    def setup_changed(self) -> None:
        """Reads keys and places of readers anew, soon."""
        self._readers_dirty = True
        self._settle_soon()

    async def note_setup(self, reader_id: str) -> None:
        """Makes durable with which key and where the reader's channel is up now."""
        setup = self.fleet.state(reader_id).setup
        if setup is not None:
            await self._store.writer.run(
                lambda tx: self._registry.clusters.record_setup(tx, reader_id, setup.address, setup.baud, setup.scbk)
            )
            await self.settle()

    async def rekey(self, reader_ids: Collection[str]) -> Mapping[str, Keyed]:
        """Has these readers take their pending keys (durable already), all at once."""
        # The fleet must know the new key before the reader does: it is what finds the reader again.
        await self.settle()
        keyed = await asyncio.gather(*(self._rekey(reader_id) for reader_id in reader_ids))
        return dict(zip(reader_ids, keyed, strict=True))

    async def _rekey(self, reader_id: str) -> Keyed:
        """One reader takes its pending key, or says why not."""
        try:
            with self._store.read() as connection:
                row = self._registry.clusters.reader(connection, reader_id)
            state = self.fleet.state(reader_id)
            if row is None or row.pending is None:
                return Keyed("rotated")
            if state.setup is None or not state.secure_channel:
                return Keyed("pending_offline", "no secure channel now; it takes the key when the channel comes up")
            change = self.fleet.change_setup(reader_id, dataclasses.replace(state.setup, scbk=row.pending))
            await asyncio.wait_for(asyncio.wrap_future(change), _KEY_S)
            await self.note_setup(reader_id)
        except ReaderRefused as error:
            return Keyed("failed", str(error))
        except (DoorReaderError, TimeoutError) as error:
            return Keyed("pending_offline", str(error) or "it did not come up with its new key yet")
        return Keyed("rotated")

    async def give_list(self, reader_id: str, cluster_id: str) -> None:
        """Has a reader keep the list of now; returns when it said that it does. ``DoorReaderError`` if it does not."""
        epoch = self._registry.deny.epoch
        if epoch == 0:
            return  # nothing was ever granted here, and a list must not claim an epoch that a burn is yet to make
        blob = self._lists.issue(cluster_id, epoch, self._book.all(), self._registry.deny)
        await asyncio.wrap_future(self.fleet.send_list(reader_id, blob, epoch))

    async def _give_list(self, reader_id: str) -> None:
        cluster_id = self._keepers.get(reader_id)
        if cluster_id is None:
            return
        try:
            await self.give_list(reader_id, cluster_id)
        except DoorReaderError as error:
            # It is given again when it comes up, asks, or the list changes; until then it decides by the old one.
            log.info("reader %s has not got its list: %s", reader_id, error)

    def _on_gap(self, reader_id: str) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: self._spawn(self._give_list(reader_id)))

    # --- grants ---

    def grant_changed(self, tx: Transaction, profile_id: str, *, by_delta: bool = False) -> None:
        """Reads the profile's grants anew inside the transaction; they are in force once ``settle`` returns.

        ``by_delta``: the caller reaches the readers that keep lists by itself (a burn's delta names the node).
        """
        live = self._book.read(tx.connection, profile_id)

        def durable() -> None:
            clusters = self._book.replace(profile_id, live)
            if not by_delta:
                self._stale |= clusters
            self._grants_dirty = True
            self._settle_soon()

        tx.after_commit(durable)

    def _swap(self) -> None:
        self.fleet.replace_grants(self._book.table())

    def _profile_changed(self, tx: Transaction, profile_id: str, before: Row[Any] | None) -> None:
        if before is not None:
            self.grant_changed(tx, profile_id)

    def _cluster_changed(self, tx: Transaction, cluster_id: str, before: Row[Any] | None) -> None:
        """Reads the cluster's grants and the readers anew."""
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
            with contextlib.suppress(RuntimeError):  # closed in between: nothing is left to decide
                loop.call_soon_threadsafe(lambda: self._spawn(self.settle()))

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            try:
                await self.sweep()
            except Exception:
                # A disk that is full for a moment must not leave lists to run out from then on.
                log.exception("what ran out at the doors could not be ended; it is tried again")

    async def sweep(self) -> None:
        """Ends grants that ran out, by either clock, for good: a clock that is turned back later revives none of them.
        The decision refused them from their end on. Renews the lists that readers keep."""
        over = self._book.run_out()
        if over:
            await self._store.writer.run(lambda tx: self._expire(tx, over))
        grants = self._book.all()
        for cluster_id in set(self._keepers.values()):
            if self._lists.due(cluster_id, grants, self._registry.deny):
                self._stale.add(cluster_id)
        await self.settle()

    async def _end_missed(self) -> None:
        """As ``grant_book.end_missed``, unless the store takes nothing now."""
        try:
            await self._store.writer.run(end_missed)
        except StoreError:
            # They open nothing now; doors are not kept shut for those who may pass.
            log.warning("grants that have run out could not be ended for good", exc_info=True)

    def _expire(self, tx: Transaction, over: Sequence[RunOut]) -> None:
        end_run_out(tx, over)
        for profile_id in dict.fromkeys(profile_id for profile_id, _, _ in over):
            self.grant_changed(tx, profile_id)

    # --- readers ---

    def _config(self, row: ReaderRow) -> DoorReaderConfig:
        """How the fleet drives this reader: in doubt by every key and place that it may have."""
        simulated = row.channel == SIMULATED
        keys = [row.scbk] if row.pending is None else [row.pending, row.scbk]
        places = [(row.address, row.baud)] if row.wire is None else [row.wire, (row.address, row.baud)]
        return DoorReaderConfig(
            reader_id=row.reader_id,
            cluster_id=row.cluster_id,
            channel=row.channel,
            address=row.address,
            scbk=row.scbk,
            baud=row.baud,
            install=row.reader_id in self._enrolling,
            # Where the controller decides, a reader of another maker needs no delta of ours, and would refuse it.
            delta=simulated or row.onboard_list,
            doubts=tuple(Setup(address, baud, key) for key in keys for address, baud in places),
            trust=self._lists.trust(row.cluster_id) if row.onboard_list else None,
        )

    def _drive(self, readers: Collection[ReaderRow]) -> None:
        self._keepers = {row.reader_id: row.cluster_id for row in readers if row.onboard_list}
        self._unsettled = frozenset(row.reader_id for row in readers if row.pending is not None or row.wire is not None)
        self.fleet.configure([self._config(row) for row in readers])

    def _configure(self) -> None:
        try:
            with self._store.read() as connection:
                readers = self._registry.clusters.readers(connection)
            self._drive(readers)
        except (StoreError, ValueError):
            # Tried again by the next change or sweep: a reader that was deleted must not be driven for ever.
            self._readers_dirty = True
            log.exception("the readers could not be set up anew; they go on as before")

    def _on_access(self, event: Presented) -> None:
        """Puts a decision on the event bus."""
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

    def _on_state(self, state: DoorReaderState) -> None:
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
            self._spawn(self._finish_enrolment(reader_id))
        if reader_id in self._unsettled:
            self._spawn(self._settle_key(reader_id))
        if reader_id in self._keepers:
            self._spawn(self._give_list(reader_id))
        for up in self._up:
            up(reader_id)

    async def _finish_enrolment(self, reader_id: str) -> None:
        await self._store.writer.run(lambda tx: self._registry.clusters.record_enrolment(tx, reader_id))
        await self.settle()

    async def _settle_key(self, reader_id: str) -> None:
        """A reader in doubt is up: what it has proven is noted, and a key that it has not taken is sent again."""
        try:
            await self.note_setup(reader_id)
            await self.rekey([reader_id])
        except (DoorReaderError, StoreError) as error:
            log.info("reader %s goes on as it was: %s", reader_id, error)

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("work on the doors failed", exc_info=task.exception())
