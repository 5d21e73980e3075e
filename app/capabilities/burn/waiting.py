"""Burns that the store could not take: denied in memory, kept in the reserve file, stored when there is room.

A burn waits here from the failure of its transaction on. ``keep`` puts what it needs to be made anew into the reserve
(``app.store.reserve``); after that its caller is answered as of a burn that is not complete. Where the reserve cannot
take it either, it waits in memory alone, and its caller is told so. A start takes the kept ones in before any door
decides. The stored burn says when it was received.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from sqlalchemy import select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.burn.burn_record import BurnRecord
from app.capabilities.burn.commit import NOT_DURABLE, BurnOrder
from app.capabilities.burn.identity import BurnIdentities, BurnIdentity
from app.capabilities.burn.messages import (
    Burn,
    BurnBody,
    BurnEvent,
    BurnListQuery,
    BurnLog,
    BurnTarget,
    Residual,
)
from app.capabilities.burn.nobody import nobody
from app.capabilities.burn.running import Failpoint
from app.capabilities.burn.tables import burn
from app.capabilities.burn.targets import LOCAL
from app.delivery.alarms import AlarmBook
from app.delivery.events import Also, Event, EventBus
from app.registry.messages.shared import DRILL_TAG
from app.registry.service import Registry
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError, StoreUnavailable
from app.store.reserve import Reserve

log = logging.getLogger(__name__)

ELSEWHERE = (
    "Everything beyond the doors, permits, codes and palms of this site: directories, other systems and readers that "
    "decide by a list of their own are reached once the burn is stored."
)


@dataclass(eq=False)
class WaitingBurn:
    """A burn that is not stored. ``slot``: its place in the reserve; None while memory alone holds it. ``started``:
    ``perf_counter`` of the call. ``beside``: what its callers write once it is stored, each for itself."""

    record: BurnRecord
    identity: BurnIdentity
    started: float
    slot: int | None = None
    beside: list[Also] = field(default_factory=list)

    @property
    def order(self) -> BurnOrder:
        """The call, as the burn's transaction takes it."""
        record = self.record
        body = BurnBody(node_id=record.node_id, scope=record.scope, reason=record.reason)
        return BurnOrder(body, record.actor, record.request_id, self.started, received_us=record.received_us)


class BurnWaits(Exception):
    """The burn is kept in the reserve and not in the store."""

    def __init__(self, waiting: WaitingBurn) -> None:
        super().__init__(waiting.record.burn_id)
        self.waiting = waiting


class WaitingBurns:
    """The burns that wait, oldest first. ``load`` before the event loop; everything else on it, but what says
    otherwise."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        identities: BurnIdentities,
        alarms: AlarmBook,
        bus: EventBus,
        *,
        failpoint: Failpoint = lambda _: None,
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._identities = identities
        self._alarms = alarms
        self._bus = bus
        self._failpoint = failpoint
        self._reserve = Reserve(site.reserve_path, store.sealer)
        self._burns: dict[str, WaitingBurn] = {}
        self._keeping = asyncio.Lock()

    def load(self) -> None:
        """Takes in what the reserve keeps: each node is denied from here on. What the store has already is forgotten.
        After ``BurnIdentities.load``; blocks on the disk. ``SealBroken``: the reserve was edited."""
        for kept in self._reserve.open():
            record = msgspec.msgpack.decode(kept.record, type=BurnRecord)
            identity = None
            if not self._is_stored(record.burn_id):
                identity = self._identities.deny_kept(record.node_id, record.scope, record.burn_id)
            if identity is None:
                self._reserve.free(kept.slot)
                continue
            started = time.perf_counter() - max(0.0, time.time() - record.received_us / 1e6)
            waiting = WaitingBurn(record, identity, started, kept.slot)
            self._burns[record.burn_id] = waiting
            self._raise(waiting, "it has not been stored since the last start")
        self._failpoint("replayed")

    def _is_stored(self, burn_id: str) -> bool:
        with self._store.read() as connection:
            return connection.scalar(select(burn.c.number).where(burn.c.burn_id == burn_id)) is not None

    # --- what waits ---

    def __len__(self) -> int:
        """How many wait. Any thread."""
        return len(self._burns)

    def find(self, burn_id: str) -> WaitingBurn | None:
        """The burn of this id, if it waits. Any thread."""
        return self._burns.get(burn_id)

    def all(self) -> list[WaitingBurn]:
        """Those that wait, oldest first. Any thread."""
        return list(self._burns.values())

    def matching(self, query: BurnListQuery) -> list[Burn]:
        """Those that a list shows before the stored ones, newest first. Any thread."""
        if query.cursor is not None or query.state == "COMPLETE":
            return []
        return [self.reply(one) for one in reversed(self.all()) if _matches(one.record, query)]

    def trouble(self) -> str | None:
        """What ``/readyz`` says of them: a sentence with the remedy, or None. Any thread."""
        if self._burns:
            return f"Burns that wait for room on the disk: {len(self._burns)}. Their nodes are denied. Make room."
        return self._reserve.trouble

    # --- coming and going ---

    async def keep(
        self, identity: BurnIdentity, order: BurnOrder, local_us: float, epoch: int, why: Exception
    ) -> WaitingBurn:
        """Takes in a burn whose transaction failed with ``why``; returns when it is durable in the reserve, or, with
        ``slot`` None, when that has failed too. A burn that waits already is tried at the reserve again if need be."""
        waiting = self._burns.get(identity.burn_id)
        if waiting is None:
            waiting = WaitingBurn(self._record(identity, order, local_us, epoch), identity, order.started)
            self._burns[identity.burn_id] = waiting
        sentence = str(why) if isinstance(why, StoreError) else "See the service's log."
        # One at a time: a repeat that comes during the fsync must not be given a second place.
        async with self._keeping:
            if waiting.slot is None:
                # Told before the fsync: where the disk hangs, operators hear of it all the same.
                self._raise(waiting, sentence)
                await self._keep(waiting)
                self._raise(waiting, sentence)
                self._publish(waiting)
        return waiting

    async def _keep(self, waiting: WaitingBurn) -> None:
        """Puts it into the reserve, if that takes it."""
        data = msgspec.msgpack.encode(waiting.record)
        try:
            waiting.slot = await asyncio.to_thread(self._reserve.keep, data, lambda: self._failpoint("written"))
        except StoreUnavailable as error:
            log.critical("a burn could not be kept in the reserve", exc_info=error)
        else:
            self._failpoint("kept")

    def take(self, burn_id: str) -> WaitingBurn | None:
        """The store has the burn, durably: it waits no more. None if it did not wait. ``forget`` comes after."""
        waiting = self._burns.pop(burn_id, None)
        if waiting is not None:
            self._alarms.clear_now(NOT_DURABLE, waiting.record.node_id)
            for other in self.all():
                if other.record.node_id == waiting.record.node_id:
                    self._raise(other, "its burn in another scope is stored")
        return waiting

    async def forget(self, waiting: WaitingBurn) -> None:
        """Frees the place of a stored burn in the reserve."""
        if waiting.slot is not None:
            await asyncio.to_thread(self._reserve.free, waiting.slot)
            self._failpoint("freed")

    def _record(self, identity: BurnIdentity, order: BurnOrder, local_us: float, epoch: int) -> BurnRecord:
        """What must be known to make the burn anew, as far as the store still says it."""
        known: bool | None = None
        drill = False
        try:
            with self._store.read() as connection:
                node = self._registry.node(connection, identity.node_id)
        except StoreError:
            log.warning("whether a burned node is registered could not be read", exc_info=True)
        else:
            known = node is not None
            drill = node is not None and DRILL_TAG in node.tags
        return BurnRecord(
            burn_id=identity.burn_id,
            node_id=identity.node_id,
            scope=identity.scope,
            reason=order.body.reason,
            actor=order.actor,
            request_id=order.request_id,
            received_us=time.time_ns() // 1000 - int((time.perf_counter() - order.started) * 1e6),
            local_deny_us=local_us,
            epoch=epoch,
            known=known,
            drill=drill,
        )

    # --- what is told ---

    def _raise(self, waiting: WaitingBurn, why: str) -> None:
        """The alarm of a burn that is not stored, by where it is kept."""
        record = waiting.record
        if waiting.slot is None:
            text = (
                f"The burn of node {record.node_id} is in memory alone: it is denied until this service ends, and a "
                f"restart would let it in. Make room, do not restart. ({why})"
            )
        else:
            text = (
                f"The burn of node {record.node_id} waits for room on the disk: it is denied here, also after a "
                f"restart, and not in the log yet. Other systems do not know of it. Make room. ({why})"
            )
        self._alarms.raise_now(NOT_DURABLE, record.node_id, text, node_id=record.node_id, ref=record.burn_id)

    def _publish(self, waiting: WaitingBurn) -> None:
        """The event of a burn that began, with this site as its only target."""
        at_us = time.time_ns() // 1000
        told = self.reply(waiting)
        body = BurnEvent(
            burn_id=told.burn_id,
            node_id=told.node_id,
            scope=told.scope,
            state=told.state,
            target=None,
            open=1,
            total=1,
            elapsed_ms=(time.perf_counter() - waiting.started) * 1000,
            at=rfc3339(at_us),
            drill=told.drill,
        )
        self._bus.publish(Event("burn", body, at_us))

    def reply(self, waiting: WaitingBurn) -> Burn:
        """The burn as its caller sees it: one target without proof, this site. Any thread."""
        record = waiting.record
        evidence = "denied here in memory and kept in the reserve, not stored: the disk takes no burn"
        if waiting.slot is None:
            evidence = "denied here in memory alone, not stored: the disk takes no burn"
        local = BurnTarget(
            id=LOCAL,
            kind=LOCAL,
            state="pending_offline",
            attempts=1,
            latency_ms=None,
            evidence=evidence,
            display_name="Deny set of this site",
        )
        return Burn(
            burn_id=record.burn_id,
            node_id=record.node_id,
            known=record.known is not False,
            headline=nobody(record.node_id, burned=True) if record.known is False else None,
            scope=record.scope,
            reason=record.reason,
            epoch=record.epoch,
            state="PARTIAL",
            stored=False,
            local_deny_us=record.local_deny_us,
            targets=[local],
            residual_exposure=[Residual(what=ELSEWHERE, until=None)],
            log=BurnLog(index=None, sha256=None),
            timestamp=rfc3339(record.received_us),
            counts={local.state: 1},
            training=self._site.training,
            drill=record.drill,
        )


def _matches(record: BurnRecord, query: BurnListQuery) -> bool:
    if query.node_id not in (None, record.node_id):
        return False
    words = (query.q or "").lower()
    return words in record.node_id.lower() or words in record.reason.lower() or query.q == record.burn_id


def before_rows(waiting: Sequence[Burn], query: BurnListQuery) -> tuple[list[Burn], BurnListQuery]:
    """Which of the waiting burns a page begins with, and the query for the stored ones that fill it: at least one of
    those, whose cursor continues the list."""
    shown = list(waiting[: query.limit - 1])
    return shown, msgspec.structs.replace(query, limit=query.limit - len(shown))


def not_kept(node_id: str, error: Exception) -> Problem:
    """503 of a burn that neither the store nor the reserve took."""
    why = str(error) if isinstance(error, StoreError) else "See the service's log."
    return Problem(
        "dependency_unavailable",
        f"Node {node_id} is denied here, but the burn could not be stored: a restart would let it in. {why} "
        "Send it again.",
        headers={"Retry-After": "1"},
    )
