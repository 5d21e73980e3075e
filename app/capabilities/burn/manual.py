"""One target by hand: a person has it tried now, or gives it up with a reason."""

from __future__ import annotations

import asyncio
import contextlib

from sqlalchemy import update

from app.api.problems import Problem
from app.capabilities.burn.fanout import Fanout
from app.capabilities.burn.listing import BurnListing
from app.capabilities.burn.messages import Burn
from app.capabilities.burn.replies import BurnReplies
from app.capabilities.burn.running import Running, drill_mark
from app.capabilities.burn.tables import burn_target
from app.capabilities.burn.targets import FINAL
from app.store.engine import Store
from app.store.writer import Transaction

CLOSED = "burn.target_closed"


class ManualTargets:
    """Everything runs on the event loop."""

    def __init__(
        self, store: Store, fanout: Fanout, replies: BurnReplies, listing: BurnListing, *, deadline_s: float
    ) -> None:
        self._store = store
        self._fanout = fanout
        self._replies = replies
        self._listing = listing
        self._deadline_s = deadline_s

    async def retry(self, burn_id: str, target_id: str) -> Burn:
        """As ``BurnService.retry``."""
        running = self._target(burn_id, target_id)
        target = running.targets[target_id]
        if target.state == "closed" or running.lifted_us is not None:
            raise _nothing_left(target_id)
        if target.state in FINAL and self._fanout.looks_again(target.kind) is None:
            raise Problem(
                "state_conflict",
                f"Target {target_id} stands in this site's own rows: arc-console fsck judges them, no try does.",
            )
        tried = asyncio.get_running_loop().create_future()
        running.waiters.append((target_id, tried))
        self._fanout.look_again(running, [target_id])
        self._fanout.dispatch(running, [target_id] if target.state not in FINAL else [])
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(tried, self._deadline_s)
        return self._replies.reply(running)

    async def close(
        self, burn_id: str, target_id: str, reason: str, *, actor: str, request_id: str | None = None
    ) -> Burn:
        """As ``BurnService.close``."""
        running = self._target(burn_id, target_id)
        if running.targets[target_id].state in FINAL:
            raise _nothing_left(target_id)
        evidence = f"closed by {actor}: {reason}"

        def job(tx: Transaction) -> tuple[bool, int | None]:
            """Whether the target was open, and when the burn was completed by it."""
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
                detail={"burn_id": burn_id, "target": target_id, "reason": reason, **drill_mark(running.facts.drill)},
            )
            return True, self._fanout.proofs.complete_in(tx, running)

        closed, complete_us = await self._store.writer.run(job)
        target = running.targets[target_id]
        if not closed:
            raise _nothing_left(target_id)
        if target.state not in FINAL:
            running.left -= 1
        target.state, target.evidence = "closed", evidence
        self._replies.publish(running, target)
        if complete_us is not None:
            self._fanout.complete(running, complete_us)
            self._replies.publish(running, None)
        return self._replies.reply(running)

    def _target(self, burn_id: str, target_id: str) -> Running:
        """The burn of a target; 404 if there is none."""
        running = self._fanout.running.get(burn_id) or self._listing.recall(burn_id)
        if target_id in running.targets:
            return running
        raise Problem("not_found", f"Burn {burn_id} has no target {target_id}; check the identifier.")


def _nothing_left(target_id: str) -> Problem:
    return Problem("state_conflict", f"Target {target_id} is proven or closed already; there is nothing left to do.")
