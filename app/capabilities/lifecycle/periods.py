"""Periods of employment: since when an employee is with us, so that an old discharge cannot hit a rehired one.

A period begins with a hire event, with what a roster says, when a node is registered to the employee, and when a node
of theirs comes back after a burn. A discharge is about the period that was open at its own time. With an employee's
last node the past periods go too: an employee who is registered again begins a new one.
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import Connection, Row, bindparam, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from app.capabilities.lifecycle.tables import hr_period
from app.registry.messages.nodes import Standing
from app.registry.service import Registry
from app.registry.tables import node
from app.store.writer import Transaction

Cause = Literal["hire", "roster", "node", "lift"]

_SINCE = select(func.max(hr_period.c.started_us)).where(
    hr_period.c.employee_id == bindparam("employee"), hr_period.c.started_us <= bindparam("now")
)


def present_since(connection: Connection, employee_id: str, now_us: int) -> int:
    """Unix microseconds at which the present period began, 0 if unknown. A period in the future does not count yet."""
    return connection.scalar(_SINCE, {"employee": employee_id, "now": now_us}) or 0


def begin(tx: Transaction, employee_id: str, started_us: int, cause: Cause) -> None:
    """Records the beginning of a period; one that is known stays as it is."""
    row = {"employee_id": employee_id, "started_us": started_us, "cause": cause}
    tx.connection.execute(insert(hr_period).values(row).on_conflict_do_nothing())


def _end(tx: Transaction, employee_id: str) -> None:
    others = select(node.c.node_id).where(node.c.employee_id == employee_id)
    if tx.connection.scalar(others.limit(1)) is None:
        past = (hr_period.c.employee_id == employee_id, hr_period.c.started_us <= tx.now_us)
        tx.connection.execute(delete(hr_period).where(*past))


def watch(registry: Registry) -> None:
    """Learns of new and returning nodes. Before start only."""

    def node_changed(tx: Transaction, node_id: str, before: Row[Any] | None) -> None:
        after = registry.nodes.row(tx.connection, node_id)
        if before is not None and before.employee_id is not None and after is None:
            _end(tx, before.employee_id)
        if after is None or after.employee_id is None:
            return
        if before is None or before.employee_id != after.employee_id:
            begin(tx, after.employee_id, tx.now_us, "node")

    def fell(tx: Transaction, node_id: str, to: Standing) -> None:
        # A node goes back to UNVERIFIED only where a denial was taken from it.
        if to != "UNVERIFIED":
            return
        employee_id = tx.connection.scalar(select(node.c.employee_id).where(node.c.node_id == node_id))
        if employee_id is not None:
            begin(tx, employee_id, tx.now_us, "lift")

    registry.nodes.on_change(node_changed)
    registry.standing.on_fall(fell)
