"""Terminals: palm scanners and screens that show the rotating code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import msgspec
from sqlalchemy import Connection, Row, Table, select

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.registry.crud import RegistryKind
from app.registry.jwk import public_key, thumbprint
from app.registry.messages.jwk import EncryptionJwk, Jwk
from app.registry.messages.terminals import Terminal, TerminalBody, TerminalBundle
from app.registry.tables import reader_cluster, terminal
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import Transaction
from hardware.terminals.keystone import terminal_tag

KEYED = "key:"
"""The prefix before an API key's id where a call names no terminal: no registered terminal's id begins so."""
BundlesOf = Callable[[Connection, Sequence[str], int], Mapping[str, TerminalBundle]]
"""Gives what many terminals (ids) may hold of bundles at a time (Unix microseconds), by terminal."""
HasRegistry = Callable[[Connection, str], bool]
"""Whether there is a template registry of this id."""


@dataclass(frozen=True, slots=True)
class TerminalRow:
    """A terminal as the judge of its frames needs it; ``cluster_id`` None: it may search everybody."""

    terminal_id: str
    kind: Literal["palm", "keystone"]
    public_key: Jwk | None
    encryption_key: EncryptionJwk | None
    registry_id: str
    cluster_id: str | None
    liveness_min: int
    offline: bool
    slow_link: bool
    legacy: bool


class Terminals(RegistryKind[TerminalBody, Terminal]):
    """The kind ``terminals``."""

    word: ClassVar[str] = "terminal"
    table: ClassVar[Table] = terminal

    def __init__(self, store: Store, cursors: Cursors) -> None:
        super().__init__(store, cursors)
        self._bundles_of: BundlesOf = lambda _connection, _terminal_ids, _now_us: {}
        self._has_registry: HasRegistry = lambda _connection, _registry_id: True

    def connect_templates(self, *, bundles_of: BundlesOf, has_registry: HasRegistry) -> None:
        """Shows in each terminal's reply which bundles it may hold, and refuses template registries that are not there.
        Before start only."""
        self._bundles_of = bundles_of
        self._has_registry = has_registry

    def require(self, connection: Connection, terminal_id: str) -> TerminalRow:
        """The terminal as ``connection`` sees it; 404 with the remedy."""
        row = self.row(connection, terminal_id)
        if row is None:
            raise Problem("not_found", f"No terminal {terminal_id} is registered; register it and try again.")
        return self._terminal(row)

    def find_by_tag(self, connection: Connection, tag: bytes) -> TerminalRow | None:
        """The terminal that frames name by this tag (4 bytes), or None."""
        for terminal_id in connection.scalars(select(terminal.c.terminal_id)):
            if terminal_tag(terminal_id) == tag:
                return self.require(connection, terminal_id)
        return None

    @staticmethod
    def _terminal(row: Row[Any]) -> TerminalRow:
        """The row with its keys decoded."""
        return TerminalRow(
            terminal_id=row.terminal_id,
            kind=row.kind,
            public_key=_jwk(row.public_key),
            encryption_key=_encryption_jwk(row.encryption_key),
            registry_id=row.registry_id,
            cluster_id=row.cluster_id,
            liveness_min=row.liveness_min,
            offline=bool(row.offline),
            slow_link=bool(row.slow_link),
            legacy=bool(row.legacy),
        )

    def name_of(self, body: TerminalBody) -> str:
        return body.display_name or ""

    def check(self, item_id: str, body: TerminalBody) -> None:
        if item_id.startswith(KEYED):
            raise invalid_field("", f"Identifiers that begin with {KEYED} stand for API keys; choose another.")
        for name, jwk in (("public_key", body.public_key), ("encryption_key", body.encryption_key)):
            try:
                if jwk is not None:
                    public_key(jwk)
            except ValueError as error:
                raise invalid_field(f"/{name}", f"This is no usable public key: {error}.") from error
        if body.kind == "palm" and body.public_key is None and not body.legacy:
            raise invalid_field(
                "/public_key", "A palm terminal signs its frames: give its public key, or mark it legacy."
            )
        if body.offline and body.encryption_key is None:
            raise invalid_field(
                "/encryption_key", "What a terminal needs offline is sealed to it: give its encryption key."
            )

    def values(self, body: TerminalBody) -> dict[str, Any]:
        return {
            "kind": body.kind,
            "display_name": body.display_name,
            "public_key": None if body.public_key is None else json_text(body.public_key),
            "thumbprint": None if body.public_key is None else thumbprint(body.public_key),
            "encryption_key": None if body.encryption_key is None else json_text(body.encryption_key),
            "registry_id": body.registry_id,
            "cluster_id": body.cluster,
            "liveness_min": body.liveness_min,
            "offline": int(body.offline),
            "slow_link": int(body.slow_link),
            "legacy": int(body.legacy),
            "tags": json_text(body.tags),
        }

    def check_in(self, tx: Transaction, item_id: str, body: TerminalBody) -> None:
        if body.cluster is not None:
            known = tx.connection.scalar(
                select(reader_cluster.c.cluster_id).where(reader_cluster.c.cluster_id == body.cluster)
            )
            if known is None:
                raise Problem("not_found", f"No reader cluster {body.cluster} is registered; register it first.")
        if not self._has_registry(tx.connection, body.registry_id):
            raise invalid_field("/registry_id", f"No template registry {body.registry_id} exists; make it first.")
        if body.public_key is None:
            return
        other = tx.connection.scalar(
            select(terminal.c.terminal_id).where(
                terminal.c.thumbprint == thumbprint(body.public_key), terminal.c.terminal_id != item_id
            )
        )
        if other is not None:
            raise Problem("state_conflict", f"Terminal {other} already signs with this key; make a key of its own.")

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Terminal]:
        bundles = self._bundles_of(connection, [row.terminal_id for row in rows], now_us)
        return [
            Terminal(
                terminal_id=row.terminal_id,
                kind=row.kind,
                display_name=row.display_name,
                public_key=_jwk(row.public_key),
                thumbprint=row.thumbprint,
                encryption_key=_encryption_jwk(row.encryption_key),
                registry_id=row.registry_id,
                cluster=row.cluster_id,
                liveness_min=row.liveness_min,
                offline=bool(row.offline),
                slow_link=bool(row.slow_link),
                legacy=bool(row.legacy),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
                bundle=bundles.get(row.terminal_id),
            )
            for row in rows
        ]


def _jwk(stored: str | None) -> Jwk | None:
    return None if stored is None else msgspec.json.decode(stored, type=Jwk)


def _encryption_jwk(stored: str | None) -> EncryptionJwk | None:
    return None if stored is None else msgspec.json.decode(stored, type=EncryptionJwk)
