"""Nodes: the protected identities, and what other capabilities may know of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection, Row, Table, bindparam, delete, func, select

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.delivery.events import GrantHolder
from app.registry.crud import RegistryKind
from app.registry.lookalikes import alike
from app.registry.messages.nodes import DirectoryAccount, Node, NodeBody, NodeCredential, NodeTemplates, Standing
from app.registry.standing import StandingBook, causes_of, effective
from app.registry.tables import credential_profile, deny, live_check, node
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import Transaction

_CAUSES = select(func.aggregate_strings(deny.c.cause, ",")).where(deny.c.node_id == node.c.node_id)
_SEEN = select(node, _CAUSES.scalar_subquery().label("causes")).where(node.c.node_id == bindparam("of"))
_ACCOUNTS = select(node.c.directory_accounts).where(node.c.node_id == bindparam("of"))
CredentialsOf = Callable[[Connection, Sequence[str]], Mapping[str, Sequence[NodeCredential]]]
"""Gives the credentials of many nodes at once: reader grants from one capability, issued cards from another."""

TemplatesOf = Callable[[Connection, Sequence[str]], Mapping[str, Sequence[NodeTemplates]]]
"""Gives what is enrolled of many nodes at once, by node."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as capabilities see it; ``standing`` is what is true now, ``verified_us`` its last live check."""

    node_id: str
    display_name: str
    employee_id: str | None
    email: str | None
    standing: Standing
    verified_us: int | None
    tags: tuple[str, ...]


class Nodes(RegistryKind[NodeBody, Node]):
    """The kind ``nodes``."""

    word: ClassVar[str] = "node"
    table: ClassVar[Table] = node
    node_ids: ClassVar[bool] = True

    def __init__(self, store: Store, cursors: Cursors, standing: StandingBook) -> None:
        super().__init__(store, cursors)
        self._standing = standing
        self._denied: Callable[[str], Collection[str]] = lambda _node_id: ()
        self._sources: list[CredentialsOf] = []
        self._holders: list[GrantHolder] = []
        self._templates_of: TemplatesOf = lambda _connection, _node_ids: {}

    def connect_denials(self, denied: Callable[[str], Collection[str]]) -> None:
        """Shows the standing with the causes of ``denied`` beside those of the deny rows. Before start only."""
        self._denied = denied

    def add_source(self, source: CredentialsOf) -> None:
        """Shows the credentials that ``source`` knows in each node's reply. Before start only."""
        self._sources.append(source)

    def add_holder(self, holder: GrantHolder) -> None:
        """Lets ``holder`` keep a node from being deleted while it holds grants of it. Before start only."""
        self._holders.append(holder)

    def connect_templates(self, templates_of: TemplatesOf) -> None:
        """Shows what is enrolled in each node's reply, and keeps such a node from being deleted. Before start only."""
        self._templates_of = templates_of

    def look_up(self, connection: Connection, node_id: str, now_us: int) -> NodeRow | None:
        """As ``find``, with what denies the node in memory: a burn or containment that the store has not taken yet."""
        return self.find(connection, node_id, now_us, self._denied(node_id))

    def find(self, connection: Connection, node_id: str, now_us: int, denied: Collection[str] = ()) -> NodeRow | None:
        """The node as the rows have it at ``now_us``, or None; ``denied``: causes beside those of its deny rows."""
        row = connection.execute(_SEEN, {"of": node_id}).one_or_none()
        if row is None:
            return None
        causes = {*(row.causes.split(",") if row.causes else ()), *denied}
        return NodeRow(
            node_id=row.node_id,
            display_name=row.display_name,
            employee_id=row.employee_id,
            email=row.email,
            standing=effective(row.standing, row.verified_us, causes, now_us, self._standing.window_us),
            verified_us=row.verified_us,
            tags=tuple(msgspec.json.decode(row.tags, type=list[str])),
        )

    def accounts(self, connection: Connection, node_id: str) -> list[tuple[str, str]]:
        """Directory and account of each directory account of the node; none for a node that is not registered."""
        stored = connection.scalar(_ACCOUNTS, {"of": node_id})
        if stored is None:
            return []
        return [(one.directory_id, one.account) for one in msgspec.json.decode(stored, type=list[DirectoryAccount])]

    def name_of(self, body: NodeBody) -> str:
        return body.display_name

    def values(self, body: NodeBody) -> dict[str, Any]:
        return {
            "display_name": body.display_name,
            "employee_id": body.employee_id,
            "email": body.email,
            "notes": body.notes,
            "directory_accounts": json_text(body.directory_accounts),
            "tags": json_text(body.tags),
        }

    def made_values(self) -> dict[str, Any]:
        return {"standing": "UNVERIFIED"}

    def check(self, item_id: str, body: NodeBody) -> None:
        del item_id
        seen: set[tuple[str, str]] = set()
        for index, account in enumerate(body.directory_accounts):
            name = (account.directory_id, account.account)
            if name in seen:
                raise invalid_field(f"/directory_accounts/{index}", "Name each account of a directory once.")
            seen.add(name)

    def check_in(self, tx: Transaction, item_id: str, body: NodeBody) -> None:
        del body
        if self.row(tx.connection, item_id) is not None:
            return
        other = alike(tx.connection, item_id)
        if other is not None:
            raise Problem(
                "state_conflict",
                f"{item_id} looks like {other}, which is registered or denied here: people would take one for the "
                "other. Choose another id.",
            )

    def delete_parts(self, tx: Transaction, item_id: str) -> None:
        # Through the transaction: no other connection sees yet what an earlier job of the same commit enrolled.
        if enrolled := self._templates_of(tx.connection, [item_id]).get(item_id):
            names = ", ".join(one.registry_id for one in enrolled)
            raise Problem(
                "state_conflict", f"Node {item_id} is enrolled in {names}; erase its templates, then delete it."
            )
        profiles = tx.connection.scalars(
            select(credential_profile.c.profile_id).where(credential_profile.c.node_id == item_id).limit(5)
        ).all()
        held = [holding for holder in self._holders for holding in holder.holdings(item_id) if holding.count]
        if held:
            what = ", ".join(f"{holding.count} of {holding.display_name}" for holding in held[:5])
            raise Problem("state_conflict", f"Node {item_id} still holds {what}; burn it first, then delete it.")
        if profiles:
            names = ", ".join(profiles)
            raise Problem("state_conflict", f"Credential profiles name node {item_id} ({names}); delete them first.")
        tx.connection.execute(delete(live_check).where(live_check.c.node_id == item_id))

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Node]:
        ids = [row.node_id for row in rows]
        causes = causes_of(connection, ids)
        checks = self._standing.checks(connection, ids)
        templates = self._templates_of(connection, ids)
        credentials: dict[str, list[NodeCredential]] = {}
        for source in self._sources:
            for node_id, found in source(connection, ids).items():
                credentials.setdefault(node_id, []).extend(found)
        window_us = self._standing.window_us
        return [
            Node(
                node_id=row.node_id,
                display_name=row.display_name,
                employee_id=row.employee_id,
                email=row.email,
                notes=row.notes,
                directory_accounts=msgspec.json.decode(row.directory_accounts, type=list[DirectoryAccount]),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                standing=effective(
                    row.standing,
                    row.verified_us,
                    {*causes.get(row.node_id, ()), *self._denied(row.node_id)},
                    now_us,
                    window_us,
                ),
                verified_at=None if row.verified_us is None else rfc3339(row.verified_us),
                credentials=_once(credentials.get(row.node_id, [])),
                live_checks=checks.get(row.node_id, []),
                templates=list(templates.get(row.node_id, ())),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]


def _once(found: Sequence[NodeCredential]) -> list[NodeCredential]:
    """A card that a profile grants is one credential that two sources report: the profile's report says more about
    it."""
    granted = {credential.card_guid for credential in found if credential.profile is not None}
    return [
        credential
        for credential in found
        if credential.profile is not None or credential.card_guid is None or credential.card_guid not in granted
    ]
