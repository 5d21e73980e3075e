"""The registry: one object that the assembly builds and the other capabilities ask."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row

from app.api.problems import Problem
from app.registry.clusters import ReaderClusters
from app.registry.denyset import DenySet
from app.registry.directories import Directories
from app.registry.hr_sources import HrSources
from app.registry.media_sources import MediaSources
from app.registry.nodes import NodeRow, Nodes
from app.registry.peers import PeerRow, Peers
from app.registry.platforms import Platforms
from app.registry.profiles import CredentialProfiles, CredentialVault
from app.registry.standing import StandingBook
from app.registry.terminals import Terminals
from app.registry.units import UnitKey, Units
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys
from app.store.writer import Transaction

log = logging.getLogger(__name__)

Sweep = Callable[[Transaction], int]
"""Records some of what has expired; gives how many rows, 0 when nothing is left."""

_DAY_US = 86_400 * 1_000_000
_SWEEP_S = 60.0


def now_us() -> int:
    """Unix microseconds of the wall clock, for reads; writes take their transaction's."""
    return time.time_ns() // 1000


class Registry:
    """All kinds, the standing of nodes, and the deny set.

    Order of life: construct; ``load()`` (the deny set is in memory from here on: drive no reader before); ``start()``
    on the event loop; ``stop()``.
    """

    def __init__(self, site: Site, store: Store, keys: Keys, cursors: Cursors) -> None:
        self.site = site
        self.store = store
        self.vault = CredentialVault(store.sealer, keys.secret("credential-digest"))
        self.deny = DenySet(self.vault)
        self.standing = StandingBook(site.settings.live_check_window_days * _DAY_US)
        self.nodes = Nodes(store, cursors, self.standing)
        self.nodes.connect_denials(self.deny.causes)
        self.clusters = ReaderClusters(store, cursors, store.sealer, training=site.training)
        self.profiles = CredentialProfiles(store, cursors, self.vault)
        self.units = Units(store, cursors)
        self.terminals = Terminals(store, cursors)
        self.peers_kind = Peers(store, cursors)
        self.directories = Directories(store, cursors, store.sealer)
        self.hr_sources = HrSources(store, cursors, store.sealer)
        self.media_sources = MediaSources(store, cursors, store.sealer)
        self.platforms = Platforms(store, cursors, store.sealer, training=site.training)
        self.profiles.on_change(self._profile_changed)
        self._sweeps: list[Sweep] = [self.standing.expire]
        self._sweeper: asyncio.Task[None] | None = None

    # --- what the other capabilities ask ---

    def node(self, connection: Connection, node_id: str) -> NodeRow | None:
        """The node with its standing of this moment, or None."""
        return self.nodes.look_up(connection, node_id, now_us())

    def require_node(self, connection: Connection, node_id: str) -> NodeRow:
        """As ``node``; 404 with the remedy when it is not registered."""
        found = self.node(connection, node_id)
        if found is None:
            raise Problem("not_found", f"No node {node_id} is registered; register it and try again.")
        return found

    def peers(self) -> tuple[PeerRow, ...]:
        """Every server frame as committed."""
        return self.peers_kind.all()

    def unit_key(self, unit_id: str) -> UnitKey | None:
        """The registered key of the unit, or None."""
        return self.units.key(unit_id)

    # --- life ---

    def load(self) -> None:
        """Reads the deny set into memory. Blocks on the disk; an error must keep the service from starting, and so the
        doors shut."""
        with self.store.read() as connection:
            self.deny.load(connection)

    def add_sweep(self, sweep: Sweep) -> None:
        """Has ``sweep`` called each minute. Before start only."""
        self._sweeps.append(sweep)

    async def start(self) -> None:
        """Begins the sweep that records EXPIRED."""
        self._sweeper = asyncio.create_task(self._sweep(), name="registry-standing")

    async def stop(self) -> None:
        """Ends the sweep."""
        sweeper, self._sweeper = self._sweeper, None
        if sweeper is not None:
            sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sweeper

    async def _sweep(self) -> None:
        while True:
            try:
                for sweep in self._sweeps:
                    while await self.store.writer.run(sweep):
                        pass
            except StoreUnavailable:
                log.warning("what has expired could not be recorded; it is tried again", exc_info=True)
            await asyncio.sleep(_SWEEP_S)

    def _profile_changed(self, tx: Transaction, profile_id: str, before: Row[Any] | None) -> None:
        after = self.profiles.row(tx.connection, profile_id)
        for node_id in {row.node_id for row in (before, after) if row is not None}:
            held = [part for row in self.profiles.of_node(tx.connection, node_id) for part in row.credentials]
            tx.after_commit(functools.partial(self.deny.hold, node_id, held))
