"""What the HR inbox keeps of a person, and what of it an erasure takes out.

A call stays, because its repeat must get the first answer for ever; the employee whom it was about is taken out once
all is done. Periods of employment stay while a node of the employee is registered (``periods``): without them an old
discharge would burn a person who was hired again.
"""

from __future__ import annotations

from sqlalchemy import Connection, func, or_, select, update

from app.capabilities.lifecycle.tables import hr_event, hr_measure
from app.delivery.events import Held
from app.registry.tables import node
from app.store.writer import Transaction

_DUE = select(hr_measure.c.number).where(hr_measure.c.ref.is_(None))
_SETTLED = or_(hr_event.c.action != "operator_review", hr_event.c.closed_us.is_not(None)) & hr_event.c.number.not_in(
    _DUE
)


class HrRecords:
    """An ``app.delivery.events.PersonRecords``."""

    def held_records(self, connection: Connection, node_id: str) -> Held:
        employees = self._employees(connection, node_id)
        settled = connection.scalar(select(func.count()).where(hr_event.c.employee_id.in_(employees), _SETTLED))
        waiting = connection.scalar(select(func.count()).where(hr_event.c.employee_id.in_(employees), ~_SETTLED))
        kept = []
        if waiting:
            kept.append("The employee number of HR calls that wait for an operator. Erase again when they are closed.")
        if self._is_registered(connection, employees):
            kept.append("The employee number and its periods of employment; they go with the employee's last node.")
        return Held(settled or 0, kept)

    def forget(self, tx: Transaction, node_id: str) -> int:
        unnamed = (
            update(hr_event)
            .where(hr_event.c.employee_id.in_(self._employees(tx.connection, node_id)), _SETTLED)
            .values(employee_id=None, digest=None, closed_reason=None)
        )
        return tx.connection.execute(unnamed).rowcount

    @staticmethod
    def _employees(connection: Connection, node_id: str) -> set[str]:
        """As the registry and the calls that were about the node name them."""
        registered = select(node.c.employee_id).where(node.c.node_id == node_id)
        called = (
            select(hr_event.c.employee_id)
            .join(hr_measure, hr_measure.c.number == hr_event.c.number)
            .where(hr_measure.c.node_id == node_id)
        )
        return {name for rows in (registered, called) for name in connection.scalars(rows) if name is not None}

    @staticmethod
    def _is_registered(connection: Connection, employees: set[str]) -> bool:
        return connection.scalar(select(node.c.node_id).where(node.c.employee_id.in_(employees)).limit(1)) is not None
