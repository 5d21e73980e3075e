"""Burns while the whole service cannot be started, because its disk is full: nodes are denied, and burns wait.

What the store has already is read from it; a new burn goes into the reserve alone. The service that follows, when there
is room, takes it from there.
"""

from __future__ import annotations

import time

from app.capabilities.burn.background import Background
from app.capabilities.burn.commit import BurnOrder
from app.capabilities.burn.identity import BurnIdentities
from app.capabilities.burn.listing import BurnListing
from app.capabilities.burn.messages import Burn, BurnBody, BurnListQuery, BurnPage
from app.capabilities.burn.replies import BurnReplies
from app.capabilities.burn.waiting import WaitingBurns, before_rows, not_kept
from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreUnavailable


class BurnsWithoutStore:
    """Serves ``burn.execute``, ``burn.get`` and ``burn.list`` as ``BurnService`` does. ``why``: the sentence of what
    keeps the store away. ``load()`` first."""

    def __init__(
        self, site: Site, store: Store, registry: Registry, alarms: AlarmBook, bus: EventBus, cursors: Cursors, why: str
    ) -> None:
        self._deny = registry.deny
        self._why = StoreUnavailable(why)
        self._identities = BurnIdentities(store, registry)
        self._waiting = WaitingBurns(site, store, registry, self._identities, alarms, bus)
        self._listing = BurnListing(site, store, cursors, BurnReplies((), bus, Background()), {})

    def load(self) -> None:
        """As ``BurnService.load``."""
        self._identities.load()
        self._waiting.load()

    async def burn(
        self, body: BurnBody, *, actor: str, request_id: str | None = None, wait_s: float | None = None
    ) -> Burn:
        """Denies the node and keeps its burn in the reserve; a burn that is stored is given back as it is. 503 where
        the reserve does not take it; the node is denied here even then. There is nothing to wait for."""
        del wait_s
        started = time.perf_counter()
        denied = self._identities.deny(body.node_id, body.scope)
        if denied is None:
            raise LookupError(body.node_id)
        identity, denied_at = denied
        if identity.durable:
            return self._listing.get(identity.burn_id)
        identity.owed = True
        order = BurnOrder(body, actor, request_id, started)
        local_us = (denied_at - started) * 1e6
        waiting = await self._waiting.keep(identity, order, local_us, self._deny.epoch + 1, self._why)
        if waiting.slot is None:
            raise not_kept(body.node_id, self._why)
        return self._waiting.reply(waiting)

    def get(self, burn_id: str) -> Burn:
        """As ``BurnService.get``."""
        waiting = self._waiting.find(burn_id)
        return self._listing.get(burn_id) if waiting is None else self._waiting.reply(waiting)

    def page(self, query: BurnListQuery) -> BurnPage:
        """As ``BurnService.page``."""
        waiting, rest = before_rows(self._waiting.matching(query), query)
        page = self._listing.page(rest)
        page.items = [*waiting, *page.items]
        return page

    def trouble(self) -> str | None:
        """As ``BurnService.trouble``."""
        return self._waiting.trouble()

    async def keep_all(self) -> bool:
        """Puts what memory alone holds into the reserve; whether nothing is left in memory alone. Before the whole
        service takes over: it knows of the reserve and of nothing else."""
        for waiting in self._waiting.all():
            if waiting.slot is None:
                record = waiting.record
                await self._waiting.keep(waiting.identity, waiting.order, record.local_deny_us, record.epoch, self._why)
        return all(waiting.slot is not None for waiting in self._waiting.all())
