"""What targets report, made durable in groups.

Results arrive on many threads. They are put into one inbox; while a commit runs the inbox fills, and the next commit
takes all of it: ONE fsync for everything that came in meanwhile. A result counts for no one (reply, event, completion)
before its commit, so a crash before that reaches the target again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import bindparam, update

from app.capabilities.burn.background import Background
from app.capabilities.burn.log.revocation_log import RevocationLog
from app.capabilities.burn.reminders import PENDING_ALARM
from app.capabilities.burn.running import Failpoint, Running, drill_mark
from app.capabilities.burn.tables import (
    ProofRow,
    burn,
    count_open,
    count_unproven,
    prove_targets,
    restate_targets,
)
from app.capabilities.burn.targets import FINAL, PROVEN, TargetResult
from app.capabilities.burn.undone import MISSING, REOPENED, RESTORED, key_of
from app.delivery.alarms import AlarmBook
from app.store.engine import Store
from app.store.writer import Transaction

log = logging.getLogger(__name__)

CONFIRMED = "burn.confirmed"
COMPLETE = "burn.complete"
_RETRY_S = 0.2
_RETRY_MOST_S = 60.0
# Made once: written with each batch of results.
_COMPLETED = (
    update(burn)
    .where(burn.c.burn_id == bindparam("of"), burn.c.completed_us.is_(None))
    .values(completed_us=bindparam("at_us"))
)

_REOPENED = update(burn).where(burn.c.burn_id == bindparam("of"), burn.c.lifted_us.is_(None)).values(completed_us=None)

Batch = Sequence[tuple[Running, TargetResult]]
Durable = Callable[[Batch, Mapping[str, int]], None]
"""Called on the event loop with a batch that is durable now, and with the burns that it completed: when (us)."""


class Proofs:
    """The inbox. ``running``: the burns under way; a result of any other burn is dropped."""

    def __init__(
        self,
        store: Store,
        alarms: AlarmBook,
        revocations: RevocationLog,
        background: Background,
        running: Mapping[str, Running],
        durable: Durable,
        *,
        failpoint: Failpoint,
    ) -> None:
        self._store = store
        self._alarms = alarms
        self._revocations = revocations
        self._background = background
        self._running = running
        self._durable = durable
        self._failpoint = failpoint
        self._inbox: deque[tuple[str, TargetResult]] = deque()
        self._woken = False
        self._committing = False

    def report(self, running: Running, result: TargetResult) -> None:
        """Takes a result in. Any thread."""
        self._inbox.append((running.facts.burn_id, result))
        # Cleared before the inbox is emptied, so a result is either taken by that round or wakes the next one.
        if not self._woken and self._background.running:
            self._woken = True
            self._background.soon(self._wake)

    def _wake(self) -> None:
        self._woken = False
        if not self._committing and self._inbox:
            self._committing = True
            self._background.spawn(self._empty_inbox())

    async def _empty_inbox(self) -> None:
        """Makes batch after batch durable until nothing is left."""
        try:
            while self._inbox:
                batch: list[tuple[Running, TargetResult]] = []
                while self._inbox:
                    burn_id, result = self._inbox.popleft()
                    known = self._running.get(burn_id)
                    if known is not None:
                        batch.append((known, result))
                if batch:
                    await self._make_durable(batch)
        finally:
            self._committing = False

    async def _make_durable(self, batch: Batch) -> None:
        """Writes the batch, however long the store refuses it, then hands it on."""
        self._failpoint("effect")
        pause = _RETRY_S
        while True:
            try:
                complete = await self._store.writer.run(lambda tx: self._write(tx, batch), urgent=True)
                break
            except Exception as error:
                # On any error: a result that is dropped would leave its target in flight until the next start.
                log.error("results of burns wait for the store", exc_info=error, extra={"results": len(batch)})
                await asyncio.sleep(pause)
                pause = min(2 * pause, _RETRY_MOST_S)
        self._failpoint("confirmed")
        self._durable(batch, complete)

    # --- inside a transaction ---

    def _write(self, tx: Transaction, batch: Batch) -> dict[str, int]:
        """Rows and leaves of a batch; the burns that are complete by it."""
        tried = [(running, result) for running, result in batch if result.target_id not in running.looking]
        looks = [
            (running, result)
            for running, result in batch
            if result.target_id in running.looking and tells_news(running, result)
        ]
        prove_targets(tx.connection, [_row(*one) for one in tried], tx.now_us)
        restate_targets(tx.connection, [_row(*one) for one in looks], tx.now_us)
        by_burn: dict[Running, list[TargetResult]] = {}
        for running, result in (*tried, *looks):
            by_burn.setdefault(running, []).append(result)
        lost: dict[Running, list[str]] = {}
        for running, result in looks:
            if result.state in FINAL:
                self._tell_restored(tx, running, result)
            else:
                lost.setdefault(running, []).append(result.target_id)
        for running, target_ids in lost.items():
            self._reopen(tx, running, target_ids)
        complete: dict[str, int] = {}
        for running, results in by_burn.items():
            facts = running.facts
            left = count_open(tx.connection, facts.burn_id)
            counts: dict[str, object] = dict(Counter(result.state for result in results))
            tx.audit(
                CONFIRMED,
                actor="service",
                node_id=facts.node_id,
                detail={"burn_id": facts.burn_id, "open": left, **counts, **drill_mark(facts.drill)},
            )
            at_us = self._complete_in(tx, running, left)
            if at_us is not None:
                complete[facts.burn_id] = at_us
        return complete

    def _tell_restored(self, tx: Transaction, running: Running, result: TargetResult) -> None:
        """Leaf and alarm of a lock that was undone, where this kind of target tells that."""
        target = running.targets[result.target_id]
        if not (running.looking[result.target_id] and target.state in PROVEN and result.state == "revoked"):
            return
        facts = running.facts
        detail = {"burn_id": facts.burn_id, "target": result.target_id, "evidence": result.evidence}
        tx.audit(RESTORED, actor="service", node_id=facts.node_id, detail=detail)
        text = f"The lock at {target.display_name or target.target_id} was undone and is set again; ask who did it."
        key = key_of(facts.burn_id, result.target_id)
        self._alarms.raise_alarm(tx, RESTORED, key, text, node_id=facts.node_id, ref=facts.burn_id)
        self._alarms.clear(tx, MISSING, key)

    def _reopen(self, tx: Transaction, running: Running, target_ids: Sequence[str]) -> None:
        """The burn is not complete any more: these were looked at again and are not proven now."""
        facts = running.facts
        tx.connection.execute(_REOPENED, {"of": facts.burn_id})
        detail = {"burn_id": facts.burn_id, "targets": list(target_ids), **drill_mark(facts.drill)}
        tx.audit(REOPENED, actor="service", node_id=facts.node_id, detail=detail)

    def complete_in(self, tx: Transaction, running: Running) -> int | None:
        """Writes that the burn is complete if no target is open any more, and what the revocation log says of it;
        when (us), or None."""
        return self._complete_in(tx, running, count_open(tx.connection, running.facts.burn_id))

    def _complete_in(self, tx: Transaction, running: Running, left: int) -> int | None:
        """As ``complete_in``, with the open targets counted already."""
        facts = running.facts
        if left:
            self._revocations.follow_up(tx, facts.burn_id)
            return None
        if tx.connection.execute(_COMPLETED, {"of": facts.burn_id, "at_us": tx.now_us}).rowcount == 0:
            self._revocations.follow_up(tx, facts.burn_id)
            return None
        elapsed_ms = (tx.now_us - running.created_us) // 1000
        delivered, unlinked = count_unproven(tx.connection, facts.burn_id)
        detail: dict[str, object] = {
            "burn_id": facts.burn_id,
            "targets": len(running.targets),
            "delivered": delivered,
            "unlinked": unlinked,
            "elapsed_ms": elapsed_ms,
            **drill_mark(facts.drill),
        }
        tx.audit(COMPLETE, actor="service", node_id=facts.node_id, detail=detail)
        self._alarms.clear(tx, PENDING_ALARM, facts.burn_id)
        self._revocations.promise(tx, facts.burn_id)
        return tx.now_us


def tells_news(running: Running, result: TargetResult) -> bool:
    """Whether another look at a final target found it otherwise than it stands: unproven, proven for the first time, or
    undone and set again. A target that a person closed meanwhile has no news."""
    state = running.targets[result.target_id].state
    if state == "closed" or running.lifted_us is not None:
        return False
    if state in PROVEN and result.state in PROVEN:
        return running.looking[result.target_id] and result.state == "revoked"
    return result.state != state


def _row(running: Running, result: TargetResult) -> ProofRow:
    latency_us = running.latency_us(result)
    return running.facts.burn_id, result.target_id, result.state, latency_us, result.evidence
