"""A burn as its caller and the event bus see it, made from memory: this cannot fail."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.api.wire import rfc3339
from app.capabilities.burn.background import Background
from app.capabilities.burn.messages import Burn, BurnEvent, BurnLog, BurnTarget, Residual
from app.capabilities.burn.nobody import nobody
from app.capabilities.burn.running import Running, Target
from app.capabilities.burn.targets import TargetKind
from app.delivery.events import Event, EventBus

_EVENTS_AT_ONCE = 50

News = tuple[Running, Target | None]
"""A burn and the target of it that has a new state, or (None) the burn itself."""


class BurnReplies:
    """Replies and events of burns; the ``kinds`` say what access outlives them."""

    def __init__(self, kinds: Sequence[TargetKind], bus: EventBus, background: Background) -> None:
        self._kinds = tuple(kinds)
        self._bus = bus
        self._background = background

    def reply(self, running: Running) -> Burn:
        """The burn from memory, which never runs ahead of the disk."""
        targets = list(running.targets.values())
        targets = [_being_looked_at(one) if one.target_id in running.looking else one for one in targets]
        counts = Counter[str](target.state for target in targets)
        return Burn(
            burn_id=running.facts.burn_id,
            node_id=running.facts.node_id,
            known=running.known,
            headline=None if running.known else nobody(running.facts.node_id, burned=True),
            scope=running.facts.scope,
            reason=running.facts.reason,
            epoch=running.facts.epoch,
            state="COMPLETE" if running.completed_us is not None and not running.looking else "PARTIAL",
            local_deny_us=running.local_deny_us,
            targets=[target_message(target) for target in targets],
            residual_exposure=self.residual(targets, running.created_us),
            log=running.sealed or BurnLog(index=running.leaf, sha256=running.leaf_hash),
            timestamp=rfc3339(running.received_us or running.created_us),
            counts=dict(counts),
            delivered=counts["delivered"],
            unlinked=counts["unlinked"],
            completed_at=None if running.completed_us is None else rfc3339(running.completed_us),
            training=running.facts.training,
            drill=running.facts.drill,
            lifted_at=None if running.lifted_us is None else rfc3339(running.lifted_us),
        )

    def residual(self, targets: Iterable[Target], at_us: int) -> list[Residual]:
        """Access that outlives the burn of ``at_us``, as the kinds know it."""
        outliving = []
        owners: dict[str, TargetKind | None] = {}
        for target in targets:
            if target.kind not in owners:
                owners[target.kind] = next((kind for kind in self._kinds if kind.owns(target.kind)), None)
            owner = owners[target.kind]
            left = None if owner is None else owner.residual(target.kind, target.target_id, target.state, at_us)
            if left is not None:
                outliving.append(left)
        return outliving

    def publish(self, running: Running, target: Target | None) -> None:
        """One event: of a target, or (None) of the burn itself."""
        at_us = time.time_ns() // 1000
        self._publish(running, target, at_us, rfc3339(at_us))

    def publish_all(self, news: Sequence[News]) -> None:
        """Events a few at a time, so that a thousand doors do not hold up the answer that waits on this loop."""
        at_us = time.time_ns() // 1000
        at = rfc3339(at_us)
        for running, target in news[:_EVENTS_AT_ONCE]:
            self._publish(running, target, at_us, at)
        if len(news) > _EVENTS_AT_ONCE and self._background.running:
            asyncio.get_running_loop().call_soon(self.publish_all, news[_EVENTS_AT_ONCE:])

    def _publish(self, running: Running, target: Target | None, at_us: int, at: str) -> None:
        """One event of a given time: the text of a time is made once a batch."""
        body = BurnEvent(
            burn_id=running.facts.burn_id,
            node_id=running.facts.node_id,
            scope=running.facts.scope,
            state="COMPLETE" if running.completed_us is not None else "PARTIAL",
            target=None if target is None else target_message(target),
            open=running.left,
            total=len(running.targets),
            elapsed_ms=(time.perf_counter() - running.started) * 1000,
            at=at,
            drill=running.facts.drill,
            lifted=running.lifted_us is not None,
        )
        self._bus.publish(Event("burn", body, at_us))


def _being_looked_at(target: Target) -> Target:
    """A target that is looked at again and has not answered: what it proved before is not confirmed."""
    before = f"{target.state}, {target.evidence}"
    return replace(
        target, state="pending_offline", latency_ms=None, evidence=f"is being looked at again; before: {before}"
    )


def target_message(target: Target) -> BurnTarget:
    """The target on the wire."""
    return BurnTarget(
        id=target.target_id,
        kind=target.kind,
        state=target.state,
        attempts=target.attempts,
        latency_ms=target.latency_ms,
        evidence=target.evidence,
        display_name=target.display_name,
    )
