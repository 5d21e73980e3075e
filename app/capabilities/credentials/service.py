"""Credential sync: grants a profile's credentials at a cluster until a time, and proves reader by reader that it holds.

The grant decides at the controller, not in the reader: once the grant table is swapped and the loop threads have the
epoch, the doors follow it. A reader is ``applied`` when its thread has the epoch, its secure channel is up and it
proved each step of its upkeep (``upkeep``); one that is away or slow is ``pending_offline`` and done when it is back.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.credentials.access import PersonAccess
from app.capabilities.credentials.doors import Doors
from app.capabilities.credentials.grants import ReaderGrants
from app.capabilities.credentials.messages import PresentReply, ReaderPlugReply, SyncBody, SyncReader, SyncReply
from app.capabilities.credentials.simulated import SimulatedReaders
from app.capabilities.credentials.syncs import (
    prune_syncs,
    record_caught_up,
    record_readers,
    sync_reply,
    write_grant,
    write_sync,
)
from app.capabilities.credentials.tables import sync_reader
from app.capabilities.credentials.upkeep import MissingCapability, Upkeep
from app.delivery.events import EventBus, Holding, RevocationEvidence
from app.registry.clusters import ReaderRow
from app.registry.messages.nodes import Standing
from app.registry.nodes import NodeRow
from app.registry.service import Registry
from app.registry.standing import VERIFIED
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys
from app.store.writer import Transaction
from hardware.readers.delta import DeltaOperation, step_digest
from hardware.readers.errors import (
    DoorReaderError,
    FleetStopped,
    ReaderOffline,
    ReaderRefused,
    ReaderTimeout,
    UnknownDoorReader,
)
from hardware.readers.reader import Ack

log = logging.getLogger(__name__)

SYNCED = "credentials.sync"
_READER_S = 1.0
"""Longest wait for the readers, all at once; one that is not done then goes on and is done later."""
_CAUGHT_UP = "applied when the reader came back"
_T = TypeVar("_T")

_REMEDY: Mapping[Standing, str] = {
    "REVOKED": "it was burned; issue new credentials to a new node",
    "SUSPENDED": "it is contained; release the containment first",
    "EXPIRED": "its last live check is too old; check the person again",
    "UNVERIFIED": "no live check of the person succeeded yet; do one first",
}


class CredentialService:
    """Serves the rows of ``credentials``; a ``GrantHolder`` of reader grants.

    Order of life: construct; ``load()`` after ``Registry.load()``; ``start()`` on the event loop; ``stop()``.
    """

    def __init__(self, site: Site, store: Store, registry: Registry, bus: EventBus, keys: Keys) -> None:
        self._store = store
        self._registry = registry
        self.doors = Doors(site, store, registry, bus, keys)
        self.access = PersonAccess(store, registry, self.doors)
        self._grants = ReaderGrants(store, registry, self.doors)
        self._simulated = SimulatedReaders(store, registry, self.doors)
        self._upkeep = Upkeep(store, registry, self.doors, site.settings.reader_key_days)
        self._pending: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.doors.on_up(self._reader_up)
        registry.nodes.add_holder(self)

    # --- life ---

    def load(self) -> None:
        """Takes in readers and grants; blocks on the disk."""
        self.doors.load()
        with self._store.read() as connection:
            self._pending = set(
                connection.scalars(
                    select(sync_reader.c.reader_id).where(sync_reader.c.state == "pending_offline").distinct()
                )
            )

    async def start(self) -> None:
        """Connects the readers."""
        await self.doors.start()

    async def stop(self) -> None:
        """Lets go of the readers."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.doors.stop()

    # --- sync ---

    async def sync(self, body: SyncBody, *, actor: str, request_id: str | None = None) -> SyncReply:
        """Grants, and has every reader of the cluster prove it. 404: no such cluster or profile; 409: the profile does
        not open the cluster, or the node is burned, contained or not VERIFIED_DIGITAL_HUMAN."""
        called = time.perf_counter()
        sync_id = f"sync_{secrets.token_hex(10)}"
        await self._store.writer.run(lambda tx: self._grant(tx, sync_id, body, actor, request_id))
        await self.doors.settle()
        with self._store.read() as connection:
            reply = sync_reply(connection, sync_id)
            rows = {
                row.reader_id: row for row in self._registry.clusters.readers(connection, body.hardware_reader_cluster)
            }
        reply.readers = await self._prove(reply, rows, called)
        await self._store.writer.run(lambda tx: record_readers(tx, sync_id, reply.readers))
        self._pending.update(part.reader_id for part in reply.readers if part.state == "pending_offline")
        for part in reply.readers:
            # A reader that came up between its answer and the line above found nothing pending, and a late one goes
            # on: look once more.
            if part.state == "pending_offline" and self._is_secure(part.reader_id):
                self._reader_up(part.reader_id)
        return reply

    async def _prove(self, reply: SyncReply, rows: Mapping[str, ReaderRow], called: float) -> list[SyncReader]:
        """What each reader of the sync proves within ``_READER_S``, all of them at once."""
        acks: Mapping[str, Future[Ack]] = {}
        try:
            acks = self.doors.fleet.announce(reply.epoch, step_digest(reply.sync_id), DeltaOperation.SYNC)
        except FleetStopped:
            log.warning("the readers are stopped; the sync is done when they are driven again")
        proofs = {
            part.reader_id: self._spawn(self._apply(rows.get(part.reader_id), part, acks.get(part.reader_id), called))
            for part in reply.readers
        }
        if proofs:
            await asyncio.wait(proofs.values(), timeout=_READER_S)
        return [
            proofs[part.reader_id].result() if proofs[part.reader_id].done() else _late(part) for part in reply.readers
        ]

    def get(self, sync_id: str) -> SyncReply:
        """A sync as it stands now; 404 if there is none of this id."""
        with self._store.read() as connection:
            return sync_reply(connection, sync_id)

    def _grant(self, tx: Transaction, sync_id: str, body: SyncBody, actor: str, request_id: str | None) -> None:
        """The sync's transaction: the grant, the epoch that it makes, a row for each reader, the leaf."""
        cluster_id, profile_id = body.hardware_reader_cluster, body.credential_profile_token
        node = self._grantable(tx.connection, cluster_id, profile_id)
        prune_syncs(tx)
        epoch = self._registry.deny.advance(tx)
        not_after_us = tx.now_us + body.reauth_ttl_seconds * 1_000_000
        write_grant(tx, sync_id, node, profile_id, cluster_id, epoch, not_after_us)
        readers = write_sync(tx, sync_id, node, profile_id, cluster_id, epoch, not_after_us)
        tx.audit(
            SYNCED,
            actor=actor,
            node_id=node.node_id,
            request_id=request_id,
            detail={
                "sync_id": sync_id,
                "cluster": cluster_id,
                "profile": profile_id,
                "epoch": epoch,
                "not_after": rfc3339(not_after_us),
                "readers": readers,
            },
        )
        self.doors.grant_changed(tx, profile_id)

    def _grantable(self, connection: Connection, cluster_id: str, profile_id: str) -> NodeRow:
        """The node whose profile may be granted at this cluster now; raises the ``Problem`` if there is none."""
        if self._registry.clusters.row(connection, cluster_id) is None:
            raise Problem("not_found", f"No reader cluster {cluster_id} is registered; check hardware_reader_cluster.")
        profile = self._registry.profiles.profile(connection, profile_id)
        if profile is None:
            raise Problem("not_found", "This credential_profile_token names no registered profile; check it.")
        if cluster_id not in profile.clusters:
            raise Problem(
                "state_conflict", f"The profile does not open cluster {cluster_id}; add it to the profile first."
            )
        node = self._registry.require_node(connection, profile.node_id)
        if node.standing != VERIFIED:
            why = _REMEDY.get(node.standing, "its standing must be VERIFIED_DIGITAL_HUMAN first")
            raise Problem("state_conflict", f"Node {node.node_id} is {node.standing}: {why}.")
        return node

    async def _apply(
        self, row: ReaderRow | None, part: SyncReader, ack: Future[Ack] | None, called: float
    ) -> SyncReader:
        """What one reader proves now."""
        state: Literal["applied", "pending_offline", "unsupported", "failed"] = "pending_offline"
        secure, firmware = False, None
        detail: str | None = "the reader is not driven now; it is done when it is"
        if ack is not None and row is not None:
            try:
                answer = await asyncio.wrap_future(ack)
                secure = answer.secure_channel
                detail = "no secure channel now; it is done when the channel comes up"
                if secure:
                    firmware = (await self._upkeep.bring(row)).firmware
                    state, detail = "applied", None
                    if answer.delta_acked is False and not row.onboard_list:
                        detail = "the controller decides; the reader itself refused to note the epoch"
            except MissingCapability as error:
                state, detail = "unsupported", str(error)
                firmware = self.doors.fleet.state(row.reader_id).firmware
            except (ReaderOffline, ReaderTimeout, FleetStopped, UnknownDoorReader):
                secure = False
            except ReaderRefused as error:
                # The list is what the reader was registered to keep; without it only the controller decides.
                state, detail = ("unsupported" if row.onboard_list else "failed"), str(error)
            except DoorReaderError as error:
                state, detail = "failed", str(error)
        return SyncReader(
            reader_id=part.reader_id,
            state=state,
            secure_channel=secure,
            firmware=firmware,
            latency_ms=None if state == "pending_offline" else (time.perf_counter() - called) * 1000,
            detail=detail,
        )

    def _spawn(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- readers that come back ---

    def _is_secure(self, reader_id: str) -> bool:
        with contextlib.suppress(UnknownDoorReader, FleetStopped):
            return self.doors.fleet.state(reader_id).secure_channel
        return False

    def _reader_up(self, reader_id: str) -> None:
        if reader_id in self._pending:
            self._pending.discard(reader_id)
            self._spawn(self._catch_up(reader_id))

    async def _catch_up(self, reader_id: str) -> None:
        """Finishes what waited for this reader."""
        try:
            await self.doors.settle()
            with self._store.read() as connection:
                row = self._registry.clusters.reader(connection, reader_id)
            if row is None:
                return
            try:
                firmware, state, detail = (await self._upkeep.bring(row)).firmware, "applied", _CAUGHT_UP
            except (MissingCapability, ReaderRefused) as error:
                firmware = self.doors.fleet.state(reader_id).firmware
                state, detail = "unsupported", str(error)
            await self._store.writer.run(lambda tx: record_caught_up(tx, reader_id, firmware, state, detail))
        except (DoorReaderError, StoreUnavailable):
            log.info("reader %s could not be caught up; tried again when it comes up", reader_id)
            self._pending.add(reader_id)

    # --- a ``GrantHolder`` ---

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """As ``ReaderGrants.holdings``."""
        return self._grants.holdings(node_id)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """As ``ReaderGrants.revoke``."""
        return self._grants.revoke(tx, node_id, burn_id)

    # --- training ---

    async def present(self, reader_id: str, node_id: str) -> PresentReply:
        """As ``SimulatedReaders.present``."""
        return await self._simulated.present(reader_id, node_id)

    async def plug(self, reader_id: str, action: Literal["unplug", "plug"]) -> ReaderPlugReply:
        """As ``SimulatedReaders.plug``."""
        return await self._simulated.plug(reader_id, action)


def _late(part: SyncReader) -> SyncReader:
    part.detail = "the reader has not finished yet; it is done when it has"
    return part
