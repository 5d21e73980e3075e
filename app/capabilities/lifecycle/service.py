"""The HR listener: a signed discharge burns every node of the employee, once, whatever happens in between.

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
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from app.api import decode
from app.api.operation import Caller, Clearance, SignedRequest, Unsigned
from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.lifecycle import brake, periods
from app.capabilities.lifecycle.messages import (
    Action,
    HrCall,
    HrCloseBody,
    HrCloseReply,
    HrEvent,
    HrEventPage,
    HrEventQuery,
    HrMeasure,
    HrNotice,
    HrReply,
    Measure,
    ReviewReason,
)
from app.capabilities.lifecycle.senders import SignedCall, judge
from app.capabilities.lifecycle.tables import hr_event, hr_measure
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also, Burner, Event, EventBus
from app.registry.hr_sources import HrSourceRow
from app.registry.service import Registry, now_us
from app.registry.tables import node
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import BadCursor
from app.store.writer import Transaction

log = logging.getLogger(__name__)

DISCHARGE = "EMPLOYEE_DISCHARGE"
HIRES = frozenset({"EMPLOYEE_HIRE", "EMPLOYEE_REHIRE"})
RECEIVED = "lifecycle.received"
CLOSED = "lifecycle.closed"
REVIEW_ALARM = "lifecycle.review"
BRAKE_ALARM = "lifecycle.brake"
Step = Literal["judged", "denied", "recorded", "taken"]
"""Where a test may kill the process: before the burn, inside its transaction, after it, before the answer."""

_HELD: dict[Measure, ReviewReason] = {"contain": "contained", "queue": "queued"}
_LISTING = "lifecycle.events"
_TOLD_NODES = 50
_RETRY_S = 1.0
_SECOND_US = 1_000_000
_DECODER = msgspec.json.Decoder(HrCall)

# Made once: each call asks these, and to make a statement costs more than to run it.
_CALL = select(hr_event.c.number).where(hr_event.c.source == bindparam("of"), hr_event.c.key == bindparam("under"))
_NODES = (
    select(node.c.node_id, node.c.standing).where(node.c.employee_id == bindparam("employee")).order_by(node.c.node_id)
)
_TAKE = insert(hr_event)
_MEASURE = insert(hr_measure)


@dataclass(frozen=True)
class Signatory(Caller):
    """A source that signed a call: ``key_id`` is ``hr:<source>``."""

    source: HrSourceRow
    signature: SignedCall


@dataclass(frozen=True, slots=True)
class _Call:
    """A signed call, read. It is signed in whole seconds: it happened between ``from_us`` and ``at_us``, None where its
    own time cannot be read."""

    event_id: str
    source: HrSourceRow
    key: str | None
    digest: str
    event: str
    employee_id: str
    from_us: int
    at_us: int | None
    request_id: str | None


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a call comes to. ``seen``: it was taken before under ``key``."""

    key: str
    seen: bool = False
    action: Action = "ignored"
    reason: ReviewReason | None = None
    measure: Measure | None = None
    nodes: tuple[str, ...] = ()
    weight: int = 0


@dataclass
class _Overtaken(Exception):
    """Another call was taken first, and this one's verdict is another now."""

    verdict: _Verdict


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
        failpoint: Callable[[Step], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._registry = registry
        self._burner = burner
        self._alarms = alarms
        self._bus = bus
        self._cursors = cursors
        self._failpoint = failpoint
        self._sources: tuple[HrSourceRow, ...] | None = None
        self._generation = 0
        self._due = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self.taken: dict[str, int] = {"burn": 0, "ignored": 0, "operator_review": 0}
        """Calls since the start, by action."""
        registry.hr_sources.on_change(self._source_changed)
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
                finished = [await self._finished(number) for number in due]
            if not all(finished):
                self._due.set()
                await asyncio.sleep(_RETRY_S)

    async def _finished(self, number: int) -> bool:
        """Whether the call is done with. One that fails stands in nobody's way and is never given up."""
        try:
            await self._finish(number)
        except Exception:
            log.exception("a discharge could not be finished yet; it is tried again")
            return False
        return True

    # --- who signed ---

    def sender(self, sent: SignedRequest) -> Signatory:
        """The source that signed the call: the one that its path names, or any. ``Unsigned`` for none."""
        named = sent.path.get("source")
        now_s = time.time()
        found: Signatory | None = None
        cause = "missing"
        for source in self._known_sources():
            if named is not None and source.source_id != named:
                continue
            try:
                signature = judge(source, sent.headers, sent.raw, now_s)
            except Unsigned as refused:
                # The most telling word of all sources' is kept for the log.
                cause = max(cause, refused.cause, key=("missing", "signature", "stale").index)
            else:
                found = found or Signatory(
                    key_id=f"hr:{source.source_id}",
                    clearance=Clearance.OPEN,
                    label=source.scheme,
                    source=source,
                    signature=signature,
                )
        if found is None:
            raise Unsigned(cause)
        return found

    def _known_sources(self) -> tuple[HrSourceRow, ...]:
        known = self._sources
        if known is None:
            # A change that becomes durable while the rows are read must not be hidden by what was read before it.
            generation = self._generation
            with self._store.read() as connection:
                known = tuple(self._registry.hr_sources.all(connection))
            if generation == self._generation:
                self._sources = known
        return known

    def _source_changed(self, tx: Transaction, source_id: str, before: Row[Any] | None) -> None:
        del source_id, before

        def forget() -> None:
            self._generation += 1
            self._sources = None

        tx.after_commit(forget)

    # --- a call ---

    async def receive(self, raw: bytes, by: Signatory, *, request_id: str | None = None) -> HrReply:
        """Takes a signed call and answers when what it asks for is durable. 400 or 422 for a body that is none of ours
        (nothing is kept of it), 503 while the store takes nothing: send it again under the same id."""
        source_id, key = by.source.source_id, by.signature.key
        with self._store.read() as connection:
            row = None if key is None else _event(connection, source_id, key)
            if row is None:
                call = self._read(raw, by, request_id)
                verdict = self._judge(connection, call, now_us(), looked_up=key is not None)
        if row is not None:
            return await self._answer(row.number)
        self._failpoint("judged")
        taken: HrReply | None = None
        while taken is None and not verdict.seen:
            try:
                taken = await self._take(call, verdict)
            except _Overtaken as overtaken:
                verdict = overtaken.verdict
        self._failpoint("recorded")
        if taken is None or len(verdict.nodes) > 1:
            with self._store.read() as connection:
                row = _event(connection, source_id, verdict.key)
            if row is None:
                raise LookupError(verdict.key)
            taken = await self._answer(row.number)
        self._failpoint("taken")
        return taken

    def _read(self, raw: bytes, by: Signatory, request_id: str | None) -> _Call:
        body: HrCall = decode.body(_DECODER, raw)
        at_s = by.signature.at_s
        from_us = now_us() if at_s is None else at_s * _SECOND_US
        at_us = from_us if at_s is None else from_us + _SECOND_US - 1
        told_us = at_us if body.timestamp is None else _moment(body.timestamp)
        if told_us is not None:
            from_us, at_us = min(from_us, told_us), min(at_us, told_us)
        return _Call(
            event_id=f"hr_{secrets.token_hex(10)}",
            source=by.source,
            key=by.signature.key,
            digest=hashlib.sha256(raw).hexdigest(),
            event=body.event,
            employee_id=body.employee_id,
            from_us=from_us,
            at_us=None if told_us is None else at_us,
            request_id=request_id,
        )

    def _judge(self, connection: Connection, call: _Call, at_us: int, *, looked_up: bool = False) -> _Verdict:
        """What the call comes to, as ``connection`` sees the world at ``at_us``. ``looked_up``: it sees no call under
        the key that this one was signed with."""
        source_id = call.source.source_id
        begun = periods.begun(connection, call.employee_id, at_us)
        # Where neither an id nor a time was sent, the same body within one period is the same call.
        key = call.key if call.key is not None else f"body:{call.digest}@{begun}"
        if not looked_up and _event(connection, source_id, key) is not None:
            return _Verdict(key, seen=True)
        if call.event != DISCHARGE:
            return _Verdict(key)
        rows = connection.execute(_NODES, {"employee": call.employee_id}).all()
        weight = max(1, sum(row.standing != "REVOKED" for row in rows))
        reason: ReviewReason | None = None
        if not rows:
            reason = "unknown_employee"
        elif call.at_us is None:
            reason = "unreadable_time"
        elif begun > call.at_us:
            reason = "older_than_rehire"
        elif call.key is None and _seen_before(connection, source_id, call.digest):
            reason = "replay_after_rehire"
        if reason is not None:
            return _Verdict(key, action="operator_review", reason=reason, weight=weight)
        limit = call.source.max_discharges_per_minute
        measure = brake.measure(brake.load_of(connection, source_id, weight, limit, at_us), limit)
        return _Verdict(
            key,
            action="burn" if measure == "burn" else "operator_review",
            reason=_HELD.get(measure),
            measure=measure,
            nodes=tuple(row.node_id for row in rows),
            weight=weight,
        )

    async def _take(self, call: _Call, verdict: _Verdict) -> HrReply:
        """Makes the call durable: with what is done to its first node, in that one transaction. What is answered when
        there is nothing more to do."""
        burns: list[str] = []
        if verdict.measure is None:
            urgent = call.event == DISCHARGE
            await self._store.writer.run(lambda tx: self._record(tx, call, verdict, None), urgent=urgent)
        else:
            ref = await self._apply(
                verdict.measure,
                verdict.nodes[0],
                call.source.source_id,
                call.event_id,
                call.request_id,
                lambda tx, ref: self._record(tx, call, verdict, ref),
            )
            burns += [ref] if verdict.measure == "burn" else []
        return _reply(verdict.action, call.event_id, burns, verdict.reason)

    def _record(self, tx: Transaction, call: _Call, verdict: _Verdict, ref: str | None) -> None:
        self._failpoint("denied")
        fresh = self._judge(tx.connection, call, tx.now_us)
        if fresh != verdict:
            raise _Overtaken(fresh)
        source_id = call.source.source_id
        row = {
            "event_id": call.event_id,
            "source": source_id,
            "key": verdict.key,
            "received_us": tx.now_us,
            "at_us": call.from_us,
            "event": call.event,
            "employee_id": call.employee_id,
            "action": verdict.action,
            "reason": verdict.reason,
            "weight": verdict.weight,
        }
        number = tx.connection.execute(_TAKE, row).inserted_primary_key[0]  # type: ignore[index]
        if verdict.measure is not None:
            rows = [
                {"number": number, "node_id": node_id, "measure": verdict.measure, "ref": None if at else ref}
                for at, node_id in enumerate(verdict.nodes)
            ]
            tx.connection.execute(_MEASURE, rows)
        if call.event in HIRES:
            periods.begin(tx, call.employee_id, min(call.from_us, tx.now_us), "hire")
        tx.audit(
            RECEIVED,
            actor=f"hr:{source_id}",
            node_id=verdict.nodes[0] if len(verdict.nodes) == 1 else None,
            request_id=call.request_id,
            detail={
                "event_id": call.event_id,
                "source": source_id,
                "event": call.event,
                "employee_id": call.employee_id,
                "action": verdict.action,
                "reason": verdict.reason or "",
                "nodes": list(verdict.nodes[:_TOLD_NODES]),
                "count": len(verdict.nodes),
            },
        )
        if verdict.reason is not None:
            self._alarm(tx, call, verdict)
        notice = HrNotice(
            event_id=call.event_id,
            source=source_id,
            action=verdict.action,
            reason=verdict.reason,
            nodes=list(verdict.nodes[:_TOLD_NODES]),
            at=rfc3339(tx.now_us),
        )
        at_us = tx.now_us

        def told() -> None:
            self.taken[verdict.action] += 1
            self._bus.publish(Event("hr", notice, at_us))

        tx.after_commit(told)

    def _alarm(self, tx: Transaction, call: _Call, verdict: _Verdict) -> None:
        source_id = call.source.source_id
        if verdict.measure is not None:
            limit = call.source.max_discharges_per_minute
            text = (
                f"HR source {source_id} discharges more than {limit} nodes a minute or 5 % of all in an hour: they are "
                "held, not burned. Ask HR whether it is so; then burn or release them, and close the events."
            )
            self._alarms.raise_alarm(tx, BRAKE_ALARM, source_id, text, ref=source_id)
            return
        why = {
            "unknown_employee": "no node is registered to the employee",
            "older_than_rehire": "it is older than his present employment",
            "replay_after_rehire": "the same call came before his present employment",
        }.get(verdict.reason or "", "its time cannot be read")
        text = (
            f"A discharge by HR source {source_id} burned nobody: {why}. Look at {call.event_id}, decide and close it."
        )
        self._alarms.raise_alarm(tx, REVIEW_ALARM, call.event_id, text, ref=call.event_id)

    async def _apply(
        self, measure: str, node_id: str, source_id: str, event_id: str, request_id: str | None, also: Also
    ) -> str:
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
        """The first answer; before it, whatever the call has still to do."""
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

        def done(node_id: str) -> Also:
            def also(tx: Transaction, ref: str) -> None:
                mine = (hr_measure.c.number == number, hr_measure.c.node_id == node_id, hr_measure.c.ref.is_(None))
                tx.connection.execute(update(hr_measure).where(*mine).values(ref=ref))

            return also

        work = [self._apply(row.measure, row.node_id, row.source, row.event_id, None, done(row.node_id)) for row in due]
        ended = await asyncio.gather(*work, return_exceptions=True)
        for result in ended:
            if isinstance(result, BaseException):
                raise result

    # --- what operators see ---

    def page(self, query: HrEventQuery) -> HrEventPage:
        """Events, newest first. Any thread."""
        bound = f"{query.source or ''}\n{query.action or ''}\n{query.open}".encode()
        rows = select(hr_event).order_by(hr_event.c.number.desc()).limit(query.limit + 1)
        if query.cursor is not None:
            after = self._cursors.decode(_LISTING, query.cursor, query=bound)
            if len(after) != 1 or not isinstance(after[0], int):
                raise BadCursor("This cursor is not one of this list. Start again without it.")
            rows = rows.where(hr_event.c.number < after[0])
        if query.source is not None:
            rows = rows.where(hr_event.c.source == query.source)
        if query.action is not None:
            rows = rows.where(hr_event.c.action == query.action)
        if query.open:
            rows = rows.where(hr_event.c.action == "operator_review", hr_event.c.closed_us.is_(None))
        with self._store.read() as connection:
            found = connection.execute(rows).all()
            shown = found[: query.limit]
            measures: dict[int, list[HrMeasure]] = {row.number: [] for row in shown}
            for part in connection.execute(
                select(hr_measure)
                .where(hr_measure.c.number.in_(list(measures)))
                .order_by(hr_measure.c.number, hr_measure.c.node_id)
            ):
                measures[part.number].append(HrMeasure(node_id=part.node_id, measure=part.measure, ref=part.ref))
        more = len(found) > query.limit
        return HrEventPage(
            items=[_shown(row, measures[row.number]) for row in shown],
            next=self._cursors.encode(_LISTING, [shown[-1].number], query=bound) if more else None,
        )

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
                row = rows.get(event_id)
                if row is None:
                    raise Problem("not_found", f"No HR event {event_id} was taken here; check the identifier.")
                if row.action != "operator_review":
                    raise Problem("state_conflict", f"HR event {event_id} waits for nobody; leave it out.")
                if row.closed_us is not None:
                    continue
                values = {"closed_us": tx.now_us, "closed_by": actor, "closed_reason": body.reason}
                tx.connection.execute(update(hr_event).where(hr_event.c.number == row.number).values(**values))
                detail = {"event_id": event_id, "source": row.source, "reason": body.reason}
                tx.audit(CLOSED, actor=actor, request_id=request_id, detail=detail)
                self._alarms.clear(tx, REVIEW_ALARM, event_id, actor=actor)
                closed.append(event_id)
            for source_id in {rows[event_id].source for event_id in closed}:
                if not self._held(tx.connection, source_id):
                    self._alarms.clear(tx, BRAKE_ALARM, source_id, actor=actor)
            return closed

        return HrCloseReply(closed=await self._store.writer.run(job))

    def waiting(self) -> float:
        """Discharges that wait for an operator."""
        open_ = (hr_event.c.action == "operator_review", hr_event.c.closed_us.is_(None))
        with self._store.read() as connection:
            return connection.scalar(select(func.count()).where(*open_)) or 0

    @staticmethod
    def _held(connection: Connection, source_id: str) -> bool:
        open_ = (hr_event.c.action == "operator_review", hr_event.c.closed_us.is_(None))
        held = (hr_event.c.source == source_id, hr_event.c.reason.in_(_HELD.values()))
        return connection.scalar(select(hr_event.c.number).where(*open_, *held).limit(1)) is not None


def _reply(action: Action, event_id: str, burns: Sequence[str], reason: ReviewReason | None) -> HrReply:
    return HrReply(
        received=True,
        action=action,
        event_id=event_id,
        burn_id=burns[0] if burns else None,
        burn_ids=list(burns),
        reason=reason,
    )


def _event(connection: Connection, source_id: str, key: str) -> Row[Any] | None:
    return connection.execute(_CALL, {"of": source_id, "under": key}).one_or_none()


def _seen_before(connection: Connection, source_id: str, digest: str) -> bool:
    """Whether the same body came in another period: as keys sort, all of a digest stand between these two."""
    first, last = f"body:{digest}@", f"body:{digest}@:"
    mine = (hr_event.c.source == source_id, hr_event.c.key > first, hr_event.c.key < last)
    return connection.scalar(select(hr_event.c.number).where(*mine).limit(1)) is not None


def _moment(text: str) -> int | None:
    """Unix microseconds of an RFC 3339 time with its offset; None for a text that is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        return None
    try:
        return round((at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * _SECOND_US)
    except OverflowError:
        return None


def _shown(row: Row[Any], measures: list[HrMeasure]) -> HrEvent:
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
