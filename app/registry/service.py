"""The registry: one object that the assembly builds and the other capabilities ask."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row, select

from app.api.problems import Problem
from app.biometrics.bundles import Bundles
from app.biometrics.matching import MAY_MATCH
from app.biometrics.probes import Probes
from app.biometrics.registry_keys import RegistryKeys
from app.biometrics.template_cache import TemplateCache
from app.biometrics.template_registries import TemplateRegistries
from app.biometrics.templates import Templates
from app.registry.clusters import ReaderClusters
from app.registry.denyset import DenySet
from app.registry.directories import Directories
from app.registry.hr_sources import HrSources
from app.registry.messages import Standing
from app.registry.nodes import NodeRow, Nodes
from app.registry.peers import PeerRow, Peers
from app.registry.profiles import CredentialProfiles, CredentialVault
from app.registry.standing import StandingBook
from app.registry.tables import template
from app.registry.terminals import Terminals
from app.registry.units import UnitKey, Units
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import KeysUnavailable, StoreUnavailable
from app.store.keys import Keys
from app.store.writer import Transaction

log = logging.getLogger(__name__)

Sweep = Callable[[Transaction], int]
"""Records some of what time has ended; how many rows, 0 when nothing is left."""

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
        self.clusters = ReaderClusters(store, cursors, store.sealer, training=site.training)
        self.profiles = CredentialProfiles(store, cursors, self.vault)
        self.units = Units(store, cursors)
        self.terminals = Terminals(store, cursors)
        self.peers_kind = Peers(store, cursors)
        self.directories = Directories(store, cursors, store.sealer)
        self.hr_sources = HrSources(store, cursors, store.sealer)
        cache = TemplateCache(site.data_dir / "template-cache", keys.secret("template-cache"))
        self.templates = Templates(store, self.deny, cache)
        self.template_registries = TemplateRegistries(
            store, cursors, RegistryKeys(site.registry_keys_path, store.sealer), self.templates
        )
        self.bundles = Bundles(
            store,
            keys,
            self.terminals,
            self.template_registries,
            self.templates,
            self.profiles,
            origin=site.origin("audit"),
            generation=site.generation,
            ttl_s=site.settings.credential_ttl_s,
            training=site.training,
        )
        self.probes = Probes(store, self.template_registries, keys.secret("probe-digest"))
        self.nodes.add_holder(self.templates)
        self.profiles.on_change(self._profile_changed)
        self._sweeps: list[Sweep] = [self.standing.expire, self.probes.sweep]
        self._sweeper: asyncio.Task[None] | None = None

    # --- what the other capabilities ask ---

    def node(self, connection: Connection, node_id: str) -> NodeRow | None:
        """The node with its standing of this moment, or None."""
        return self.nodes.seen(connection, node_id, now_us())

    def require_node(self, connection: Connection, node_id: str) -> NodeRow:
        """As ``node``; 404 with the remedy when it is not registered."""
        found = self.node(connection, node_id)
        if found is None:
            raise Problem("not_found", f"No node {node_id} is registered; register it and try again.")
        return found

    def may_match(self, connection: Connection, registry_id: str, node_id: str) -> Standing | None:
        """The standing of a node whose template a search found, or None if it must not match: burned, contained, of a
        standing that never does, not registered or not enrolled any more. Inside the transaction that decides."""
        found = None if self.deny.denies_node(node_id) is not None else self.node(connection, node_id)
        if found is None or found.standing not in MAY_MATCH:
            return None
        enrolled = select(template.c.node_id).where(
            template.c.registry_id == registry_id, template.c.node_id == node_id
        )
        return found.standing if connection.scalar(enrolled.limit(1)) is not None else None

    def peers(self) -> tuple[PeerRow, ...]:
        """Every server frame as committed."""
        return self.peers_kind.all()

    def unit_key(self, unit_id: str) -> UnitKey | None:
        """The registered key of the unit, or None."""
        return self.units.key(unit_id)

    # --- life ---

    def load(self) -> int:
        """Takes in the deny set and the templates; the number of denied nodes. Blocks on the disk; an error must keep
        the service from starting, and so the doors shut."""
        with self.store.read() as connection:
            denied = self.deny.load(connection)
            self.templates.load(connection)
            self._look_at_registry_keys(connection)
        return denied

    def _look_at_registry_keys(self, connection: Connection) -> None:
        """Whatever is wrong with them is told and keeps nobody out: matching needs none."""
        try:
            self.template_registries.forget_keys(connection)
            for registry_id in self.template_registries.keyless(connection):
                log.error(
                    "a template registry lost its key: it matches, but no terminal gets a bundle and nothing renews it",
                    extra={"registry": registry_id, "path": str(self.site.registry_keys_path)},
                )
        except KeysUnavailable:
            log.exception("the keys of template registries are out of reach: templates match, and nothing else")

    def add_sweep(self, sweep: Sweep) -> None:
        """Has ``sweep`` called each minute. Before start only."""
        self._sweeps.append(sweep)

    async def start(self) -> None:
        """Begins the sweep that records EXPIRED."""
        self._sweeper = asyncio.create_task(self._sweep(), name="registry-standing")

    async def stop(self) -> None:
        """Ends the sweep, and keeps what the next start is quick by."""
        sweeper, self._sweeper = self._sweeper, None
        if sweeper is not None:
            sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sweeper
        await self.store.writer.run(self.templates.keep)

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
