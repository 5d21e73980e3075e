"""Burn: ends all access of a node everywhere at the same time (burn.md, section 4).

Revocation only goes forward. The node is denied in memory first; then ONE urgent transaction holds burn, deny rows,
epoch, standing, what the grant holders revoke, and a row for every target; then all targets are reached at once. From
that commit on nothing may fail the call any more: what is not proven by the deadline is told as such and goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, or_, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.approvals.service import Approvals, ApprovalSubject
from app.capabilities.burn.containments.service import Containments
from app.capabilities.burn.fanout import PENDING_ALARM, Failpoint, Fanout, Running, Target, said, shown
from app.capabilities.burn.log.revocation_log import ManifestSigner, RevocationLog, places
from app.capabilities.burn.messages import (
    Burn,
    BurnBody,
    BurnListQuery,
    BurnLog,
    BurnPage,
    ContainmentCause,
    Preview,
    PreviewBody,
)
from app.capabilities.burn.pacing import Turns
from app.capabilities.burn.tables import burn, burn_target, insert_targets
from app.capabilities.burn.targets import FINAL, BurnFacts, Planned, TargetKind
from app.capabilities.burn.targets.directory import Connector, DirectoryTargets
from app.capabilities.burn.targets.holder import HolderTargets
from app.capabilities.burn.targets.reader import KIND as READER
from app.capabilities.burn.targets.reader import ReaderTargets
from app.capabilities.burn.targets.terminal import TerminalTargets, target_of
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also, Event, EventBus, GrantHolder
from app.ledger.tables import audit_entry
from app.ledger.tree.leaf import leaf_hash
from app.registry.messages import DRILL_TAG, AccessEvent, ApprovalKind
from app.registry.service import Registry
from app.registry.standing import causes_at
from app.registry.tables import credential_profile
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import BadCursor, StoreError
from app.store.writer import DENIED, Transaction
from hardware.readers.fleet import ReaderFleet

log = logging.getLogger(__name__)

EXECUTED = "burn.executed"
CLOSED = "burn.target_closed"
LIFTED = "burn.lifted"
TRIPWIRE = "burn.tripwire"
NOT_DURABLE = "burn.not_durable"
LOCAL = "local"
_LISTING = "burn.list"
LIFT: ApprovalKind = "lift"
_BURN = insert(burn)
_LEAF = select(audit_entry.c.header).where(audit_entry.c.seq == bindparam("leaf"))
_SEEN_NODES = 100_000
_RETRY_S = 1.0
_SEAL_S = 0.25
"""So long, at most, an answer waits for a segment that the disk keeps waiting: it is told without its manifest then."""


@dataclass(eq=False)
class _AskedBurn:
    """A node and scope that was asked to burn: its id is given before it is durable, so that repeats meet in it."""

    burn_id: str
    durable: bool
    drill: bool = False
    """What the stored burn says; of one that is not durable, nothing."""
    committing: asyncio.Task[Running] | None = None
    joined: int = 0
    """Callers that wait for the commit of another one's call, or for that of a list."""
    owed: bool = False
    """Somebody was told that the node is denied, though the burn is not stored."""
    lifting: asyncio.Task[None] | None = None
    instead: _AskedBurn | None = None
    """The drill that this burn ends: its node is no drill identity any more."""


@dataclass(eq=False)
class _Beside:
    """What a caller writes in the burn's own transaction. ``failed`` is what it raised: then the burn is taken back."""

    also: Also
    failed: BaseException | None = None

    def __call__(self, tx: Transaction, burn_id: str) -> None:
        try:
            self.also(tx, burn_id)
        except Exception as error:
            self.failed = error
            raise


class _TakenBack(Exception):
    """A burn is not to be: what was to be written beside it failed."""


class BurnService:
    """Serves the rows of ``burn``, and is the site's ``app.delivery.events.Burner``; ``containments`` serves theirs.

    ``holders``: whoever holds grants in this process; ``sealer``: of the revocation log; ``connectors``: the kinds of
    directories elsewhere.
    ``failpoint``: for tests that kill the process. Order of life: construct; ``load()``; ``start()`` on the event loop
    after the readers are driven; ``stop()``.
    """

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        fleet: ReaderFleet,
        holders: Sequence[GrantHolder],
        alarms: AlarmBook,
        bus: EventBus,
        cursors: Cursors,
        sealer: ManifestSigner,
        approvals: Approvals,
        connectors: Sequence[Connector] = (),
        *,
        failpoint: Failpoint = lambda _: None,
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._fleet = fleet
        self._alarms = alarms
        self._bus = bus
        self._cursors = cursors
        self._approvals = approvals
        approvals.add_kind(LIFT, self._liftable, ttl_s=site.settings.burn_approval_ttl_s)
        self._failpoint = failpoint
        self.containments = Containments(store, registry, fleet, bus, cursors)
        self._holders = HolderTargets(holders)
        self._directories = DirectoryTargets(
            connectors, store, registry, deadline_s=site.settings.burn_attempt_s, again=self._again
        )
        self._kinds: tuple[TargetKind, ...] = (
            self._holders,
            ReaderTargets(fleet, store, registry.clusters),
            TerminalTargets(store),
            self._directories,
        )
        self._revocations = RevocationLog(site, store, sealer, alarms, failpoint=failpoint)
        self._fanout = Fanout(
            store,
            self._kinds,
            alarms,
            bus,
            self._revocations,
            deadline_s=site.settings.burn_deadline_s,
            failpoint=failpoint,
        )
        registry.bundles.on_taken(lambda terminal_id: self._fanout.hasten_all(target_of(terminal_id)))
        self._turns = Turns(self._fanout)
        self._known: dict[tuple[str, str], _AskedBurn] = {}
        # Drawn beforehand: asking the system for random bytes gives other threads the interpreter before the denial.
        self._next_id = _new_id()
        self._last_access: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._unsubscribe: Callable[[], None] | None = None

    # --- life ---

    def load(self) -> None:
        """Takes in which nodes are burned; blocks on the disk."""
        with self._store.read() as connection:
            for row in connection.execute(
                select(burn.c.node_id, burn.c.scope, burn.c.burn_id, burn.c.drill).where(burn.c.lifted_us.is_(None))
            ):
                self._known[row.node_id, row.scope] = _AskedBurn(row.burn_id, durable=True, drill=bool(row.drill))

    async def start(self) -> None:
        """Takes up every burn that is not complete: exactly its targets without a durable proof. Ends containments
        whose time was over meanwhile."""
        self._fanout.start()
        await self.containments.start()
        self._unsubscribe = self._bus.subscribe(self._seen)
        with self._store.read() as connection:
            rows = connection.execute(select(burn).where(burn.c.completed_us.is_(None)).order_by(burn.c.number)).all()
            unfinished = [self._restored(connection, row) for row in rows]
        for running in unfinished:
            log.info("burn taken up again", extra={"burn_id": running.facts.burn_id, "open": len(running.open)})
            self._fanout.begin(running)
        self._revocations.start()

    async def stop(self) -> None:
        """Ends the fan-out; what is not durable is taken up at the next start."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        await self.containments.stop()
        self._turns.stop()
        await self._fanout.stop()
        await self._directories.stop()
        await self._revocations.stop()

    # --- the burn ---

    async def burn(
        self, body: BurnBody, *, actor: str, request_id: str | None = None, wait_s: float | None = None
    ) -> Burn:
        """Burns the node; answers when every target is proven, or after ``wait_s`` (default: the site's deadline) with
        what is. The same node and scope again is the same burn, whose open targets are tried at once. 503 only while
        the burn could not be made durable; the node is denied here even then."""
        started = time.perf_counter()
        burn_id, running, _ = await self._burned(body, actor, request_id, started, None)
        if running is None:
            return self.found(burn_id)
        wait = self._site.settings.burn_deadline_s if wait_s is None else wait_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, started + wait - time.perf_counter())):
                await running.done.wait()
        if running.done.is_set() or wait >= self._site.settings.burn_deadline_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(running.sealing.wait(), _SEAL_S)
        return self._fanout.reply(running)

    async def burn_with(self, node_id: str, reason: str, *, actor: str, request_id: str | None, also: Also) -> str:
        """As ``app.delivery.events.Burner`` has it."""
        body = BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason=reason)

        def standing(tx: Transaction, burn_id: str) -> bool:
            if tx.connection.scalar(_standing_burn(body)) != burn_id:
                return False
            also(tx, burn_id)
            return True

        while True:
            burn_id, _, mine = await self._burned(body, actor, request_id, time.perf_counter(), _Beside(also))
            if mine:
                return burn_id
            try:
                if await self._store.writer.run(functools.partial(standing, burn_id=burn_id), urgent=True):
                    return burn_id
            except StoreError as error:
                raise _not_stored(node_id, error) from error

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

    async def _burned(
        self, body: BurnBody, actor: str, request_id: str | None, started: float, beside: _Beside | None
    ) -> tuple[str, Running | None, bool]:
        """Denies the node and has its burn durable. Gives the burn_id, the burn itself unless it was complete before,
        and whether it was made by this call, with what is written ``beside``. What was there before has its open
        targets tried at once."""
        key = (body.node_id, body.scope)
        while True:
            known = self._known.get(key)
            if known is not None and known.lifting is not None:
                await self._outlive(key, known.lifting)
                continue
            if known is None or self._outdated(known, body.node_id):
                known = self._known[key] = _AskedBurn(self._next_id, durable=False, instead=known)
            self._registry.deny.deny(body.node_id, "burn", known.burn_id)
            denied = time.perf_counter()
            if known.burn_id == self._next_id:
                self._next_id = _new_id()
            self._failpoint("denied")
            if known.durable:
                running = self._fanout.running.get(known.burn_id)
                if running is not None:
                    self._fanout.dispatch(running, running.open)
                return known.burn_id, running, False
            mine = known.committing is None
            if known.committing is None:
                work = self._execute(known, body, actor, request_id, started, (denied - started) * 1e6, beside)
                known.committing = asyncio.get_running_loop().create_task(work)
            known.joined += not mine
            try:
                # Shielded: a caller who leaves must not take the burn with him.
                running = await asyncio.shield(known.committing)
            except _TakenBack as taken:
                if mine and taken.__cause__ is not None:
                    raise taken.__cause__ from None
                continue
            finally:
                known.joined -= not mine
            return known.burn_id, running, mine

    async def _outlive(self, key: tuple[str, str], lifting: asyncio.Task[None]) -> None:
        """A burn that comes while the old one is being lifted wins: it denies under an id of its own before the old
        entry goes."""
        mine, self._next_id = self._next_id, _new_id()
        self._registry.deny.deny(key[0], "burn", mine)
        await asyncio.wait([lifting])
        if key not in self._known:
            # Whoever waited goes on with it in this same turn; what is refused then takes it away again.
            self._known[key] = _AskedBurn(mine, durable=False)
        else:
            self._registry.deny.forget(key[0], "burn", mine)

    def _outdated(self, known: _AskedBurn, node_id: str) -> bool:
        """Whether what is known is a drill's burn of a node that is no drill identity (any more)."""
        if not (known.durable and known.drill):
            return False
        with self._store.read() as connection:
            node = self._registry.node(connection, node_id)
        return node is None or DRILL_TAG not in node.tags

    async def _execute(
        self,
        known: _AskedBurn,
        body: BurnBody,
        actor: str,
        request_id: str | None,
        started: float,
        local_us: float,
        beside: _Beside | None,
    ) -> Running:
        self._turns.storing += 1
        try:
            running = await self._store.writer.run(
                lambda tx: self._commit(tx, known, body, actor, request_id, started, local_us, beside), urgent=True
            )
        except Exception as error:
            if beside is not None and error is beside.failed:
                self._take_back(known, (body.node_id, body.scope))
                raise _TakenBack from error
            # Whatever it is, the denial stays and people are told; only a stored burn may end quietly.
            log.critical("a burn could not be made durable; the node stays denied here", exc_info=error)
            known.owed = True
            self._fanout.spawn(self._tell_not_durable(body.node_id, known))
            raise _not_stored(body.node_id, error) from error
        finally:
            known.committing = None
            self._turns.storing -= 1
        if known.instead is not None:
            self._fanout.end(known.instead.burn_id)
            known.instead = None
        known.drill = running.facts.drill
        known.durable = True
        self._failpoint("committed")
        if beside is None or not running.open:
            self._fanout.begin(running)
        else:
            self._turns.begin(running)
        self._fanout.publish(running, None)
        with contextlib.suppress(StoreError):
            # Not before the fan-out: a read of the log must not hold up a door.
            running.leaf_hash = self._leaf_hash(running.leaf)
        return running

    def _take_back(self, known: _AskedBurn, key: tuple[str, str]) -> None:
        if known.owed or known.joined:
            # Others were told that the node is denied, or go on with this burn as theirs.
            return
        if known.instead is None:
            self._known.pop(key, None)
        else:
            self._known[key] = known.instead
        self._registry.deny.forget(key[0], "burn", known.burn_id)

    def _commit(
        self,
        tx: Transaction,
        known: _AskedBurn,
        body: BurnBody,
        actor: str,
        request_id: str | None,
        started: float,
        local_us: float,
        beside: _Beside | None,
    ) -> Running:
        """The one transaction of a burn. In its order only this matters: what contained the node is over before the
        burn's epoch is counted, holders before the standing, so that what they revoke is told as the burn's work."""
        connection, burn_id = tx.connection, known.burn_id
        self.containments.end_in(tx, body.node_id, burn_id, actor, request_id)
        if known.instead is not None:
            self._unmake(tx, known.instead.burn_id, actor, "the node is no drill identity any more and was burned")
        node = self._registry.node(connection, body.node_id)
        epoch, credentials = self._registry.deny.store(tx, body.node_id, "burn", burn_id)
        facts = BurnFacts(
            burn_id=burn_id,
            node_id=body.node_id,
            scope=body.scope,
            epoch=epoch,
            reason=body.reason,
            at_us=tx.now_us,
            training=self._site.training,
            drill=node is not None and DRILL_TAG in node.tags,
        )
        held = f"denied here at epoch {epoch} with {credentials} credential{'' if credentials == 1 else 's'}"
        if node is None:
            held = f"no such node is registered; its id is denied here at epoch {epoch}"
        planned = [Planned("local", LOCAL, "Deny set of this site", "revoked", held)]
        for kind in self._kinds:
            planned += kind.plan(tx, facts)
        self._registry.standing.change(tx, body.node_id, "REVOKED", actor=actor, ref=burn_id)
        leaf = tx.audit(
            EXECUTED,
            actor=actor,
            node_id=body.node_id,
            request_id=request_id,
            detail={
                "burn_id": burn_id,
                "scope": body.scope,
                "reason": body.reason,
                "epoch": epoch,
                "known": node is not None,
                "credentials": credentials,
                "targets": len(planned),
                **said(facts.drill),
            },
        )
        proven_ms = (time.perf_counter() - started) * 1000
        targets = {
            plan.target_id: Target(
                target_id=plan.target_id,
                kind=plan.kind,
                display_name=plan.display_name,
                state=plan.state,
                attempts=0 if plan.state == "pending_offline" else 1,
                latency_ms=_at_once(plan, local_us, proven_ms),
                evidence=plan.evidence,
            )
            for plan in planned
        }
        complete = all(target.state in FINAL for target in targets.values())
        row = {
            "burn_id": burn_id,
            "node_id": body.node_id,
            "scope": body.scope,
            "reason": body.reason,
            "epoch": epoch,
            "local_deny_us": local_us,
            "leaf": leaf,
            "actor": actor,
            "created_us": tx.now_us,
            "drill": int(facts.drill),
        }
        connection.execute(_BURN, row)
        insert_targets(
            connection,
            burn_id,
            [
                (
                    target.target_id,
                    target.kind,
                    target.display_name,
                    target.state,
                    target.attempts,
                    None if target.latency_ms is None else round(target.latency_ms * 1000),
                    target.evidence,
                )
                for target in targets.values()
            ],
            tx.now_us,
        )
        running = Running(
            facts=facts,
            leaf=leaf,
            leaf_hash="",
            local_deny_us=local_us,
            created_us=tx.now_us,
            started=started,
            targets=targets,
        )
        if complete:
            running.completed_us = self._fanout.complete_in(tx, running)
        self._alarms.clear(tx, NOT_DURABLE, body.node_id)
        if beside is not None:
            beside(tx, burn_id)
        return running

    async def _tell_not_durable(self, node_id: str, known: _AskedBurn) -> None:
        """Raises the alarm as soon as the store takes it, unless the burn itself was stored meanwhile."""

        def job(tx: Transaction) -> None:
            # Asked of the rows: the burn may have been stored by the transaction just before this one.
            if tx.connection.scalar(select(burn.c.number).where(burn.c.burn_id == known.burn_id)) is None:
                text = f"Node {node_id} is denied in memory only: its burn could not be stored. Send the burn again."
                self._alarms.raise_alarm(tx, NOT_DURABLE, node_id, text, node_id=node_id, ref=known.burn_id)

        while not known.durable:
            try:
                await self._store.writer.run(job)
                return
            except StoreError:
                await asyncio.sleep(_RETRY_S)

    # --- a list ---

    def expect(self, node_id: str, burn_id: str) -> None:
        """A list that is stored will burn the node under this id; it is in the deny set already. After ``load``."""
        key = (node_id, "GLOBAL_REVOCATION")
        known = self._known.get(key)
        with self._store.read() as connection:
            made = connection.scalar(select(burn.c.number).where(burn.c.burn_id == burn_id))
        if made is None and (known is None or known.drill):
            self._known[key] = _AskedBurn(burn_id, durable=False, owed=True, instead=known)

    async def deny_first(self, node_id: str) -> str:
        """Denies the node in memory, ahead of its burn; under which id it is denied and will be burned. To be followed
        by ``denied_first``."""
        key = (node_id, "GLOBAL_REVOCATION")
        while (known := self._known.get(key)) is not None and known.lifting is not None:
            await self._outlive(key, known.lifting)
        if known is None or self._outdated(known, node_id):
            known = self._known[key] = _AskedBurn(self._next_id, durable=False, instead=known)
            self._next_id = _new_id()
        known.joined += 1
        self._registry.deny.deny(node_id, "burn", known.burn_id)
        return known.burn_id

    def denied_first(self, node_id: str, *, stored: bool) -> None:
        """Whether the list came to be stored; if not, the node is denied by it no longer."""
        known = self._known[node_id, "GLOBAL_REVOCATION"]
        known.joined -= 1
        known.owed |= stored
        if not known.durable and known.committing is None:
            self._take_back(known, (node_id, "GLOBAL_REVOCATION"))

    async def done(self, burn_ids: Sequence[str]) -> None:
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
        found = self.found(burn_id)
        known = self._known.get((found.node_id, found.scope))
        if found.lifted_at is None and known is not None and known.burn_id == burn_id:
            if known.joined or not known.durable:
                raise Problem("state_conflict", f"Node {found.node_id} is being burned again; nothing was lifted.")
            if known.lifting is None:
                known.lifting = asyncio.get_running_loop().create_task(
                    self._lift(known, found, approval_id, actor, request_id)
                )
            # Shielded: a caller who leaves must not leave memory and disk apart.
            await asyncio.shield(known.lifting)
        return self.found(burn_id)

    async def _lift(self, known: _AskedBurn, found: Burn, approval_id: str, actor: str, request_id: str | None) -> None:
        def job(tx: Transaction) -> None:
            approver = self._approvals.use(tx, approval_id, LIFT, found.burn_id, actor=actor, request_id=request_id)
            closed = self._unmake(tx, found.burn_id, actor, f"lifted by {actor}, approved by {approver}")
            self._alarms.clear(tx, TRIPWIRE, found.burn_id, actor=actor)
            left = "burn" in causes_at(tx.connection, found.node_id)
            if not left:
                self._registry.standing.change(tx, found.node_id, "UNVERIFIED", actor=actor, ref=found.burn_id)
            tx.audit(
                LIFTED,
                actor=actor,
                node_id=found.node_id,
                request_id=request_id,
                detail={
                    "burn_id": found.burn_id,
                    "scope": found.scope,
                    "approval_id": approval_id,
                    "approver": approver,
                    "closed": closed,
                    "denied_still": left,
                    **said(found.drill),
                },
            )

        try:
            await self._store.writer.run(job)
            self._known.pop((found.node_id, found.scope), None)
            if not self._fanout.end(found.burn_id):
                with contextlib.suppress(StoreError), self._store.read() as connection:
                    row = connection.execute(select(burn).where(burn.c.burn_id == found.burn_id)).one()
                    self._fanout.publish(self._restored(connection, row), None)
        finally:
            known.lifting = None

    def _liftable(self, connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
        """What an approval of the kind ``lift`` is about: one burn that stands."""
        (burn_id,) = subjects
        row = connection.execute(select(burn).where(burn.c.burn_id == burn_id)).one_or_none()
        if row is None:
            raise Problem("not_found", f"No burn {burn_id} was made here; check the identifier.")
        if row.lifted_us is not None:
            raise Problem("state_conflict", f"Burn {burn_id} is lifted already.")
        words = f"{'DRILL: ' if row.drill else ''}Un-burn of node {row.node_id} ({burn_id}, {row.scope})"
        return ApprovalSubject(burn_id, row.node_id, None, words)

    def _unmake(self, tx: Transaction, burn_id: str, actor: str, why: str) -> int:
        """A stored burn is none any more: its denial goes, but never that of what the node held, and its open targets
        are closed; how many."""
        row = tx.connection.execute(select(burn).where(burn.c.burn_id == burn_id)).one()
        values = {"lifted_us": tx.now_us, "lifted_by": actor, "completed_us": row.completed_us or tx.now_us}
        tx.connection.execute(update(burn).where(burn.c.burn_id == burn_id).values(**values))
        closed = tx.connection.execute(
            update(burn_target)
            .where(burn_target.c.burn_id == burn_id, burn_target.c.state.not_in(FINAL))
            .values(state="closed", evidence=why, changed_us=tx.now_us)
        ).rowcount
        self._registry.deny.remove(tx, row.node_id, "burn", burn_id, credentials=False)
        self._alarms.clear(tx, PENDING_ALARM, burn_id, actor=actor)
        self._revocations.promise(tx, burn_id)
        return closed

    # --- one target ---

    async def retry(self, burn_id: str, target_id: str) -> Burn:
        """Tries one open target now and answers after that attempt. 404: no such burn or target; 409: it is proven."""
        running = self._open_target(burn_id, target_id)
        tried = asyncio.get_running_loop().create_future()
        running.waiters.append((target_id, tried))
        self._fanout.dispatch(running, [target_id])
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(tried, self._site.settings.burn_deadline_s)
        return self._fanout.reply(running)

    async def close(
        self, burn_id: str, target_id: str, reason: str, *, actor: str, request_id: str | None = None
    ) -> Burn:
        """A person gives an open target up, with a reason. 404: no such burn or target; 409: it is proven."""
        running = self._open_target(burn_id, target_id)
        evidence = f"closed by {actor}: {reason}"

        def job(tx: Transaction) -> tuple[bool, int | None]:
            mine = (
                burn_target.c.burn_id == burn_id,
                burn_target.c.target_id == target_id,
                burn_target.c.state.not_in(FINAL),
            )
            values = {"state": "closed", "evidence": evidence, "changed_us": tx.now_us}
            if tx.connection.execute(update(burn_target).where(*mine).values(**values)).rowcount == 0:
                return False, None
            tx.audit(
                CLOSED,
                actor=actor,
                node_id=running.facts.node_id,
                request_id=request_id,
                detail={"burn_id": burn_id, "target": target_id, "reason": reason, **said(running.facts.drill)},
            )
            return True, self._fanout.complete_in(tx, running)

        closed, complete_us = await self._store.writer.run(job)
        target = running.targets[target_id]
        if not closed:
            raise _proven(target_id)
        if target.state not in FINAL:
            running.left -= 1
        target.state, target.evidence = "closed", evidence
        self._fanout.publish(running, target)
        if complete_us is not None:
            self._fanout.completed(running, complete_us)
            self._fanout.publish(running, None)
        return self._fanout.reply(running)

    def _again(self, burn_id: str, target_id: str) -> None:
        running = self._fanout.running.get(burn_id)
        if running is not None:
            self._fanout.hasten(running, target_id)

    def _open_target(self, burn_id: str, target_id: str) -> Running:
        running = self._fanout.running.get(burn_id)
        if running is None:
            found = self.found(burn_id)
            if any(target.id == target_id for target in found.targets):
                raise _proven(target_id)
        elif target_id in running.targets:
            if running.targets[target_id].state in FINAL:
                raise _proven(target_id)
            return running
        raise Problem("not_found", f"Burn {burn_id} has no target {target_id}; check the identifier.")

    # --- reading ---

    def found(self, burn_id: str) -> Burn:
        """The burn as durable; 404 if there is none."""
        running = self._fanout.running.get(burn_id)
        if running is not None:
            return self._fanout.reply(running)
        with self._store.read() as connection:
            row = connection.execute(select(burn).where(burn.c.burn_id == burn_id)).one_or_none()
            if row is None:
                raise Problem("not_found", f"No burn {burn_id} was made here; check the identifier.")
            return self._fanout.reply(self._restored(connection, row))

    def page(self, query: BurnListQuery) -> BurnPage:
        """Burns, newest first; each with its counts and the targets without proof. Any thread."""
        bound = f"{query.node_id or ''}\n{query.state or ''}\n{query.q or ''}".encode()
        rows = select(burn).order_by(burn.c.number.desc()).limit(query.limit + 1)
        if query.cursor is not None:
            after = self._cursors.decode(_LISTING, query.cursor, query=bound)
            if len(after) != 1 or not isinstance(after[0], int):
                raise BadCursor("This cursor is not one of this list. Start again without it.")
            rows = rows.where(burn.c.number < after[0])
        if query.node_id is not None:
            rows = rows.where(burn.c.node_id == query.node_id)
        if query.state is not None:
            done = burn.c.completed_us.is_not(None)
            rows = rows.where(done if query.state == "COMPLETE" else ~done)
        if query.q:
            words = query.q.lower()
            rows = rows.where(
                or_(
                    func.lower(burn.c.node_id).contains(words, autoescape=True),
                    func.lower(burn.c.reason).contains(words, autoescape=True),
                    burn.c.burn_id == query.q,
                )
            )
        with self._store.read() as connection:
            found = connection.execute(rows).all()
            items = self._listed(connection, found[: query.limit])
        more = len(found) > query.limit
        after_last = self._cursors.encode(_LISTING, [found[query.limit - 1].number], query=bound) if more else None
        return BurnPage(items=items, next=after_last, training=self._site.training)

    def _listed(self, connection: Connection, rows: Sequence[Row[Any]]) -> list[Burn]:
        ids = [row.burn_id for row in rows]
        counts: dict[str, dict[str, int]] = {burn_id: {} for burn_id in ids}
        for burn_id, state, number in connection.execute(
            select(burn_target.c.burn_id, burn_target.c.state, func.count())
            .where(burn_target.c.burn_id.in_(ids))
            .group_by(burn_target.c.burn_id, burn_target.c.state)
        ):
            counts[burn_id][state] = number
        open_: dict[str, list[Target]] = {burn_id: [] for burn_id in ids}
        for part in connection.execute(
            select(burn_target)
            .where(burn_target.c.burn_id.in_(ids), burn_target.c.state.not_in(FINAL))
            .order_by(burn_target.c.burn_id, burn_target.c.position)
        ):
            open_[part.burn_id].append(_target(part))
        leaves = dict(
            connection.execute(
                select(audit_entry.c.seq, audit_entry.c.header).where(audit_entry.c.seq.in_([row.leaf for row in rows]))
            ).all()
        )
        sealed = places(connection, ids)
        return [
            Burn(
                burn_id=row.burn_id,
                node_id=row.node_id,
                scope=row.scope,
                reason=row.reason,
                epoch=row.epoch,
                state="PARTIAL" if row.completed_us is None else "COMPLETE",
                local_deny_us=row.local_deny_us,
                targets=[shown(target) for target in open_[row.burn_id]],
                residual_exposure=self._fanout.residual(open_[row.burn_id], row.created_us),
                log=sealed.get(row.burn_id) or BurnLog(index=row.leaf, sha256=leaf_hash(leaves[row.leaf]).hex()),
                timestamp=rfc3339(row.created_us),
                counts=counts[row.burn_id],
                completed_at=None if row.completed_us is None else rfc3339(row.completed_us),
                training=self._site.training,
                drill=bool(row.drill),
                lifted_at=None if row.lifted_us is None else rfc3339(row.lifted_us),
            )
            for row in rows
        ]

    def _restored(self, connection: Connection, row: Row[Any]) -> Running:
        parts = connection.execute(
            select(burn_target).where(burn_target.c.burn_id == row.burn_id).order_by(burn_target.c.position)
        )
        header = connection.execute(_LEAF, {"leaf": row.leaf}).scalar_one()
        return Running(
            facts=BurnFacts(
                burn_id=row.burn_id,
                node_id=row.node_id,
                scope=row.scope,
                epoch=row.epoch,
                reason=row.reason,
                at_us=row.created_us,
                training=self._site.training,
                drill=bool(row.drill),
            ),
            leaf=row.leaf,
            leaf_hash=leaf_hash(header).hex(),
            local_deny_us=row.local_deny_us,
            created_us=row.created_us,
            started=time.perf_counter() - max(0.0, time.time() - row.created_us / 1e6),
            targets={part.target_id: _target(part) for part in parts},
            completed_us=row.completed_us,
            sealed=places(connection, [row.burn_id]).get(row.burn_id),
            lifted_us=row.lifted_us,
        )

    def _leaf_hash(self, seq: int) -> str:
        with self._store.read() as connection:
            header = connection.execute(_LEAF, {"leaf": seq}).scalar_one()
        return leaf_hash(header).hex()

    # --- preview ---

    async def look(self, body: PreviewBody) -> Preview:
        """The blast radius with the directories looked at now, for a moment at most."""
        if body.scope == "GLOBAL_REVOCATION":
            await self._directories.look(body.node_id)
        return await asyncio.to_thread(self.preview, body)

    def preview(self, body: PreviewBody) -> Preview:
        """The blast radius of a burn of this node now; writes nothing. Any thread."""
        with self._store.read() as connection:
            node = self._registry.node(connection, body.node_id)
            profiles = connection.execute(
                select(func.count()).where(credential_profile.c.node_id == body.node_id)
            ).scalar_one()
            foreseen = [
                kind.preview(connection, body.node_id)
                for kind in self._kinds
                if kind is not self._directories or body.scope == "GLOBAL_REVOCATION"
            ]
        targets = [target for found, _ in foreseen for target in found]
        for target in targets:
            past = sorted(self._fanout.history.get(target.id, ()))
            if past:
                target.expected_ms = past[math.ceil(0.95 * len(past)) - 1]
        doors = [target for target in targets if target.kind == READER]
        known = self._known.get((body.node_id, body.scope))
        last = self._last_access.get(body.node_id)
        return Preview(
            node_id=body.node_id,
            known=node is not None,
            display_name=None if node is None else node.display_name,
            standing=None if node is None else node.standing,
            scope=body.scope,
            drill=node is not None and DRILL_TAG in node.tags,
            already_burned=known.burn_id if known is not None and known.durable else None,
            doors=len(doors),
            doors_online=sum(target.reachable is True for target in doors),
            cards=self._holders.cards(body.node_id),
            profiles=profiles,
            targets=targets,
            residual_exposure=[residual for _, left in foreseen for residual in left],
            last_access=None if last is None else last[0],
            last_access_reader=None if last is None else last[1],
        )

    # --- tripwire ---

    def _seen(self, event: Event) -> None:
        """A card at a reader: remembers where a person was let in, and raises the alarm for a burned badge."""
        body = event.body
        if event.kind != "access" or not isinstance(body, AccessEvent):
            return
        if body.decision == "GRANT" and body.node_id is not None:
            self._last_access[body.node_id] = (body.at, body.reader_id)
            self._last_access.move_to_end(body.node_id)
            if len(self._last_access) > _SEEN_NODES:
                self._last_access.popitem(last=False)
        if body.reason == "burned":
            try:
                self._store.writer.submit(lambda tx: self._trip(tx, body)).add_done_callback(_logged)
            except StoreError:
                log.exception("a burned badge was presented and could not be recorded")

    def _trip(self, tx: Transaction, seen: AccessEvent) -> None:
        burn_id = seen.ref or ""
        drill = bool(tx.connection.scalar(select(burn.c.drill).where(burn.c.burn_id == burn_id)))
        detail: dict[str, object] = {
            "burn_id": burn_id,
            "reader_id": seen.reader_id,
            "cluster_id": seen.cluster_id,
            **said(drill),
        }
        tx.audit(TRIPWIRE, actor="service", outcome=DENIED, node_id=seen.node_id, detail=detail)
        text = f"A burned badge of node {seen.node_id} was presented at reader {seen.reader_id} ({burn_id})."
        if drill:
            text = f"DRILL: {text}"
        self._alarms.raise_alarm(tx, TRIPWIRE, burn_id, text, node_id=seen.node_id, ref=burn_id)


def _standing_burn(body: BurnBody) -> Select[str]:
    return select(burn.c.burn_id).where(
        burn.c.node_id == body.node_id, burn.c.scope == body.scope, burn.c.lifted_us.is_(None)
    )


def _not_stored(node_id: str, error: Exception) -> Problem:
    why = str(error) if isinstance(error, StoreError) else "See the service's log."
    return Problem(
        "dependency_unavailable",
        f"Node {node_id} is denied here, but the burn could not be stored. {why} Send it again.",
        headers={"Retry-After": "1"},
    )


def _new_id() -> str:
    return f"burn_{secrets.token_hex(10)}"


def _target(row: Row[Any]) -> Target:
    return Target(
        target_id=row.target_id,
        kind=row.kind,
        display_name=row.display_name,
        state=row.state,
        attempts=row.attempts,
        latency_ms=None if row.latency_us is None else row.latency_us / 1000,
        evidence=row.evidence,
    )


def _at_once(plan: Planned, local_us: float, proven_ms: float) -> float | None:
    """Whole microseconds, as the row holds them: the same burn reads the same before and after a restart."""
    if plan.state not in FINAL:
        return None
    return round(local_us if plan.kind == LOCAL else proven_ms * 1000) / 1000


def _proven(target_id: str) -> Problem:
    return Problem("state_conflict", f"Target {target_id} is proven or closed already; there is nothing left to do.")


def _logged(done: Any) -> None:
    if not done.cancelled() and done.exception() is not None:
        log.error("a burned badge was presented and could not be recorded", exc_info=done.exception())
