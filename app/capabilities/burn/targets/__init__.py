"""Targets of a burn: one module a kind, all behind ``TargetKind``.

A kind plans its targets inside the burn's transaction and reaches them afterwards. It must be idempotent: after a crash
every target without a durable proof is reached again, even if it was reached before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy import Connection

from app.capabilities.burn.messages import PreviewTarget, Residual, Scope, TargetState
from app.store.writer import Transaction

PROVEN: frozenset[TargetState] = frozenset({"revoked", "already"})
"""States that stand on what was read back from that very account, door or system."""
UNPROVEN: tuple[TargetState, ...] = ("delivered", "unlinked")
"""Final, but no proof: nothing more can be done or learned. A burn says how many of its targets ended so."""
FINAL: frozenset[TargetState] = PROVEN | frozenset((*UNPROVEN, "closed"))
"""States that need nothing more: proven, not to be known any better, or given up by a person with a reason.
``unsupported`` and ``failed`` are open, so a burn with one of them stays PARTIAL until it is proven or an operator
closes it."""


LOCAL = "local"
"""Id and kind of the target that is this site itself."""


@dataclass(frozen=True, slots=True)
class BurnFacts:
    """What a kind may know of the burn. ``epoch``: the one that its denial made; ``at_us``: of the call. ``drill``: the
    node is a drill identity, only targets tagged ``drill`` are reached."""

    burn_id: str
    node_id: str
    scope: Scope
    epoch: int
    reason: str
    at_us: int
    training: bool
    drill: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """One target as the burn's transaction writes it; with a final ``state`` its ``evidence`` is the proof."""

    target_id: str
    kind: str
    display_name: str | None = None
    state: TargetState = "pending_offline"
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class TargetResult:
    """How an attempt ended. ``at``: ``time.perf_counter()`` of the proof."""

    target_id: str
    state: TargetState
    evidence: str
    at: float = field(default_factory=time.perf_counter)


Report = Callable[[TargetResult], None]


class TargetKind(Protocol):
    """How one kind of target is planned, reached and described."""

    def owns(self, kind: str) -> bool:
        """Whether targets of this kind are reached by this one."""
        ...

    def looks_again(self, kind: str) -> bool | None:
        """Whether a target of this kind that is final is worth another look: None where it stands in this site's own
        rows; else whether ``revoked`` then says that its lock had been undone."""
        ...

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        """The targets of this burn. Inside its transaction: quick, no network; what can be revoked by rows alone is
        revoked here."""
        ...

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        """Starts one attempt at each of these targets, on the event loop, and returns at once. ``report`` is called
        exactly once a target, on any thread, within the attempt's deadline."""
        ...

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        """What a burn would reach now, and what access would outlive it; changes nothing."""
        ...

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        """The access that outlives the burn of ``at_us`` at this target in this state."""
        ...
