"""What doors and terminals decided, kept for people to read: written beside the decisions, in groups, and never before
them.

A door must not wait for a disk, and a badge at each of a thousand doors must not cost the writer a commit each: events
are gathered in memory, and once in ``EVERY_S`` those that came are rows of one transaction. So a killed process loses
the decisions of its last second, and a store that takes nothing loses what came meanwhile if the service ends before
there is room. Nothing obeys these rows and no leaf states them: what the audit log must prove of a door (a burned badge
at it) has a leaf of its own.

They say where people were. They are kept for the days of a setting and at most ``KEPT`` of them, and an erasure takes
all of a node.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, delete, func, select
from sqlalchemy import text as sql

from app.api.wire import rfc3339
from app.capabilities.credentials.messages import DoorDecisionPage, DoorDecisionQuery
from app.capabilities.credentials.tables import door_decision
from app.delivery.events import Event, EventBus, Held
from app.registry.messages.access import AccessEvent
from app.registry.service import now_us
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

EVERY_S: Final = 1.0
"""Between two transactions, while decisions come."""
LONGEST_S: Final = 60.0
"""Between two tries while the store takes nothing."""
GROUP: Final = 500
"""Decisions of one transaction: what a burn that comes meanwhile waits for, a few milliseconds."""
WAITING: Final = 20_000
"""Decisions that wait for the store; beyond them the oldest are given up."""
KEPT: Final = 500_000
"""Decisions that are kept: about 100 MB."""
SWEPT: Final = 5_000
"""Decisions too old to be kept that go in one transaction."""

_LISTING: Final = "door_decisions.list"
_DAY_US: Final = 86_400 * 1_000_000

# One statement: the driver gives the interpreter away at each step, and doors are polled meanwhile.
_INSERT = sql(
    """
    INSERT INTO door_decision (number, at_us, node_id, reader_id, cluster_id, decision, reason, ref, latency_ms, epoch)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
           value ->> 8, value ->> 9
    FROM json_each(:rows)
    """
)


class _Decision(NamedTuple):
    """A row of ``door_decision``, in the order of its columns."""

    number: int
    at_us: int
    node_id: str | None
    reader_id: str
    cluster_id: str
    decision: str
    reason: str
    ref: str | None
    latency_ms: float
    epoch: int


class DoorDecisions:
    """Serves the row of ``door_decisions``; the site's ``app.delivery.events.DoorTrace`` and a ``PersonRecords``.

    Order of life: construct; ``load()``; ``start()`` before the readers are driven; ``stop()`` after they were let go.
    """

    def __init__(self, store: Store, bus: EventBus, cursors: Cursors, *, days: int) -> None:
        """``days``: how long decisions are kept."""
        self._store = store
        self._bus = bus
        self._cursors = cursors
        self._kept_us = days * _DAY_US
        self._lock = threading.Lock()
        self._waiting: deque[_Decision] = deque()
        """Oldest first; a decision leaves when its row is durable."""
        self._last = 0
        self._began_us = now_us()
        self._given_up_us = 0
        """Up to here decisions were given up, because the store took none for too long."""
        self._writes: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None

    # --- life ---

    def load(self) -> None:
        """Goes on with the numbers of the rows; blocks on the disk."""
        with self._store.read() as connection:
            self._last = connection.scalar(select(func.max(door_decision.c.number))) or 0

    async def start(self) -> None:
        """Begins to listen and to write."""
        self._unsubscribe = self._bus.subscribe(self._take)
        self._writes = asyncio.create_task(self._write_on(), name="door-decisions")

    async def stop(self) -> None:
        """Writes what came, if the store takes it."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._writes is not None:
            self._writes.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writes
        with contextlib.suppress(StoreError):
            await self.write()

    def _take(self, event: Event) -> None:
        """A decision: on the thread that made it, so it is only noted here."""
        body = event.body
        if event.kind != "access" or not isinstance(body, AccessEvent):
            return
        with self._lock:
            self._last += 1
            if len(self._waiting) >= WAITING:
                self._given_up_us = self._waiting.popleft().at_us + 1
            self._waiting.append(
                _Decision(
                    self._last,
                    event.at_us,
                    body.node_id,
                    body.reader_id,
                    body.cluster_id,
                    body.decision,
                    body.reason,
                    body.ref,
                    body.latency_ms,
                    body.epoch,
                )
            )

    # --- writing ---

    async def _write_on(self) -> None:
        pause = EVERY_S
        while True:
            await asyncio.sleep(pause)
            try:
                await self.write()
            except StoreError as error:
                if pause == EVERY_S:
                    log.warning("decisions of doors wait for the store: %s", error)
                pause = min(pause * 2, LONGEST_S)
            else:
                pause = EVERY_S

    async def write(self) -> None:
        """Returns when every decision that was noted before the call is durable. ``StoreError`` if the store takes
        none."""
        with self._lock:
            newest = self._last
        while self._waiting and self._waiting[0].number <= newest:
            await self._store.writer.run(self._write_group)

    def _write_group(self, tx: Transaction) -> None:
        """The oldest that wait become rows, and as many of the oldest rows go as there are too many."""
        # Taken here, on the writer's thread and not by the caller: an erasure before this job has taken its node away.
        with self._lock:
            group = list(itertools.islice(self._waiting, GROUP))
        if not group:
            return
        last = group[-1].number
        tx.connection.execute(_INSERT, {"rows": msgspec.json.encode(group).decode()})
        tx.connection.execute(delete(door_decision).where(door_decision.c.number <= last - KEPT))

        def durable() -> None:
            with self._lock:
                while self._waiting and self._waiting[0].number <= last:
                    self._waiting.popleft()

        tx.after_commit(durable)

    def sweep(self, tx: Transaction) -> int:
        """Deletes decisions that are too old; how many."""
        old = (
            select(door_decision.c.number)
            .where(door_decision.c.at_us < tx.now_us - self._kept_us)
            .order_by(door_decision.c.at_us)
            .limit(SWEPT)
        )
        return tx.connection.execute(delete(door_decision).where(door_decision.c.number.in_(old))).rowcount

    # --- reading ---

    def page(self, query: DoorDecisionQuery) -> DoorDecisionPage:
        """Decisions, newest first, those that wait for the store too. Any thread that may block."""
        bound = f"{query.node_id or ''}\n{query.reader_id or ''}".encode()
        below = None
        if query.cursor is not None:
            (below,) = self._cursors.decode(_LISTING, query.cursor, query=bound)
        c = door_decision.c
        wanted = select(door_decision).order_by(c.number.desc()).limit(query.limit + 1)
        if query.node_id is not None:
            wanted = wanted.where(c.node_id == query.node_id)
        if query.reader_id is not None:
            wanted = wanted.where(c.reader_id == query.reader_id)
        if below is not None:
            wanted = wanted.where(c.number < below)
        # Those in memory first: one that becomes a row in between is in both, never in neither.
        found = {
            one.number: one
            for one in self._snapshot()
            if query.node_id in (None, one.node_id)
            and query.reader_id in (None, one.reader_id)
            and (below is None or one.number < int(below))
        }
        with self._store.read() as connection:
            found |= {row.number: _Decision(*row) for row in connection.execute(wanted)}
            since_us = self._since_us(connection)
        newest = [found[number] for number in sorted(found, reverse=True)[: query.limit + 1]]
        shown = newest[: query.limit]
        following = None
        if len(newest) > len(shown):
            following = self._cursors.encode(_LISTING, [shown[-1].number], query=bound)
        return DoorDecisionPage(items=[_event(one) for one in shown], next=following, recorded_since=rfc3339(since_us))

    def last_grant(self, node_id: str) -> tuple[int, str] | None:
        """As ``DoorTrace.last_grant``."""
        for one in reversed(self._snapshot()):
            if one.node_id == node_id and one.decision == "GRANT":
                return one.at_us, one.reader_id
        c = door_decision.c
        newest = (
            select(c.at_us, c.reader_id)
            .where(c.node_id == node_id, c.decision == "GRANT")
            .order_by(c.number.desc())
            .limit(1)
        )
        with self._store.read() as connection:
            row = connection.execute(newest).one_or_none()
        return None if row is None else (row.at_us, row.reader_id)

    def since_us(self) -> int:
        """As ``DoorTrace.since_us``."""
        with self._store.read() as connection:
            return self._since_us(connection)

    def _since_us(self, connection: Connection) -> int:
        oldest = connection.scalar(select(door_decision.c.at_us).order_by(door_decision.c.number).limit(1))
        return max(self._given_up_us, self._began_us if oldest is None else min(oldest, self._began_us))

    def _snapshot(self) -> list[_Decision]:
        with self._lock:
            return list(self._waiting)

    # --- a ``PersonRecords`` ---

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """How many decisions about the node are kept; all of them go."""
        rows = connection.scalar(select(func.count()).where(door_decision.c.node_id == node_id)) or 0
        return Held(rows)

    def forget(self, tx: Transaction, node_id: str) -> int:
        """Takes every decision about the node out, those that wait for the store too."""
        with self._lock:
            # At once, though the transaction may yet fail: later, the next job of its group would have written them.
            kept = [one for one in self._waiting if one.node_id != node_id]
            noted = len(self._waiting) - len(kept)
            self._waiting = deque(kept)
        gone = delete(door_decision).where(door_decision.c.node_id == node_id)
        return noted + tx.connection.execute(gone).rowcount


def _event(one: _Decision) -> AccessEvent:
    """The decision as the stream told it."""
    facts = one._asdict()
    del facts["number"], facts["at_us"]
    return msgspec.convert({**facts, "at": rfc3339(one.at_us)}, AccessEvent)
