"""Deliveries as people see them, callbacks and notices: listed, released, sent again, settled by hand."""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial
from typing import Any, Final

from sqlalchemy import Row, select

from app.api.problems import invalid_field
from app.api.wire import rfc3339
from app.delivery.delivery_rows import DeliveryRows, no_delivery
from app.delivery.messages import Delivery, DeliveryOutcome, DeliveryPage, DeliveryQuery, RecordOutcome
from app.delivery.notices import FinishedNotice, Notices
from app.delivery.outbox import Outbox
from app.delivery.tables import delivery
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.writer import Transaction

LISTING: Final = "deliveries.list"
NOTICE_PREFIX: Final = "ntc_"
"""Of the ids of notices."""


class Deliveries:
    """Serves the rows of ``deliveries``. ``page`` and ``get`` block on the store."""

    def __init__(self, store: Store, rows: DeliveryRows, outbox: Outbox, notices: Notices, cursors: Cursors) -> None:
        self._store = store
        self._rows = rows
        self._outbox = outbox
        self._notices = notices
        self._cursors = cursors

    def page(self, query: DeliveryQuery) -> DeliveryPage:
        """Deliveries, newest first."""
        asked = (query.state, query.channel, query.platform, query.scan, query.strike, query.type)
        binding = "|".join(map(str, asked)).encode()
        wanted = select(delivery)
        # A notice that an attempt has claimed is shown as sending, and stands as queued in its row.
        state = "queued" if query.state == "sending" else query.state
        for column, value in (
            (delivery.c.state, state),
            (delivery.c.channel, query.channel),
            (delivery.c.platform_id, query.platform),
            (delivery.c.subject, query.scan),
            (delivery.c.subject, query.strike),
            (delivery.c.type, query.type),
        ):
            if value is not None:
                wanted = wanted.where(column == value)
        if query.state == "sending":
            wanted = wanted.where(delivery.c.lease_us.is_not(None))
        elif query.state == "queued":
            wanted = wanted.where(delivery.c.lease_us.is_(None))
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
        """A callback: as ``DeliveryRows.send_again``; a notice: as ``Notices.send``. The delivery as it is then, its
        attempt still to come."""
        # A mail is signed here, so that the writer's thread does not have to.
        finished = await asyncio.to_thread(self._finish, delivery_id)

        def job(tx: Transaction) -> Delivery:
            if delivery_id.startswith(NOTICE_PREFIX):
                who = {"actor": actor, "request_id": request_id}
                return _message(self._notices.send(tx, delivery_id, **who, finished=finished))
            row, waiting = self._rows.send_again(tx, delivery_id, actor=actor, request_id=request_id)
            if waiting is not None:
                tx.after_commit(partial(self._outbox.enter, waiting))
            return _message(row)

        return await self._store.writer.run(job)

    def _finish(self, delivery_id: str) -> FinishedNotice | None:
        held = self._notices.held_parcel(delivery_id)
        return None if held is None else self._notices.finish(delivery_id, *held)

    async def record_outcome(self, delivery_id: str, body: RecordOutcome, *, actor: str, request_id: str) -> Delivery:
        """A callback: as ``DeliveryRows.settle``; a notice: as ``Notices.settle``."""

        def job(tx: Transaction) -> Delivery:
            if delivery_id.startswith(NOTICE_PREFIX):
                return _message(self._notices.settle(tx, delivery_id, body, actor=actor, request_id=request_id))
            if body.state not in ("received", "abandoned") or body.decision is not None:
                raise invalid_field("/state", "Of a callback say received or abandoned, without a decision.")
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
            decision=row.decision,
            reference=row.reference,
            note=row.note,
            recorded_by=row.outcome_by,
            recorded_at=rfc3339(row.outcome_us),
        )
    sending = row.state == "queued" and row.lease_us is not None
    return Delivery(
        delivery_id=row.delivery_id,
        channel=row.channel,
        platform=row.platform_id,
        state="sending" if sending else row.state,
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
        answer=row.answer,
        body_sha256=row.content_sha256 or hashlib.sha256(row.body).hexdigest(),
        bytes=len(row.body) if row.content_bytes is None else row.content_bytes,
        outcome=outcome,
    )
