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

from sqlalchemy import BindParameter, Connection, Row, bindparam, delete, func, insert, or_, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.credentials.doors import EXPIRED, Doors, digest
from app.capabilities.credentials.messages import (
    BiologicalStatus,
    PresentReply,
    ReaderPlugReply,
    SyncBody,
    SyncReader,
    SyncReply,
)
from app.capabilities.credentials.tables import reader_grant, sync, sync_reader
from app.capabilities.credentials.upkeep import MissingCapability, Upkeep
from app.delivery.events import EventBus, Holding, RevocationEvidence
from app.registry.clusters import ReaderRow
from app.registry.messages.nodes import NodeCredential, Standing
from app.registry.profiles import ProfileRow
from app.registry.service import Registry, now_us
from app.registry.standing import VERIFIED, causes_of
from app.registry.tables import credential_profile, profile_credential, reader
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys
from app.store.writer import Transaction
from hardware.readers.decision import Credential
from hardware.readers.delta import DeltaOperation
from hardware.readers.errors import (
    DoorReaderError,
    FleetStopped,
    NotSimulated,
    ReaderOffline,
    ReaderRefused,
    ReaderTimeout,
    UnknownDoorReader,
)
from hardware.readers.reader import Ack

log = logging.getLogger(__name__)

SYNCED = "credentials.sync"
ENDED = "credentials.grants_ended"
KEPT_US = 30 * 86_400 * 1_000_000
"""How long a sync can be asked for: longer than the longest grant, or one row a reader and sync would pile up."""
_PRUNED = 20
"""Old syncs that a new one takes away."""
_READER_S = 1.0
"""Longest wait for the readers, all at once; one that is not done then goes on and is done later."""
_CAUGHT_UP = "applied when the reader came back"
_MINE: BindParameter[str] = bindparam("of")
_ANY = select(
    or_(
        select(reader_grant.c.node_id).where(reader_grant.c.node_id == _MINE).exists(),
        select(sync.c.node_id).where(sync.c.node_id == _MINE).exists(),
    )
)
"""Whether anything was ever granted to a node."""
_ENDED = select(func.count()).where(reader_grant.c.node_id == _MINE, reader_grant.c.ended_us.is_not(None))
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
        self._upkeep = Upkeep(store, registry, self.doors, site.settings.reader_key_days)
        self._pending: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.doors.on_up(self._reader_up)
        registry.standing.on_fall(self._fell)
        registry.profiles.on_change(self._profile_changed)
        registry.nodes.add_source(self.credentials_of)
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
        """Grants and tells every reader of the cluster. 404: no such cluster or profile; 409: the profile does not open
        the cluster, or the node is burned, contained or not VERIFIED_DIGITAL_HUMAN."""
        called = time.perf_counter()
        sync_id = f"sync_{secrets.token_hex(10)}"
        await self._store.writer.run(lambda tx: self._grant(tx, sync_id, body, actor, request_id))
        await self.doors.settled()
        with self._store.read() as connection:
            reply = self._reply(connection, sync_id)
            rows = {
                row.reader_id: row for row in self._registry.clusters.readers(connection, body.hardware_reader_cluster)
            }
        acks: Mapping[str, Future[Ack]] = {}
        try:
            acks = self.doors.fleet.announce(reply.epoch, digest(sync_id), DeltaOperation.SYNC)
        except FleetStopped:
            log.warning("the readers are stopped; the sync is done when they are driven again")
        proofs = {
            part.reader_id: self._spawn(self._apply(rows.get(part.reader_id), part, acks.get(part.reader_id), called))
            for part in reply.readers
        }
        if proofs:
            await asyncio.wait(proofs.values(), timeout=_READER_S)
        readers = [
            proofs[part.reader_id].result() if proofs[part.reader_id].done() else _late(part) for part in reply.readers
        ]
        await self._store.writer.run(lambda tx: self._record(tx, sync_id, readers))
        self._pending.update(part.reader_id for part in readers if part.state == "pending_offline")
        for part in readers:
            # A reader that came back between its answer and the line above told nobody, one that was late goes on: look
            # once more.
            if part.state == "pending_offline" and self._is_secure(part.reader_id):
                self._reader_up(part.reader_id)
        reply.readers = readers
        return reply

    def found(self, sync_id: str) -> SyncReply:
        """A sync as it stands now; 404 if there is none of this id."""
        with self._store.read() as connection:
            return self._reply(connection, sync_id)

    def _grant(self, tx: Transaction, sync_id: str, body: SyncBody, actor: str, request_id: str | None) -> None:
        connection = tx.connection
        cluster_id, profile_id = body.hardware_reader_cluster, body.credential_profile_token
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
        self._prune(tx)
        epoch = self._registry.deny.advance(tx)
        not_after_us = tx.now_us + body.reauth_ttl_seconds * 1_000_000
        grant = {
            "node_id": node.node_id,
            "not_after_us": not_after_us,
            "epoch": epoch,
            "sync_id": sync_id,
            "ended_us": None,
            "ended_why": None,
        }
        where = (reader_grant.c.profile_id == profile_id, reader_grant.c.cluster_id == cluster_id)
        if connection.execute(update(reader_grant).where(*where).values(**grant)).rowcount == 0:
            connection.execute(insert(reader_grant).values(profile_id=profile_id, cluster_id=cluster_id, **grant))
        connection.execute(
            insert(sync).values(
                sync_id=sync_id,
                profile_id=profile_id,
                cluster_id=cluster_id,
                node_id=node.node_id,
                epoch=epoch,
                not_after_us=not_after_us,
                standing=node.standing,
                verified_us=node.verified_us,
                created_us=tx.now_us,
            )
        )
        readers = connection.scalars(
            select(reader.c.reader_id).where(reader.c.cluster_id == cluster_id).order_by(reader.c.position)
        ).all()
        if readers:
            connection.execute(
                insert(sync_reader),
                [
                    {
                        "sync_id": sync_id,
                        "reader_id": reader_id,
                        "position": position,
                        "state": "pending_offline",
                        "secure_channel": 0,
                    }
                    for position, reader_id in enumerate(readers)
                ],
            )
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
                "readers": len(readers),
            },
        )
        self.doors.grant_changed(tx, profile_id)

    @staticmethod
    def _prune(tx: Transaction) -> None:
        old = tx.connection.scalars(
            select(sync.c.sync_id)
            .where(sync.c.created_us < tx.now_us - KEPT_US)
            .order_by(sync.c.created_us)
            .limit(_PRUNED)
        ).all()
        if old:
            tx.connection.execute(delete(sync_reader).where(sync_reader.c.sync_id.in_(old)))
            tx.connection.execute(delete(sync).where(sync.c.sync_id.in_(old)))

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

    @staticmethod
    def _record(tx: Transaction, sync_id: str, readers: Sequence[SyncReader]) -> None:
        for part in readers:
            tx.connection.execute(
                update(sync_reader)
                .where(
                    sync_reader.c.sync_id == sync_id,
                    sync_reader.c.reader_id == part.reader_id,
                    # A burn may have ended the grant meanwhile: its word stands.
                    sync_reader.c.state == "pending_offline",
                )
                .values(
                    state=part.state,
                    secure_channel=int(part.secure_channel),
                    firmware=part.firmware,
                    latency_ms=part.latency_ms,
                    detail=part.detail,
                )
            )

    def _reply(self, connection: Connection, sync_id: str) -> SyncReply:
        row = connection.execute(select(sync).where(sync.c.sync_id == sync_id)).one_or_none()
        if row is None:
            raise Problem("not_found", f"No sync {sync_id} was made here; check the identifier.")
        parts = connection.execute(
            select(sync_reader).where(sync_reader.c.sync_id == sync_id).order_by(sync_reader.c.position)
        )
        return SyncReply(
            sync_id=row.sync_id,
            cluster=row.cluster_id,
            node_id=row.node_id,
            epoch=row.epoch,
            not_after=rfc3339(row.not_after_us),
            biological_status=BiologicalStatus(
                standing=row.standing,
                verified_at=None if row.verified_us is None else rfc3339(row.verified_us),
            ),
            readers=[
                SyncReader(
                    reader_id=part.reader_id,
                    state=part.state,
                    secure_channel=bool(part.secure_channel),
                    firmware=part.firmware,
                    latency_ms=part.latency_ms,
                    detail=part.detail,
                )
                for part in parts
            ],
        )

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
            await self.doors.settled()
            with self._store.read() as connection:
                row = self._registry.clusters.reader(connection, reader_id)
            if row is None:
                return
            try:
                firmware, state, detail = (await self._upkeep.bring(row)).firmware, "applied", _CAUGHT_UP
            except (MissingCapability, ReaderRefused) as error:
                firmware = self.doors.fleet.state(reader_id).firmware
                state, detail = "unsupported", str(error)
            await self._store.writer.run(lambda tx: self._caught_up(tx, reader_id, firmware, state, detail))
        except (DoorReaderError, StoreUnavailable):
            log.info("reader %s could not be caught up; tried again when it comes up", reader_id)
            self._pending.add(reader_id)

    @staticmethod
    def _caught_up(tx: Transaction, reader_id: str, firmware: str, state: str, detail: str) -> None:
        waiting = tx.connection.execute(
            select(sync_reader.c.sync_id, sync.c.created_us)
            .join(sync, sync.c.sync_id == sync_reader.c.sync_id)
            .where(sync_reader.c.reader_id == reader_id, sync_reader.c.state == "pending_offline")
        ).all()
        for row in waiting:
            tx.connection.execute(
                update(sync_reader)
                .where(sync_reader.c.sync_id == row.sync_id, sync_reader.c.reader_id == reader_id)
                .values(
                    state=state,
                    secure_channel=1,
                    firmware=firmware,
                    latency_ms=(tx.now_us - row.created_us) / 1000,
                    detail=detail,
                )
            )

    # --- what takes grants away ---

    def _end(self, tx: Transaction, node_id: str, why: str, *, by_delta: bool) -> int:
        """Ends every live grant of the node; how many there were. ``by_delta``: see ``Doors.grant_changed``."""
        live = tx.connection.execute(
            select(reader_grant.c.profile_id, reader_grant.c.cluster_id).where(
                reader_grant.c.node_id == node_id,
                reader_grant.c.ended_us.is_(None),
                reader_grant.c.not_after_us > tx.now_us,
            )
        ).all()
        tx.connection.execute(
            update(reader_grant)
            .where(reader_grant.c.node_id == node_id, reader_grant.c.ended_us.is_(None))
            .values(ended_us=tx.now_us, ended_why=why)
        )
        mine = select(sync.c.sync_id).where(sync.c.node_id == node_id)
        tx.connection.execute(
            update(sync_reader)
            .where(sync_reader.c.sync_id.in_(mine), sync_reader.c.state == "pending_offline")
            .values(state="failed", detail=f"the grant was ended before the reader came back ({why})")
        )
        for profile_id in {row.profile_id for row in live}:
            self.doors.grant_changed(tx, profile_id, by_delta=by_delta)
        return len(live)

    def _fell(self, tx: Transaction, node_id: str, to: Standing) -> None:
        if not tx.connection.scalar(_ANY, {"of": node_id}):
            return
        # A burn is told by its own delta; whoever is contained or expires leaves the lists by a new list.
        ended = self._end(tx, node_id, to, by_delta=to == "REVOKED")
        if ended:
            tx.audit(ENDED, actor="service", node_id=node_id, detail={"grants": ended, "why": to})

    def _profile_changed(self, tx: Transaction, profile_id: str, before: Row[Any] | None) -> None:
        """Ends the grants that the profile as it is now does not carry any more."""
        if before is None:
            return
        now = self._registry.profiles.profile(tx.connection, profile_id)
        live = tx.connection.execute(
            select(reader_grant).where(reader_grant.c.profile_id == profile_id, reader_grant.c.ended_us.is_(None))
        ).all()
        for row in live:
            kept = now is not None and now.node_id == row.node_id and row.cluster_id in now.clusters and now.credentials
            if not kept:
                tx.connection.execute(
                    update(reader_grant)
                    .where(reader_grant.c.profile_id == profile_id, reader_grant.c.cluster_id == row.cluster_id)
                    .values(ended_us=tx.now_us, ended_why="profile")
                )
        self.doors.grant_changed(tx, profile_id)

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's live reader grants."""
        with self._store.read() as connection:
            live, until = connection.execute(
                select(func.count(), func.max(reader_grant.c.not_after_us)).where(
                    reader_grant.c.node_id == node_id,
                    reader_grant.c.ended_us.is_(None),
                    reader_grant.c.not_after_us > now_us(),
                )
            ).one()
        if not live:
            return []
        return [
            Holding(
                id="reader-grants",
                kind="grant",
                display_name="Reader grants",
                count=live,
                reversible=True,
                detail=f"live until {rfc3339(until)} at the latest",
            )
        ]

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Ends the node's grants inside the burn's transaction."""
        if not tx.connection.scalar(_ANY, {"of": node_id}):
            return []
        ended = self._end(tx, node_id, burn_id, by_delta=True)
        before = tx.connection.scalar(_ENDED, {"of": node_id})
        if not ended and not before:
            return []
        detail = f"{ended} live grant{'' if ended == 1 else 's'} ended" if ended else "no live grant was left"
        return [
            RevocationEvidence(
                id="reader-grants",
                kind="grant",
                display_name="Reader grants",
                count=ended,
                already=not ended,
                detail=detail,
            )
        ]

    # --- what a node's reply shows ---

    def credentials_of(self, connection: Connection, node_ids: Sequence[str]) -> Mapping[str, Sequence[NodeCredential]]:
        """The credentials of these nodes' profiles with what is granted of them."""
        at = now_us()
        burned = {node_id for node_id, causes in causes_of(connection, node_ids).items() if "burn" in causes}
        grants: dict[str, list[Row[Any]]] = {}
        for row in connection.execute(
            select(reader_grant).where(
                reader_grant.c.node_id.in_(node_ids),
                or_(reader_grant.c.ended_us.is_(None), reader_grant.c.ended_why == EXPIRED),
            )
        ):
            grants.setdefault(row.profile_id, []).append(row)
        found: dict[str, list[NodeCredential]] = {}
        for row in connection.execute(
            select(
                credential_profile.c.node_id,
                credential_profile.c.profile_id,
                profile_credential.c.format,
                profile_credential.c.card_guid,
            )
            .join(profile_credential, profile_credential.c.profile_id == credential_profile.c.profile_id)
            .where(credential_profile.c.node_id.in_(node_ids))
            .order_by(credential_profile.c.profile_id, profile_credential.c.position)
        ):
            mine = grants.get(row.profile_id, [])
            live = [grant for grant in mine if grant.ended_us is None and grant.not_after_us > at]
            state: Literal["active", "granted", "expired", "revoked"] = "expired" if mine else "active"
            if row.node_id in burned:
                state, live = "revoked", []
            elif live:
                state = "granted"
            found.setdefault(row.node_id, []).append(
                NodeCredential(
                    profile=row.profile_id,
                    format=row.format,
                    card_guid=row.card_guid,
                    state=state,
                    clusters=sorted(grant.cluster_id for grant in live),
                    # The first to end: until then all that is shown holds.
                    not_after=rfc3339(min(grant.not_after_us for grant in live)) if live else None,
                )
            )
        return found

    # --- training ---

    async def present(self, reader_id: str, node_id: str) -> PresentReply:
        """Holds the node's badge to a simulated reader. 404: no such reader or node; 409: a real reader, or a node
        whose profiles name no credential; 503: the reader is offline."""
        with self._store.read() as connection:
            self._registry.require_node(connection, node_id)
            cluster_id = connection.scalar(select(reader.c.cluster_id).where(reader.c.reader_id == reader_id))
            profiles = self._registry.profiles.of_node(connection, node_id)
        if cluster_id is None:
            raise Problem("not_found", f"No reader {reader_id} is registered; check the identifier.")
        badge = _badge(profiles, cluster_id)
        if badge is None:
            raise Problem(
                "state_conflict", f"Node {node_id} has no badge; register a credential profile that names one first."
            )
        await self.doors.settled()
        called = time.perf_counter()
        try:
            decision = await asyncio.wrap_future(self.doors.fleet.present(reader_id, badge))
        except (NotSimulated, UnknownDoorReader, ReaderOffline, ReaderTimeout, FleetStopped) as error:
            raise _presented(error, reader_id) from error
        return PresentReply(
            decision="GRANT" if decision.grant else "DENY",
            reason=decision.reason,
            latency_ms=(time.perf_counter() - called) * 1000,
            reader_id=reader_id,
            node_id=node_id,
        )

    async def plug(self, reader_id: str, action: Literal["unplug", "plug"]) -> ReaderPlugReply:
        """Pulls a simulated reader's line or puts it back; 404 for an unknown reader, 409 for a real one."""
        await self.doors.settled()
        try:
            if action == "unplug":
                self.doors.fleet.unplug(reader_id)
            else:
                self.doors.fleet.plug(reader_id)
        except (NotSimulated, UnknownDoorReader, FleetStopped) as error:
            raise _presented(error, reader_id) from error
        return ReaderPlugReply(reader_id=reader_id, plugged=action == "plug")


def _late(part: SyncReader) -> SyncReader:
    part.detail = "the reader has not finished yet; it is done when it has"
    return part


def _badge(profiles: Sequence[ProfileRow], cluster_id: str) -> Credential | None:
    """The badge that this person would hold to a reader of the cluster: one that may open it if there is any."""
    ranked = sorted(profiles, key=lambda profile: cluster_id not in profile.clusters)
    return next((credential for profile in ranked for credential in profile.credentials), None)


def _presented(error: DoorReaderError, reader_id: str) -> Problem:
    if isinstance(error, UnknownDoorReader):
        return Problem("not_found", f"No reader {reader_id} is driven here; check the identifier.")
    if isinstance(error, NotSimulated):
        return Problem("state_conflict", f"Reader {reader_id} is a real one; only a person can do this there.")
    return Problem(
        "dependency_unavailable",
        f"Reader {reader_id} is offline; plug it in and try again.",
        headers={"Retry-After": "5"},
    )
