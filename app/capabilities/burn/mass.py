"""A list of nodes is burned by two keys: one key asks for it, another approves, and the use burns every node of it.

All are denied first, in memory and then in ONE transaction that also uses the approval up and writes the list down;
from there on nothing may stop it. Then each node is burned as by itself: the list's row says so in that burn's own
transaction, so a restart burns exactly those that are left. A node that is burned already keeps its burn.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from app.api.problems import Problem, invalid_field
from app.api.wire import NodeId, rfc3339
from app.approvals.messages import ApprovalKind
from app.approvals.service import Approvals, ApprovalSubject
from app.capabilities.burn.messages import MassBurn, MassBurned, MassBurnState
from app.capabilities.burn.running import Failpoint
from app.capabilities.burn.service import BurnService
from app.capabilities.burn.tables import burn, mass_burn, mass_burn_node
from app.registry.service import Registry, now_us
from app.registry.tables import node
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

KIND: ApprovalKind = "mass_burn"
BEGUN = "burn.mass"
MOST = 500
"""Nodes of one list."""
_NAMED = 5
_RETRY_S = 1.0
_RETRY_MOST_S = 60.0
_UNAVAILABLE = 503


class MassBurns:
    """Serves the rows of ``mass_burns``. ``load()`` after ``BurnService.load()``; ``start()`` on the event loop after
    ``BurnService.start()``; ``stop()`` before its stop. ``failpoint``: for tests that kill the process."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        burns: BurnService,
        approvals: Approvals,
        *,
        failpoint: Failpoint = lambda _: None,
    ) -> None:
        self._failpoint = failpoint
        self._site = site
        self._store = store
        self._registry = registry
        self._burns = burns
        self._approvals = approvals
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: dict[str, asyncio.Task[None]] = {}
        approvals.add_kind(KIND, self._subject, most=MOST, ttl_s=site.settings.burn_approval_ttl_s)

    # --- life ---

    def load(self) -> None:
        """Takes in the nodes that are not burned yet; blocks on the disk. They are in the deny set already."""
        with self._store.read() as connection:
            for row in connection.execute(select(mass_burn_node).where(mass_burn_node.c.done_us.is_(None))):
                self._burns.expect(row.node_id, row.burn_id)

    async def start(self) -> None:
        """Goes on with every list that is not burned through."""
        with self._store.read() as connection:
            unfinished = connection.scalars(
                select(mass_burn_node.c.approval_id).where(mass_burn_node.c.done_us.is_(None)).distinct()
            ).all()
        for approval_id in unfinished:
            self._go_on(approval_id)

    async def stop(self) -> None:
        """What is left is burned at the next start."""
        tasks = [*self._running.values(), *self._again.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- the call ---

    async def burn(
        self, approval_id: str, *, actor: str, request_id: str | None = None, wait_s: float | None = None
    ) -> MassBurn:
        """Burns the list of an approval of the kind ``mass_burn``; answers when all is proven, or after ``wait_s``
        (default: the site's deadline) with what is. The same approval again is the same list. 404: no such approval;
        409: it does not hold. A list that the store does not take is kept: each of its nodes is denied and waits in the
        reserve as a burn of its own, and the list is stored when there is room. 503: not even that; every node is
        denied in memory all the same."""
        started = time.perf_counter()
        if not self._is_stored(approval_id):
            begun = asyncio.get_running_loop().create_task(self._begin(approval_id, actor, request_id))
            kept = await asyncio.shield(begun)
            if kept is not None:
                return kept
        running = self._running.get(approval_id)
        wait = self._site.settings.burn_deadline_s if wait_s is None else wait_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, started + wait - time.perf_counter())):
                if running is not None:
                    await asyncio.shield(running)
                await self._burns.wait_complete([part.burn_id for part in self._reply(approval_id).burns])
        return self._reply(approval_id)

    async def _begin(self, approval_id: str, actor: str, request_id: str | None) -> MassBurn | None:
        """Denies every node in memory, then stores the list. None if it is stored, else what waits. Where the approval
        does not hold, the denials are taken back."""
        with self._store.read() as connection:
            nodes = self._approvals.subjects(connection, approval_id, KIND)
        ids = {node_id: await self._burns.reserve(node_id) for node_id in nodes}
        stored = False
        try:
            stored = await self._store.writer.run(
                lambda tx: self._write(tx, approval_id, nodes, ids, actor, request_id), urgent=True
            )
        except StoreError as error:
            return await self._keep(approval_id, ids, actor, request_id, error)
        finally:
            for node_id in ids:
                self._burns.settle_reserved(node_id, stored=stored)
        if stored:
            self._failpoint("listed")
            self._go_on(approval_id)
        return None

    async def _keep(
        self, approval_id: str, ids: Mapping[str, str], actor: str, request_id: str | None, error: StoreError
    ) -> MassBurn:
        """The store did not take the list: its nodes wait as burns of their own, and the list is tried again."""
        at_us = now_us()
        with self._store.read() as connection:
            named = (approval_id, KIND, subject_id(list(ids)))
            reason = self._approvals.require(connection, *named, at_us).reason
        kept = [await self._burns.keep_reserved(node_id, reason, actor=actor, request_id=request_id) for node_id in ids]
        if not all(kept):
            why = f"{error} {kept.count(False)} of {len(kept)} nodes are denied in memory alone: a restart would let "
            raise Problem("dependency_unavailable", f"{why}them in. Send it again.", headers={"Retry-After": "1"})
        if approval_id not in self._again:
            again = asyncio.get_running_loop().create_task(self._begin_again(approval_id, actor, request_id))
            self._again[approval_id] = again
            again.add_done_callback(lambda _: self._again.pop(approval_id, None))
        burns = [MassBurned(node_id=node_id, burn_id=burn_id, state="PENDING") for node_id, burn_id in ids.items()]
        return MassBurn(approval_id=approval_id, reason=reason, state="PARTIAL", burns=burns, timestamp=rfc3339(at_us))

    async def _begin_again(self, approval_id: str, actor: str, request_id: str | None) -> None:
        """Stores a list that waits as soon as there is room; gives up when its approval holds no more: the burns of its
        nodes do not depend on it."""
        pause = _RETRY_S
        while not self._is_stored(approval_id):
            await asyncio.sleep(pause)
            pause = min(2 * pause, _RETRY_MOST_S)
            try:
                await self._begin(approval_id, actor, request_id)
            except Problem as refused:
                log.warning("a list that waits could not be stored", exc_info=refused)
                if refused.status != _UNAVAILABLE:
                    return

    def _write(
        self,
        tx: Transaction,
        approval_id: str,
        nodes: Sequence[str],
        ids: Mapping[str, str],
        actor: str,
        request_id: str | None,
    ) -> bool:
        """The list's transaction: uses the approval up, writes the list down and denies its nodes. False if another
        call has stored the list meanwhile."""
        if self._rows(tx.connection, approval_id):
            return False
        named = (approval_id, KIND, subject_id(nodes))
        reason = self._approvals.require(tx.connection, *named, tx.now_us).reason
        approver = self._approvals.use(tx, *named, actor=actor, request_id=request_id)
        of = {"approval_id": approval_id, "reason": reason, "actor": actor, "request_id": request_id}
        tx.connection.execute(insert(mass_burn).values(**of, created_us=tx.now_us))
        tx.connection.execute(
            insert(mass_burn_node),
            [
                {"approval_id": approval_id, "position": position, "node_id": node_id, "burn_id": burn_id}
                for position, (node_id, burn_id) in enumerate(ids.items())
            ],
        )
        for node_id, burn_id in ids.items():
            self._registry.deny.store(tx, node_id, "burn", burn_id)
        detail = {"approval_id": approval_id, "approver": approver, "nodes": len(nodes), "list": subject_id(nodes)}
        tx.audit(BEGUN, actor=actor, request_id=request_id, detail=detail)
        return True

    # --- going on ---

    def _go_on(self, approval_id: str) -> None:
        task = asyncio.get_running_loop().create_task(self._burn_through(approval_id))
        self._running[approval_id] = task
        task.add_done_callback(lambda _: self._running.pop(approval_id, None))

    async def _burn_through(self, approval_id: str) -> None:
        """Burns every node of the list that is not burned yet, one after the other."""
        with self._store.read() as connection:
            of = connection.execute(select(mass_burn).where(mass_burn.c.approval_id == approval_id)).one()
            left = [row.node_id for row in self._rows(connection, approval_id) if row.done_us is None]
        for node_id in left:
            also = functools.partial(_mark_burned, approval_id=approval_id, node_id=node_id)
            while True:
                try:
                    await self._burns.burn_with(node_id, of.reason, actor=of.actor, request_id=of.request_id, also=also)
                    break
                except Exception as error:
                    # On any error: the node is denied, and the list goes on when it can.
                    log.error("a node of a list could not be burned; tried again", exc_info=error)
                    await asyncio.sleep(_RETRY_S)

    # --- reading ---

    def _is_stored(self, approval_id: str) -> bool:
        with self._store.read() as connection:
            of_it = select(mass_burn.c.approval_id).where(mass_burn.c.approval_id == approval_id)
            return connection.scalar(of_it) is not None

    @staticmethod
    def _rows(connection: Connection, approval_id: str) -> Sequence[Row[Any]]:
        mine = select(mass_burn_node).where(mass_burn_node.c.approval_id == approval_id)
        return connection.execute(mine.order_by(mass_burn_node.c.position)).all()

    def _reply(self, approval_id: str) -> MassBurn:
        """The list, read from its rows."""
        with self._store.read() as connection:
            of = connection.execute(select(mass_burn).where(mass_burn.c.approval_id == approval_id)).one()
            rows = self._rows(connection, approval_id)
            ends = select(burn.c.burn_id, burn.c.completed_us).where(burn.c.burn_id.in_([row.burn_id for row in rows]))
            complete = {row.burn_id: row.completed_us is not None for row in connection.execute(ends)}

        def state(row: Row[Any]) -> MassBurnState:
            if row.done_us is None:
                return "PENDING"
            return "COMPLETE" if complete[row.burn_id] else "PARTIAL"

        burns = [MassBurned(node_id=row.node_id, burn_id=row.burn_id, state=state(row)) for row in rows]
        return MassBurn(
            approval_id=approval_id,
            reason=of.reason,
            state="COMPLETE" if all(part.state == "COMPLETE" for part in burns) else "PARTIAL",
            burns=burns,
            timestamp=rfc3339(of.created_us),
        )

    def _subject(self, connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
        """What an approval of the kind ``mass_burn`` is about: nodes, registered or not, as burns take them."""
        for index, node_id in enumerate(subjects):
            try:
                msgspec.convert(node_id, NodeId)
            except msgspec.ValidationError:
                raise invalid_field(f"/subjects/{index}", "This is no ARC-Node ID; check it.") from None
        known = connection.scalar(select(func.count()).select_from(node).where(node.c.node_id.in_(subjects)))
        named = ", ".join(subjects[:_NAMED]) + (f" and {len(subjects) - _NAMED} more" if len(subjects) > _NAMED else "")
        strangers = "" if known == len(subjects) else f", {len(subjects) - (known or 0)} of them not registered"
        words = f"Burn of {len(subjects)} node{'' if len(subjects) == 1 else 's'}{strangers} ({named})"
        return ApprovalSubject(subject_id(subjects), subjects[0] if len(subjects) == 1 else None, None, words)


def subject_id(nodes: Sequence[str]) -> str:
    """Equal for the same nodes in any order."""
    return f"nodes:{hashlib.sha256(msgspec.json.encode(sorted(nodes))).hexdigest()}"


def _mark_burned(tx: Transaction, burn_id: str, *, approval_id: str, node_id: str) -> None:
    """Says of a node of the list, inside its burn's transaction, that it is burned."""
    mine = (mass_burn_node.c.approval_id == approval_id, mass_burn_node.c.node_id == node_id)
    tx.connection.execute(update(mass_burn_node).where(*mine).values(burn_id=burn_id, done_us=tx.now_us))
