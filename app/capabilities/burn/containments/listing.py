"""Containments read from their rows: one, and a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.burn.messages import Containment, ContainmentListQuery, ContainmentPage
from app.capabilities.burn.tables import containment
from app.registry.tables import node
from app.store.cursor import Cursors
from app.store.engine import Store

_LISTING = "containments"
# Made once: asked at every call.
_ONE = select(containment).where(containment.c.containment_id == bindparam("one"))


class ContainmentListing:
    """Reads alone."""

    def __init__(self, store: Store, cursors: Cursors) -> None:
        self._store = store
        self._cursors = cursors

    def get(self, containment_id: str) -> Containment:
        """The containment as durable; 404 if there is none."""
        with self._store.read() as connection:
            return containment_items(connection, [stored_row(connection, containment_id)])[0]

    def page(self, query: ContainmentListQuery) -> ContainmentPage:
        """Containments, newest first. Any thread."""
        bound = f"{query.node_id or ''}\n{query.cause or ''}\n{query.state or ''}".encode()
        wanted = select(containment)
        if query.node_id is not None:
            wanted = wanted.where(containment.c.node_id == query.node_id)
        if query.cause is not None:
            wanted = wanted.where(containment.c.cause == query.cause)
        open_ = containment.c.ended_us.is_(None)
        wanted = wanted.where(open_ if query.state is None else containment.c.state == query.state)
        key = [containment.c.number]
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection, wanted, _LISTING, key, limit=query.limit, cursor=query.cursor, query=bound
            )
            items = containment_items(connection, rows)
        return ContainmentPage(items=items, next=following)


def stored_row(connection: Connection, containment_id: str) -> Row[Any]:
    """The row of this id; 404 if there is none."""
    row = connection.execute(_ONE, {"one": containment_id}).one_or_none()
    if row is None:
        raise Problem("not_found", f"There is no containment {containment_id}; check the identifier.")
    return row


def containment_items(connection: Connection, rows: Sequence[Row[Any]]) -> list[Containment]:
    """These rows on the wire, with their nodes' names."""
    nodes = select(node.c.node_id, node.c.display_name).where(node.c.node_id.in_([row.node_id for row in rows]))
    names: dict[str, str] = {row.node_id: row.display_name for row in connection.execute(nodes)}
    return [
        Containment(
            containment_id=row.containment_id,
            node_id=row.node_id,
            display_name=names.get(row.node_id),
            state=row.state,
            cause=row.cause,
            message=row.message,
            actor=row.actor,
            since=rfc3339(row.created_us),
            until=None if row.until_us is None else rfc3339(row.until_us),
            ended_at=None if row.ended_us is None else rfc3339(row.ended_us),
            ended_by=row.ended_by,
            burn_id=row.burn_id,
        )
        for row in rows
    ]
