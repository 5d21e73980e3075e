"""Standing of nodes: what was recorded, what is true now, and the one way to change it.

UNVERIFIED until a live check succeeds, then VERIFIED_DIGITAL_HUMAN, EXPIRED when the last success is older than the
site's window, SUSPENDED while contained, REVOKED by a burn. Deny rows rule over everything else, and time rules over
what was recorded: a node is never shown as verified after its window, even if the sweep has not come round yet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, bindparam, func, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.registry.messages.nodes import LiveCheck, Standing
from app.registry.tables import deny, live_check, node
from app.store.writer import Transaction

CheckKind = Literal["voice", "palm", "stylized", "card"]
Fell = Callable[[Transaction, str, Standing], None]
"""Called inside the transaction in which a node ceases to be VERIFIED_DIGITAL_HUMAN."""

VERIFIED: Standing = "VERIFIED_DIGITAL_HUMAN"
LIVE_CHECK = "registry.live_check"
STANDING_CHANGE = "registry.standing_change"
SHOWN_CHECKS = 20

# Made once: every decision about a node asks these.
_CAUSES = select(deny.c.cause).where(deny.c.node_id == bindparam("of"))
_RECORDED = select(node.c.standing).where(node.c.node_id == bindparam("of"))
_CHANGE = update(node).where(node.c.node_id == bindparam("of"))


def effective(
    recorded: Standing, verified_us: int | None, causes: Collection[str], now_us: int, window_us: int
) -> Standing:
    """The standing at ``now_us`` of a node whose last leaf said ``recorded``. ``causes``: of its deny rows."""
    if "burn" in causes or recorded == "REVOKED":
        return "REVOKED"
    if causes:
        return "SUSPENDED"
    if recorded == VERIFIED and (verified_us is None or now_us - verified_us >= window_us):
        return "EXPIRED"
    return recorded


def causes_of(connection: Connection, node_ids: Sequence[str]) -> Mapping[str, set[str]]:
    """Causes of the deny rows of these nodes."""
    found: dict[str, set[str]] = {}
    for node_id, cause in connection.execute(select(deny.c.node_id, deny.c.cause).where(deny.c.node_id.in_(node_ids))):
        found.setdefault(node_id, set()).add(cause)
    return found


def causes_at(connection: Connection, node_id: str) -> set[str]:
    """Causes of the deny rows of this node."""
    return set(connection.scalars(_CAUSES, {"of": node_id}))


@dataclass(frozen=True)
class CheckRow:
    """A live check that succeeded."""

    kind: CheckKind
    at_us: int
    ref: str


class StandingBook:
    """Implements ``app.delivery.events.LiveChecks``. ``window_us``: how long a live check holds, microseconds."""

    def __init__(self, window_us: int) -> None:
        self.window_us = window_us
        self._fell: list[Fell] = []

    def on_fall(self, fell: Fell) -> None:
        """Calls ``fell`` inside each transaction that takes VERIFIED_DIGITAL_HUMAN from a node. Before start only."""
        self._fell.append(fell)

    def record(self, tx: Transaction, *, node_id: str, kind: CheckKind, ref: str) -> None:
        """Records that a live check of the node succeeded now. A burned or contained node keeps its standing; an
        unknown one is ``not_found``."""
        row = tx.connection.execute(
            select(node.c.standing, node.c.verified_us).where(node.c.node_id == node_id)
        ).one_or_none()
        if row is None:
            raise Problem("not_found", f"No node {node_id} is registered; register it and try again.")
        causes = causes_at(tx.connection, node_id)
        before = effective(row.standing, row.verified_us, causes, tx.now_us, self.window_us)
        tx.connection.execute(
            insert(live_check).values(node_id=node_id, kind=kind, at_us=tx.now_us, ref=ref, success=1)
        )
        after = before
        if before not in ("REVOKED", "SUSPENDED"):
            after = VERIFIED
            tx.connection.execute(
                update(node).where(node.c.node_id == node_id).values(standing=after, verified_us=tx.now_us)
            )
        detail = {"kind": kind, "ref": ref, "before": before, "standing": after}
        tx.audit(LIVE_CHECK, actor="service", node_id=node_id, detail=detail)

    def change(self, tx: Transaction, node_id: str, to: Standing, *, actor: str, ref: str) -> None:
        """Records another standing with its leaf; nothing for a node that has it already or is not registered."""
        recorded = tx.connection.scalar(_RECORDED, {"of": node_id})
        if recorded is None or recorded == to:
            return
        tx.connection.execute(_CHANGE, {"of": node_id, "standing": to})
        self.note(tx, node_id, recorded, to, actor=actor, ref=ref)
        if to != VERIFIED:
            for fell in self._fell:
                fell(tx, node_id, to)

    def note(self, tx: Transaction, node_id: str, before: str, to: Standing, *, actor: str, ref: str) -> None:
        """Writes the leaf of a change that no row records, because deny rows make it and take it back: SUSPENDED.
        Grants stay as they are."""
        detail = {"before": before, "standing": to, "ref": ref}
        tx.audit(STANDING_CHANGE, actor=actor, node_id=node_id, detail=detail)

    def expire(self, tx: Transaction, limit: int = 200) -> int:
        """Records EXPIRED for at most ``limit`` nodes whose window ended; gives how many, so that a caller goes on
        until it is less than ``limit``."""
        due = tx.connection.scalars(
            select(node.c.node_id)
            .where(node.c.standing == VERIFIED, node.c.verified_us <= tx.now_us - self.window_us)
            .order_by(node.c.verified_us)
            .limit(limit)
        ).all()
        for node_id in due:
            self.change(tx, node_id, "EXPIRED", actor="service", ref="live-check-window")
        return len(due)

    def newest_check(self, connection: Connection, node_id: str, *, since_us: int) -> CheckRow | None:
        """The node's newest live check, if it succeeded at ``since_us`` or later."""
        row = connection.execute(
            select(live_check)
            .where(live_check.c.node_id == node_id, live_check.c.success == 1)
            .order_by(live_check.c.live_check_id.desc())
            .limit(1)
        ).one_or_none()
        return None if row is None or row.at_us < since_us else CheckRow(row.kind, row.at_us, row.ref)

    def check(self, connection: Connection, node_id: str, kind: CheckKind, ref: str) -> CheckRow | None:
        """The newest live check of the node under this reference."""
        row = connection.execute(
            select(live_check)
            .where(
                live_check.c.node_id == node_id,
                live_check.c.kind == kind,
                live_check.c.ref == ref,
                live_check.c.success == 1,
            )
            .order_by(live_check.c.live_check_id.desc())
            .limit(1)
        ).one_or_none()
        return None if row is None else CheckRow(row.kind, row.at_us, row.ref)

    def checks(self, connection: Connection, node_ids: Sequence[str]) -> Mapping[str, list[LiveCheck]]:
        """The newest ``SHOWN_CHECKS`` live checks of each node, newest first."""
        newest = func.row_number().over(partition_by=live_check.c.node_id, order_by=live_check.c.live_check_id.desc())
        ranked = select(live_check, newest.label("rank")).where(live_check.c.node_id.in_(node_ids)).subquery()
        rows = connection.execute(
            select(ranked).where(ranked.c.rank <= SHOWN_CHECKS).order_by(ranked.c.node_id, ranked.c.rank)
        )
        found: dict[str, list[LiveCheck]] = {}
        for row in rows:
            check = LiveCheck(kind=row.kind, at=rfc3339(row.at_us), ref=row.ref, success=bool(row.success))
            found.setdefault(row.node_id, []).append(check)
        return found
