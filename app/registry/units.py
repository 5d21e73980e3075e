"""Units: machines that sign with their own key (gateway, telemetry)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import msgspec
from sqlalchemy import Connection, Row, Table, select

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.registry.crud import RegistryKind
from app.registry.jwk import public_key, thumbprint
from app.registry.messages.jwk import Jwk
from app.registry.messages.units import CONSOLE_LAUNCH, Unit, UnitBody
from app.registry.tables import unit
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import Transaction

REKEYS: Final = 3
REKEYS_WITHIN_US: Final = 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class UnitKey:
    """The registered key of a unit and what it may do; ``thumbprint`` as of RFC 7638."""

    unit_id: str
    public_key: Jwk
    thumbprint: str
    actions: frozenset[str]


class Units(RegistryKind[UnitBody, Unit]):
    """The kind ``units``."""

    word: ClassVar[str] = "unit"
    table: ClassVar[Table] = unit

    def __init__(self, store: Store, cursors: Cursors) -> None:
        super().__init__(store, cursors)
        self._rekeyed: dict[str, list[int]] = {}
        """Times of the last new keys, by unit. On the writer's thread alone."""

    def key(self, unit_id: str) -> UnitKey | None:
        """The key of the unit as committed, or None."""
        with self.store.read() as connection:
            return self.key_in(connection, unit_id)

    def key_in(self, connection: Connection, unit_id: str) -> UnitKey | None:
        """As ``key``, as ``connection`` sees it."""
        row = self.row(connection, unit_id)
        if row is None:
            return None
        return UnitKey(
            unit_id=row.unit_id,
            public_key=msgspec.json.decode(row.public_key, type=Jwk),
            thumbprint=row.thumbprint,
            actions=frozenset(msgspec.json.decode(row.actions, type=list[str])),
        )

    def name_of(self, body: UnitBody) -> str:
        return body.display_name or ""

    def check(self, item_id: str, body: UnitBody) -> None:
        del item_id
        try:
            public_key(body.public_key)
        except ValueError as error:
            raise invalid_field("/public_key", f"This is no usable public key: {error}.") from error

    def values(self, body: UnitBody) -> dict[str, Any]:
        return {
            "public_key": json_text(body.public_key),
            "thumbprint": thumbprint(body.public_key),
            "actions": json_text(body.actions),
            "display_name": body.display_name,
            "tags": json_text(body.tags),
        }

    def check_in(self, tx: Transaction, item_id: str, body: UnitBody) -> None:
        other = tx.connection.scalar(
            select(unit.c.unit_id).where(unit.c.thumbprint == thumbprint(body.public_key), unit.c.unit_id != item_id)
        )
        if other is not None:
            raise Problem("state_conflict", f"Unit {other} already signs with this key; make a key of its own.")
        known = self.row(tx.connection, item_id)
        if known is not None and known.thumbprint != thumbprint(body.public_key):
            self._allow_key(item_id, tx.now_us)

    def _allow_key(self, unit_id: str, now_us: int) -> None:
        """Refuse another key for a unit that has had ``REKEYS`` new ones within a minute (429): two machines under one
        name would take it from each other for ever, and each time leaves a leaf for ever."""
        recent = [at_us for at_us in self._rekeyed.get(unit_id, ()) if at_us > now_us - REKEYS_WITHIN_US]
        if len(recent) >= REKEYS:
            wait_us = recent[-REKEYS] + REKEYS_WITHIN_US - now_us
            raise Problem(
                "rate_limited",
                f"Unit {unit_id} has had {REKEYS} new keys within a minute: wait, and give each of two machines that "
                "share this name a name of its own.",
                headers={"Retry-After": str(-(-wait_us // 1_000_000))},
            )
        self._rekeyed[unit_id] = [*recent, now_us]

    def left_behind(self, connection: Connection, before_us: int) -> list[str]:
        """Ids of the units of consoles' launches that were last changed before ``before_us``."""
        tagged = select(unit.c.unit_id).where(unit.c.tags.contains(json_text(CONSOLE_LAUNCH)))
        return list(connection.execute(tagged.where(unit.c.changed_us < before_us)).scalars())

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Unit]:
        del connection, now_us
        return [
            Unit(
                unit_id=row.unit_id,
                public_key=msgspec.json.decode(row.public_key, type=Jwk),
                thumbprint=row.thumbprint,
                actions=msgspec.json.decode(row.actions, type=list[str]),
                display_name=row.display_name,
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]
