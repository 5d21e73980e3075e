"""The HR listener: a signed discharge burns every node of the employee, once, even if the service ends in between.

Order: the sender's signature; the inbox (a call that was seen gets its first answer, for ever); JSON; period and brake;
local denial; ONE transaction with the inbox row and the burn; the answer. What was judged before that transaction is
judged again inside it: if another call has changed the verdict meanwhile, nothing of this one happened, and it goes by
the new verdict.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select, update

from app.api.operation import SignedRequest
from app.api.problems import Problem
from app.capabilities.lifecycle import periods
from app.capabilities.lifecycle.inbox import Failpoint, Inbox, Overtaken
from app.capabilities.lifecycle.messages import (
    Action,
    HrCloseBody,
    HrCloseReply,
    HrEventPage,
    HrEventQuery,
    HrReply,
    ReviewReason,
)
from app.capabilities.lifecycle.review import HrReview
from app.capabilities.lifecycle.signatories import Signatories, Signatory
from app.capabilities.lifecycle.tables import hr_event, hr_measure
from app.capabilities.lifecycle.verdict import (
    DISCHARGE,
    ReadCall,
    Verdict,
    judge_call,
    judge_reuse,
    read_again,
    read_call,
    stored_call,
)
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also, Burner, EventBus
from app.registry.service import Registry, now_us
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.writer import Transaction

log = logging.getLogger(__name__)

_RETRY_S = 1.0


class Lifecycle:
    """Serves the rows of ``lifecycle``. Order of life: construct before the registry starts; ``start()`` after the
    burner's; ``stop()``. ``failpoint``: for tests that kill the process."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        burner: Burner,
        alarms: AlarmBook,
        bus: EventBus,
        cursors: Cursors,
        *,
        failpoint: Failpoint = lambda _: None,
    ) -> None:
        self._store = store
        self._burner = burner
        self._failpoint = failpoint
        self._signatories = Signatories(store, registry)
        self._inbox = Inbox(alarms, bus, failpoint=failpoint)
        self._review = HrReview(store, alarms, cursors)
        self.taken = self._inbox.taken
        """Calls since the start, by action."""
        self._due = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        periods.watch(registry)

    # --- life ---

    async def start(self) -> None:
        """Takes up what a killed process had taken and not finished."""
        self._due = asyncio.Event()
        self._due.set()
        self._worker = asyncio.create_task(self._work(), name="lifecycle-measures")

    async def stop(self) -> None:
        """Ends; what is not durable is taken up at the next start."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await worker

    async def _work(self) -> None:
        """Finishes, for ever, the calls that were taken and not finished."""
        while True:
            await self._due.wait()
            self._due.clear()
            try:
                with self._store.read() as connection:
                    due = connection.scalars(
                        select(hr_measure.c.number).where(hr_measure.c.ref.is_(None)).distinct().order_by("number")
                    ).all()
            except Exception:
                log.exception("discharges that wait could not be read; they are read again")
                finished = [False]
            else:
                finished = [await self._try_finish(number) for number in due]
            if not all(finished):
                self._due.set()
                await asyncio.sleep(_RETRY_S)

    async def _try_finish(self, number: int) -> bool:
        """Finishes the call; whether it did. One that fails does not hold up the others and is never given up."""
        try:
            await self._finish(number)
        except Exception:
            log.exception("a discharge could not be finished yet; it is tried again")
            return False
        return True

    # --- who signed ---

    def sender(self, sent: SignedRequest) -> Signatory:
        """As ``Signatories.sender``."""
        return self._signatories.sender(sent)

    # --- a call ---

    async def receive(self, raw: bytes, by: Signatory, *, request_id: str | None = None) -> HrReply:
        """Takes a signed call and answers when what it asks for is durable. 400 or 422 for a body that is none of ours
        (nothing is kept of it), 503 while the store takes nothing: send it again under the same id."""
        source_id, key = by.source.source_id, by.signature.key
        with self._store.read() as connection:
            row = None if key is None else stored_call(connection, source_id, key)
            if row is None:
                call = read_call(raw, by, request_id)
                verdict = judge_call(connection, call, now_us(), looked_up=key is not None)
        if row is not None and key is not None:
            return await self._answer_again(row, key, raw, by, request_id)
        self._failpoint("judged")
        taken: HrReply | None = None
        while taken is None and not verdict.seen:
            try:
                taken = await self._take(call, verdict)
            except Overtaken as overtaken:
                verdict = overtaken.verdict
        self._failpoint("recorded")
        if taken is None or len(verdict.nodes) > 1:
            with self._store.read() as connection:
                row = stored_call(connection, source_id, verdict.key)
            if row is None:
                # The burn of its first node waits for the disk, and the call with it: nothing of it is kept yet.
                raise Problem(
                    "dependency_unavailable",
                    f"Node {verdict.nodes[0]} is denied and its burn is kept; the rest of the discharge could not be "
                    "stored. Send it again.",
                    headers={"Retry-After": "5"},
                )
            taken = await self._answer_again(row, verdict.key, raw, by, request_id)
        self._failpoint("taken")
        return taken

    async def _answer_again(
        self, row: Row[Any, Any], key: str, raw: bytes, by: Signatory, request_id: str | None
    ) -> HrReply:
        """The first answer under the ``key``. Where another body came under it, an operator must look at that one: the
        sender believes that it was done."""
        if row.digest not in (None, hashlib.sha256(raw).hexdigest()):
            call = read_again(raw, by, request_id)
            verdict = judge_reuse(key, call)
            await self._store.writer.run(lambda tx: self._inbox.record_reuse(tx, call, verdict))
        return await self._answer(row.number)

    async def _take(self, call: ReadCall, verdict: Verdict) -> HrReply:
        """Makes the call durable: with what is done to its first node, in that one transaction. What is answered when
        there is nothing more to do."""
        burns: list[str] = []
        if verdict.measure is None:
            urgent = call.event == DISCHARGE
            await self._store.writer.run(lambda tx: self._inbox.record(tx, call, verdict, None), urgent=urgent)
        else:
            ref = await self._apply(
                verdict.measure,
                verdict.nodes[0],
                call.source.source_id,
                call.event_id,
                call.request_id,
                lambda tx, ref: self._inbox.record(tx, call, verdict, ref),
            )
            burns += [ref] if verdict.measure == "burn" else []
        return _reply(verdict.action, call.event_id, burns, verdict.reason)

    async def _apply(
        self, measure: str, node_id: str, source_id: str, event_id: str, request_id: str | None, also: Also
    ) -> str:
        """Burns, contains or queues one node; the id of its burn or containment."""
        actor = f"hr:{source_id}"
        reason = f"{DISCHARGE} by HR source {source_id} ({event_id})"
        if measure == "burn":
            return await self._burner.burn_with(node_id, reason, actor=actor, request_id=request_id, also=also)
        if measure == "contain":
            return await self._burner.contain_with(
                node_id, cause="brake", seconds=None, message=reason, actor=actor, request_id=request_id, also=also
            )
        return await self._burner.queue_with(node_id, message=reason, actor=actor, request_id=request_id, also=also)

    async def _answer(self, number: int) -> HrReply:
        """The first answer; before it, all that the call has still to do."""
        try:
            await self._finish(number)
        except Exception:
            self._due.set()
            raise
        with self._store.read() as connection:
            row = connection.execute(select(hr_event).where(hr_event.c.number == number)).one()
            burns = connection.scalars(
                select(hr_measure.c.ref)
                .where(hr_measure.c.number == number, hr_measure.c.measure == "burn")
                .order_by(hr_measure.c.node_id)
            ).all()
        return _reply(row.action, row.event_id, burns, row.reason)

    async def _finish(self, number: int) -> None:
        """Does to every node of the call what was decided and is not durable yet."""
        with self._store.read() as connection:
            due = connection.execute(
                select(hr_measure.c.node_id, hr_measure.c.measure, hr_event.c.source, hr_event.c.event_id)
                .join(hr_event, hr_event.c.number == hr_measure.c.number)
                .where(hr_measure.c.number == number, hr_measure.c.ref.is_(None))
            ).all()

        def mark_done(node_id: str) -> Also:
            def also(tx: Transaction, ref: str) -> None:
                mine = (hr_measure.c.number == number, hr_measure.c.node_id == node_id, hr_measure.c.ref.is_(None))
                tx.connection.execute(update(hr_measure).where(*mine).values(ref=ref))

            return also

        work = [
            self._apply(row.measure, row.node_id, row.source, row.event_id, None, mark_done(row.node_id)) for row in due
        ]
        ended = await asyncio.gather(*work, return_exceptions=True)
        for result in ended:
            if isinstance(result, BaseException):
                raise result

    # --- what operators see ---

    def page(self, query: HrEventQuery) -> HrEventPage:
        """Events, newest first. Any thread."""
        return self._review.page(query)

    async def close(self, body: HrCloseBody, *, actor: str, request_id: str | None = None) -> HrCloseReply:
        """As ``HrReview.close``."""
        return await self._review.close(body, actor=actor, request_id=request_id)

    def waiting(self) -> float:
        """Discharges that wait for an operator."""
        return self._review.waiting()


def _reply(action: Action, event_id: str, burns: Sequence[str], reason: ReviewReason | None) -> HrReply:
    return HrReply(
        received=True,
        action=action,
        event_id=event_id,
        burn_id=burns[0] if burns else None,
        burn_ids=list(burns),
        reason=reason,
    )
