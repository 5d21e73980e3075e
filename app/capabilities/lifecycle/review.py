"""What operators see of the inbox, and their decisions on discharges that wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.lifecycle.inbox import BRAKE_ALARM, REVIEW_ALARM
from app.capabilities.lifecycle.messages import HrCloseBody, HrCloseReply, HrEvent, HrEventPage, HrEventQuery, HrMeasure
from app.capabilities.lifecycle.tables import hr_event, hr_measure
from app.capabilities.lifecycle.verdict import HELD_BY_BRAKE
from app.delivery.alarms import AlarmBook
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.writer import Transaction

CLOSED = "lifecycle.closed"
_LISTING = "lifecycle.events"
_WAITING = (hr_event.c.action == "operator_review", hr_event.c.closed_us.is_(None))


class HrReview:
    """Lists events and closes those that wait for an operator."""

    def __init__(self, store: Store, alarms: AlarmBook, cursors: Cursors) -> None:
        self._store = store
        self._alarms = alarms
        self._cursors = cursors

    def page(self, query: HrEventQuery) -> HrEventPage:
        """Events, newest first. Any thread."""
        bound = f"{query.source or ''}\n{query.action or ''}\n{query.open}".encode()
        with self._store.read() as connection:
            events, following = self._cursors.page(
                connection,
                _matching(query),
                _LISTING,
                [hr_event.c.number],
                limit=query.limit,
                cursor=query.cursor,
                query=bound,
            )
            measures = _measures(connection, [row.number for row in events])
        return HrEventPage(items=[_item(row, measures[row.number]) for row in events], next=following)

    async def close(self, body: HrCloseBody, *, actor: str, request_id: str | None = None) -> HrCloseReply:
        """A person has decided what these discharges come to: their alarms end. 404 for an id that is none, 409 for an
        event that waits for nobody."""

        def job(tx: Transaction) -> list[str]:
            rows = {
                row.event_id: row
                for row in tx.connection.execute(select(hr_event).where(hr_event.c.event_id.in_(body.event_ids)))
            }
            closed = []
            for event_id in dict.fromkeys(body.event_ids):
                if self._close(tx, event_id, rows.get(event_id), body.reason, actor, request_id):
                    closed.append(event_id)
            for source_id in {rows[event_id].source for event_id in closed}:
                if not _brake_holds(tx.connection, source_id):
                    self._alarms.clear(tx, BRAKE_ALARM, source_id, actor=actor)
            return closed

        return HrCloseReply(closed=await self._store.writer.run(job))

    def _close(
        self, tx: Transaction, event_id: str, row: Row[Any] | None, reason: str, actor: str, request_id: str | None
    ) -> bool:
        """Closes one event; False if it was closed before."""
        if row is None:
            raise Problem("not_found", f"No HR event {event_id} was taken here; check the identifier.")
        if row.action != "operator_review":
            raise Problem("state_conflict", f"HR event {event_id} waits for nobody; leave it out.")
        if row.closed_us is not None:
            return False
        values = {"closed_us": tx.now_us, "closed_by": actor, "closed_reason": reason}
        tx.connection.execute(update(hr_event).where(hr_event.c.number == row.number).values(**values))
        detail = {"event_id": event_id, "source": row.source, "reason": reason}
        tx.audit(CLOSED, actor=actor, request_id=request_id, detail=detail)
        self._alarms.clear(tx, REVIEW_ALARM, event_id, actor=actor)
        return True

    def waiting(self) -> float:
        """Discharges that wait for an operator."""
        with self._store.read() as connection:
            return connection.scalar(select(func.count()).where(*_WAITING)) or 0


def _matching(query: HrEventQuery) -> Select[Any]:
    """The events that the query asks for, in no order."""
    rows = select(hr_event)
    if query.source is not None:
        rows = rows.where(hr_event.c.source == query.source)
    if query.action is not None:
        rows = rows.where(hr_event.c.action == query.action)
    return rows.where(*_WAITING) if query.open else rows


def _measures(connection: Connection, numbers: Sequence[int]) -> dict[int, list[HrMeasure]]:
    """What each of these calls did, node by node."""
    measures: dict[int, list[HrMeasure]] = {number: [] for number in numbers}
    for part in connection.execute(
        select(hr_measure).where(hr_measure.c.number.in_(numbers)).order_by(hr_measure.c.number, hr_measure.c.node_id)
    ):
        measures[part.number].append(HrMeasure(node_id=part.node_id, measure=part.measure, ref=part.ref))
    return measures


def _brake_holds(connection: Connection, source_id: str) -> bool:
    """Whether a discharge of the source that the brake held still waits."""
    mine = (hr_event.c.source == source_id, hr_event.c.reason.in_(HELD_BY_BRAKE.values()))
    return connection.scalar(select(hr_event.c.number).where(*_WAITING, *mine).limit(1)) is not None


def _item(row: Row[Any], measures: list[HrMeasure]) -> HrEvent:
    """An event on the wire."""
    return HrEvent(
        event_id=row.event_id,
        source=row.source,
        event=row.event,
        employee_id=row.employee_id,
        action=row.action,
        reason=row.reason,
        received_at=rfc3339(row.received_us),
        at=rfc3339(row.at_us),
        measures=measures,
        closed_at=None if row.closed_us is None else rfc3339(row.closed_us),
        closed_by=row.closed_by,
        closed_reason=row.closed_reason,
    )
