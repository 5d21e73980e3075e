"""The services that hold grants in this process: issued cards, reader grants, permits, rotating codes.

What they hold is revoked inside the burn's transaction, which is the proof for all but cards. Relying parties know of a
card's certificates by the site's revocation list alone, so cards are proven by a signed list that names them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from sqlalchemy import Connection

from app.api.wire import rfc3339
from app.capabilities.burn.messages import PreviewTarget, Residual, TargetState
from app.capabilities.burn.targets import BurnFacts, Planned, Report, TargetResult
from app.delivery.events import GrantHolder
from app.pki.crl import ClockBehind, NodeRevocation, NotListed, RevocationLists
from app.registry.service import now_us
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

CARD = "card"
_UNSIGNED = "the certificates are revoked here; no signed revocation list names them yet"


class HolderTargets:
    """All registered ``GrantHolder``. Their rows are final from the start, but for cards. ``told_where``: whether the
    certificates of cards say where the revocation list is."""

    def __init__(self, holders: Sequence[GrantHolder], lists: RevocationLists, *, told_where: bool) -> None:
        # Kept, not copied: holders that are wired after the burn are asked as well.
        self._holders = holders
        self._lists = lists
        self._told_where = told_where
        self._tasks: set[asyncio.Task[None]] = set()
        self._kinds = {CARD, "grant", "holder", "permit", "seal", "session", "template"}

    async def stop(self) -> None:
        """Ends the attempts; cards without proof are taken up at the next start."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def owns(self, kind: str) -> bool:
        return kind in self._kinds

    def looks_again(self, kind: str) -> bool | None:
        return False if kind == CARD else None

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        planned = []
        for holder in self._holders:
            for evidence in holder.revoke(tx, facts.node_id, facts.burn_id):
                state: TargetState = "already" if evidence.already else "revoked"
                said = evidence.detail
                if evidence.kind == CARD:
                    state, said = "pending_offline", _UNSIGNED
                target_id = f"{evidence.kind}:{evidence.id}"
                planned.append(Planned(target_id, evidence.kind, evidence.display_name, state, said))
        return planned

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        for target_id in target_ids:
            if target_id.startswith(f"{CARD}:"):
                task = asyncio.get_running_loop().create_task(self._list_cards(facts, target_id, report))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            else:
                # Never pending; if an operator asks all the same, the answer is what the rows say.
                report(TargetResult(target_id, "already", "revoked by the burn's own transaction"))

    async def _list_cards(self, facts: BurnFacts, target_id: str, report: Report) -> None:
        """Has a list signed that names the certificates of the node's cards, and reports it as the proof."""
        try:
            proof = await self._lists.publish_node(facts.node_id)
        except NotListed:
            report(TargetResult(target_id, "failed", "the newest revocation list misses a certificate of the node"))
        except (StoreError, ClockBehind) as error:
            report(TargetResult(target_id, "pending_offline", f"{_UNSIGNED}: {error}"))
        except Exception:
            log.exception("no revocation list could be signed", extra={"burn_id": facts.burn_id})
            report(TargetResult(target_id, "pending_offline", f"{_UNSIGNED}: see the service's log"))
        else:
            report(TargetResult(target_id, *_proof_result(facts, proof)))

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
        left = [self.residual(target.kind, target.id, "revoked", now_us()) for target in found]
        return found, [each for each in left if each is not None]

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        del target_id, state
        if kind != CARD:
            return None
        if not self._told_where:
            return Residual(what="Systems that accept the cards' certificates without asking this site", until=None)
        until = self._lists.believed_until(at_us)
        if until is None:
            return None
        return Residual(what="Systems that go by an older revocation list of this site", until=rfc3339(until))

    def cards(self, node_id: str) -> int:
        """How many issued cards a burn of this node would revoke."""
        return sum(
            holding.count for holder in self._holders for holding in holder.holdings(node_id) if holding.kind == CARD
        )


def _proof_result(facts: BurnFacts, proof: NodeRevocation) -> tuple[TargetState, str]:
    """The state of cards that a signed list names, and the sentence that proves it."""
    mine = [one for one in proof.certificates if one.ref == facts.burn_id]
    until = rfc3339(proof.by.next_us)
    if not proof.certificates:
        return "revoked", "no certificate of the node's cards is left that has not ended"
    if not mine:
        return "already", f"all revoked before, in revocation list {proof.by.number}, good until {until}"
    cards = len({one.card for one in mine})
    return "revoked", (
        f"{len(mine)} certificates of {cards} card{'' if cards == 1 else 's'} are in revocation list "
        f"{proof.by.number}, good until {until}"
    )
