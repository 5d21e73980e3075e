"""Decides whether a stylized template belongs to a node of a registry (specification 4.8).

A stylized template carries no signature and no nonce. The only guard against sending it again is that an equal one came
before, and a match never counts as a live check.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from app.api.problems import Problem, invalid_field
from app.api.secret import decode_base64
from app.biometrics.enrolments import Enrolments
from app.biometrics.gallery import Found
from app.biometrics.matching import FLOORS, MatchDecision, Rules, identify, verify
from app.biometrics.probes import TEMPLATE_BYTES
from app.biometrics.service import Biometrics
from app.biometrics.template_codes import Int8
from app.capabilities.stylized.messages import StylizedBody, StylizedMatch
from app.delivery.alarms import AlarmBook
from app.registry.messages.nodes import Standing
from app.store.engine import Store
from app.store.writer import ACCEPTED, DENIED, Transaction

VERIFY = "stylized.verify"
COPY_ALARM = "stylized.copy"

_INTENT: Final = "LOGIN"
"""The intent whose rate of false positives applies: 4.8 names no intent, and opens no door by itself."""
_FIELD: Final = "/stylized_template"
_NOBODY: Final[Standing] = "UNVERIFIED"
_NO_MATCH: Final = StylizedMatch(match=False, confidence=0.0, knot_id="", standing=_NOBODY)


class Stylized:
    """Serves the rows of ``stylized``."""

    def __init__(
        self,
        store: Store,
        biometrics: Biometrics,
        alarms: AlarmBook,
        enrolments: Enrolments,
        knot_of: Callable[[Connection, str], str | None],
        *,
        training: bool,
    ) -> None:
        self.enrolments = enrolments
        self._store = store
        self._biometrics = biometrics
        self._alarms = alarms
        self._knot_of = knot_of
        self._training = training

    async def verify(self, body: StylizedBody, *, actor: str, request_id: str | None = None) -> StylizedMatch:
        """Compares one template. 404: no such registry; 422: not 512 signed bytes; 409 ``state_conflict``: of another
        epoch."""
        alg, epoch = self._biometrics.probes.state(body.registry_id)
        with decode_base64(body.stylized_template, _FIELD, limit=TEMPLATE_BYTES) as raw:
            if len(raw) != TEMPLATE_BYTES:
                raise invalid_field(_FIELD, f"A stylized template has {TEMPLATE_BYTES} bytes.")
            if body.key_epoch != epoch:
                raise Problem(
                    "state_conflict", f"The template is not of epoch {epoch} of {body.registry_id}: make it anew."
                )
            try:
                probe = self._biometrics.probes.bare(raw, body.registry_id)
            except ValueError as error:
                raise invalid_field(_FIELD, f"This is no template: {error}.") from None
            digest = self._biometrics.probes.digest(probe)
            found = await asyncio.to_thread(self._search, body, probe)
        return await self._store.writer.run(lambda tx: self._decide(tx, body, alg, digest, found, actor, request_id))

    def _search(self, body: StylizedBody, probe: Int8) -> Found:
        gallery = self._biometrics.templates.gallery(body.registry_id)
        return gallery.search(probe) if body.node_id is None else gallery.verify(probe, body.node_id)

    def _decide(
        self,
        tx: Transaction,
        body: StylizedBody,
        alg: int,
        digest: bytes,
        found: Found,
        actor: str,
        request_id: str | None,
    ) -> StylizedMatch:
        """Apply the policy to what the search found, with its leaf, and answer."""
        registry = self._biometrics.template_registries.row(tx.connection, body.registry_id)
        if registry is None or registry.key_epoch != body.key_epoch:
            raise Problem("state_conflict", f"Registry {body.registry_id} was renewed meanwhile: make it anew.")
        replayed = self._biometrics.probes.remember(tx, digest)
        rules = Rules(floor=FLOORS[alg], refuse_copies=not self._training, few_by_score=self._training)
        if body.node_id is None:
            decision = identify(found, _INTENT, rules, replayed=replayed)
        else:
            decision = verify(found, rules, replayed=replayed)
        if decision.copy:
            text = f"Key {actor} sent a copy of a template to {body.registry_id}: see where it comes from."
            self._alarms.raise_alarm(tx, COPY_ALARM, f"{actor}/{body.registry_id}", text, ref=request_id)
        standing: Standing | None = None
        if decision.node_id is not None:
            standing = self._biometrics.may_match(tx.connection, body.registry_id, decision.node_id)
            if standing is None:
                decision = decision.refusal("standing")
        self._record(tx, body, decision, actor, request_id)
        if decision.node_id is None or standing is None:
            return _NO_MATCH
        return StylizedMatch(
            match=True,
            confidence=decision.confidence,
            knot_id=self._knot_of(tx.connection, decision.node_id) or "",
            standing=standing,
        )

    def _record(
        self, tx: Transaction, body: StylizedBody, decision: MatchDecision, actor: str, request_id: str | None
    ) -> None:
        """Write the audit leaf of a decision, a match or none."""
        detail: dict[str, object] = {
            "registry_id": body.registry_id,
            "key_epoch": body.key_epoch,
            "cause": decision.cause,
            "basis": decision.basis,
            "copy": decision.copy,
            "rate": decision.rate,
            "extrapolated": decision.extrapolated,
        }
        if body.node_id is not None:
            detail["claimed"] = body.node_id
        if decision.matched:
            # No score of a failed match is recorded: a reader of the log could climb from score to score to a match.
            detail |= {"score": round(decision.score, 4), "second": round(decision.second, 4)}
        tx.audit(
            VERIFY,
            actor=actor,
            outcome=ACCEPTED if decision.matched else DENIED,
            node_id=decision.node_id,
            request_id=request_id,
            detail=detail,
        )
