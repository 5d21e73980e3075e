"""Action permits: minted for a unit, decided on once (specification 4.12, ``POST /v1/authorize-action``).

A permit is a row before it is a token, so that a burn can revoke it and a signature alone is never enough: a permit
that is not in the table was never minted here, or has ended. Minting, judging and sweeping all use the machine's own
clock. A clock that is set back refuses permits, and never makes a used one usable again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, delete, func, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.gateway.actions.messages import (
    ActionDecision,
    AuthorizeBody,
    DecisionReason,
    PermitBody,
    PermitReply,
)
from app.capabilities.gateway.actions.tables import permit
from app.capabilities.gateway.actions.token import SKEW_S, Claims, PermitInvalid, PermitTokens
from app.delivery.events import Holding, RevocationEvidence
from app.registry.service import Registry, now_us
from app.store.engine import Store
from app.store.writer import ACCEPTED, DENIED, Transaction

MINT = "permits.mint"
AUTHORIZE = "permits.authorize"
REVOKE = "permits.revoke"
HOLDER_ID = "action-permits"
_NAME = "Action permits"
_SKEW_US = SKEW_S * 1_000_000
_SWEEP_ROWS = 1000
_ANY = select(select(permit.c.jti).where(permit.c.node_id == bindparam("of")).exists())


class Permits:
    """Serves the rows of ``permits``, and is a ``GrantHolder``. The registry calls ``sweep`` each minute
    (``Registry.add_sweep``)."""

    def __init__(self, store: Store, registry: Registry, tokens: PermitTokens) -> None:
        self._store = store
        self._registry = registry
        self._tokens = tokens

    # --- the calls ---

    async def mint(self, body: PermitBody, *, actor: str, request_id: str | None = None) -> PermitReply:
        """A permit for the unit. 404: there is no such unit or node. 409: the unit's ``actions`` do not name the
        action, or the node is burned or contained."""
        now_s = int(time.time())
        claims = self._tokens.claims(
            unit_id=body.unit_id,
            action=body.action,
            resource=body.resource,
            node_id=body.node_id,
            jti=secrets.token_urlsafe(16),
            iat=now_s,
            ttl_s=body.ttl_seconds,
        )
        fault = await self._store.writer.run(lambda tx: self._mint(tx, claims, actor, request_id))
        if fault is not None:
            raise fault
        return PermitReply(
            permit_token=self._tokens.sign(claims), jti=claims.jti, expires_at=rfc3339(claims.exp * 1_000_000)
        )

    def _mint(self, tx: Transaction, claims: Claims, actor: str, request_id: str | None) -> Problem | None:
        """Adds the permit's row. A refusal about a person or a unit is returned, not raised, so that its leaf stays."""
        unit = self._registry.units.key_in(tx.connection, claims.sub)
        if unit is None:
            raise Problem("not_found", f"No unit {claims.sub} is registered; register it and try again.")
        if claims.node is not None:
            self._registry.require_node(tx.connection, claims.node)
        fault = None
        if (reason := self._denial(claims.node)) is not None:
            fault = Problem("state_conflict", f"Node {claims.node} is {reason}: nothing is permitted for it.")
        elif claims.act not in unit.actions:
            fault = Problem(
                "state_conflict", f"Unit {claims.sub} may not do {claims.act}; add it to the unit's actions first."
            )
        else:
            tx.connection.execute(insert(permit).values(**_facts(claims)))
        tx.audit(
            MINT,
            actor=actor,
            outcome=ACCEPTED if fault is None else DENIED,
            node_id=claims.node,
            unit_id=claims.sub,
            request_id=request_id,
            detail={
                "jti": claims.jti,
                "action": claims.act,
                "resource": claims.res,
                "ttl_seconds": claims.exp - claims.iat,
                **({} if fault is None else {"reason": fault.detail}),
            },
        )
        return fault

    async def authorize(self, body: AuthorizeBody, *, actor: str, request_id: str | None = None) -> ActionDecision:
        """Decides on the permit, once. 403 ``permit_invalid``, 409 ``replayed``; every answer leaves a leaf."""
        try:
            claims = self._tokens.verify(body.permit_token, unit_id=body.unit_id, now_s=time.time())
        except PermitInvalid as error:
            fault = Problem("permit_invalid", str(error))
            raise await self._store.writer.run(
                lambda tx: _record_refusal(tx, fault, body.unit_id, actor, request_id)
            ) from error
        found = await self._store.writer.run(lambda tx: self._decide(tx, claims, actor, request_id))
        if isinstance(found, Problem):
            raise found
        return found

    def _decide(self, tx: Transaction, claims: Claims, actor: str, request_id: str | None) -> ActionDecision | Problem:
        """Uses the permit up. A refusal is returned, not raised, so that its leaf stays."""
        row = tx.connection.execute(select(permit).where(permit.c.jti == claims.jti)).one_or_none()
        if row is None or any(row._mapping[name] != value for name, value in _facts(claims).items()):
            fault = Problem("permit_invalid", "This service has no record of the permit; ask for a new one.")
            return _record_refusal(tx, fault, claims.sub, actor, request_id)
        if row.decision_id is not None:
            used = f"{row.decision}, {row.decision_id}"
            fault = Problem("replayed", f"This permit was used before ({used}); ask for a new one.")
            return _record_refusal(tx, fault, claims.sub, actor, request_id)
        reason = self._reason(tx, row)
        decision = ActionDecision(
            decision="PERMIT" if reason == "granted" else "DENY",
            reason=reason,
            action=row.action,
            resource=row.resource,
            unit_id=row.unit_id,
            decision_id=f"dec_{secrets.token_hex(10)}",
            expires_at=rfc3339(row.expires_us),
        )
        tx.connection.execute(
            update(permit)
            .where(permit.c.jti == row.jti)
            .values(decision=decision.decision, decision_id=decision.decision_id)
        )
        tx.audit(
            AUTHORIZE,
            actor=actor,
            outcome=ACCEPTED if reason == "granted" else DENIED,
            node_id=row.node_id,
            unit_id=row.unit_id,
            request_id=request_id,
            detail={
                "jti": row.jti,
                "decision_id": decision.decision_id,
                "reason": reason,
                "action": row.action,
                "resource": row.resource,
            },
        )
        return decision

    def _reason(self, tx: Transaction, row: Row[Any]) -> DecisionReason:
        """The first reason that applies. The deny set comes first: it knows of a burn before the disk does."""
        if (denied := self._denial(row.node_id)) is not None:
            return denied
        if row.burn_id is not None:
            return "revoked"
        if row.node_id is not None and self._registry.node(tx.connection, row.node_id) is None:
            return "unknown_node"
        unit = self._registry.units.key_in(tx.connection, row.unit_id)
        if unit is None:
            return "unknown_unit"
        return "granted" if row.action in unit.actions else "action_withdrawn"

    def _denial(self, node_id: str | None) -> DecisionReason | None:
        entry = self._registry.deny.denies_node(node_id) if node_id is not None else None
        if entry is None:
            return None
        return "burned" if entry.cause == "burn" else "contained"

    # --- what a burn revokes ---

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's permits that could still be used."""
        with self._store.read() as connection:
            count, until = connection.execute(
                select(func.count(), func.max(permit.c.expires_us)).where(_live(node_id))
            ).one()
        if not count:
            return ()
        detail = f"the last ends {rfc3339(until)}"
        return (Holding(HOLDER_ID, "permit", _NAME, count, reversible=False, detail=detail),)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Revokes the node's permits inside the burn's transaction."""
        if not tx.connection.scalar(_ANY, {"of": node_id}):
            return ()
        count = tx.connection.execute(update(permit).where(_live(node_id)).values(burn_id=burn_id)).rowcount
        if count:
            tx.audit(REVOKE, actor="service", node_id=node_id, detail={"burn_id": burn_id, "permits": count})
        elif not tx.connection.scalar(
            select(func.count()).where(permit.c.node_id == node_id, permit.c.burn_id.is_not(None))
        ):
            return ()
        detail = f"{count} unused permit{'' if count == 1 else 's'} revoked" if count else "all revoked before"
        return (RevocationEvidence(HOLDER_ID, "permit", _NAME, count, already=not count, detail=detail),)

    def sweep(self, tx: Transaction) -> int:
        """Deletes permits that have ended for any clock of this machine; how many, at most 1000 at a time. A deleted
        permit is refused as unknown, so that deleting never makes one usable again."""
        ended = select(permit.c.jti).where(permit.c.expires_us < now_us() - _SKEW_US).limit(_SWEEP_ROWS)
        return tx.connection.execute(delete(permit).where(permit.c.jti.in_(ended))).rowcount


def _facts(claims: Claims) -> dict[str, object]:
    """The columns that a token repeats: a token that differs from its row is not one of ours."""
    return {
        "jti": claims.jti,
        "unit_id": claims.sub,
        "action": claims.act,
        "resource": claims.res,
        "node_id": claims.node,
        "expires_us": claims.exp * 1_000_000,
    }


def _live(node_id: str) -> ColumnElement[bool]:
    return and_(
        permit.c.node_id == node_id,
        permit.c.decision_id.is_(None),
        permit.c.burn_id.is_(None),
        permit.c.expires_us >= now_us() - _SKEW_US,
    )


def _record_refusal(tx: Transaction, fault: Problem, unit_id: str, actor: str, request_id: str | None) -> Problem:
    detail = {"reason": fault.detail}
    tx.audit(AUTHORIZE, actor=actor, outcome=DENIED, unit_id=unit_id, request_id=request_id, detail=detail)
    return fault
