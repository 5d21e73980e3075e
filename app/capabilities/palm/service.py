"""Decides whose palm lies on a terminal (specification 4.7).

The order of judgement is fixed: terminal, shape, signature, registry and time, counter and nonce, search, policy. Using
the frame up and applying the policy are one transaction with the leaf. So a frame is good for one decision, and every
burn, renewal or change of the terminal that became durable before that decision counts in it. Only the audit log says
what failed; the caller sees one shape.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from app.api.problems import Problem
from app.api.secret import decode_base64
from app.api.wire import rfc3339
from app.biometrics.enrolments import Enrolments
from app.biometrics.gallery import Found
from app.biometrics.matching import FLOORS, NOT_REPORTED, MatchDecision, Rules, identify, requirement
from app.biometrics.probes import ProbeRefused, SentTemplates
from app.biometrics.service import Biometrics
from app.capabilities.palm.messages import PalmVerdict, PalmVerifyBody
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.registry.messages.access import AccessEvent
from app.registry.messages.nodes import Standing
from app.registry.service import Registry, now_us
from app.registry.terminals import TerminalRow
from app.store.engine import Store
from app.store.writer import ACCEPTED, DENIED, Transaction
from hardware.terminals.frame import MAX_FRAME_BYTES

VERIFY = "palm.verify"
COPY_ALARM = "palm.copy"

KnotOf = Callable[[Connection, str], str | None]
"""Gives the id of the node's newest valid seal."""

_FIELD: Final = "/dermal_vector"
_NOBODY: Final[Standing] = "UNVERIFIED"


@dataclass(frozen=True, slots=True)
class _Question:
    """One call, with what the transaction that answers it needs."""

    terminal: TerminalRow
    intent: str
    decision_id: str
    actor: str
    request_id: str | None
    begun_ns: int


class Palm:
    """Serves the rows of ``palm``."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        biometrics: Biometrics,
        bus: EventBus,
        alarms: AlarmBook,
        enrolments: Enrolments,
        knot_of: KnotOf,
        *,
        training: bool,
    ) -> None:
        self.registry = registry
        self.biometrics = biometrics
        self.enrolments = enrolments
        self._store = store
        self._bus = bus
        self._alarms = alarms
        self._knot_of = knot_of
        self._training = training

    async def verify(self, body: PalmVerifyBody, *, actor: str, request_id: str | None = None) -> PalmVerdict:
        """Decides one frame. 404: no such palm terminal; 422: not a frame; 403: not signed by that terminal for that
        intent; 409 ``state_conflict``: of another registry, epoch or time, ``replayed``: used before."""
        with self._store.read() as connection:
            terminal = self.registry.terminals.require(connection, body.terminal_id)
        if terminal.kind != "palm":
            raise Problem("not_found", f"Terminal {body.terminal_id} is no palm terminal: name one that is.")
        asked = _Question(
            terminal, body.intent, f"dec_{secrets.token_hex(10)}", actor, request_id, time.perf_counter_ns()
        )
        with decode_base64(body.dermal_vector, _FIELD, limit=MAX_FRAME_BYTES) as raw:
            try:
                # On a thread: for bare features the registry's key is read from its file and its projection computed.
                read = self.biometrics.probes.read
                probe = await asyncio.to_thread(read, raw, terminal, body.intent, now_us(), _FIELD)
            except ProbeRefused as refused:
                fault, cause = refused.problem, refused.cause
                await self._store.writer.run(lambda tx: self._record_refusal(tx, asked, cause))
                raise fault from None
            try:
                found = await asyncio.to_thread(self._search, terminal, probe)
                verdict = await self._store.writer.run(lambda tx: self._decide(tx, asked, probe, found))
            finally:
                probe.wipe()
        if isinstance(verdict, Problem):
            raise verdict
        return verdict

    def _search(self, terminal: TerminalRow, probe: SentTemplates) -> Found:
        """Search the terminal's registry; at a terminal of a cluster, the cluster's nodes are the authorised ones."""
        with self._store.read() as connection:
            authorised = None
            if terminal.cluster_id is not None:
                authorised = self.registry.profiles.nodes_at(connection, terminal.cluster_id)
        return self.biometrics.templates.gallery(terminal.registry_id).search(probe.templates, authorised)

    def _decide(self, tx: Transaction, asked: _Question, probe: SentTemplates, found: Found) -> PalmVerdict | Problem:
        """Uses the frame up and decides. A refusal is returned, not raised, so that its leaf stays."""
        if self._is_overtaken(tx, asked, probe):
            self._record_refusal(tx, asked, "overtaken")
            return Problem("state_conflict", "The terminal or its registry changed meanwhile: lay the hand on again.")
        replayed = self.biometrics.probes.use(tx, probe)
        if replayed is not None:
            self._record_refusal(tx, asked, "replayed_frame")
            return replayed
        rules = Rules(
            floor=FLOORS[probe.alg],
            liveness_min=asked.terminal.liveness_min,
            refuse_copies=not self._training,
            few_by_score=self._training,
        )
        liveness = NOT_REPORTED if probe.liveness is None else probe.liveness
        decision = identify(found, asked.intent, rules, liveness=liveness, replayed=probe.known)
        if decision.copy:
            self._alarms.raise_alarm(
                tx,
                COPY_ALARM,
                asked.terminal.terminal_id,
                f"Terminal {asked.terminal.terminal_id} sent a copy of a template instead of a hand: see who is there.",
                ref=asked.decision_id,
            )
        standing: Standing = _NOBODY
        if decision.node_id is not None:
            # The search knew nothing of burns, nor of erasures since.
            now = self.biometrics.may_match(tx.connection, asked.terminal.registry_id, decision.node_id)
            decision, standing = (decision.refusal("standing"), _NOBODY) if now is None else (decision, now)
        if decision.node_id is not None and decision.live:
            self.registry.standing.record(tx, node_id=decision.node_id, kind="palm", ref=asked.decision_id)
            standing = self.registry.require_node(tx.connection, decision.node_id).standing
        self._record_decision(tx, asked, probe, decision, standing)
        node_id = decision.node_id
        at = rfc3339(tx.now_us)
        self._publish(tx, asked, decision, at)
        return PalmVerdict(
            verified=node_id is not None,
            node_id=node_id,
            confidence=decision.confidence,
            knot_id=None if node_id is None else self._knot_of(tx.connection, node_id),
            standing=standing,
            terminal_id=asked.terminal.terminal_id,
            intent=asked.intent,
            decision_id=asked.decision_id,
            liveness="NOT_REPORTED" if probe.liveness is None else probe.liveness,
            second_factor=requirement(asked.intent).second_factor,
            basis=decision.basis,
            timestamp=at,
        )

    def _is_overtaken(self, tx: Transaction, asked: _Question, probe: SentTemplates) -> bool:
        """Whether the terminal's keys or rules, or the registry's epoch, have changed since the frame was read and
        searched. 404 if the terminal is gone. The frame is not used up then."""
        terminal = self.registry.terminals.require(tx.connection, asked.terminal.terminal_id)
        registry = self.biometrics.template_registries.row(tx.connection, terminal.registry_id)
        return terminal != asked.terminal or registry is None or registry.key_epoch != probe.epoch

    def _record_decision(
        self, tx: Transaction, asked: _Question, probe: SentTemplates, decision: MatchDecision, standing: Standing
    ) -> None:
        """Write the audit leaf of a decision, a match or none."""
        detail: dict[str, object] = {
            "terminal_id": asked.terminal.terminal_id,
            "intent": asked.intent,
            "decision_id": asked.decision_id,
            "cause": decision.cause,
            "basis": decision.basis,
            "copy": decision.copy,
            "second_factor": requirement(asked.intent).second_factor,
            "views": len(probe.templates),
            "rate": decision.rate,
            "extrapolated": decision.extrapolated,
        }
        if probe.liveness is not None:
            detail["liveness"] = probe.liveness
        if decision.matched:
            # No score of a failed match is recorded: a reader of the log could climb from score to score to a match.
            detail |= {
                "score": round(decision.score, 4),
                "second": round(decision.second, 4),
                "confidence": decision.confidence,
                "standing": standing,
            }
        tx.audit(
            VERIFY,
            actor=asked.actor,
            outcome=ACCEPTED if decision.matched else DENIED,
            node_id=decision.node_id,
            request_id=asked.request_id,
            detail=detail,
        )

    def _record_refusal(self, tx: Transaction, asked: _Question, cause: str) -> None:
        """Write the audit leaf of a frame that was not decided."""
        detail = {
            "terminal_id": asked.terminal.terminal_id,
            "intent": asked.intent,
            "decision_id": asked.decision_id,
            "cause": cause,
        }
        tx.audit(VERIFY, actor=asked.actor, outcome=DENIED, request_id=asked.request_id, detail=detail)

    def _publish(self, tx: Transaction, asked: _Question, decision: MatchDecision, at: str) -> None:
        """Publish the access event of a decision once that is durable."""
        body = AccessEvent(
            reader_id=asked.terminal.terminal_id,
            cluster_id=asked.terminal.cluster_id or "",
            node_id=decision.node_id,
            decision="GRANT" if decision.matched else "DENY",
            reason="granted" if decision.matched else "no_match",
            ref=asked.decision_id,
            latency_ms=(time.perf_counter_ns() - asked.begun_ns) / 1e6,
            epoch=self.registry.deny.epoch,
            at=at,
        )
        at_us = tx.now_us
        tx.after_commit(lambda: self._bus.publish(Event("access", body, at_us)))
