"""Biometrics: one object that the assembly builds, above the registry, and that palm, stylized and burns ask."""

from __future__ import annotations

import logging

from sqlalchemy import Connection, select

from app.biometrics.bundles import Bundles
from app.biometrics.key_watch import KeyWatch
from app.biometrics.matching import MAY_MATCH
from app.biometrics.probes import Probes
from app.biometrics.registry_keys import RegistryKeys
from app.biometrics.template_cache import TemplateCache
from app.biometrics.template_registries import TemplateRegistries
from app.biometrics.templates import Templates
from app.delivery.alarms import AlarmBook
from app.registry.messages.nodes import Standing
from app.registry.service import Registry
from app.registry.tables import template
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import KeysUnavailable
from app.store.keys import Keys

log = logging.getLogger(__name__)


class Biometrics:
    """Templates and their registries, the bundles of terminals, and the probes that were judged.

    Order of life: construct after the registry, which shows what is enrolled and asks before it deletes; ``load()``
    after the registry's; ``stop()`` after the registry's, when nobody changes templates any more. The caller adds
    ``key_watch.sweep`` to the registry's sweeps.
    """

    def __init__(
        self, site: Site, store: Store, keys: Keys, cursors: Cursors, registry: Registry, alarms: AlarmBook
    ) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        cache = TemplateCache(site.data_dir / "template-cache", keys.secret("template-cache"))
        self.templates = Templates(store, registry.deny, cache)
        self.template_registries = TemplateRegistries(
            store, cursors, RegistryKeys(site.registry_keys_path, store.sealer), self.templates
        )
        self.bundles = Bundles(
            store,
            keys,
            registry.terminals,
            self.template_registries,
            self.templates,
            registry.profiles,
            origin=site.origin("audit"),
            generation=site.generation,
            ttl_s=site.settings.credential_ttl_s,
            training=site.training,
        )
        self.probes = Probes(store, self.template_registries, keys.secret("probe-digest"))
        self.key_watch = KeyWatch(self.template_registries, site.registry_keys_path, alarms)
        registry.nodes.add_holder(self.templates)
        registry.nodes.connect_templates(self.templates.enrolments)
        registry.terminals.connect_templates(
            bundles_of=self.bundles.overview, has_registry=self.template_registries.exists
        )
        registry.add_sweep(self.probes.sweep)

    def may_match(self, connection: Connection, registry_id: str, node_id: str) -> Standing | None:
        """The standing of a node whose template a search found, or None if it must not match: burned, contained, of a
        standing that never matches, not registered, or no longer enrolled. Call it inside the transaction that
        decides."""
        if self._registry.deny.denies_node(node_id) is not None:
            return None
        row = self._registry.node(connection, node_id)
        if row is None or row.standing not in MAY_MATCH:
            return None
        enrolled = select(template.c.node_id).where(
            template.c.registry_id == registry_id, template.c.node_id == node_id
        )
        return row.standing if connection.scalar(enrolled.limit(1)) is not None else None

    # --- life ---

    def load(self) -> None:
        """Reads the templates into memory. Blocks on the disk; an error must keep the service from starting."""
        with self._store.read() as connection:
            self.templates.load(connection)
            self._check_keys(connection)

    def _check_keys(self, connection: Connection) -> None:
        """Logs what is wrong with the registries' keys. Matching needs none of them, so the start goes on."""
        try:
            self.template_registries.forget_keys(connection)
            for registry_id in self.template_registries.keyless(connection):
                log.error(
                    "a template registry lost its key: it matches, but no terminal gets a bundle and nothing renews it",
                    extra={"registry": registry_id, "path": str(self._site.registry_keys_path)},
                )
        except KeysUnavailable:
            log.exception("the keys of template registries are out of reach: templates match, and nothing else")

    async def stop(self) -> None:
        """Keeps the template cache, by which the next start is quick."""
        await self._store.writer.run(self.templates.keep)
