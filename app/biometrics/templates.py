"""Templates of nodes: sealed rows on disk, galleries in memory, one for each registry.

The memory follows the disk: rows change in a transaction, and a gallery as soon as that is durable, before its caller
is answered. A burn's deny set comes before both. Implements ``GrantHolder`` and ``PersonRecords``: a burn erases the
node's templates, and so does the erasure of a person.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Sequence
from typing import Final

import numpy as np
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.biometrics.gallery import Gallery
from app.biometrics.tables import template, template_registry
from app.biometrics.template_cache import GENERATION_BYTES, CacheUnusable, TemplateCache
from app.biometrics.template_codes import Int8, codes_of
from app.delivery.events import Held, Holding, RevocationEvidence
from app.registry.denyset import DenySet
from app.registry.messages.nodes import NodeTemplates
from app.registry.tables import node
from app.store.engine import Store
from app.store.errors import SealBroken
from app.store.sealed import OVERHEAD, FieldSealer
from app.store.writer import Transaction
from hardware.memory import wipe
from hardware.terminals.projection import DIMENSIONS

log = logging.getLogger(__name__)

DEFAULT: Final = "default"
"""The registry that always exists."""
MOST_ROWS: Final = 26
"""The most templates of a node in one registry: 25 shots and their sum."""
PURPOSE: Final = "template"
ENROL: Final = "registry.templates_enrol"
ERASE: Final = "registry.templates_erase"
HOLDER_ID: Final = "templates"
_NAME: Final = "Biometric templates"
_LOAD_ROWS: Final = 10_000
_COUNTS: Final = (
    select(template.c.registry_id, func.count())
    .where(template.c.node_id == bindparam("of"))
    .group_by(template.c.registry_id)
)


class Templates:
    """All templates of a site. ``load`` before the first search."""

    def __init__(self, store: Store, deny: DenySet, cache: TemplateCache) -> None:
        self._store = store
        self._cache = cache
        # The generation of each gallery: changed with it, on the writer's thread.
        self._generations: dict[str, bytes] = {}
        self._kept: dict[str, bytes] = {}
        self._sealer: FieldSealer = store.sealer
        self._deny = deny
        self._galleries: dict[str, Gallery] = {}

    # --- what is in memory ---

    def load(self, connection: Connection) -> int:
        """Reads every template into memory; gives how many. One that does not open is logged and matches nobody."""
        self._cache.sweep()
        registries = connection.execute(
            select(template_registry.c.template_registry_id, template_registry.c.generation)
        ).all()
        for registry_id, generation in registries:
            rows = connection.execute(
                select(func.count()).select_from(template).where(template.c.registry_id == registry_id)
            ).scalar_one()
            if generation is not None:
                self._generations[registry_id] = generation
            gallery = self._from_cache(registry_id, rows)
            if gallery is None:
                gallery = self._read(connection, registry_id, rows)
                self._galleries[registry_id] = gallery
                # Before any row changes, while the gallery is certain to be of this generation.
                self._keep(registry_id)
            self._galleries[registry_id] = gallery
        return sum(gallery.rows for gallery in self._galleries.values())

    def _from_cache(self, registry_id: str, rows: int) -> Gallery | None:
        generation = self._generations.get(registry_id)
        if generation is None or rows <= self._cache.least_rows:
            return None
        try:
            gallery = self._cache.read(registry_id, generation, rows)
        except CacheUnusable as error:
            log.info("the templates are read row by row", extra={"registry": registry_id, "why": str(error)})
            return None
        self._kept[registry_id] = generation
        return gallery

    def _read(self, connection: Connection, registry_id: str, count: int) -> Gallery:
        """A registry's gallery from its rows, opened one by one."""
        gallery = Gallery(capacity=max(count, 1))
        gallery_rows = connection.execute(
            select(template)
            .where(template.c.registry_id == registry_id)
            .order_by(template.c.node_id, template.c.position)
        )
        node_ids: list[str] = []
        rows: list[bytes] = []
        for row in gallery_rows:
            if len(rows) >= _LOAD_ROWS and row.node_id != node_ids[-1]:
                _load_block(gallery, node_ids, rows)
            try:
                opened = self._open_bytes(registry_id, row.epoch, row.node_id, row.position, row.sealed)
            except SealBroken:
                log.exception("a template does not open", extra={"registry": registry_id, "node_id": row.node_id})
                continue
            node_ids.append(row.node_id)
            rows.append(opened)
        _load_block(gallery, node_ids, rows)
        return gallery

    def keep(self, tx: Transaction) -> None:
        """Writes the caches that make the next start quick. A job of its own, when nobody changes templates any more:
        galleries and generations change together, on this thread."""
        for registry_id, gallery in self._galleries.items():
            if gallery.rows > self._cache.least_rows and registry_id not in self._generations:
                self.mark_changed(tx, registry_id)
        tx.after_commit(self._keep_all)

    def _keep_all(self) -> None:
        for registry_id in self._galleries:
            self._keep(registry_id)

    def _keep(self, registry_id: str) -> None:
        generation, gallery = self._generations.get(registry_id), self._galleries[registry_id]
        if generation is None or gallery.rows <= self._cache.least_rows or self._kept.get(registry_id) == generation:
            return
        try:
            self._cache.write(registry_id, generation, gallery)
            self._kept[registry_id] = generation
        except OSError:
            log.exception("the next start reads the templates row by row", extra={"registry": registry_id})

    def mark_changed(self, tx: Transaction, registry_id: str) -> None:
        """Call it inside each transaction that changes templates: the registry's cache file does not open any more."""
        generation = os.urandom(GENERATION_BYTES)
        mine = template_registry.c.template_registry_id == registry_id
        tx.connection.execute(update(template_registry).where(mine).values(generation=generation))

        def durable() -> None:
            self._generations[registry_id] = generation

        tx.after_commit(durable)

    def gallery(self, registry_id: str) -> Gallery:
        """The templates of one registry. 404 for an unknown one. Ask for it at each search: a renewal makes a new
        one."""
        found = self._galleries.get(registry_id)
        if found is None:
            raise Problem("not_found", f"No template registry {registry_id} is registered; check the identifier.")
        return found

    def show(self, registry_id: str, gallery: Gallery | None) -> None:
        """Puts a registry's gallery in place of the one it had, which is wiped; None: the registry is gone."""
        old = self._galleries.get(registry_id)
        if gallery is None:
            self._galleries.pop(registry_id, None)
            self._generations.pop(registry_id, None)
            self._kept.pop(registry_id, None)
            self._cache.forget(registry_id)
        else:
            self._galleries[registry_id] = gallery
        if old is not None:
            old.clear()

    def enrolments(self, connection: Connection, node_ids: Sequence[str]) -> dict[str, list[NodeTemplates]]:
        """How many templates each of these nodes has in which registry; nothing of a node without any."""
        found: dict[str, list[NodeTemplates]] = {}
        kept = (
            select(template.c.node_id, template.c.registry_id, func.count(), func.max(template.c.enrolled_us))
            .where(template.c.node_id.in_(node_ids))
            .group_by(template.c.node_id, template.c.registry_id)
        )
        for node_id, registry_id, count, enrolled_us in connection.execute(kept):
            one = NodeTemplates(registry_id=registry_id, templates=count, enrolled_at=rfc3339(enrolled_us))
            found.setdefault(node_id, []).append(one)
        return found

    # --- changes: inside the caller's transaction ---

    def enrol(
        self,
        tx: Transaction,
        node_id: str,
        rows: Int8,
        *,
        registry_id: str = DEFAULT,
        epoch: int,
        actor: str,
        request_id: str | None = None,
    ) -> None:
        """Keeps these templates, int8 (k, 512), k <= 26, in place of those that the node had in the registry.

        404: no such node or registry; 409: the node is burned or contained, or ``epoch`` is not the registry's; 422:
        these are no templates.
        """
        try:
            codes_of(rows).fill(0)
        except ValueError as error:
            raise Problem("invalid_body", f"These samples give no template: {error}.") from error
        if len(rows) > MOST_ROWS:
            raise Problem("invalid_body", f"A node keeps at most {MOST_ROWS} templates in a registry.")
        if tx.connection.scalar(select(node.c.node_id).where(node.c.node_id == node_id)) is None:
            raise Problem("not_found", f"No node {node_id} is registered; register it and try again.")
        if self._deny.denies_node(node_id) is not None:
            raise Problem("state_conflict", f"Node {node_id} is burned or contained: nothing is enrolled for it.")
        current = tx.connection.scalar(
            select(template_registry.c.key_epoch).where(template_registry.c.template_registry_id == registry_id)
        )
        if current is None:
            raise Problem("not_found", f"No template registry {registry_id} is registered; check the identifier.")
        if current != epoch:
            raise Problem("state_conflict", f"The registry's key epoch is {current}; capture again under that.")
        mine = (template.c.registry_id == registry_id, template.c.node_id == node_id)
        replaced = tx.connection.execute(delete(template).where(*mine)).rowcount
        tx.connection.execute(
            insert(template),
            [
                {
                    "registry_id": registry_id,
                    "node_id": node_id,
                    "position": position,
                    "epoch": epoch,
                    "sealed": self.seal(registry_id, epoch, node_id, position, row),
                    "enrolled_us": tx.now_us,
                }
                for position, row in enumerate(rows)
            ],
        )
        self.mark_changed(tx, registry_id)
        if replaced:
            tx.scrub()
        detail = {"registry_id": registry_id, "key_epoch": epoch, "templates": len(rows), "replaced": replaced}
        tx.audit(ENROL, actor=actor, node_id=node_id, request_id=request_id, detail=detail)
        tx.after_commit(functools.partial(self._put, registry_id, node_id, rows.copy()))

    def erase(
        self,
        tx: Transaction,
        node_id: str,
        *,
        registry_id: str | None = None,
        actor: str,
        request_id: str | None = None,
        burn_id: str | None = None,
    ) -> int:
        """Erases the node's templates in one registry or (None) in all; gives how many there were."""
        erased = 0
        for name, count in self._delete(tx, node_id, registry_id):
            erased += count
            detail = {"registry_id": name, "templates": count, **({} if burn_id is None else {"burn_id": burn_id})}
            tx.audit(ERASE, actor=actor, node_id=node_id, request_id=request_id, detail=detail)
        return erased

    def _delete(self, tx: Transaction, node_id: str, registry_id: str | None = None) -> list[tuple[str, int]]:
        """Deletes the rows, and their memory as soon as that is durable; gives how many of each registry."""
        rows = tx.connection.execute(_COUNTS, {"of": node_id}).all()
        found = [(name, count) for name, count in rows if registry_id in (None, name)]
        for name, _ in found:
            mine = (template.c.registry_id == name, template.c.node_id == node_id)
            tx.connection.execute(delete(template).where(*mine))
            self.mark_changed(tx, name)
            tx.after_commit(functools.partial(self._drop, name, node_id))
        if found:
            tx.scrub()
        return found

    # --- what an erasure of a person takes away ---

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """As ``PersonRecords``: templates, in every registry."""
        return Held(self._count(connection, node_id))

    def forget(self, tx: Transaction, node_id: str) -> int:
        """As ``PersonRecords``. It writes no leaf of its own, which would name the person."""
        return sum(count for _, count in self._delete(tx, node_id))

    @staticmethod
    def _count(connection: Connection, node_id: str) -> int:
        mine = select(func.count()).select_from(template).where(template.c.node_id == node_id)
        return connection.execute(mine).scalar_one()

    def _put(self, registry_id: str, node_id: str, rows: Int8) -> None:
        """Puts ``rows`` into the gallery, and wipes them."""
        self._galleries[registry_id].add(node_id, rows)
        rows.fill(0)

    def _drop(self, registry_id: str, node_id: str) -> None:
        gallery = self._galleries.get(registry_id)
        if gallery is not None:
            gallery.remove(node_id)

    def seal(self, registry_id: str, epoch: int, node_id: str, position: int, row: Int8) -> bytes:
        """One template as its row keeps it."""
        # Without a copy: one as bytes would be freed and not wiped.
        clear = np.ascontiguousarray(row).view(np.uint8).data
        return self._sealer.seal(PURPOSE, clear, _context(registry_id, epoch, node_id, position))

    def open_row(self, registry_id: str, epoch: int, node_id: str, position: int, sealed: bytes) -> Int8:
        """One template from its row, int8 (512,), which the caller wipes; ``SealBroken`` if the row was altered or
        moved."""
        row: Int8 = np.zeros(DIMENSIONS, np.int8)
        if len(sealed) != DIMENSIONS + OVERHEAD:
            raise SealBroken("A template has not the length of one. Restore the row from a backup.")
        self._sealer.open_into(
            PURPOSE, sealed, _context(registry_id, epoch, node_id, position), row.view(np.uint8).data
        )
        return row

    def _open_bytes(self, registry_id: str, epoch: int, node_id: str, position: int, sealed: bytes) -> bytes:
        return self._sealer.open(PURPOSE, sealed, _context(registry_id, epoch, node_id, position))

    # --- what a burn takes away ---

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's templates in every registry."""
        with self._store.read() as connection:
            count = self._count(connection, node_id)
        if not count:
            return ()
        detail = "erased for good; enrolment takes the person"
        return (Holding(HOLDER_ID, "template", _NAME, count, reversible=False, detail=detail),)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Erases them inside the burn's transaction."""
        count = self.erase(tx, node_id, actor="service", burn_id=burn_id)
        if not count:
            return ()
        detail = f"{count} template{'' if count == 1 else 's'} erased"
        return (RevocationEvidence(HOLDER_ID, "template", _NAME, count, already=False, detail=detail),)


def _load_block(gallery: Gallery, node_ids: list[str], rows: list[bytes]) -> None:
    """Loads the gathered rows, empties both lists and wipes the rows."""
    if rows:
        clear = b"".join(rows)
        gallery.load(node_ids, np.frombuffer(clear, np.int8).reshape(len(rows), DIMENSIONS))
        for row in (clear, *rows):
            wipe(row)
    node_ids.clear()
    rows.clear()


def _context(registry_id: str, epoch: int, node_id: str, position: int) -> bytes:
    return f"template|{registry_id}|{epoch}|{node_id}|{position}".encode()
