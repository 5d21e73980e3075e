"""A burn that is under way, as memory holds it. It never runs ahead of the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from app.capabilities.burn.messages import BurnLog, TargetState
from app.capabilities.burn.targets import FINAL, BurnFacts, TargetResult

Step = Literal[
    "denied",
    "written",
    "kept",
    "replayed",
    "freed",
    "listed",
    "committed",
    "announced",
    "effect",
    "confirmed",
    "promised",
    "sealed",
]
Failpoint = Callable[[Step], None]
"""Called at each step at which a crash must lose nothing; tests let it kill the process."""


@dataclass(slots=True)
class Target:
    """A target as durable. ``latency_ms`` from the call to the proof."""

    target_id: str
    kind: str
    display_name: str | None
    state: TargetState
    attempts: int
    latency_ms: float | None
    evidence: str | None


@dataclass(eq=False)
class Running:
    """A burn that is not complete, or was not when a caller last waited for it. ``started``: ``perf_counter`` of the
    call (after a restart: put back by the time that has passed)."""

    facts: BurnFacts
    leaf: int
    leaf_hash: str
    local_deny_us: float
    created_us: int
    started: float
    targets: dict[str, Target]
    known: bool = True
    """Whether the node was registered when it was burned."""
    received_us: int | None = None
    """When the call came, of a burn that waited for the store."""
    completed_us: int | None = None
    lifted_us: int | None = None
    in_flight: set[str] = field(default_factory=set)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    sealed: BurnLog | None = None
    """Where its first segment of the revocation log stands, once that is sealed."""
    sealing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with ``sealed``."""
    hasty: set[str] = field(default_factory=set)
    """Targets in flight that are to be tried again as soon as what they report is durable."""
    waiters: list[tuple[str, asyncio.Future[None]]] = field(default_factory=list)
    """Callers that wait for the end of the attempt at a target."""
    watched: bool = False
    """Its reminders are scheduled."""
    left: int = 0
    """Number of targets that are open."""
    looking: dict[str, bool] = field(default_factory=dict)
    """Final targets that are being looked at again, each with whether ``revoked`` there says that the lock had been
    undone. Until they have reported, nobody is told that they stand as before."""
    looked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while no target is being looked at again."""
    lost: set[str] = field(default_factory=set)
    """Targets that were final once and are proven anew: their time since the call says nothing of the next burn."""

    def __post_init__(self) -> None:
        self.left = len(self.open)
        self.looked.set()
        if self.sealed is not None:
            self.sealing.set()

    def note_sealed(self, place: asyncio.Future[BurnLog]) -> None:
        """Takes in where its first segment stands."""
        self.sealed = place.result()
        self.sealing.set()

    def wake_waiters(self, target_ids: set[str] | None = None) -> None:
        """Answers the callers that wait for one of these targets (None: all callers)."""
        for target_id, waiter in self.waiters:
            if (target_ids is None or target_id in target_ids) and not waiter.done():
                waiter.set_result(None)
        self.waiters = [pair for pair in self.waiters if not pair[1].done()]

    @property
    def open(self) -> list[str]:
        """Targets without proof."""
        return [target.target_id for target in self.targets.values() if target.state not in FINAL]

    def latency_us(self, result: TargetResult) -> int | None:
        """From the call to the result; None for one that leaves the target open."""
        if result.state not in FINAL:
            return None
        return max(0, round((result.at - self.started) * 1_000_000))


def drill_mark(drill: bool) -> dict[str, object]:
    """What every leaf of a drill carries in its detail."""
    return {"drill": True} if drill else {}
