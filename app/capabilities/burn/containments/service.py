"""Containments: a node is denied at this site, reversibly, until its time is over or a person decides.

The node is denied in memory first; ONE urgent transaction makes it durable. A containment is over when it is released,
when its time has passed (a restart catches up with what passed meanwhile, and until then the doors stay shut), or when
the node is burned: then the burn's own transaction ends it. Its entry in the deny set leaves with it and with nothing
else, so a door opens again only when no cause is left. Grants are not touched: what is still valid opens again.

The brake on discharges contains too, without an end, or only queues: then nobody is denied.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.burn.containments.listing import ContainmentListing, containment_items, stored_row
from app.capabilities.burn.messages import (
    Containment,
    ContainmentBody,
    ContainmentCause,
    ContainmentEvent,
    ContainmentListQuery,
    ContainmentPage,
)
from app.capabilities.burn.tables import containment
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also, Event, EventBus
from app.registry.messages.nodes import Standing
from app.registry.service import Registry, now_us
from app.registry.tables import deny
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction
from hardware.readers.delta import step_digest
from hardware.readers.errors import FleetStopped
from hardware.readers.fleet import ReaderFleet

log = logging.getLogger(__name__)

CONTAINED = "containment.contained"
EXTENDED = "containment.extended"
QUEUED = "containment.queued"
RELEASED = "containment.released"
EXPIRED = "containment.expired"
BURNED = "containment.burned"
BRAKE: ContainmentCause = "brake"
NOT_STORED = "containment.not_stored"
_AT_ONCE = 100
"""Ends of one transaction."""
_LONGEST_S = 60.0
"""The clock is looked at this often: it may have been set since an end was expected."""
_RETRY_S = 1.0

# Made once: a burn and the brake ask these at every call.
_MADE = insert(containment).returning(*containment.c)
_IN_FORCE = select(containment).where(containment.c.node_id == bindparam("node"), containment.c.ended_us.is_(None))
_OF_CAUSE = _IN_FORCE.where(containment.c.cause == bindparam("by"))
_BURNED = (
    # Of the deny rows: those of a list that is being burned are there first.
    select(deny.c.ref)
    .where(deny.c.node_id == bindparam("node"), deny.c.cause == "burn")
    .order_by(deny.c.since_us)
    .limit(1)
)

T = TypeVar("T")
Ending = Literal["released", "expired", "burned"]
_LEAF: Mapping[Ending, str] = {"released": RELEASED, "expired": EXPIRED, "burned": BURNED}


def write_nothing(tx: Transaction, reference: str) -> None:
    """For a caller that writes nothing beside the containment."""
    del tx, reference


class Containments:
    """Serves the rows of ``containments``. ``start()`` on the event loop after ``Registry.load()``; ``stop()``."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        fleet: ReaderFleet,
        bus: EventBus,
        cursors: Cursors,
        alarms: AlarmBook,
    ) -> None:
        self._store = store
        self._registry = registry
        self._deny = registry.deny
        self._fleet = fleet
        self._bus = bus
        self._alarms = alarms
        self._unstored: dict[tuple[str, ContainmentCause], asyncio.Task[None]] = {}
        self._listing = ContainmentListing(store, cursors)
        self._wake: asyncio.Event | None = None
        self._clock: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    # --- life ---

    async def start(self) -> None:
        """Begins to end what is due, also what became due while the service was down."""
        self._wake = asyncio.Event()
        self._clock = asyncio.create_task(self._watch(self._wake), name="containments")

    async def stop(self) -> None:
        """What is due later is ended by the next start."""
        clock, self._clock = self._clock, None
        if clock is not None:
            clock.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await clock
        for trying in self._unstored.values():
            trying.cancel()
        await asyncio.gather(*self._unstored.values(), return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _watch(self, wake: asyncio.Event) -> None:
        """Ends what is due, then sleeps until the next end or until something new is contained."""
        while True:
            wake.clear()
            try:
                while ended := await self._store.writer.run(self._expire):
                    self._announce(ended)
                left_s = self._next_end()
            except StoreError:
                log.warning("a containment's end could not be recorded; the node stays denied", exc_info=True)
                left_s = _RETRY_S
            # Not ``wait_for``: before Python 3.12 it loses a cancellation that comes together with what it waits for.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await wake.wait()

    def _next_end(self) -> float:
        with self._store.read() as connection:
            first = connection.scalar(
                select(containment.c.until_us)
                .where(containment.c.ended_us.is_(None), containment.c.until_us.is_not(None))
                .order_by(containment.c.until_us)
                .limit(1)
            )
        return _LONGEST_S if first is None else min(max((first - now_us()) / 1e6, 0.0), _LONGEST_S)

    def _expire(self, tx: Transaction) -> list[tuple[int, str]]:
        due = tx.connection.execute(
            select(containment)
            .where(containment.c.ended_us.is_(None), containment.c.until_us <= tx.now_us)
            .order_by(containment.c.until_us)
            .limit(_AT_ONCE)
        ).all()
        return [(self._end(tx, row, "expired", "service"), row.containment_id) for row in due]

    # --- containing ---

    async def contain(
        self, body: ContainmentBody, *, actor: str, request_id: str | None = None
    ) -> tuple[Containment, bool]:
        """Denies the node here for a time; the containment and whether it was made now. A node that is contained so
        already keeps its containment, with the later end. 409: it is burned; 503: not stored, and denied in memory
        alone until it is stored or its time is over."""
        message, seconds = body.message, float(body.seconds)
        return await self._contain(
            body.node_id, "containment", seconds, message, actor, request_id, write_nothing, refuse_burned=True
        )

    async def contain_with(
        self,
        node_id: str,
        *,
        cause: ContainmentCause,
        seconds: float | None,
        message: str,
        actor: str,
        request_id: str | None,
        also: Also,
    ) -> str:
        """As ``app.delivery.events.Burner`` has it."""
        item, _ = await self._contain(node_id, cause, seconds, message, actor, request_id, also)
        return item.containment_id

    async def queue_with(self, node_id: str, *, message: str, actor: str, request_id: str | None, also: Also) -> str:
        """As ``app.delivery.events.Burner`` has it."""

        def job(tx: Transaction) -> str:
            row = self._open(tx.connection, node_id, BRAKE)
            if row is None:
                fresh = _new_id()
                burn_id = self._burn_of(tx.connection, node_id)
                row = self._insert(tx, fresh, node_id, BRAKE, "queued", message, actor, None)
                self._leaf(tx, QUEUED, row, actor, request_id)
                if burn_id is None:
                    self._publish(tx, row)
                else:
                    self._end(tx, row, "burned", actor, request_id, burn_id)
            also(tx, row.containment_id)
            return str(row.containment_id)

        return await self._durably(job)

    async def _contain(
        self,
        node_id: str,
        cause: ContainmentCause,
        seconds: float | None,
        message: str | None,
        actor: str,
        request_id: str | None,
        also: Also,
        *,
        refuse_burned: bool = False,
    ) -> tuple[Containment, bool]:
        """Denies the node in memory, then in one transaction; the containment and whether it was made now. What the
        transaction refuses is taken back. Where the store fails, the denial stays in memory, and the transaction is
        tried again until the containment's time is over."""
        fresh = _new_id()
        self._deny.deny(node_id, cause, fresh)
        begun = time.monotonic()

        def job(tx: Transaction) -> tuple[Containment, bool, int | None]:
            burn_id = self._burn_of(tx.connection, node_id)
            if burn_id is not None and refuse_burned:
                raise _burned_already(node_id, burn_id)
            before = self._standing(tx, node_id)
            waited = time.monotonic() - begun if (node_id, cause) in self._unstored else 0.0
            left = None if seconds is None else max(0.0, seconds - waited)
            row, made, action = self._write(tx, fresh, node_id, cause, left, message, actor)
            reference, epoch = row.containment_id, None
            if action == CONTAINED and burn_id is None:
                epoch, _ = self._deny.store(tx, node_id, cause, reference)
            self._leaf(tx, action, row, actor, request_id)
            if burn_id is not None:
                self._end(tx, row, "burned", actor, request_id, burn_id)
                item = containment_items(tx.connection, [stored_row(tx.connection, reference)])[0]
            else:
                self._note(tx, node_id, before, actor, reference)
                item = self._publish(tx, row)
            also(tx, reference)
            if burn_id is None:
                tx.after_commit(functools.partial(self._keep_denied, node_id, cause, reference))
            if burn_id is not None or reference != fresh:
                tx.after_commit(functools.partial(self._deny.forget, node_id, cause, fresh))
            return item, made, epoch

        async def store() -> tuple[Containment, bool]:
            try:
                item, made, epoch = await self._store.writer.run(job, urgent=True)
            except StoreError:
                raise
            except BaseException:
                self._deny.forget(node_id, cause, fresh)
                raise
            if self._wake is not None:
                self._wake.set()
            if epoch is not None:
                self._announce([(epoch, item.containment_id)])
            return item, made

        async def contain() -> tuple[Containment, bool]:
            try:
                return await store()
            except StoreError as error:
                if (node_id, cause) in self._unstored:
                    self._deny.forget(node_id, cause, fresh)
                else:
                    end = None if seconds is None else begun + seconds
                    trying = self._try_until(end, node_id, cause, fresh, store)
                    self._unstored[node_id, cause] = asyncio.get_running_loop().create_task(trying)
                raise _not_stored(node_id, seconds, error) from error

        return await self._shield(contain())

    async def _try_until(
        self,
        end: float | None,
        node_id: str,
        cause: ContainmentCause,
        fresh: str,
        store: Callable[[], Coroutine[Any, Any, tuple[Containment, bool]]],
    ) -> None:
        """Tries to store a containment that memory alone holds, until ``end`` (monotonic; None: without an end)."""
        text = f"Node {node_id} is contained in memory alone: a restart would let it in. Make room on the disk."
        self._alarms.raise_now(NOT_STORED, node_id, text, node_id=node_id)
        pause = _RETRY_S
        try:
            while end is None or time.monotonic() < end:
                await asyncio.sleep(pause if end is None else max(0.0, min(pause, end - time.monotonic())))
                pause = min(2 * pause, _LONGEST_S)
                try:
                    await store()
                except StoreError:
                    continue
                except Exception:
                    # Refused, and taken back: it is burned meanwhile, or its caller stored it with another call.
                    log.info("a containment that waited was refused", exc_info=True)
                return
            self._deny.forget(node_id, cause, fresh)
        finally:
            self._unstored.pop((node_id, cause), None)
            self._alarms.clear_now(NOT_STORED, node_id)

    def _write(
        self,
        tx: Transaction,
        fresh: str,
        node_id: str,
        cause: ContainmentCause,
        seconds: float | None,
        message: str | None,
        actor: str,
    ) -> tuple[Row[Any], bool, str]:
        """The row that contains the node for this cause, whether it was made now, and the action of its leaf: a node
        that is contained already keeps its row with the later end, a queued one is contained."""
        until_us = None if seconds is None else tx.now_us + round(seconds * 1e6)
        row = self._open(tx.connection, node_id, cause)
        if row is None:
            return self._insert(tx, fresh, node_id, cause, "contained", message, actor, until_us), True, CONTAINED
        contained = row.state == "contained"
        if row.until_us is None and contained:
            until_us = None
        elif until_us is not None:
            until_us = max(until_us, row.until_us or 0)
        values = {"state": "contained", "until_us": until_us, "message": message or row.message}
        one = containment.c.containment_id == row.containment_id
        tx.connection.execute(update(containment).where(one).values(**values))
        return stored_row(tx.connection, row.containment_id), False, EXTENDED if contained else CONTAINED

    def _keep_denied(self, node_id: str, cause: ContainmentCause, reference: str) -> None:
        """After the commit: memory denies the node under the id that is stored."""
        self._deny.deny(node_id, cause, reference)

    # --- ending ---

    async def release(self, containment_id: str, *, actor: str, request_id: str | None = None) -> Containment:
        """Ends it now; one that is over already is given back as it is. 404: no such containment; 409: the node was
        burned meanwhile."""

        def job(tx: Transaction) -> tuple[Containment, int | None]:
            row = stored_row(tx.connection, containment_id)
            if row.state == "burned":
                raise _burned_already(row.node_id, row.burn_id)
            epoch = self._end(tx, row, "released", actor, request_id) if row.ended_us is None else None
            return containment_items(tx.connection, [stored_row(tx.connection, containment_id)])[0], epoch

        item, epoch = await self._durably(job)
        if epoch is not None:
            self._announce([(epoch, containment_id)])
        return item

    def end_in(self, tx: Transaction, node_id: str, burn_id: str, actor: str, request_id: str | None) -> None:
        """Ends, inside a burn's transaction and before its own denial is stored, every containment of the node, queued
        ones too: the burn denies instead."""
        for row in tx.connection.execute(_IN_FORCE, {"node": node_id}).all():
            self._end(tx, row, "burned", actor, request_id, burn_id)

    def _end(
        self,
        tx: Transaction,
        row: Row[Any],
        how: Ending,
        actor: str,
        request_id: str | None = None,
        burn_id: str | None = None,
    ) -> int:
        """Row, deny rows, leaf and event of an end; the epoch of the change."""
        before = self._standing(tx, row.node_id)
        values = {"state": how, "ended_us": tx.now_us, "ended_by": actor, "burn_id": burn_id}
        tx.connection.execute(
            update(containment).where(containment.c.containment_id == row.containment_id).values(**values)
        )
        epoch = self._deny.remove(tx, row.node_id, row.cause, row.containment_id)
        ended = stored_row(tx.connection, row.containment_id)
        self._leaf(tx, _LEAF[how], ended, actor, request_id)
        if burn_id is None:
            # A burn's own transaction decides on the standing.
            self._note(tx, row.node_id, before, actor, row.containment_id)
        self._publish(tx, ended)
        return epoch

    # --- reading ---

    def get(self, containment_id: str) -> Containment:
        """The containment as durable; 404 if there is none."""
        return self._listing.get(containment_id)

    def page(self, query: ContainmentListQuery) -> ContainmentPage:
        """Containments, newest first. Any thread."""
        return self._listing.page(query)

    # --- rows ---

    def _insert(
        self,
        tx: Transaction,
        containment_id: str,
        node_id: str,
        cause: ContainmentCause,
        state: Literal["contained", "queued"],
        message: str | None,
        actor: str,
        until_us: int | None,
    ) -> Row[Any]:
        """A new row, as stored."""
        values = {
            "containment_id": containment_id,
            "node_id": node_id,
            "cause": cause,
            "state": state,
            "message": message,
            "actor": actor,
            "created_us": tx.now_us,
            "until_us": until_us,
        }
        return tx.connection.execute(_MADE, values).one()

    @staticmethod
    def _open(connection: Connection, node_id: str, cause: ContainmentCause) -> Row[Any] | None:
        return connection.execute(_OF_CAUSE, {"node": node_id, "by": cause}).one_or_none()

    @staticmethod
    def _burn_of(connection: Connection, node_id: str) -> str | None:
        """A burn that denies the node."""
        return connection.scalar(_BURNED, {"node": node_id})

    def _standing(self, tx: Transaction, node_id: str) -> Standing | None:
        seen = self._registry.nodes.find(tx.connection, node_id, tx.now_us)
        return None if seen is None else seen.standing

    def _note(self, tx: Transaction, node_id: str, before: Standing | None, actor: str, reference: str) -> None:
        """The leaf of a standing that changes by what was just written: it is derived, so nothing else records it."""
        after = self._standing(tx, node_id)
        if before is not None and after is not None and before != after:
            self._registry.standing.note(tx, node_id, before, after, actor=actor, ref=reference)

    @staticmethod
    def _leaf(tx: Transaction, action: str, row: Row[Any], actor: str, request_id: str | None) -> None:
        detail: dict[str, object] = {"containment_id": row.containment_id, "cause": row.cause, "state": row.state}
        if row.message is not None:
            detail["message"] = row.message
        if row.until_us is not None:
            detail["until"] = rfc3339(row.until_us)
        if row.burn_id is not None:
            detail["burn_id"] = row.burn_id
        tx.audit(action, actor=actor, node_id=row.node_id, request_id=request_id, detail=detail)

    def _publish(self, tx: Transaction, row: Row[Any]) -> Containment:
        """The containment of this row, and once it is durable its event."""
        item = containment_items(tx.connection, [row])[0]
        event = Event("containment", ContainmentEvent(containment=item), tx.now_us)
        tx.after_commit(lambda: self._bus.publish(event))
        return item

    # --- the rest ---

    def _announce(self, changes: Sequence[tuple[int, str]]) -> None:
        """Announces the newest epoch to the readers. The controllers decide by the deny set and know already."""
        epoch, reference = max(changes)
        with contextlib.suppress(FleetStopped):
            self._fleet.announce(epoch, step_digest(reference))

    async def _durably(self, job: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        try:
            return await self._store.writer.run(job, urgent=urgent)
        except StoreError as error:
            raise Problem("dependency_unavailable", f"{error} Send it again.", headers={"Retry-After": "1"}) from error

    async def _shield(self, work: Coroutine[Any, Any, T]) -> T:
        """A caller who leaves must not leave memory and disk apart."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)


def _new_id() -> str:
    return f"con_{secrets.token_hex(10)}"


def _burned_already(node_id: str, burn_id: str) -> Problem:
    return Problem("state_conflict", f"Node {node_id} is burned ({burn_id}); only a lifted burn lets it in again.")


def _not_stored(node_id: str, seconds: float | None, error: StoreError) -> Problem:
    how_long = "until a person decides" if seconds is None else f"for {seconds:.0f} s"
    return Problem(
        "dependency_unavailable",
        f"Node {node_id} is denied here in memory, {how_long} at most, but the containment could not be stored: a "
        f"restart would let it in. {error} It is stored as soon as there is room.",
        headers={"Retry-After": "1"},
    )
