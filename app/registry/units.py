"""Units: machines that sign with their own key (gateway, telemetry)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection, Row, Table, select

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.registry.crud import RegistryKind
from app.registry.jwk import public_key, thumbprint
from app.registry.messages.jwk import Jwk
from app.registry.messages.units import Unit, UnitBody
from app.registry.tables import unit
from app.store.tables import json_text
from app.store.writer import Transaction


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
