"""Burns read from their rows: one, a page, and what a restart takes up again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, or_, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.burn.log.revocation_log import places
from app.capabilities.burn.messages import Burn, BurnListQuery, BurnLog, BurnPage
from app.capabilities.burn.nobody import nobody
from app.capabilities.burn.replies import BurnReplies, target_message
from app.capabilities.burn.running import Running, Target
from app.capabilities.burn.tables import burn, burn_target
from app.capabilities.burn.targets import FINAL, BurnFacts
from app.ledger.tables import audit_entry
from app.ledger.tree.leaf import leaf_hash
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store

_LISTING = "burn.list"
_REMEMBERED = 40
"""Burns whose times say how long the next one takes: more than a target's 20, for not every burn reaches every one."""
_LEAF = select(audit_entry.c.header).where(audit_entry.c.seq == bindparam("leaf"))


class BurnListing:
    """Reads alone. ``running``: burns under way, which are read from memory."""

    def __init__(
        self, site: Site, store: Store, cursors: Cursors, replies: BurnReplies, running: Mapping[str, Running]
    ) -> None:
        self._site = site
        self._store = store
        self._cursors = cursors
        self._replies = replies
        self._running = running

    def get(self, burn_id: str) -> Burn:
        """The burn as durable; 404 if there is none."""
        running = self._running.get(burn_id)
        if running is not None:
            return self._replies.reply(running)
        return self._replies.reply(self.recall(burn_id))

    def page(self, query: BurnListQuery) -> BurnPage:
        """Burns, newest first; each with its counts and the targets without proof. Any thread."""
        bound = f"{query.node_id or ''}\n{query.state or ''}\n{query.q or ''}".encode()
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection,
                _matching(query),
                _LISTING,
                [burn.c.number],
                limit=query.limit,
                cursor=query.cursor,
                query=bound,
            )
            items = self._items(connection, rows)
        return BurnPage(items=items, next=following, training=self._site.training)

    def _items(self, connection: Connection, rows: Sequence[Row[Any]]) -> list[Burn]:
        """These burns with their open targets alone: all of them are read by four statements."""
        ids = [row.burn_id for row in rows]
        counts = _counts(connection, ids)
        open_ = _open_targets(connection, ids)
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
                known=bool(row.known),
                headline=None if row.known else nobody(row.node_id, burned=True),
                scope=row.scope,
                reason=row.reason,
                epoch=row.epoch,
                state="PARTIAL" if row.completed_us is None else "COMPLETE",
                local_deny_us=row.local_deny_us,
                targets=[target_message(target) for target in open_[row.burn_id]],
                residual_exposure=self._replies.residual(open_[row.burn_id], row.created_us),
                log=sealed.get(row.burn_id) or BurnLog(index=row.leaf, sha256=leaf_hash(leaves[row.leaf]).hex()),
                timestamp=rfc3339(row.received_us or row.created_us),
                counts=counts[row.burn_id],
                delivered=counts[row.burn_id].get("delivered", 0),
                unlinked=counts[row.burn_id].get("unlinked", 0),
                completed_at=None if row.completed_us is None else rfc3339(row.completed_us),
                training=self._site.training,
                drill=bool(row.drill),
                lifted_at=None if row.lifted_us is None else rfc3339(row.lifted_us),
            )
            for row in rows
        ]

    # --- into memory ---

    def recall(self, burn_id: str) -> Running:
        """A burn that is not under way as memory would hold it; 404 if there is none."""
        with self._store.read() as connection:
            row = connection.execute(select(burn).where(burn.c.burn_id == burn_id)).one_or_none()
            if row is None:
                raise Problem("not_found", f"No burn {burn_id} was made here; check the identifier.")
            return self.restore(connection, row)

    def incomplete(self) -> list[Running]:
        """Every burn with a target without proof, oldest first."""
        with self._store.read() as connection:
            rows = connection.execute(select(burn).where(burn.c.completed_us.is_(None)).order_by(burn.c.number)).all()
            return [self.restore(connection, row) for row in rows]

    def restore(self, connection: Connection, row: Row[Any]) -> Running:
        """The burn of a row of ``burn`` as memory holds it."""
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
            known=bool(row.known),
            received_us=row.received_us,
            completed_us=row.completed_us,
            sealed=places(connection, [row.burn_id]).get(row.burn_id),
            lifted_us=row.lifted_us,
        )

    def latencies(self) -> list[tuple[str, float]]:
        """How long the proofs of the newest burns took, oldest burn first: target and milliseconds."""
        newest = select(burn.c.burn_id).order_by(burn.c.number.desc()).limit(_REMEMBERED)
        proofs = (
            select(burn_target.c.target_id, burn_target.c.latency_us)
            .join(burn, burn.c.burn_id == burn_target.c.burn_id)
            .where(burn.c.burn_id.in_(newest), burn_target.c.latency_us.is_not(None))
            .order_by(burn.c.number)
        )
        with self._store.read() as connection:
            return [(row.target_id, row.latency_us / 1000) for row in connection.execute(proofs)]

    def leaf_hash(self, seq: int) -> str:
        """The hash (hex) of an entry of the audit log."""
        with self._store.read() as connection:
            header = connection.execute(_LEAF, {"leaf": seq}).scalar_one()
        return leaf_hash(header).hex()


def _matching(query: BurnListQuery) -> Select[Any]:
    """The burns that the query asks for, in no order."""
    rows = select(burn)
    if query.node_id is not None:
        rows = rows.where(burn.c.node_id == query.node_id)
    if query.state is not None:
        complete = burn.c.completed_us.is_not(None)
        rows = rows.where(complete if query.state == "COMPLETE" else ~complete)
    if query.q:
        words = query.q.lower()
        rows = rows.where(
            or_(
                func.lower(burn.c.node_id).contains(words, autoescape=True),
                func.lower(burn.c.reason).contains(words, autoescape=True),
                burn.c.burn_id == query.q,
            )
        )
    return rows


def _counts(connection: Connection, burn_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Targets of these burns by state."""
    counts: dict[str, dict[str, int]] = {burn_id: {} for burn_id in burn_ids}
    for burn_id, state, number in connection.execute(
        select(burn_target.c.burn_id, burn_target.c.state, func.count())
        .where(burn_target.c.burn_id.in_(burn_ids))
        .group_by(burn_target.c.burn_id, burn_target.c.state)
    ):
        counts[burn_id][state] = number
    return counts


def _open_targets(connection: Connection, burn_ids: Sequence[str]) -> dict[str, list[Target]]:
    """Targets of these burns without proof."""
    open_: dict[str, list[Target]] = {burn_id: [] for burn_id in burn_ids}
    for part in connection.execute(
        select(burn_target)
        .where(burn_target.c.burn_id.in_(burn_ids), burn_target.c.state.not_in(FINAL))
        .order_by(burn_target.c.burn_id, burn_target.c.position)
    ):
        open_[part.burn_id].append(_target(part))
    return open_


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
