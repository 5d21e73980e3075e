"""Batches: a list of people, a stack of blank cards, any number of readers, and no key to press between two cards.

Every line is a durable row. A card that is put into one of the batch's readers takes the next line. The outcome is
recorded, the reader is free for the next card, and no line waits for another one. After a restart the lines continue
from the state of their provisionings.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets as random
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, and_, func, insert, or_, select, update

from app.api.problems import Problem
from app.api.wire import FieldError
from app.capabilities.provisioning.batches.listing import batch_of, lines, summaries
from app.capabilities.provisioning.batches.messages import (
    Batch,
    BatchBody,
    BatchEvent,
    BatchListQuery,
    BatchPage,
    BatchState,
    BatchSummary,
)
from app.capabilities.provisioning.messages import CardEvent, ProvisionBody
from app.capabilities.provisioning.readers.card_readers import CardReader
from app.capabilities.provisioning.service import Provisioning
from app.capabilities.provisioning.tables import batch, batch_row, provision
from app.capabilities.provisioning.write.journal import was_acknowledged
from app.capabilities.provisioning.write.lookup import own_names
from app.capabilities.provisioning.write.order import BARRED
from app.delivery.events import Event, EventBus
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.tables import json_text
from app.store.writer import FAILED, Transaction
from hardware.cards.identify import CardIdentity, UidSource

log = logging.getLogger(__name__)

MADE = "provisioning.batch_made"
PAUSED = "provisioning.batch_paused"
RESUMED = "provisioning.batch_resumed"
CANCELLED = "provisioning.batch_cancelled"
DONE = "provisioning.batch_done"
LINE_FAILED = "provisioning.batch_line_failed"

MAX_CARDS = 3
"""After this many cards have refused a person's line, the fault is taken to be the line's and not the cards'."""
PATIENCE_S = 5.0
"""Pause between two tries while the store or the reader service does not answer."""

_OPEN = ("WAITING", "RUNNING", "TORN")


class Batches:
    """Gives lines to cards. Order of life: construct; ``start`` on the loop after ``Provisioning``; ``stop`` before."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        provisioning: Provisioning,
        cursors: Cursors,
        bus: EventBus,
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._provisioning = provisioning
        self._cursors = cursors
        self._bus = bus
        self._wake = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # Reader -> insertion that already had its line: a card that is left in the reader takes no second one.
        self._spent: dict[str, int] = {}
        self._assigner: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    async def start(self) -> None:
        """Settles the lines that a dead process left running, then gives lines to cards."""
        await self._store.writer.run(self._settle_all)
        loop = asyncio.get_running_loop()

        def wake_on_card(event: Event) -> None:
            # Called on the card's thread.
            if isinstance(event.body, CardEvent):
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._wake.set)

        self._unsubscribe = self._bus.subscribe(wake_on_card)
        self._assigner = asyncio.create_task(self._assign_lines(), name="batches")
        self._wake.set()

    async def stop(self) -> None:
        """Gives no more lines. ``Provisioning`` finishes the cards in work; their lines are settled at the next
        start."""
        self._unsubscribe()
        tasks = [*self._tasks.values(), *([self._assigner] if self._assigner is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- calls ---

    async def make(self, body: BatchBody, *, actor: str, request_id: str) -> Batch:
        """A new batch, running. A line whose node gets no card is FAILED from the beginning; the others go on."""
        self._provisioning.demand(body.fips_standard)
        _refuse_repeats([line.node_id for line in body.rows], "node_id")
        _refuse_repeats([(line.hardware_uid or "").lower() for line in body.rows], "hardware_uid")
        if len(set(body.readers)) != len(body.readers):
            raise _field_problem("/readers", "A reader is named twice; name it once.")
        batch_id = f"bat_{random.token_hex(8)}"

        def job(tx: Transaction) -> None:
            tx.connection.execute(
                insert(batch).values(
                    batch_id=batch_id,
                    label=body.label,
                    fips_standard=body.fips_standard,
                    state="RUNNING",
                    readers=json_text(body.readers),
                    operator=actor,
                    made_us=tx.now_us,
                    changed_us=tx.now_us,
                )
            )
            made = []
            for n, line in enumerate(body.rows, 1):
                why = self._refusal(tx.connection, line.node_id)
                made.append(
                    {
                        "batch_id": batch_id,
                        "n": n,
                        "node_id": line.node_id,
                        "hardware_uid": line.hardware_uid,
                        "state": "WAITING" if why is None else "FAILED",
                        "attempts": 0,
                        "code": None if why is None else why.code,
                        "detail": None if why is None else why.detail,
                        "ended_us": None if why is None else tx.now_us,
                    }
                )
            tx.connection.execute(insert(batch_row), made)
            tx.audit(MADE, actor=actor, request_id=request_id, detail={"batch_id": batch_id, "lines": len(made)})
            self._close(tx, batch_id)
            self._publish(tx, batch_id, None)

        await self._store.writer.run(job)
        self._wake.set()
        return self.get(batch_id)

    async def change_state(self, batch_id: str, to: BatchState, *, actor: str, request_id: str) -> Batch:
        """Pauses, resumes or cancels; the same call again gives the same answer. Lines in work are finished in any
        case; 409 for a batch that is over."""
        action = {"PAUSED": PAUSED, "RUNNING": RESUMED, "CANCELLED": CANCELLED}[to]

        def job(tx: Transaction) -> None:
            row = batch_of(tx.connection, batch_id)
            if row.state == to:
                return
            if row.state in ("DONE", "CANCELLED"):
                raise Problem("state_conflict", f"This batch is {row.state.lower()}; make a new one.")
            values: dict[str, object] = {"state": to, "changed_us": tx.now_us}
            if to == "CANCELLED":
                values["finished_us"] = tx.now_us
                tx.connection.execute(
                    update(batch_row)
                    .where(batch_row.c.batch_id == batch_id, batch_row.c.state.in_(("WAITING", "TORN")))
                    .values(state="CANCELLED", ended_us=tx.now_us)
                )
            tx.connection.execute(update(batch).where(batch.c.batch_id == batch_id).values(**values))
            tx.audit(action, actor=actor, request_id=request_id, detail={"batch_id": batch_id})
            self._publish(tx, batch_id, None)

        await self._store.writer.run(job)
        self._wake.set()
        return self.get(batch_id)

    def get(self, batch_id: str) -> Batch:
        """The batch with its lines; 404 for an unknown one."""
        with self._store.read() as connection:
            row = batch_of(connection, batch_id)
            rows = lines(connection, batch_id)
            summary = summaries(connection, [row], training=self._site.training)[0]
        whole = {name: getattr(summary, name) for name in BatchSummary.__struct_fields__}
        return Batch(**whole, rows=rows)

    def page(self, query: BatchListQuery) -> BatchPage:
        """Batches, newest first."""
        binding = f"{query.state}".encode()
        wanted = select(batch)
        if query.state is not None:
            wanted = wanted.where(batch.c.state == query.state)
        key = (batch.c.made_us, batch.c.batch_id)
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection, wanted, "batches", key, limit=query.limit, cursor=query.cursor, query=binding
            )
            items = summaries(connection, rows, training=self._site.training)
        return BatchPage(items=items, next=following)

    # --- giving lines to cards ---

    async def _assign_lines(self) -> None:
        """Gives lines to the cards in free readers each time that something may have changed, until it is cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                for card_reader in self._provisioning.readers.all():
                    if self._is_free(card_reader):
                        await self._assign_line(card_reader)
            except StoreError:
                log.warning("the store does not answer; lines are given again later", exc_info=True)
                asyncio.get_running_loop().call_later(PATIENCE_S, self._wake.set)
            except Exception:
                # One unforeseen card must not end all batches for good.
                log.exception("no line could be given to a card")

    def _is_free(self, card_reader: CardReader) -> bool:
        return (
            card_reader.present
            and card_reader.identity is not None
            and card_reader.writing is None
            and card_reader.name not in self._tasks
            and self._spent.get(card_reader.name) != card_reader.changes
        )

    async def _assign_line(self, card_reader: CardReader) -> None:
        """Gives the card in this reader its line, if there is one for it."""
        identity = card_reader.identity
        if identity is None:
            return
        while (line := self._line_for(card_reader, identity)) is not None:
            if await self._store.writer.run(lambda tx, line=line: self._begin(tx, line, card_reader)):  # type: ignore[misc]
                task = asyncio.create_task(
                    self._write(line, card_reader, identity), name=f"batch line in {card_reader.name}"
                )
                self._tasks[card_reader.name] = task
                return

    def _line_for(self, card_reader: CardReader, identity: CardIdentity) -> Row[Any] | None:
        """The line for this card: the one begun on it, one that names it, or the next one that names no card."""
        names = own_names(identity)
        with self._store.read() as connection:
            open_ones = connection.execute(
                select(batch).where(batch.c.state == "RUNNING").order_by(batch.c.made_us, batch.c.batch_id)
            ).all()
            for one in open_ones:
                readers = msgspec.json.decode(one.readers, type=list[str])
                if readers and card_reader.name not in readers:
                    continue
                line = self._begun_line(connection, one.batch_id, identity, names)
                if line is None:
                    line = self._waiting_line(connection, one.batch_id, card_reader, identity, names)
                if line is not None:
                    return line
        return None

    def _begun_line(
        self, connection: Connection, batch_id: str, identity: CardIdentity, names: set[str]
    ) -> Row[Any] | None:
        """The line whose unfinished write this very card belongs to. One that waits because a process ended in its
        middle counts, too: given to another card, it would leave this one to nobody, and the last line without a card.
        """
        begun = connection.execute(
            select(batch_row, batch.c.fips_standard, batch.c.operator, provision.c.card_guid, provision.c.aliases)
            .join(batch, batch.c.batch_id == batch_row.c.batch_id)
            .join(provision, provision.c.provision_id == batch_row.c.provision_id)
            .where(
                batch_row.c.batch_id == batch_id,
                batch_row.c.state.in_(("TORN", "WAITING")),
                provision.c.state.in_(("RUNNING", "TORN")),
            )
            .order_by(batch_row.c.n)
        ).all()
        for line in begun:
            same = line.card_guid == str(identity.card_guid)
            if same or names & set(msgspec.json.decode(line.aliases, type=list[str])):
                return line
        return None

    def _waiting_line(
        self, connection: Connection, batch_id: str, card_reader: CardReader, identity: CardIdentity, names: set[str]
    ) -> Row[Any] | None:
        """The next waiting line that names this card or its reader; for a blank card in stock, any that names none."""
        waiting = (
            select(batch_row, batch.c.fips_standard, batch.c.operator)
            .join(batch, batch.c.batch_id == batch_row.c.batch_id)
            .where(batch_row.c.batch_id == batch_id, batch_row.c.state == "WAITING")
            .order_by(batch_row.c.n)
            .limit(1)
        )
        lower = sorted({name.lower() for name in names})
        named = or_(
            func.lower(batch_row.c.hardware_uid).in_(lower), batch_row.c.hardware_uid == f"reader:{card_reader.name}"
        )
        line = connection.execute(waiting.where(named)).one_or_none()
        if line is not None or not self._provisioning.listing.standing(identity).takes_any_line:
            return line
        element = self._provisioning.stock.of(connection, names)
        if element is not None and element.state != "in_stock":
            return None
        return connection.execute(waiting.where(batch_row.c.hardware_uid.is_(None))).one_or_none()

    def _begin(self, tx: Transaction, line: Row[Any], card_reader: CardReader) -> bool:
        """Marks the line as running; False if it was taken meanwhile, or its node may get no card."""
        now = _line_row(tx.connection, line.batch_id, line.n)
        if now.state != line.state or batch_of(tx.connection, line.batch_id).state != "RUNNING":
            return False
        why = self._refusal(tx.connection, line.node_id)
        if why is not None:
            self._end_line(tx, line, "FAILED", why)
            return False
        _set(tx, line, state="RUNNING", reader=card_reader.name, begun_us=tx.now_us, ended_us=None)
        self._publish(tx, line.batch_id, line.n)
        return True

    async def _write(self, line: Row[Any], card_reader: CardReader, identity: CardIdentity) -> None:
        """Writes one line on one card, to its end."""
        try:
            problem = await self._provision(line, card_reader, identity)
            if problem is None or problem.code != "dependency_unavailable":
                self._spent[card_reader.name] = card_reader.changes
            else:
                asyncio.get_running_loop().call_later(PATIENCE_S, self._wake.set)
            await self._store.writer.run(lambda tx: self._record_outcome(tx, line, problem))
        except StoreError:
            # The line stays RUNNING without a task; it is settled as after a restart as soon as the store answers.
            log.warning("the end of a batch's line could not be recorded", exc_info=True)
            await self._settle_later(line)
        finally:
            del self._tasks[card_reader.name]
            self._wake.set()

    async def _provision(self, line: Row[Any], card_reader: CardReader, identity: CardIdentity) -> Problem | None:
        """Repeats the provision call until it has ended; the problem that it ended with, if any."""
        uid = identity.hardware_uid if identity.uid_source is not UidSource.READER else f"reader:{card_reader.name}"
        body = ProvisionBody(node_id=line.node_id, hardware_uid=uid, fips_standard=line.fips_standard)
        try:
            status = 202
            while status == 202:
                _, status = await self._provisioning.provision(
                    body, actor=line.operator, request_id=line.batch_id, card_reader=card_reader, batch_id=line.batch_id
                )
        except Problem as problem:
            return problem
        except StoreError as error:
            return Problem("dependency_unavailable", str(error))
        except Exception:
            log.exception("a batch's line failed", extra={"batch_id": line.batch_id, "n": line.n})
            return Problem("internal_error", "The line failed by a fault of the service; see its log.")
        return None

    async def _settle_later(self, line: Row[Any]) -> None:
        while True:
            await asyncio.sleep(PATIENCE_S)
            try:
                await self._store.writer.run(lambda tx: self._settle(tx, line))
            except StoreError:
                continue
            return

    # --- the outcome of a line ---

    def _record_outcome(self, tx: Transaction, line: Row[Any], problem: Problem | None) -> None:
        """Ends the line by the state of its provisioning, or by the problem where there is none."""
        found = self._record(tx.connection, line)
        if found is not None:
            _set(tx, line, provision_id=found.provision_id)
        if found is not None and found.state == "COMPLETE":
            self._end_line(tx, line, "COMPLETE", None)
            return
        if found is not None and found.state == "TORN" and was_acknowledged(tx.connection, found.provision_id):
            self._end_line(tx, line, "TORN", problem)
            return
        waits = problem is None or problem.code in ("dependency_unavailable", "not_found")
        attempts = line.attempts if waits else line.attempts + 1
        # The card was at fault, so a line that names no card gets the next one; this insertion gets no other line.
        again = waits or (line.hardware_uid is None and attempts < MAX_CARDS)
        _set(tx, line, attempts=attempts)
        if again and batch_of(tx.connection, line.batch_id).state == "CANCELLED":
            self._end_line(tx, line, "CANCELLED", problem)
        else:
            self._end_line(tx, line, "WAITING" if again else "FAILED", problem)

    def _end_line(self, tx: Transaction, line: Row[Any], state: str, problem: Problem | None) -> None:
        """Records the line's state, audits a failure, and closes the batch if this was its last open line."""
        _set(
            tx,
            line,
            state=state,
            code=None if problem is None else problem.code,
            detail=None if problem is None else problem.detail,
            ended_us=None if state == "WAITING" else tx.now_us,
        )
        if state == "FAILED" and problem is not None:
            detail = {"batch_id": line.batch_id, "n": line.n, "code": problem.code}
            tx.audit(LINE_FAILED, actor="service", outcome=FAILED, node_id=line.node_id, detail=detail)
        self._close(tx, line.batch_id)
        self._publish(tx, line.batch_id, line.n)

    def _close(self, tx: Transaction, batch_id: str) -> None:
        """Marks a batch without open lines as done."""
        left = tx.connection.scalar(
            select(func.count())
            .select_from(batch_row)
            .where(batch_row.c.batch_id == batch_id, batch_row.c.state.in_(_OPEN))
        )
        if left or batch_of(tx.connection, batch_id).state in ("DONE", "CANCELLED"):
            return
        values = {"state": "DONE", "changed_us": tx.now_us, "finished_us": tx.now_us}
        tx.connection.execute(update(batch).where(batch.c.batch_id == batch_id).values(**values))
        tx.audit(DONE, actor="service", detail={"batch_id": batch_id})

    def _settle_all(self, tx: Transaction) -> None:
        for line in tx.connection.execute(select(batch_row).where(batch_row.c.state == "RUNNING")).all():
            self._settle(tx, line)

    def _settle(self, tx: Transaction, line: Row[Any]) -> None:
        """Records the outcome of a line whose task is gone."""
        if _line_row(tx.connection, line.batch_id, line.n).state == "RUNNING":
            self._record_outcome(tx, line, None)

    def _record(self, connection: Connection, line: Row[Any]) -> Row[Any] | None:
        """The newest provisioning of this line."""
        return connection.execute(
            select(provision)
            .where(provision.c.batch_id == line.batch_id, provision.c.node_id == line.node_id)
            .order_by(provision.c.started_us.desc())
            .limit(1)
        ).one_or_none()

    def _refusal(self, connection: Connection, node_id: str) -> Problem | None:
        found = self._registry.node(connection, node_id)
        if found is None:
            return Problem("not_found", f"No node {node_id} is registered; register it and try again.")
        if found.standing in BARRED:
            word = BARRED[found.standing]
            return Problem("state_conflict", f"Node {node_id} is {word}; no card is written for it.")
        return None

    def _publish(self, tx: Transaction, batch_id: str, n: int | None) -> None:
        row = batch_of(tx.connection, batch_id)
        summary = summaries(tx.connection, [row], training=self._site.training)[0]
        line = None if n is None else lines(tx.connection, batch_id, n)[0]
        event = Event("card", BatchEvent(batch=summary, row=line), time.time_ns() // 1000)
        tx.after_commit(lambda: self._bus.publish(event))


def _line_row(connection: Connection, batch_id: str, n: int) -> Row[Any]:
    return connection.execute(select(batch_row).where(batch_row.c.batch_id == batch_id, batch_row.c.n == n)).one()


def _set(tx: Transaction, line: Row[Any], **values: object) -> None:
    where = and_(batch_row.c.batch_id == line.batch_id, batch_row.c.n == line.n)
    tx.connection.execute(update(batch_row).where(where).values(**values))


def _refuse_repeats(values: Sequence[str], field: str) -> None:
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value and value in seen:
            raise _field_problem(f"/rows/{index}/{field}", f"This {field} stands in another line; name it once.")
        seen.add(value)


def _field_problem(pointer: str, detail: str) -> Problem:
    return Problem("invalid_body", detail, [FieldError(pointer=pointer, detail=detail)])
