"""Palm terminals that were given people to let in while their line is down (biometrics.md section 7).

Such a terminal hears of a burn by its line, as everybody does (telemetry, event ``burn``), and fetches another bundle.
That it fetched one that was made after the burn is the proof; until then, or the end of what it has, it is residual
exposure: nothing reaches a terminal that is unplugged.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, select

from app.api.wire import rfc3339
from app.burn.messages import PreviewTarget, Residual, TargetState
from app.burn.targets import FINAL, BurnFacts, Planned, Report, Result
from app.registry.bundles import Bundles, Handed
from app.registry.messages import DRILL_TAG
from app.registry.service import now_us
from app.registry.tables import node, terminal
from app.store.engine import Store
from app.store.writer import Transaction

KIND = "terminal"
_PREFIX = "terminal:"


class TerminalTargets:
    """Every terminal whose last partition has not ended."""

    def __init__(self, store: Store, bundles: Bundles) -> None:
        self._store = store
        self._bundles = bundles

    def owns(self, kind: str) -> bool:
        return kind == KIND

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        handed = self._handed(tx.connection, tx.now_us, drill=facts.drill)
        return [Planned(_PREFIX + one.terminal_id, KIND, one.terminal_id) for one in handed]

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        with self._store.read() as connection:
            found = {
                target_id: self._bundles.last(connection, target_id.removeprefix(_PREFIX)) for target_id in target_ids
            }
        at_us = now_us()
        for target_id, last in found.items():
            state, evidence = _known(last, facts.epoch, at_us)
            report(Result(target_id, state, evidence))

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        tags = connection.scalar(select(node.c.tags).where(node.c.node_id == node_id))
        handed = self._handed(connection, now_us(), drill=tags is not None and _is_drill(tags))
        targets = [
            PreviewTarget(
                id=_PREFIX + one.terminal_id,
                kind=KIND,
                display_name=one.terminal_id,
                reachable=None,
                reversible=True,
                expected_ms=None,
                detail="decides alone while its line is down, until it fetches another bundle",
            )
            for one in handed
        ]
        return targets, [_exposure(one) for one in handed]

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        del kind, at_us
        if state in FINAL:
            return None
        with self._store.read() as connection:
            last = self._bundles.last(connection, target_id.removeprefix(_PREFIX))
        return None if last is None else _exposure(last)

    def _handed(self, connection: Connection, since_us: int, *, drill: bool) -> list[Handed]:
        handed = self._bundles.handed(connection, since_us)
        if not drill or not handed:
            return handed
        tags = dict(connection.execute(select(terminal.c.terminal_id, terminal.c.tags)).all())
        return [one for one in handed if _is_drill(tags.get(one.terminal_id, "[]"))]


def _known(last: Handed | None, epoch: int, at_us: int) -> tuple[TargetState, str]:
    """What is proven of a terminal for a burn of this epoch."""
    if last is None or last.not_after_us is None or last.not_after_us <= at_us:
        return "revoked", "what it was given to decide by has ended"
    if last.access_epoch >= epoch:
        return "revoked", f"bundle {last.issue}, made after the burn, was fetched for it"
    return "pending_offline", f"it may decide alone until {rfc3339(last.not_after_us)}, or until it fetches a bundle"


def _exposure(handed: Handed) -> Residual:
    until = None if handed.not_after_us is None else rfc3339(handed.not_after_us)
    return Residual(
        what=f"Terminal {handed.terminal_id}: what it decides by itself while its line is down", until=until
    )


def _is_drill(tags: str) -> bool:
    return DRILL_TAG in msgspec.json.decode(tags, type=list[str])
