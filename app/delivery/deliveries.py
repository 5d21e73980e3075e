"""Deliveries as people see them: listed, sent again, settled by hand."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, Final

from sqlalchemy import Row, select

from app.api.wire import rfc3339
from app.delivery.delivery_rows import DeliveryRows, no_delivery
from app.delivery.messages import Delivery, DeliveryOutcome, DeliveryPage, DeliveryQuery, RecordOutcome
from app.delivery.outbox import Outbox
from app.delivery.tables import delivery
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.writer import Transaction

LISTING: Final = "deliveries.list"


class Deliveries:
    """Serves the rows of ``deliveries``. ``page`` and ``get`` block on the store."""

    def __init__(self, store: Store, rows: DeliveryRows, outbox: Outbox, cursors: Cursors) -> None:
        self._store = store
        self._rows = rows
        self._outbox = outbox
        self._cursors = cursors

    def page(self, query: DeliveryQuery) -> DeliveryPage:
        """Deliveries, newest first."""
        binding = f"{query.state}|{query.scan}|{query.type}".encode()
        wanted = select(delivery)
        for column, value in (
            (delivery.c.state, query.state),
            (delivery.c.subject, query.scan),
            (delivery.c.type, query.type),
        ):
            if value is not None:
                wanted = wanted.where(column == value)
        key = (delivery.c.created_us, delivery.c.delivery_id)
        with self._store.read() as connection:
            rows, after = self._cursors.page(
                connection, wanted, LISTING, key, limit=query.limit, cursor=query.cursor, query=binding
            )
        return DeliveryPage(items=[_message(row) for row in rows], next=after)

    def get(self, delivery_id: str) -> Delivery:
        """One of them; ``Problem`` 404."""
        with self._store.read() as connection:
            row = connection.execute(select(delivery).where(delivery.c.delivery_id == delivery_id)).first()
        if row is None:
            raise no_delivery()
        return _message(row)

    async def send(self, delivery_id: str, *, actor: str, request_id: str) -> Delivery:
        """As ``DeliveryRows.send_again``; the delivery as it is then, its attempt still to come."""

        def job(tx: Transaction) -> Delivery:
            row, waiting = self._rows.send_again(tx, delivery_id, actor=actor, request_id=request_id)
            if waiting is not None:
                tx.after_commit(partial(self._outbox.enter, waiting))
            return _message(row)

        return await self._store.writer.run(job)

    async def record_outcome(self, delivery_id: str, body: RecordOutcome, *, actor: str, request_id: str) -> Delivery:
        """As ``DeliveryRows.settle``."""

        def job(tx: Transaction) -> Delivery:
            said = body.state, body.reference, body.note
            return _message(self._rows.settle(tx, delivery_id, *said, actor=actor, request_id=request_id))

        return await self._store.writer.run(job)


def _message(row: Row[Any]) -> Delivery:
    """The message of a row of ``delivery``."""

    def stamp(at_us: int | None) -> str | None:
        return None if at_us is None else rfc3339(at_us)

    outcome = None
    if row.outcome is not None:
        outcome = DeliveryOutcome(
            state=row.outcome,
            reference=row.reference,
            note=row.note,
            recorded_by=row.outcome_by,
            recorded_at=rfc3339(row.outcome_us),
        )
    return Delivery(
        delivery_id=row.delivery_id,
        state=row.state,
        type=row.type,
        subject=row.subject,
        url=row.shown_url,
        kid=row.kid,
        created_at=rfc3339(row.created_us),
        attempts=row.attempts,
        attempted_at=stamp(row.tried_us),
        next_attempt_at=stamp(row.next_us),
        ended_at=stamp(row.ended_us),
        status=row.status,
        fault=row.fault,
        body_sha256=hashlib.sha256(row.body).hexdigest(),
        bytes=len(row.body),
        outcome=outcome,
    )
