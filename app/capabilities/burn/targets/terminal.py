"""Palm terminals that were given people to let in while their line is down.

Such a terminal hears of a burn by its line, as every client does (telemetry, event ``burn``), fetches another bundle
and acknowledges that it took it. Its signed acknowledgement of a bundle that was made after the burn is the proof; the
fetch alone is none. Until then, or until every earlier bundle has ended, it is residual exposure: nothing reaches a
terminal that is unplugged.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, select

from app.api.wire import rfc3339
from app.biometrics.handed_bundles import Handed, deciding, handed_to, last_ends
from app.capabilities.burn.messages import PreviewTarget, Residual, TargetState
from app.capabilities.burn.targets import FINAL, BurnFacts, Planned, Report, TargetResult
from app.registry.messages.shared import DRILL_TAG
from app.registry.service import now_us
from app.registry.tables import node, terminal
from app.store.engine import Store
from app.store.writer import Transaction

KIND = "terminal"
_PREFIX = "terminal:"


class TerminalTargets:
    """Every terminal that may decide by a bundle of its own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def owns(self, kind: str) -> bool:
        return kind == KIND

    def looks_again(self, kind: str) -> bool | None:
        del kind
        return False

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        found = self._deciding(tx.connection, tx.now_us, drill=facts.drill)
        return [Planned(target_of(terminal_id), KIND, terminal_id) for terminal_id in found]

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        at_us = now_us()
        given = self._bundles_of(target_ids)
        for target_id in target_ids:
            state, evidence = _judge(given.get(_terminal(target_id), []), facts.epoch, at_us)
            report(TargetResult(target_id, state, evidence))

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        tags = connection.scalar(select(node.c.tags).where(node.c.node_id == node_id))
        found = self._deciding(connection, now_us(), drill=tags is not None and _is_drill(tags))
        targets = [
            PreviewTarget(
                id=target_of(terminal_id),
                kind=KIND,
                display_name=terminal_id,
                reachable=None,
                reversible=True,
                expected_ms=None,
                detail="decides alone while its line is down, until it has taken another bundle",
            )
            for terminal_id in found
        ]
        return targets, [_exposure(terminal_id, until_us) for terminal_id, until_us in found.items()]

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        del kind
        if state in FINAL:
            return None
        terminal_id = _terminal(target_id)
        given = self._bundles_of([target_id]).get(terminal_id, [])
        # What was handed out since names the burned itself; after a clock was set back this may list too much.
        before = [one for one in given if one.issued_us <= at_us]
        until_us = last_ends(before or given).get(terminal_id)
        return None if until_us is None else _exposure(terminal_id, until_us)

    def _bundles_of(self, target_ids: Sequence[str]) -> dict[str, list[Handed]]:
        with self._store.read() as connection:
            return handed_to(connection, [_terminal(target_id) for target_id in target_ids])

    def _deciding(self, connection: Connection, at_us: int, *, drill: bool) -> dict[str, int]:
        """Terminals that may decide by themselves at that time, each until when (us)."""
        found = last_ends(deciding(connection, at_us))
        if not drill or not found:
            return found
        tags = dict(connection.execute(select(terminal.c.terminal_id, terminal.c.tags)).all())
        return {one: until_us for one, until_us in found.items() if _is_drill(tags.get(one, "[]"))}


def target_of(terminal_id: str) -> str:
    """The target's name in every burn."""
    return _PREFIX + terminal_id


def _terminal(target_id: str) -> str:
    return target_id.removeprefix(_PREFIX)


def _judge(given: Sequence[Handed], epoch: int, at_us: int) -> tuple[TargetState, str]:
    """What is proven of a terminal for a burn of this epoch, by the bundles that it may have (oldest first)."""
    since = [one for one in given if one.access_epoch >= epoch]
    left = [one for one in given if one.access_epoch < epoch and one.decides(at_us)]
    taken = [one for one in since if one.taken_us is not None]
    if not left:
        if taken:
            return "revoked", f"it acknowledged bundle {taken[-1].issue}, made after the burn"
        return "revoked", "what it was given to decide by has ended"
    alone = f"may decide alone until {rfc3339(max(last_ends(left).values()))}"
    if taken:
        return "pending_offline", f"it or a device before it {alone}, by a bundle of an earlier key"
    if since:
        fetched = f"bundle {since[-1].issue}, made after the burn, was fetched and is not acknowledged"
        return "pending_offline", f"{fetched}: it {alone}, or until it says that it took it"
    return "pending_offline", f"it {alone}, or until it has taken a bundle made after the burn and says so"


def _exposure(terminal_id: str, until_us: int) -> Residual:
    return Residual(
        what=f"Terminal {terminal_id}: what it decides by itself while its line is down", until=rfc3339(until_us)
    )


def _is_drill(tags: str) -> bool:
    return DRILL_TAG in msgspec.json.decode(tags, type=list[str])
