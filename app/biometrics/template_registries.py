"""Template registries: sets of biometric templates that share one secret projection, and its renewal.

A renewal takes every template back by the old key and forward by a new one, without the persons. The new key is durable
before the first row that it made, and the old one is destroyed after its last row is gone: a renewal that is killed
leaves one epoch, whole, with its key. An old key that it left is destroyed at the next start; a new key that made
nothing is replaced when the next renewal draws its own.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec
import numpy as np
from sqlalchemy import Connection, Row, Table, bindparam, func, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.biometrics.gallery import Gallery
from app.biometrics.messages import RenewedTemplateRegistry, TemplateRegistry, TemplateRegistryBody
from app.biometrics.registry_keys import RegistryKeys
from app.biometrics.tables import template, template_registry, terminal_bundle
from app.biometrics.templates import DEFAULT, Templates
from app.registry.crud import RegistryKind
from app.registry.messages.shared import Deleted
from app.registry.tables import terminal
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import KeysUnavailable
from app.store.tables import json_text
from app.store.writer import Transaction
from hardware.memory import wipe
from hardware.terminals.projection import Projection, renew

log = logging.getLogger(__name__)

_BLOCK: Final = 4_096
Place = tuple[str, int]
"""Node and position."""

_RENEWED: Final = (
    update(template)
    .where(
        template.c.registry_id == bindparam("of_registry"),
        template.c.node_id == bindparam("of_node"),
        template.c.position == bindparam("at_position"),
    )
    .values(epoch=bindparam("new_epoch"), sealed=bindparam("new_sealed"))
)

LINKED: Final = (
    "One template taken before matches nobody now. But all templates of two epochs together still tell, without a key, "
    "which belong to one person: how alike the persons are to each other stays."
)
"""What a renewal does not end, as its reply says it."""


class TemplateRegistries(RegistryKind[TemplateRegistryBody, TemplateRegistry]):
    """The kind ``template-registries``."""

    word: ClassVar[str] = "template_registry"
    table: ClassVar[Table] = template_registry

    def __init__(self, store: Store, cursors: Cursors, keys: RegistryKeys, templates: Templates) -> None:
        super().__init__(store, cursors)
        self._keys = keys
        self._templates = templates
        # Two renewals at once would draw two keys for one epoch, and keep the wrong one.
        self._renewing = asyncio.Lock()
        self._first_key = threading.Lock()

    def name_of(self, body: TemplateRegistryBody) -> str:
        del body
        return ""

    def values(self, body: TemplateRegistryBody) -> dict[str, Any]:
        return {"alg": body.alg, "tags": json_text(body.tags)}

    def made_values(self) -> dict[str, Any]:
        return {"key_epoch": 1}

    def write_parts(self, tx: Transaction, item_id: str, body: TemplateRegistryBody, made: bool) -> list[str]:
        del body
        if made:
            # Templates made with the key of a deleted registry of this name must not count as made with this one's.
            before = select(func.max(terminal_bundle.c.key_epoch)).where(terminal_bundle.c.registry_id == item_id)
            values = {"key_epoch": (tx.connection.scalar(before) or 0) + 1}
            tx.connection.execute(update(template_registry).where(self._key == item_id).values(**values))
            tx.after_commit(functools.partial(self._templates.show, item_id, Gallery()))
        return []

    def delete_parts(self, tx: Transaction, item_id: str) -> None:
        if item_id == DEFAULT:
            raise Problem("state_conflict", f"The registry {DEFAULT} always exists; erase its templates instead.")
        if _count(tx.connection, item_id):
            raise Problem("state_conflict", f"Registry {item_id} holds templates; erase them first.")
        maker = tx.connection.scalar(
            select(terminal.c.terminal_id).where(terminal.c.registry_id == item_id).order_by(terminal.c.terminal_id)
        )
        if maker is not None:
            raise Problem("state_conflict", f"Terminal {maker} makes templates of {item_id}; give it another first.")
        tx.after_commit(functools.partial(self._templates.show, item_id, None))

    async def put(
        self, item_id: str, body: TemplateRegistryBody, *, actor: str, request_id: str | None = None
    ) -> tuple[TemplateRegistry, bool]:
        """As ``RegistryKind.put``; its key is drawn with it, so that a registry without one has lost it."""
        item, made = await super().put(item_id, body, actor=actor, request_id=request_id)
        if made:
            try:
                await asyncio.to_thread(self.ensure_key, item_id)
            except KeysUnavailable:
                log.exception("the key of a new registry is drawn with its first template", extra={"registry": item_id})
        return item, made

    async def delete(self, item_id: str, *, actor: str, request_id: str | None = None) -> Deleted:
        """As ``RegistryKind.delete``; its keys are destroyed with it."""
        deleted = await super().delete(item_id, actor=actor, request_id=request_id)
        try:
            await asyncio.to_thread(self._destroy_all, item_id)
        except KeysUnavailable:
            log.exception("the keys of a deleted registry go at the next start", extra={"registry": item_id})
        return deleted

    def _destroy_all(self, registry_id: str) -> None:
        with self._first_key, self.store.read() as connection:
            # It may have been made again meanwhile, and have its key.
            if self.row(connection, registry_id) is None:
                self._keys.destroy(registry_id, but=None)

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[TemplateRegistry]:
        del now_us
        counted: Mapping[str, tuple[int, int]] = {
            name: (nodes, templates)
            for name, nodes, templates in connection.execute(
                select(template.c.registry_id, func.count(template.c.node_id.distinct()), func.count())
                .where(template.c.registry_id.in_([row.template_registry_id for row in rows]))
                .group_by(template.c.registry_id)
            )
        }
        return [
            TemplateRegistry(
                registry_id=row.template_registry_id,
                alg=row.alg,
                key_epoch=row.key_epoch,
                nodes=counted.get(row.template_registry_id, (0, 0))[0],
                templates=counted.get(row.template_registry_id, (0, 0))[1],
                renewed_at=None if row.renewed_us is None else rfc3339(row.renewed_us),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]

    def exists(self, connection: Connection, registry_id: str) -> bool:
        """Whether there is a registry of this id."""
        return self.row(connection, registry_id) is not None

    # --- keys ---

    def projection(self, registry_id: str) -> tuple[Projection, int]:
        """The projection of the registry's present epoch, and that epoch. The caller wipes the projection.
        ``KeysUnavailable`` where the key was not brought back; 404."""
        epoch = self.ensure_key(registry_id)
        return self._keys.projection(registry_id, epoch), epoch

    def seed(self, registry_id: str) -> tuple[bytearray, int]:
        """As ``projection``: the seed that makes it, for a terminal's bundle."""
        epoch = self.ensure_key(registry_id)
        return self._keys.seed(registry_id, epoch), epoch

    def ensure_key(self, registry_id: str) -> int:
        """The registry's present epoch, after making sure that an empty registry has its key: ``default``, which is
        made with the table, gets its own here. Call it before the first template."""
        with self.store.read() as connection:
            row = self.row(connection, registry_id)
            if row is None:
                raise self.missing(registry_id)
            empty = not _count(connection, registry_id)
        with self._first_key:
            if empty and not self._keys.has(registry_id, row.key_epoch):
                self._keys.draw(registry_id, row.key_epoch).wipe()
        epoch: int = row.key_epoch
        return epoch

    def forget_keys(self, connection: Connection) -> None:
        """Destroys keys of epochs that are over, which a killed renewal or deletion left. At start."""
        self._keys.forget(_epochs(connection))

    def keyless(self, connection: Connection) -> list[str]:
        """As ``keyless``, of these keys."""
        return keyless(connection, self._keys)

    # --- renewal ---

    async def renew(self, registry_id: str, *, actor: str, request_id: str | None = None) -> RenewedTemplateRegistry:
        """Makes the next epoch, without any person. 404; 409 while another renewal runs; 503 without the old key."""
        if self._renewing.locked():
            raise Problem("state_conflict", "A registry is being renewed already; wait for that one.")
        async with self._renewing:
            try:
                return await self._renew(registry_id, actor, request_id)
            except KeysUnavailable as error:
                raise Problem("dependency_unavailable", str(error)) from error

    async def _renew(self, registry_id: str, actor: str, request_id: str | None) -> RenewedTemplateRegistry:
        """The renewal itself, one at a time: prepare on a thread, replace in one transaction, destroy the old key."""
        old, epoch = await asyncio.to_thread(self.projection, registry_id)
        new = await asyncio.to_thread(self._keys.draw, registry_id, epoch + 1)
        ready: dict[Place, tuple[bytes, bytes, bytes]] = {}
        try:
            # Thousands of rows are seconds of work: done before the transaction, which only does rows changed since.
            ready = await asyncio.to_thread(self._prepare, registry_id, old, new)

            def job(tx: Transaction) -> RenewedTemplateRegistry:
                row = self.row(tx.connection, registry_id)
                if row is None:
                    raise self.missing(registry_id)
                gallery = self._replace(tx, registry_id, old, new, ready)
                values = {"key_epoch": new.epoch, "renewed_us": tx.now_us, "changed_us": tx.now_us}
                tx.connection.execute(update(template_registry).where(self._key == registry_id).values(**values))
                self._templates.mark_changed(tx, registry_id)
                tx.scrub()
                detail = {"id": registry_id, "key_epoch": new.epoch, "templates": gallery.rows}
                tx.audit("registry.template_registry_renew", actor=actor, request_id=request_id, detail=detail)
                self.notify(tx, registry_id, row)
                tx.after_commit(functools.partial(self._templates.show, registry_id, gallery))
                renewed = self.row(tx.connection, registry_id)
                if renewed is None:
                    raise LookupError(registry_id)
                item = self.items(tx.connection, [renewed], tx.now_us)[0]
                caution = LINKED if item.templates > 1 else ""
                return RenewedTemplateRegistry(**msgspec.structs.asdict(item), caution=caution)

            item = await self.store.writer.run(job)
        finally:
            old.wipe()
            new.wipe()
            for _, clear, _ in ready.values():
                wipe(clear)
        await asyncio.to_thread(self._keys.destroy, registry_id, but=epoch + 1)
        return item

    def _prepare(self, registry_id: str, old: Projection, new: Projection) -> dict[Place, tuple[bytes, bytes, bytes]]:
        """By place: the row as it is sealed now, the new template, and the new template sealed."""
        with self.store.read() as connection:
            return dict(self._renew_rows(_rows(connection, registry_id), registry_id, old, new))

    def _renew_rows(
        self, rows: Sequence[Any], registry_id: str, old: Projection, new: Projection
    ) -> Iterator[tuple[Place, tuple[bytes, bytes, bytes]]]:
        """Opens, projects anew and seals these rows, block by block; wipes the scratch."""
        for at in range(0, len(rows), _BLOCK):
            part = rows[at : at + _BLOCK]
            opened = [
                self._templates.open_row(registry_id, old.epoch, row.node_id, row.position, row.sealed) for row in part
            ]
            stacked = np.stack(opened)
            made = renew(stacked, old, new)
            stacked.fill(0)
            for one in opened:
                one.fill(0)
            for row, turned in zip(part, made, strict=True):
                sealed = self._templates.seal(registry_id, new.epoch, row.node_id, row.position, turned)
                yield (row.node_id, row.position), (row.sealed, turned.tobytes(), sealed)
            made.fill(0)

    def _replace(
        self,
        tx: Transaction,
        registry_id: str,
        old: Projection,
        new: Projection,
        ready: dict[Place, tuple[bytes, bytes, bytes]],
    ) -> Gallery:
        """Writes the new rows and gives their gallery; renews into ``ready`` those that changed since it was made."""
        rows = _rows(tx.connection, registry_id)
        stale = [row for row in rows if ready.get((row.node_id, row.position), (b"",))[0] != row.sealed]
        for place, turned in self._renew_rows(stale, registry_id, old, new):
            if place in ready:
                wipe(ready[place][1])
            ready[place] = turned
        if rows:
            tx.connection.execute(
                _RENEWED,
                [
                    {
                        "of_registry": registry_id,
                        "of_node": row.node_id,
                        "at_position": row.position,
                        "new_epoch": new.epoch,
                        "new_sealed": ready[row.node_id, row.position][2],
                    }
                    for row in rows
                ],
            )
        gallery = Gallery(capacity=max(len(rows), 1))
        if rows:
            clear = bytearray().join(ready[row.node_id, row.position][1] for row in rows)
            gallery.load([row.node_id for row in rows], np.frombuffer(clear, np.int8).reshape(len(rows), -1))
            clear[:] = bytes(len(clear))
        return gallery


def keyless(connection: Connection, keys: RegistryKeys) -> list[str]:
    """Registries that hold templates and have lost their key: they still match, and can do nothing else."""
    return [
        name for name, epoch in _epochs(connection).items() if _count(connection, name) and not keys.has(name, epoch)
    ]


def _epochs(connection: Connection) -> dict[str, int]:
    epochs = select(template_registry.c.template_registry_id, template_registry.c.key_epoch)
    return dict(connection.execute(epochs).all())


def _rows(connection: Connection, registry_id: str) -> Sequence[Any]:
    return connection.execute(
        select(template.c.node_id, template.c.position, template.c.sealed)
        .where(template.c.registry_id == registry_id)
        .order_by(template.c.node_id, template.c.position)
    ).all()


def _count(connection: Connection, registry_id: str) -> int:
    return connection.execute(
        select(func.count()).select_from(template).where(template.c.registry_id == registry_id)
    ).scalar_one()
