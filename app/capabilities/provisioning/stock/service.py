"""The stock of secure elements: the product, the declared validation, and the transport keys of each.

An element's row follows its card: ``issued`` when a write has succeeded, ``quarantined`` when the card refused it.
Transport keys are sealed and are never given out; they are tried on a card before the published factory values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection, Row, Table, func, select, update

from app.api.problems import Problem, invalid_field
from app.api.wire import SecretState, rfc3339
from app.capabilities.provisioning.stock.messages import (
    ChannelKeys,
    ChannelMaster,
    Element,
    ElementBody,
    ElementCounts,
    ElementListQuery,
    ElementPage,
    ImportBody,
    ImportReply,
    Transport,
    Validation,
)
from app.capabilities.provisioning.tables import element, provision
from app.registry.crud import RegistryKind, fold
from app.store.tables import json_text
from app.store.writer import Transaction
from hardware.cards.scp03 import DiversifiedKeys, KeySource, StaticKeys

TRANSPORT_PURPOSE = "element.transport"
FOLLOW = "provisioning.element_state"


class Stock(RegistryKind[ElementBody, Element]):
    """The rows. Ids are lower case, as cards name themselves."""

    word: ClassVar[str] = "element"
    capability: ClassVar[str] = "provisioning"
    table: ClassVar[Table] = element

    def name_of(self, body: ElementBody) -> str:
        return "\n".join(part for part in (body.product, body.location) if part)

    def values(self, body: ElementBody) -> dict[str, Any]:
        return {
            "product": body.product,
            "location": body.location,
            "state": body.state,
            "validation": None if body.validation is None else json_text(body.validation),
            # The reason of a quarantine ends with the state.
            **({} if body.state == "quarantined" and body.detail is None else {"detail": _reason(body)}),
        }

    def put_in(
        self, tx: Transaction, item_id: str, body: ElementBody, actor: str, request_id: str | None = None
    ) -> tuple[Element, bool]:
        if body.state is None:
            row = self.row(tx.connection, item_id)
            body = msgspec.structs.replace(body, state="in_stock" if row is None else row.state)
        return super().put_in(tx, item_id, body, actor, request_id)

    def write_parts(self, tx: Transaction, item_id: str, body: ElementBody, made: bool) -> list[str]:
        if body.transport is None:
            return []
        none = body.transport == Transport()
        row = self.row(tx.connection, item_id)
        if (none and (row is None or row.transport is None)) or (
            row is not None and row.transport is not None and self._transport(row) == body.transport
        ):
            return []
        sealed = self.store.sealer.seal(TRANSPORT_PURPOSE, msgspec.json.encode(body.transport), _context(item_id))
        values = {"transport": None if none else sealed, "transport_us": tx.now_us}
        tx.connection.execute(update(element).where(element.c.element_id == item_id).values(**values))
        del made
        return ["transport"]

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Element]:
        del now_us
        wanted = [row.provision_id for row in rows if row.provision_id is not None]
        columns = (provision.c.provision_id, provision.c.node_id, provision.c.started_us, provision.c.finished_us)
        found = connection.execute(select(*columns).where(provision.c.provision_id.in_(wanted))).all() if wanted else ()
        written = {one.provision_id: (one.node_id, rfc3339(one.finished_us or one.started_us)) for one in found}
        return [
            Element(
                hardware_uid=row.element_id,
                product=row.product,
                location=row.location,
                state=row.state,
                validation=None if row.validation is None else msgspec.json.decode(row.validation, type=Validation),
                transport=SecretState(
                    set=row.transport is not None,
                    changed_at=None if row.transport_us is None else rfc3339(row.transport_us),
                ),
                provision_id=row.provision_id,
                node_id=written.get(row.provision_id, (None, None))[0],
                written_at=written.get(row.provision_id, (None, None))[1],
                detail=row.detail,
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]

    def listing(self, query: ElementListQuery, now_us: int) -> ElementPage:
        """A page of what ``q`` and ``state`` find; the first one with the counts of all that ``q`` finds."""
        where = {} if query.state is None else {"state": query.state}
        items, after = self.page(query.q, query.limit, query.cursor, now_us, where)
        return ElementPage(items=items, next=after, counts=None if query.cursor else self._counts(query.q))

    def _counts(self, q: str | None) -> ElementCounts:
        counted = select(element.c.state, func.count().label("number")).group_by(element.c.state)
        if q:
            counted = counted.where(element.c.search.contains(fold(q), autoescape=True))
        with self.store.read() as connection:
            return ElementCounts(**{row.state: row.number for row in connection.execute(counted)})

    async def take_in(self, body: ImportBody, *, actor: str, request_id: str) -> ImportReply:
        """Makes or replaces all the rows in one transaction; 422 that names the first wrong one."""
        seen: set[str] = set()
        for index, row in enumerate(body.rows):
            uid = row.hardware_uid.lower()
            if uid in seen:
                raise invalid_field(f"/rows/{index}/hardware_uid", "This element is in the list twice; name it once.")
            seen.add(uid)

        def job(tx: Transaction) -> int:
            put = [self.put_in(tx, row.hardware_uid.lower(), row, actor, request_id)[1] for row in body.rows]
            return sum(put)

        made = await self.store.writer.run(job)
        return ImportReply(made=made, changed=len(body.rows) - made)

    # --- for writes ---

    def of(self, connection: Connection, names: Collection[str]) -> Row[Any] | None:
        """The element that answers to one of a card's names."""
        lower = sorted({name.lower() for name in names if not name.startswith("reader:")})
        found = select(element).where(element.c.element_id.in_(lower)).order_by(element.c.element_id).limit(1)
        return connection.execute(found).one_or_none()

    def usable(self, connection: Connection, names: Collection[str]) -> Row[Any] | None:
        """As ``of``; 409 with the remedy for an element that must not be written."""
        row = self.of(connection, names)
        if row is not None and row.state in ("quarantined", "retired"):
            why = f" ({row.detail.rstrip('.')})" if row.detail else ""
            sentence = f"Element {row.element_id} is {row.state} in the stock{why}; release it there or use another."
            raise Problem("state_conflict", sentence)
        return row

    def transport(self, connection: Connection, names: Collection[str]) -> Transport:
        """The element's transport keys."""
        row = self.of(connection, names)
        return Transport() if row is None or row.transport is None else self._transport(row)

    def follow(
        self, tx: Transaction, names: Collection[str], provision_id: str, *, issued: bool, detail: str | None = None
    ) -> None:
        """Sets the element's state after a write of its card has ended."""
        row = self.of(tx.connection, names)
        if row is None:
            return
        state = "issued" if issued else "quarantined"
        values: dict[str, Any] = {
            "state": state,
            "provision_id": provision_id,
            "detail": detail,
            "changed_us": tx.now_us,
        }
        if issued:
            # The card has the site's PIV secrets now, so its transport secrets are gone. Channel keys stay.
            kept = Transport(scp03=self.transport(tx.connection, names).scp03)
            sealed = self.store.sealer.seal(TRANSPORT_PURPOSE, msgspec.json.encode(kept), _context(row.element_id))
            if row.transport is not None:
                values |= {"transport": sealed if kept.scp03 else None, "transport_us": tx.now_us}
        tx.connection.execute(update(element).where(element.c.element_id == row.element_id).values(**values))
        if row.state != state:
            facts = {"id": row.element_id, "state": state, "provision_id": provision_id}
            tx.audit(FOLLOW, actor="service", detail=facts)

    def _transport(self, row: Row[Any]) -> Transport:
        raw = self.store.sealer.open(TRANSPORT_PURPOSE, row.transport, _context(row.element_id))
        return msgspec.json.decode(raw, type=Transport)


def key_source(keys: ChannelKeys) -> KeySource:
    """The channel keys as ``hardware.cards.scp03`` takes them."""
    if isinstance(keys, ChannelMaster):
        return DiversifiedKeys(bytes.fromhex(keys.key), keys.version)
    three = bytes.fromhex(keys.keys)
    size = len(three) // 3
    return StaticKeys(three[:size], three[size : 2 * size], three[2 * size :], keys.version)


def _reason(body: ElementBody) -> str | None:
    return body.detail if body.state == "quarantined" else None


def _context(element_id: str) -> bytes:
    return f"element.transport|{element_id}".encode()
