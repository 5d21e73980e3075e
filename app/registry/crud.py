"""What all kinds of registry rows share: PUT, GET, DELETE and the list, with their leaves in the audit log.

A PUT is one transaction that writes the rows and the leaf together. A PUT that would change nothing writes nothing and
leaves no leaf: repeating one is free and does not fill the log.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from sqlalchemy import Column, Connection, Row, Table, bindparam, delete, insert, select, update

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.registry.messages.shared import Deleted
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import Transaction

BodyT = TypeVar("BodyT", bound=msgspec.Struct)
ItemT = TypeVar("ItemT", bound=msgspec.Struct)
Changed = Callable[[Transaction, str, Row[Any] | None], None]
"""Called inside the transaction in which the row of this id was made, changed or deleted, with the row as it was
before."""

_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{2,63}")
_REGISTRY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


def fold(words: str) -> str:
    """The form in which texts are compared in a search: compatibility composed, case folded."""
    return unicodedata.normalize("NFKC", words).casefold()


class RegistryKind(ABC, Generic[BodyT, ItemT]):
    """One kind. Subclasses name their table and words and say how a body becomes rows and rows an item."""

    word: ClassVar[str]
    """Singular, in texts and in the actions ``<capability>.<word>_put`` and ``<capability>.<word>_delete``."""
    capability: ClassVar[str] = "registry"
    """The package whose rows these are, in the actions."""
    table: ClassVar[Table]
    node_ids: ClassVar[bool] = False
    """Whether the kind's own id is a node id (and goes into the leaf's ``node_id``)."""

    def __init__(self, store: Store, cursors: Cursors) -> None:
        self.store = store
        self.cursors = cursors
        self._changed: list[Changed] = []
        self._key: Column[str] = self.table.c[f"{self.word}_id"]
        self._one = select(self.table).where(self._key == bindparam("of"))

    def on_change(self, changed: Changed) -> None:
        """Calls ``changed`` inside each transaction that changes a row of this kind. Before start only."""
        self._changed.append(changed)

    # --- what a subclass says ---

    def check(self, item_id: str, body: BodyT) -> None:
        """Refuses what the Struct's types cannot refuse. Outside the transaction; may be slow."""

    @abstractmethod
    def values(self, body: BodyT) -> dict[str, Any]:
        """The columns of the row, without its id, search text and times."""

    def decisions(self, body: BodyT) -> dict[str, object]:
        """Columns that grant, deny or decide, as the leaf of a PUT states them: a row that says otherwise was edited.
        Nothing of a person."""
        del body
        return {}

    def made_values(self) -> dict[str, Any]:
        """Further columns that a new row starts with and that no PUT changes."""
        return {}

    @abstractmethod
    def name_of(self, body: BodyT) -> str:
        """What the search finds beside the id."""

    def check_in(self, tx: Transaction, item_id: str, body: BodyT) -> None:
        """Refuses what stands in the way of other rows, inside the transaction."""

    def write_parts(self, tx: Transaction, item_id: str, body: BodyT, made: bool) -> list[str]:
        """Writes the rows that hang below this one; gives the names of what changed."""
        del tx, item_id, body, made
        return []

    def delete_parts(self, tx: Transaction, item_id: str) -> None:
        """Deletes the rows that hang below, or raises ``state_conflict`` with the remedy."""

    @abstractmethod
    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[ItemT]:
        """What the wire shows of these rows, in their order."""

    # --- the calls ---

    def row(self, connection: Connection, item_id: str) -> Row[Any] | None:
        """The row of this id."""
        return connection.execute(self._one, {"of": item_id}).one_or_none()

    def missing(self, item_id: str) -> Problem:
        """404 with what to do."""
        return Problem("not_found", f"No {self.word.replace('_', ' ')} {item_id} is registered; check the identifier.")

    async def put(self, item_id: str, body: BodyT, *, actor: str, request_id: str | None = None) -> tuple[ItemT, bool]:
        """Makes or replaces the row. Gives it back, and whether it was made. 422 for a wrong id or body, 409 where
        another row stands in the way."""
        pattern = _NODE_ID if self.node_ids else _REGISTRY_ID
        if pattern.fullmatch(item_id) is None:
            raise invalid_field("", f"The identifier in the path must match ^{pattern.pattern}$.")
        self.check(item_id, body)
        return await self.store.writer.run(lambda tx: self.put_in(tx, item_id, body, actor, request_id))

    def put_in(
        self, tx: Transaction, item_id: str, body: BodyT, actor: str, request_id: str | None = None
    ) -> tuple[ItemT, bool]:
        """``put`` inside a transaction of the caller (the training site is made in one); the caller has checked."""
        values = self.values(body)
        values["search"] = fold(f"{item_id}\n{self.name_of(body)}")
        self.check_in(tx, item_id, body)
        existing = self.row(tx.connection, item_id)
        if existing is None:
            values |= self.made_values()
            times = {"created_us": tx.now_us, "changed_us": tx.now_us}
            tx.connection.execute(insert(self.table).values(**{self._key.name: item_id}, **values, **times))
            changed = sorted(values.keys() - {"search"})
        else:
            old = existing._mapping
            changed = sorted(name for name, value in values.items() if old[name] != value and name != "search")
        changed += self.write_parts(tx, item_id, body, existing is None)
        if existing is not None and changed:
            tx.connection.execute(update(self.table).where(self._key == item_id).values(**values, changed_us=tx.now_us))
        if changed:
            detail = {"made": existing is None, "changed": changed, **self.decisions(body)}
            self._leaf(tx, "put", item_id, actor, request_id, detail, existing)
        row = self.row(tx.connection, item_id)
        if row is None:
            raise LookupError(item_id)
        return self.items(tx.connection, [row], tx.now_us)[0], existing is None

    async def delete(self, item_id: str, *, actor: str, request_id: str | None = None) -> Deleted:
        """Deletes the row; 404 if there is none, 409 with the remedy while others need it."""

        return await self.store.writer.run(lambda tx: self.delete_in(tx, item_id, actor, request_id))

    def delete_in(self, tx: Transaction, item_id: str, actor: str, request_id: str | None = None) -> Deleted:
        """``delete`` inside a transaction of the caller."""
        existing = self.row(tx.connection, item_id)
        if existing is None:
            raise self.missing(item_id)
        self.delete_parts(tx, item_id)
        tx.connection.execute(delete(self.table).where(self._key == item_id))
        self._leaf(tx, "delete", item_id, actor, request_id, {}, existing)
        return Deleted(id=item_id, deleted_at=rfc3339(tx.now_us))

    def _leaf(
        self,
        tx: Transaction,
        verb: str,
        item_id: str,
        actor: str,
        request_id: str | None,
        detail: Mapping[str, object],
        before: Row[Any] | None,
    ) -> None:
        """Writes the audit leaf of a change and notifies the listeners."""
        # Names of fields only: a leaf stays for ever, and what a person is called must be erasable from the registry.
        tx.audit(
            f"{self.capability}.{self.word}_{verb}",
            actor=actor,
            node_id=item_id if self.node_ids else None,
            unit_id=item_id if self.word == "unit" else None,
            request_id=request_id,
            detail={"id": item_id, **detail},
        )
        self.notify(tx, item_id, before)

    def notify(self, tx: Transaction, item_id: str, before: Row[Any] | None) -> None:
        """Calls every listener of ``on_change`` for this row; ``before`` None: it was made."""
        for changed in self._changed:
            changed(tx, item_id, before)

    def get(self, item_id: str, now_us: int) -> ItemT:
        """The item of this id as committed; 404 if there is none."""
        with self.store.read() as connection:
            row = self.row(connection, item_id)
            if row is None:
                raise self.missing(item_id)
            return self.items(connection, [row], now_us)[0]

    def page(
        self, q: str | None, limit: int, cursor: str | None, now_us: int, where: Mapping[str, str] | None = None
    ) -> tuple[list[ItemT], str | None]:
        """Items by rising id whose id or name contains ``q`` and whose columns equal ``where``, from ``cursor`` on, and
        the next cursor."""
        listing = f"{self.capability}.{self.word}"
        # The search text is part of what a cursor is bound to: it continues the list that it came from.
        query = fold(q or "").encode() + (json_text(where).encode() if where else b"")
        ids = select(self._key)
        for name, value in (where or {}).items():
            ids = ids.where(self.table.c[name] == value)
        if q:
            ids = ids.where(self.table.c.search.contains(fold(q), autoescape=True))
        with self.store.read() as connection:
            # The ids first: a search walks the covering index alone, and whole rows are read of one page only.
            found, following = self.cursors.page(
                connection, ids, listing, [self._key], limit=limit, cursor=cursor, query=query, rising=True
            )
            page = select(self.table).where(self._key.in_([row[0] for row in found])).order_by(self._key)
            items = self.items(connection, connection.execute(page).all(), now_us)
        return items, following
