"""What a terminal decides by itself while its line is down: it searches a partition of nodes, until that ends.

The rules come with the partition (``EntryRules``): the site works them out, the terminal only compares. A burn takes a
node's templates out at once and overwrites them. After the end nobody is let in. EXIT is free at any time, because a
door that keeps people in does the greater harm.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hardware.terminals.bundle import FEW_OTHERS, EntryRules, PartitionHead
from hardware.terminals.projection import Templates

ENTRY: Final = "ACCESS_ENTRY"
EXIT: Final = "ACCESS_EXIT"
_BLOCK: Final = 1_024

OfflineCause = Literal[
    "matched",
    "exit_is_free",
    "no_partition",
    "ended",
    "intent",
    "nobody",
    "copy",
    "below_floor",
    "among_the_others",
    "two_alike",
    "liveness",
]


@dataclass(frozen=True, slots=True)
class OfflineDecision:
    """The decision on one hand.

    ``granted`` False: the door stays as it is. ``node_id``: the node that was recognised, also at an exit, which opens
    for anybody. ``cause`` is for the terminal's own log.
    """

    granted: bool
    node_id: str | None
    cause: OfflineCause


class Partition:
    """The nodes of one bundle. Safe on any thread. It takes over the bundle's own ``templates``; ``wipe`` overwrites
    them."""

    def __init__(self, head: PartitionHead, templates: Templates, denied: Collection[str]) -> None:
        self.not_after_s = head.not_after
        self._rules: EntryRules = head.rules
        self._lock = threading.Lock()
        self._templates = templates
        self._names = [name for name, _ in head.nodes]
        # A site may deny a million nodes: each is looked up.
        self._numbers = {name: number for number, name in enumerate(self._names)}
        counts = np.array([count for _, count in head.nodes], np.int64)
        self._starts = np.concatenate(([0], np.cumsum(counts)))
        self._live = np.ones(len(self._names), bool)
        for node_id in denied:
            self.remove(node_id)

    def __len__(self) -> int:
        """Number of nodes that may be let in."""
        return int(self._live.sum())

    def remove(self, node_id: str) -> bool:
        """Overwrites the node's templates. True if the node could be let in until now."""
        with self._lock:
            number = self._numbers.get(node_id)
            if number is None:
                return False
            had = bool(self._live[number])
            self._live[number] = False
            self._templates[self._starts[number] : self._starts[number + 1]] = 0
            return had

    def wipe(self) -> None:
        """Overwrites everything: from now on nobody is recognised."""
        with self._lock:
            self._live.fill(False)
            self._templates.fill(0)

    def recognise(self, probes: Templates, liveness: int | None) -> tuple[str | None, OfflineCause]:
        """The node that the views of one probe, int8 (V, 512), show by the partition's rules; None with the cause.

        ``liveness`` None: the sensor reports none.
        """
        with self._lock:
            live = np.flatnonzero(self._live)
            if not len(live):
                return None, "nobody"
            scores = np.maximum.reduceat(self._scores(probes), self._starts[:-1])[live]
        order = np.argsort(-scores, kind="stable")
        best = float(scores[order[0]])
        second = float(scores[order[1]]) if len(order) > 1 else -1.0
        cause = self._judge(best, second, np.delete(scores, order[0]), liveness)
        return (self._names[live[order[0]]] if cause == "matched" else None), cause

    def _scores(self, probes: Templates) -> NDArray[np.float32]:
        """The best view's cosine to every row; 0 for a row that was overwritten."""
        views = probes.astype(np.float32)
        views /= np.linalg.norm(views, axis=1, keepdims=True)
        found = np.zeros(len(self._templates), np.float32)
        for at in range(0, len(found), _BLOCK):
            part = self._templates[at : at + _BLOCK].astype(np.float32)
            norms = np.linalg.norm(part, axis=1)
            products = part @ views.T
            np.divide(products.max(axis=1), norms, out=found[at : at + len(part)], where=norms > 0)
            part.fill(0)
        views.fill(0)
        return found

    def _judge(self, best: float, second: float, others: NDArray[np.float32], liveness: int | None) -> OfflineCause:
        """The first rule that the best node's score fails, or "matched"."""
        rules = self._rules
        # The limit was worked out for all nodes of the bundle; a node that was denied since is no longer among them.
        spread = float(np.std(others, ddof=1, dtype=np.float64)) if len(others) >= FEW_OTHERS else 0.0
        if rules.limit is None or spread == 0.0:
            stands_out = best >= rules.alone
        else:
            stands_out = (best - float(np.mean(others, dtype=np.float64))) / spread >= rules.limit
        if rules.copy is not None and best >= rules.copy:
            return "copy"
        if best < rules.floor:
            return "below_floor"
        if not stands_out:
            return "among_the_others"
        if best - second < rules.margin:
            return "two_alike"
        if (liveness is None and rules.liveness_min > 0) or (liveness or 0) < rules.liveness_min:
            return "liveness"
        return "matched"


def decide(
    partition: Partition | None, intent: str, probes: Templates, liveness: int | None, now_s: float
) -> OfflineDecision:
    """Decide one hand at a terminal whose line is down. Only doors: any other intent waits for the service."""
    if intent not in (ENTRY, EXIT):
        return OfflineDecision(False, None, "intent")
    cause: OfflineCause = "no_partition"
    node_id = None
    if partition is not None and now_s >= partition.not_after_s:
        # For good: no bundle brings this partition back, so its templates need not stay.
        partition.wipe()
        cause = "ended"
    elif partition is not None:
        node_id, cause = partition.recognise(probes, liveness)
    if intent == EXIT:
        return OfflineDecision(True, node_id, "exit_is_free")
    return OfflineDecision(node_id is not None, node_id, cause)
