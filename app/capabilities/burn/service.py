"""Burn: ends all access of a node everywhere at the same time (``README.md``).

Revocation only goes forward. The node is denied in memory first; then ONE urgent transaction holds burn, deny rows,
epoch, standing, what the grant holders revoke, and a row for every target; then all targets are reached at once. From
that commit on nothing may fail the call any more: a target without proof at the deadline is reported as such, and its
attempts go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Sequence

from sqlalchemy import Select, select

from app.approvals.service import Approvals
from app.biometrics.service import Biometrics
from app.capabilities.burn.background import Background
from app.capabilities.burn.commit import Beside, BurnOrder, BurnTransaction
from app.capabilities.burn.containments.service import Containments
from app.capabilities.burn.fanout import Fanout
from app.capabilities.burn.identity import BurnIdentities, BurnIdentity
from app.capabilities.burn.lift import Lifts
from app.capabilities.burn.listing import BurnListing
from app.capabilities.burn.log.revocation_log import ManifestSigner, RevocationLog
from app.capabilities.burn.manual import ManualTargets
from app.capabilities.burn.messages import (
    Burn,
    BurnBody,
    BurnListQuery,
    BurnPage,
    BurnSpeedQuery,
    BurnSpeedReport,
    ContainmentCause,
    Preview,
    PreviewBody,
)
from app.capabilities.burn.pacing import Pacing
from app.capabilities.burn.preview import BlastRadius
from app.capabilities.burn.replies import BurnReplies
from app.capabilities.burn.running import Failpoint, Running
from app.capabilities.burn.speed import BurnSpeed
from app.capabilities.burn.tables import burn
from app.capabilities.burn.targets import TargetKind
from app.capabilities.burn.targets.connector import Connector
from app.capabilities.burn.targets.directory import DirectoryTargets
from app.capabilities.burn.targets.holder import HolderTargets
from app.capabilities.burn.targets.reader import ReaderTargets
from app.capabilities.burn.targets.terminal import TerminalTargets, target_of
from app.capabilities.burn.tripwire import Tripwire
from app.capabilities.burn.waiting import BurnWaits, WaitingBurn, WaitingBurns, before_rows, not_kept
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also, DoorTrace, EventBus, GrantHolder
from app.delivery.names import look_up_apart
from app.pki.crl import RevocationLists
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreError, StoreUnavailable
from app.store.writer import Transaction
from hardware.readers.fleet import ReaderFleet

log = logging.getLogger(__name__)

_RETRY_S = 1.0
_RETRY_MOST_S = 60.0
_OF_A_LIST = "The list that names it could not be stored."
_BETWEEN_S = 0.2
"""Between two looks at the store, at least, while burns wait for it."""
_SEAL_S = 0.25
"""How long, at most, an answer waits for a segment that the disk delays: it is answered without its manifest then."""


class _TakenBack(Exception):
    """A burn is not to be: what was to be written beside it failed."""


class BurnService:
    """Serves the rows of ``burn``, and is the site's ``app.delivery.events.Burner``; ``containments`` serves theirs.

    ``holders``: the services that hold grants in this process; ``sealer``: of the revocation log; ``connectors``: the
    kinds of directories elsewhere; ``trace``: what the doors decided. ``failpoint``: for tests that kill the process.
    Order of life: construct; ``load()``; ``start()`` on the event loop after the readers are driven; ``stop()``.
    """

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        biometrics: Biometrics,
        fleet: ReaderFleet,
        holders: Sequence[GrantHolder],
        lists: RevocationLists,
        alarms: AlarmBook,
        bus: EventBus,
        cursors: Cursors,
        sealer: ManifestSigner,
        approvals: Approvals,
        connectors: Sequence[Connector] = (),
        *,
        trace: DoorTrace,
        failpoint: Failpoint = lambda _: None,
    ) -> None:
        settings = site.settings
        self._deadline_s = settings.burn_deadline_s
        self._store = store
        self._deny = registry.deny
        self._failpoint = failpoint
        self.containments = Containments(store, registry, fleet, bus, cursors, alarms)
        cards = HolderTargets(holders, lists, told_where=site.settings.public_address is not None)
        self._directories = DirectoryTargets(
            connectors, store, registry, deadline_s=settings.burn_attempt_s, again=self._hasten
        )
        self._cards = cards
        kinds: tuple[TargetKind, ...] = (
            cards,
            ReaderTargets(fleet, store, registry.clusters),
            TerminalTargets(store),
            self._directories,
        )
        self._background = Background()
        self._revocations = RevocationLog(site, store, sealer, alarms, failpoint=failpoint)
        self._replies = BurnReplies(kinds, bus, self._background)
        self._fanout = Fanout(
            store,
            kinds,
            alarms,
            self._revocations,
            self._replies,
            self._background,
            deadline_s=settings.burn_deadline_s,
            failpoint=failpoint,
        )
        biometrics.bundles.on_taken(lambda terminal_id: self._fanout.hasten_all(target_of(terminal_id)))
        self._pacing = Pacing(self._fanout)
        self._identities = BurnIdentities(store, registry)
        self._waiting = WaitingBurns(site, store, registry, self._identities, alarms, bus, failpoint=failpoint)
        self._look: asyncio.Event | None = None
        store.writer.on_commit(self._note_commit)
        self._transaction = BurnTransaction(
            site, registry, self.containments, kinds, self._fanout.proofs, alarms, self._revocations
        )
        self._listing = BurnListing(site, store, cursors, self._replies, self._fanout.running)
        self._speed = BurnSpeed(site, store)
        self._lifts = Lifts(
            store,
            registry,
            approvals,
            alarms,
            self._identities,
            self._transaction,
            self._fanout,
            self._replies,
            self._listing,
            ttl_s=settings.burn_approval_ttl_s,
        )
        self._manual = ManualTargets(
            store, self._fanout, self._replies, self._listing, deadline_s=settings.burn_deadline_s
        )
        self._tripwire = Tripwire(store, alarms, bus)
        self._radius = BlastRadius(
            store, registry, kinds, cards, self._directories, self._identities, trace, self._fanout.history
        )

    # --- life ---

    def load(self) -> None:
        """Takes in which nodes are burned, which burns wait for the store, and how long targets took; blocks on the
        disk."""
        self._identities.load()
        self._waiting.load()
        for target_id, latency_ms in self._listing.latencies():
            self._fanout.remember(target_id, latency_ms)

    async def start(self) -> None:
        """Takes up every burn that is not complete: exactly its targets without a durable proof. Ends containments
        whose time was over meanwhile."""
        self._background.start()
        look_up_apart(asyncio.get_running_loop())
        await self.containments.start()
        self._tripwire.start()
        for running in self._listing.incomplete():
            log.info("burn taken up again", extra={"burn_id": running.facts.burn_id, "open": len(running.open)})
            self._fanout.begin(running)
        self._revocations.start()
        self._look = asyncio.Event()
        self._background.spawn(self._store_waiting(self._look))
        if self._waiting:
            self._look.set()

    async def stop(self) -> None:
        """Ends the fan-out; what is not durable is taken up at the next start."""
        self._tripwire.stop()
        await self.containments.stop()
        self._pacing.stop()
        await self._background.stop()
        await self._cards.stop()
        await self._directories.stop()
        await self._revocations.stop()

    # --- the burn ---

    async def burn(
        self, body: BurnBody, *, actor: str, request_id: str | None = None, wait_s: float | None = None
    ) -> Burn:
        """Burns the node; answers when every target is proven, or after ``wait_s`` (default: the site's deadline) with
        what is. The same node and scope again is the same burn: every target that can be looked at is, and what
        somebody has undone there is ended anew. A burn that the store cannot take waits in the reserve and is answered
        at once. 503 only where the reserve cannot take it either; the node is denied here even then."""
        started = time.perf_counter()
        try:
            _, running, _ = await self._ensure(body, actor, request_id, started)
        except BurnWaits as kept:
            return self._waiting.reply(kept.waiting)
        wait = self._deadline_s if wait_s is None else wait_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, started + wait - time.perf_counter())):
                while not (running.done.is_set() and running.looked.is_set()):
                    await running.looked.wait()
                    await running.done.wait()
        if running.done.is_set() or wait >= self._deadline_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(running.sealing.wait(), _SEAL_S)
        return self._replies.reply(running)

    async def _ensure(
        self, body: BurnBody, actor: str, request_id: str | None, started: float, beside: Beside | None = None
    ) -> tuple[str, Running, bool]:
        """Denies the node and has its burn durable. Gives the burn_id, the burn itself, and whether it was made by this
        call, with what is written ``beside``. A burn that was there before has all its targets looked at, at once."""
        while True:
            denied = self._identities.deny(body.node_id, body.scope)
            if denied is None:
                await self._identities.outlive(body.node_id, body.scope)
                continue
            identity, denied_at = denied
            self._failpoint("denied")
            if identity.durable:
                running = self._fanout.running.get(identity.burn_id) or self._listing.recall(identity.burn_id)
                self._fanout.look_again(running, running.targets)
                self._fanout.dispatch(running, running.open)
                return identity.burn_id, running, False
            mine = identity.committing is None
            if identity.committing is None:
                waiting = self._waiting.find(identity.burn_id)
                order = BurnOrder(body, actor, request_id, started, beside) if waiting is None else waiting.order
                work = self._execute(identity, order, (denied_at - started) * 1e6)
                identity.committing = asyncio.get_running_loop().create_task(work)
            identity.joined += not mine
            try:
                # Shielded: a caller who leaves must not take the burn with him.
                running = await asyncio.shield(identity.committing)
            except _TakenBack as taken:
                if mine and taken.__cause__ is not None:
                    raise taken.__cause__ from None
                continue
            except BurnWaits as kept:
                if self._waiting.find(identity.burn_id) is None:
                    # Stored between the failure and this turn of the loop.
                    continue
                if beside is not None:
                    kept.waiting.beside.append(beside.also)
                raise
            finally:
                identity.joined -= not mine
            # What a burn's first call wrote beside it is not in the transaction of one that waited.
            return identity.burn_id, running, mine and order.beside is beside

    async def _execute(self, identity: BurnIdentity, order: BurnOrder, local_us: float) -> Running:
        """The node is denied in memory: now the transaction, then the fan-out. In this order, always."""
        self._pacing.storing += 1
        try:
            running = await self._store.writer.run(
                lambda tx: self._transaction.write(tx, identity, order, local_us), urgent=True
            )
        except Exception as error:
            raise await self._refuse(identity, order, local_us, error) from error
        finally:
            identity.committing = None
            self._pacing.storing -= 1
        if identity.instead is not None:
            self._fanout.end(identity.instead.burn_id)
            identity.instead = None
        identity.drill = running.facts.drill
        identity.durable = True
        self._failpoint("committed")
        waiting = self._waiting.take(identity.burn_id)
        if order.beside is None or not running.open:
            self._fanout.begin(running)
        else:
            self._pacing.begin(running)
        self._replies.publish(running, None)
        with contextlib.suppress(StoreError):
            # Not before the fan-out: a read of the log must not hold up a door.
            running.leaf_hash = self._listing.leaf_hash(running.leaf)
        if waiting is not None:
            await self._settle(waiting)
        return running

    async def _refuse(self, identity: BurnIdentity, order: BurnOrder, local_us: float, error: Exception) -> Exception:
        """Nothing of the burn is stored; what its callers get. It waits from here on, in the reserve if that takes
        it."""
        if order.beside is not None and error is order.beside.failed:
            self._identities.take_back(identity)
            return _TakenBack()
        # On any other error the denial stays and operators hear of it; only a stored burn may end quietly.
        identity.owed = True
        fresh = self._waiting.find(identity.burn_id) is None
        if fresh:
            log.critical("a burn could not be stored; the node stays denied here", exc_info=error)
        waiting = await self._waiting.keep(identity, order, local_us, self._deny.epoch + 1, error)
        if fresh and self._look is not None:
            # Only for a new one: a try that fails again must not be the reason for the next.
            self._look.set()
        return not_kept(identity.node_id, error) if waiting.slot is None else BurnWaits(waiting)

    # --- burns that wait for the store ---

    def trouble(self) -> str | None:
        """As ``WaitingBurns.trouble``."""
        return self._waiting.trouble()

    def _note_commit(self) -> None:
        """The store may take a burn now. Any thread."""
        look = self._look
        if look is not None and self._waiting:
            self._background.soon(look.set)

    async def _store_waiting(self, look: asyncio.Event) -> None:
        """Stores what waits: after a pause that grows, and whenever the store has taken something else."""
        pause = _RETRY_S
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause if self._waiting else None):
                    await look.wait()
            look.clear()
            for waiting in self._waiting.all():
                if not await self._store_one(waiting):
                    break
            pause = min(2 * pause, _RETRY_MOST_S) if self._waiting else _RETRY_S
            await asyncio.sleep(_BETWEEN_S)

    async def _store_one(self, waiting: WaitingBurn) -> bool:
        """Tries to store a burn that waits, unless a repeat of its call does; whether the store may take the next."""
        identity = waiting.identity
        if identity.committing is None and not identity.durable:
            work = self._execute(identity, waiting.order, waiting.record.local_deny_us)
            identity.committing = asyncio.get_running_loop().create_task(work)
        if identity.committing is not None:
            try:
                await asyncio.shield(identity.committing)
            except Exception:
                # The task has logged it. On any error the burn waits on.
                return False
        return True

    async def _settle(self, waiting: WaitingBurn) -> None:
        """A burn that waited is stored: what its callers write beside it comes now, each for itself."""
        burn_id = waiting.record.burn_id
        await self._waiting.forget(waiting)
        for also in waiting.beside:
            try:
                await self._store.writer.run(lambda tx, also=also: also(tx, burn_id), urgent=True)  # type: ignore[misc]
            except Exception:
                log.exception("what belongs to a burn that waited could not be stored", extra={"burn_id": burn_id})

    # --- as ``app.delivery.events.Burner`` has it ---

    async def burn_with(self, node_id: str, reason: str, *, actor: str, request_id: str | None, also: Also) -> str:
        """As ``app.delivery.events.Burner`` has it."""
        body = BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason=reason)

        def write_beside(tx: Transaction, burn_id: str) -> bool:
            """For a burn that was there before; False if it was lifted meanwhile."""
            if tx.connection.scalar(_standing_burn(body)) != burn_id:
                return False
            also(tx, burn_id)
            return True

        while True:
            try:
                burn_id, _, mine = await self._ensure(body, actor, request_id, time.perf_counter(), Beside(also))
            except BurnWaits as kept:
                return kept.waiting.record.burn_id
            if mine:
                return burn_id
            try:
                if await self._store.writer.run(functools.partial(write_beside, burn_id=burn_id), urgent=True):
                    return burn_id
            except StoreError as error:
                raise not_kept(node_id, error) from error

    async def contain_with(
        self,
        node_id: str,
        *,
        cause: ContainmentCause,
        seconds: float | None,
        message: str,
        actor: str,
        request_id: str | None,
        also: Also,
    ) -> str:
        """As ``app.delivery.events.Burner`` has it."""
        return await self.containments.contain_with(
            node_id, cause=cause, seconds=seconds, message=message, actor=actor, request_id=request_id, also=also
        )

    async def queue_with(self, node_id: str, *, message: str, actor: str, request_id: str | None, also: Also) -> str:
        """As ``app.delivery.events.Burner`` has it."""
        return await self.containments.queue_with(
            node_id, message=message, actor=actor, request_id=request_id, also=also
        )

    # --- a list (``mass``) ---

    def expect(self, node_id: str, burn_id: str) -> None:
        """As ``BurnIdentities.expect``."""
        self._identities.expect(node_id, burn_id)

    async def reserve(self, node_id: str) -> str:
        """As ``BurnIdentities.reserve``."""
        return await self._identities.reserve(node_id)

    async def keep_reserved(self, node_id: str, reason: str, *, actor: str, request_id: str | None) -> bool:
        """A reserved node whose list the store did not take is burned by itself as soon as there is room; whether its
        burn is kept in the reserve. Before ``settle_reserved``."""
        identity = self._identities.find(node_id, "GLOBAL_REVOCATION")
        if identity is None or identity.durable:
            return True
        body = BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason=reason)
        order = BurnOrder(body, actor, request_id, time.perf_counter())
        identity.owed = True
        waiting = await self._waiting.keep(identity, order, 0.0, self._deny.epoch + 1, StoreUnavailable(_OF_A_LIST))
        if self._look is not None:
            self._look.set()
        return waiting.slot is not None

    def settle_reserved(self, node_id: str, *, stored: bool) -> None:
        """As ``BurnIdentities.settle_reserved``."""
        self._identities.settle_reserved(node_id, stored=stored)

    async def wait_complete(self, burn_ids: Sequence[str]) -> None:
        """Waits until all of these burns are complete."""
        for burn_id in burn_ids:
            running = self._fanout.running.get(burn_id)
            if running is not None:
                await running.done.wait()

    # --- un-burn ---

    async def lift(self, burn_id: str, approval_id: str, *, actor: str, request_id: str | None = None) -> Burn:
        """Takes a burn back by an approval of the kind ``lift``; a lifted one is given back as it is. What the node
        held stays denied for ever; if no other burn denies it, it is UNVERIFIED until a new live check. 404: no such
        burn or approval; 409: the approval does not hold."""
        return await self._lifts.lift(burn_id, approval_id, actor=actor, request_id=request_id)

    # --- one target ---

    def look_again(self, burn_id: str, target_id: str) -> None:
        """Looks again at a final target, without waiting for it; one that is not proven by that is open again. On the
        event loop."""
        running = self._fanout.running.get(burn_id) or self._listing.recall(burn_id)
        if running.lifted_us is None:
            self._fanout.look_again(running, [target_id])

    async def retry(self, burn_id: str, target_id: str) -> Burn:
        """Tries one target now, or looks at it again, and answers after that attempt. 404: no such burn or target;
        409: a person closed it, the burn was lifted, or it stands in this site's own rows."""
        return await self._manual.retry(burn_id, target_id)

    async def close(
        self, burn_id: str, target_id: str, reason: str, *, actor: str, request_id: str | None = None
    ) -> Burn:
        """A person gives an open target up, with a reason. 404: no such burn or target; 409: it is proven."""
        return await self._manual.close(burn_id, target_id, reason, actor=actor, request_id=request_id)

    def _hasten(self, burn_id: str, target_id: str) -> None:
        running = self._fanout.running.get(burn_id)
        if running is not None:
            self._fanout.hasten(running, target_id)

    # --- reading ---

    def get(self, burn_id: str) -> Burn:
        """The burn as durable, in the store or in the reserve; 404 if there is none."""
        waiting = self._waiting.find(burn_id)
        return self._listing.get(burn_id) if waiting is None else self._waiting.reply(waiting)

    def page(self, query: BurnListQuery) -> BurnPage:
        """Burns, newest first; each with its counts and the targets without proof. Those that wait for the store come
        first. Any thread."""
        waiting, rest = before_rows(self._waiting.matching(query), query)
        page = self._listing.page(rest)
        shown = {one.burn_id for one in waiting}
        page.items = [*waiting, *(one for one in page.items if one.burn_id not in shown)]
        return page

    def speed(self, query: BurnSpeedQuery) -> BurnSpeedReport:
        """How soon the burns of a range were proven. Any thread."""
        return self._speed.report(query, waiting=len(self._waiting.all()))

    async def look(self, body: PreviewBody) -> Preview:
        """The blast radius with the directories looked at now, for a moment at most."""
        return await self._radius.look(body)

    def preview(self, body: PreviewBody) -> Preview:
        """The blast radius of a burn of this node now; writes nothing. Any thread."""
        return self._radius.preview(body)


def _standing_burn(body: BurnBody) -> Select[str]:
    return select(burn.c.burn_id).where(
        burn.c.node_id == body.node_id, burn.c.scope == body.scope, burn.c.lifted_us.is_(None)
    )
