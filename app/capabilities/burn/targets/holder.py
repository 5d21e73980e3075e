"""The services that hold grants in this process: issued cards, reader grants, permits, rotating codes.

What they hold is revoked inside the burn's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from app.capabilities.burn.messages import PreviewTarget, Residual, TargetState
from app.capabilities.burn.targets import BurnFacts, Planned, Report, TargetResult
from app.delivery.events import GrantHolder
from app.store.writer import Transaction

CARD = "card"


class HolderTargets:
    """All registered ``GrantHolder``. Their rows are final from the start: the transaction is the proof."""

    def __init__(self, holders: Sequence[GrantHolder]) -> None:
        # Kept, not copied: holders that are wired after the burn are asked as well.
        self._holders = holders
        self._kinds = {CARD, "grant", "holder", "permit", "seal", "session", "template"}

    def owns(self, kind: str) -> bool:
        return kind in self._kinds

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        return [
            Planned(
                target_id=f"{evidence.kind}:{evidence.id}",
                kind=evidence.kind,
                display_name=evidence.display_name,
                state="already" if evidence.already else "revoked",
                evidence=evidence.detail,
            )
            for holder in self._holders
            for evidence in holder.revoke(tx, facts.node_id, facts.burn_id)
        ]

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        # A holder's rows are never pending; if an operator asks all the same, the answer is what the rows say.
        del facts
        for target_id in target_ids:
            report(TargetResult(target_id, "already", "revoked by the burn's own transaction"))

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        del connection
        found = [
            PreviewTarget(
                id=f"{holding.kind}:{holding.id}",
                kind=holding.kind,
                display_name=f"{holding.display_name}: {holding.count}",
                reachable=True,
                reversible=holding.reversible,
                expected_ms=None,
                detail=holding.detail,
            )
            for holder in self._holders
            for holding in holder.holdings(node_id)
        ]
        left = [self.residual(target.kind, target.id, "revoked", 0) for target in found]
        return found, [each for each in left if each is not None]

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        del target_id, state, at_us
        if kind != CARD:
            return None
        return Residual(what="Systems that accept the cards' certificates without asking this site", until=None)

    def cards(self, node_id: str) -> int:
        """How many issued cards a burn of this node would revoke."""
        return sum(
            holding.count for holder in self._holders for holding in holder.holdings(node_id) if holding.kind == CARD
        )
