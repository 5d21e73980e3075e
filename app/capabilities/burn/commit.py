"""The ONE transaction of a burn, and the part of another one that makes a stored burn none."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import insert, select, update

from app.api.wire import rfc3339
from app.capabilities.burn.containments.service import Containments
from app.capabilities.burn.identity import BurnIdentity
from app.capabilities.burn.log.revocation_log import RevocationLog
from app.capabilities.burn.messages import BurnBody
from app.capabilities.burn.nobody import ALARM as UNKNOWN_ALARM
from app.capabilities.burn.nobody import nobody
from app.capabilities.burn.proofs import Proofs
from app.capabilities.burn.reminders import PENDING_ALARM
from app.capabilities.burn.running import Running, Target, drill_mark
from app.capabilities.burn.tables import burn, burn_target, insert_targets
from app.capabilities.burn.targets import FINAL, LOCAL, BurnFacts, Planned, TargetKind
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also
from app.registry.messages.shared import DRILL_TAG
from app.registry.nodes import NodeRow
from app.registry.service import Registry
from app.site.site import Site
from app.store.writer import Transaction

EXECUTED = "burn.executed"
NOT_DURABLE = "burn.not_durable"
_BURN = insert(burn)


@dataclass(eq=False)
class Beside:
    """What a caller writes in the burn's own transaction. ``failed`` is what it raised: then the burn is taken back."""

    also: Also
    failed: BaseException | None = None

    def __call__(self, tx: Transaction, burn_id: str) -> None:
        try:
            self.also(tx, burn_id)
        except Exception as error:
            self.failed = error
            raise


@dataclass(frozen=True)
class BurnOrder:
    """A call that asks for a burn. ``started``: ``perf_counter`` of the call. ``received_us``: Unix microseconds of the
    call, of a burn that has waited for the store."""

    body: BurnBody
    actor: str
    request_id: str | None
    started: float
    beside: Beside | None = None
    received_us: int | None = None


class BurnTransaction:
    """Runs inside a writer's transaction alone."""

    def __init__(
        self,
        site: Site,
        registry: Registry,
        containments: Containments,
        kinds: Sequence[TargetKind],
        proofs: Proofs,
        alarms: AlarmBook,
        revocations: RevocationLog,
    ) -> None:
        self._site = site
        self._registry = registry
        self._containments = containments
        self._kinds = tuple(kinds)
        self._proofs = proofs
        self._alarms = alarms
        self._revocations = revocations

    def write(self, tx: Transaction, identity: BurnIdentity, order: BurnOrder, local_us: float) -> Running:
        """Writes the burn; ``local_us`` (us) from the call to the denial in memory. In its order only this matters:
        what contained the node ends before the burn's epoch is counted; the holders revoke before the standing
        changes, so that what they revoke is recorded as the burn's work."""
        node_id, burn_id = identity.node_id, identity.burn_id
        self._containments.end_in(tx, node_id, burn_id, order.actor, order.request_id)
        if identity.instead is not None:
            why = "the node is no drill identity any more and was burned"
            self.retract(tx, identity.instead.burn_id, order.actor, why)
        node = self._registry.node(tx.connection, node_id)
        epoch, credentials = self._registry.deny.store(tx, node_id, "burn", burn_id)
        facts = self._facts(tx, identity, order, node, epoch)
        planned = [_local(node, epoch, credentials)]
        for kind in self._kinds:
            planned += kind.plan(tx, facts)
        self._registry.standing.change(tx, node_id, "REVOKED", actor=order.actor, ref=burn_id)
        leaf = self._append_leaf(
            tx, facts, order, known=node is not None, credentials=credentials, targets=len(planned)
        )
        running = Running(
            facts=facts,
            leaf=leaf,
            leaf_hash="",
            local_deny_us=local_us,
            created_us=tx.now_us,
            known=node is not None,
            received_us=order.received_us,
            started=order.started,
            targets=_targets(planned, local_us, (time.perf_counter() - order.started) * 1000),
        )
        _insert(tx, running, order.actor)
        if not running.open:
            running.completed_us = self._proofs.complete_in(tx, running)
        self._alarms.clear(tx, NOT_DURABLE, node_id)
        if node is None:
            text = f"An id that nobody has was burned: {nobody(node_id, burned=True)}"
            self._alarms.raise_alarm(tx, UNKNOWN_ALARM, node_id, text, node_id=node_id, ref=burn_id)
        if order.beside is not None:
            order.beside(tx, burn_id)
        return running

    def _facts(
        self, tx: Transaction, identity: BurnIdentity, order: BurnOrder, node: NodeRow | None, epoch: int
    ) -> BurnFacts:
        """What the kinds of targets may know of the burn."""
        return BurnFacts(
            burn_id=identity.burn_id,
            node_id=identity.node_id,
            scope=identity.scope,
            epoch=epoch,
            reason=order.body.reason,
            at_us=tx.now_us,
            training=self._site.training,
            drill=node is not None and DRILL_TAG in node.tags,
        )

    @staticmethod
    def _append_leaf(
        tx: Transaction,
        facts: BurnFacts,
        order: BurnOrder,
        *,
        known: bool,
        credentials: int,
        targets: int,
    ) -> int:
        """The burn's own leaf in the audit log; its index."""
        return tx.audit(
            EXECUTED,
            actor=order.actor,
            node_id=facts.node_id,
            request_id=order.request_id,
            detail={
                "burn_id": facts.burn_id,
                "scope": facts.scope,
                "reason": facts.reason,
                "epoch": facts.epoch,
                "known": known,
                "credentials": credentials,
                "targets": targets,
                **({} if order.received_us is None else {"received": rfc3339(order.received_us)}),
                **drill_mark(facts.drill),
            },
        )

    def retract(self, tx: Transaction, burn_id: str, actor: str, why: str) -> int:
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
        self._alarms.clear(tx, UNKNOWN_ALARM, row.node_id, actor=actor)
        self._revocations.promise(tx, burn_id)
        return closed


def _local(node: NodeRow | None, epoch: int, credentials: int) -> Planned:
    """This site itself: proven by the transaction that it stands in."""
    evidence = f"denied here at epoch {epoch} with {credentials} credential{'' if credentials == 1 else 's'}"
    if node is None:
        evidence = f"no such node is registered; its id is denied here at epoch {epoch}"
    return Planned(LOCAL, LOCAL, "Deny set of this site", "revoked", evidence)


def _targets(planned: Sequence[Planned], local_us: float, proven_ms: float) -> dict[str, Target]:
    """The targets as the transaction leaves them: those that it proves itself with their latency."""
    return {
        plan.target_id: Target(
            target_id=plan.target_id,
            kind=plan.kind,
            display_name=plan.display_name,
            state=plan.state,
            attempts=0 if plan.state == "pending_offline" else 1,
            latency_ms=_latency_ms(plan, local_us, proven_ms),
            evidence=plan.evidence,
        )
        for plan in planned
    }


def _latency_ms(plan: Planned, local_us: float, proven_ms: float) -> float | None:
    """Of a target that the transaction itself proves. Whole microseconds, as the row holds them: the same burn reads
    the same before and after a restart."""
    if plan.state not in FINAL:
        return None
    return round(local_us if plan.kind == LOCAL else proven_ms * 1000) / 1000


def _insert(tx: Transaction, running: Running, actor: str) -> None:
    """The rows of the burn and of its targets."""
    facts = running.facts
    row = {
        "burn_id": facts.burn_id,
        "node_id": facts.node_id,
        "scope": facts.scope,
        "reason": facts.reason,
        "epoch": facts.epoch,
        "local_deny_us": running.local_deny_us,
        "leaf": running.leaf,
        "actor": actor,
        "created_us": tx.now_us,
        "drill": int(facts.drill),
        "known": int(running.known),
        "received_us": running.received_us,
    }
    tx.connection.execute(_BURN, row)
    insert_targets(
        tx.connection,
        facts.burn_id,
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
            for target in running.targets.values()
        ],
        tx.now_us,
    )
