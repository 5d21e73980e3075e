"""Door readers. The controller decides, so a door is proven when its loop thread has the burn's epoch: from then on no
output pulse that was decided before the burn reaches it, even if the reader itself is offline at that moment.

A reader that decides by a list of its own (``onboard_list``) is proven only when it acknowledged the epoch itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from app.capabilities.burn.messages import PreviewTarget, Residual, TargetState
from app.capabilities.burn.targets import FINAL, BurnFacts, Planned, Report, TargetResult
from app.registry.clusters import ReaderClusters
from app.registry.messages.shared import DRILL_TAG
from app.registry.tables import node, reader, reader_cluster
from app.store.engine import Store
from app.store.writer import Transaction
from hardware.readers.delta import step_digest
from hardware.readers.errors import DoorReaderError, FleetStopped
from hardware.readers.fleet import ReaderFleet
from hardware.readers.reader import Ack

KIND = "reader"
_PREFIX = "reader:"
# Made once: each burn asks this before it announces to a door.
_ONBOARD = select(reader.c.reader_id).where(reader.c.onboard_list)


class ReaderTargets:
    """Every registered reader of the site."""

    def __init__(self, fleet: ReaderFleet, store: Store, clusters: ReaderClusters) -> None:
        self._fleet = fleet
        self._store = store
        # The plan of a thousand doors costs more than all the rest of a burn's transaction, so it is kept. Everything
        # here runs on the writer's thread. The count grows with every change, even one that is rolled back; a plan is
        # kept only after the commit of the transaction that read it, and used only while the count is still the same.
        self._changes = 0
        self._kept: tuple[int, list[Planned]] | None = None
        clusters.on_change(self._count_change)

    def _count_change(self, tx: Transaction, cluster_id: str, before: object) -> None:
        del tx, cluster_id, before
        self._changes += 1

    def owns(self, kind: str) -> bool:
        return kind == KIND

    def looks_again(self, kind: str) -> bool | None:
        del kind
        return False

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        if facts.drill:
            return _plan_of(_doors(tx.connection, drill=True))
        if self._kept is not None and self._kept[0] == self._changes:
            return self._kept[1]
        changes = self._changes
        plan = _plan_of(_doors(tx.connection))

        def keep() -> None:
            self._kept = (changes, plan)

        tx.after_commit(keep)
        return plan

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        wanted = {target_id.removeprefix(_PREFIX): target_id for target_id in target_ids}
        with self._store.read() as connection:
            onboard = set(connection.scalars(_ONBOARD))

        def report_ack(reader_id: str, ack: Ack | DoorReaderError) -> None:
            if reader_id in wanted:
                report(_result(wanted[reader_id], reader_id in onboard, ack))

        try:
            addressed = self._fleet.tell(facts.epoch, step_digest(facts.burn_id), report_ack, facts.node_id)
        except FleetStopped:
            for target_id in target_ids:
                report(TargetResult(target_id, "pending_offline", "the readers are not driven now"))
            return
        missing = wanted.keys() - addressed
        if not missing:
            return
        with self._store.read() as connection:
            registered = set(connection.scalars(select(reader.c.reader_id)))
        for reader_id in missing:
            if reader_id in registered:
                report(
                    TargetResult(wanted[reader_id], "pending_offline", "the reader is registered but not driven yet")
                )
            else:
                gone = "the reader is no longer registered: nothing is granted through it"
                report(TargetResult(wanted[reader_id], "revoked", gone))

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        tags = connection.scalar(select(node.c.tags).where(node.c.node_id == node_id))
        states = self._fleet.states()
        found: list[PreviewTarget] = []
        outlives: list[Residual] = []
        for row in _doors(connection, drill=_is_drill(tags)):
            state = states.get(row.reader_id)
            online = state is not None and state.secure_channel
            detail = None if online else "offline now; this controller denies all the same"
            if not online and row.onboard_list:
                detail = "offline now; it decides by its own list until it is back"
                outlives.append(_own_list(row.reader_id))
            found.append(
                PreviewTarget(
                    id=_PREFIX + row.reader_id,
                    kind=KIND,
                    display_name=f"{row.reader_id} · {row.display_name}",
                    reachable=online,
                    reversible=True,
                    expected_ms=None,
                    detail=detail,
                )
            )
        return found, outlives

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        del kind, at_us
        return None if state in FINAL else _own_list(target_id.removeprefix(_PREFIX))


def _doors(connection: Connection, *, drill: bool = False) -> list[Any]:
    """Every registered reader with its cluster's name; for a drill those of clusters that are tagged ``drill``."""
    rows = connection.execute(
        select(reader.c.reader_id, reader.c.onboard_list, reader_cluster.c.display_name, reader_cluster.c.tags)
        .join(reader_cluster, reader_cluster.c.cluster_id == reader.c.cluster_id)
        .order_by(reader.c.cluster_id, reader.c.position)
    ).all()
    return [row for row in rows if _is_drill(row.tags)] if drill else list(rows)


def _is_drill(tags: str | None) -> bool:
    return tags is not None and DRILL_TAG in msgspec.json.decode(tags, type=list[str])


def _plan_of(doors: Sequence[Any]) -> list[Planned]:
    return [Planned(_PREFIX + row.reader_id, KIND, f"{row.reader_id} · {row.display_name}") for row in doors]


def _own_list(reader_id: str) -> Residual:
    return Residual(what=f"Reader {reader_id}: what it decides by itself until it is reached", until=None)


def _result(target_id: str, onboard: bool, ack: Ack | DoorReaderError) -> TargetResult:
    # On the reader group's thread: no waiting, no disk.
    if isinstance(ack, DoorReaderError):
        return TargetResult(target_id, "pending_offline", str(ack))
    epoch = f"controller at epoch {ack.thread_epoch_acked}"
    if ack.delta_acked:
        return TargetResult(target_id, "revoked", f"{epoch}; acknowledged over secure channel")
    if onboard:
        return TargetResult(target_id, "pending_offline", f"{epoch}; the reader's own list is not reached yet")
    if ack.secure_channel:
        return TargetResult(target_id, "revoked", f"{epoch}; the reader is online and does not note epochs itself")
    return TargetResult(target_id, "revoked", f"{epoch}; the reader is offline, nothing is granted through it")
