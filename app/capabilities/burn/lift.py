"""Un-burn: a burn is taken back by an approval of another key. What the node held stays denied for ever."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from sqlalchemy import Connection, select

from app.api.problems import Problem
from app.approvals.messages import ApprovalKind
from app.approvals.service import Approvals, ApprovalSubject
from app.capabilities.burn.commit import BurnTransaction
from app.capabilities.burn.fanout import Fanout
from app.capabilities.burn.identity import BurnIdentities, BurnIdentity
from app.capabilities.burn.listing import BurnListing
from app.capabilities.burn.messages import Burn
from app.capabilities.burn.replies import BurnReplies
from app.capabilities.burn.running import drill_mark
from app.capabilities.burn.tables import burn
from app.capabilities.burn.tripwire import TRIPWIRE
from app.delivery.alarms import AlarmBook
from app.registry.service import Registry
from app.registry.standing import causes_at
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

LIFTED = "burn.lifted"
LIFT: ApprovalKind = "lift"


class Lifts:
    """Everything runs on the event loop. ``ttl_s``: how long an approval holds."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        approvals: Approvals,
        alarms: AlarmBook,
        identities: BurnIdentities,
        transaction: BurnTransaction,
        fanout: Fanout,
        replies: BurnReplies,
        listing: BurnListing,
        *,
        ttl_s: float,
    ) -> None:
        self._store = store
        self._registry = registry
        self._approvals = approvals
        self._alarms = alarms
        self._identities = identities
        self._transaction = transaction
        self._fanout = fanout
        self._replies = replies
        self._listing = listing
        approvals.add_kind(LIFT, self._subject, ttl_s=ttl_s)

    async def lift(self, burn_id: str, approval_id: str, *, actor: str, request_id: str | None = None) -> Burn:
        """As ``BurnService.lift``."""
        stored = self._listing.get(burn_id)
        known = self._identities.find(stored.node_id, stored.scope)
        if stored.lifted_at is None and known is not None and known.burn_id == burn_id:
            if known.joined or not known.durable:
                raise Problem("state_conflict", f"Node {stored.node_id} is being burned again; nothing was lifted.")
            if known.lifting is None:
                known.lifting = asyncio.get_running_loop().create_task(
                    self._lift(known, stored, approval_id, actor, request_id)
                )
            # Shielded: a caller who leaves must not leave memory and disk apart.
            await asyncio.shield(known.lifting)
        return self._listing.get(burn_id)

    async def _lift(
        self, known: BurnIdentity, stored: Burn, approval_id: str, actor: str, request_id: str | None
    ) -> None:
        """Lifts the burn on the disk, then in memory."""
        try:
            await self._store.writer.run(lambda tx: self._write(tx, stored, approval_id, actor, request_id))
            self._identities.drop(stored.node_id, stored.scope)
            if not self._fanout.end(stored.burn_id):
                with contextlib.suppress(StoreError), self._store.read() as connection:
                    row = connection.execute(select(burn).where(burn.c.burn_id == stored.burn_id)).one()
                    self._replies.publish(self._listing.restore(connection, row), None)
        finally:
            known.lifting = None

    def _write(self, tx: Transaction, stored: Burn, approval_id: str, actor: str, request_id: str | None) -> None:
        """The transaction: it uses the approval up, and the node is UNVERIFIED if no other burn denies it."""
        burn_id, node_id = stored.burn_id, stored.node_id
        approver = self._approvals.use(tx, approval_id, LIFT, burn_id, actor=actor, request_id=request_id)
        closed = self._transaction.retract(tx, burn_id, actor, f"lifted by {actor}, approved by {approver}")
        self._alarms.clear(tx, TRIPWIRE, burn_id, actor=actor)
        denied_still = "burn" in causes_at(tx.connection, node_id)
        if not denied_still:
            self._registry.standing.change(tx, node_id, "UNVERIFIED", actor=actor, ref=burn_id)
        tx.audit(
            LIFTED,
            actor=actor,
            node_id=node_id,
            request_id=request_id,
            detail={
                "burn_id": burn_id,
                "scope": stored.scope,
                "approval_id": approval_id,
                "approver": approver,
                "closed": closed,
                "denied_still": denied_still,
                **drill_mark(stored.drill),
            },
        )

    @staticmethod
    def _subject(connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
        """What an approval of the kind ``lift`` is about: one burn that stands."""
        (burn_id,) = subjects
        row = connection.execute(select(burn).where(burn.c.burn_id == burn_id)).one_or_none()
        if row is None:
            raise Problem("not_found", f"No burn {burn_id} was made here; check the identifier.")
        if row.lifted_us is not None:
            raise Problem("state_conflict", f"Burn {burn_id} is lifted already.")
        words = f"{'DRILL: ' if row.drill else ''}Un-burn of node {row.node_id} ({burn_id}, {row.scope})"
        return ApprovalSubject(burn_id, row.node_id, None, words)
