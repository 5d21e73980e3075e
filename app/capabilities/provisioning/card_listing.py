"""Cards as callers see them: what the reader tells of a card, joined with what the site's records say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row

from app.api.wire import rfc3339
from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.messages import Card
from app.capabilities.provisioning.messages import (
    CardState as CardStateName,
)
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders
from app.capabilities.provisioning.rows import provision_by_guid
from app.capabilities.provisioning.stock.service import Stock
from app.capabilities.provisioning.write.card_records import record_before_reset, records_of
from app.capabilities.provisioning.write.lookup import own_names
from app.registry.service import Registry
from app.store.engine import Store
from hardware.cards.identify import CardIdentity, CardState


@dataclass(frozen=True)
class CardStanding:
    """What a card is worth. ``detail``: why; ``node_id``: whose it is, or was; ``provision_id``: the record that says
    so."""

    state: CardStateName
    detail: str | None = None
    node_id: str | None = None
    provision_id: str | None = None

    @property
    def takes_any_line(self) -> bool:
        """Whether it may be written for anybody: blank, and nobody's before."""
        return self.state == "blank" and self.node_id is None


class CardListing:
    """Reads readers and records; changes neither. Safe on any thread."""

    def __init__(self, store: Store, registry: Registry, readers: CardReaders, stock: Stock) -> None:
        self._store = store
        self._registry = registry
        self._readers = readers
        self._stock = stock

    def standing(self, identity: CardIdentity) -> CardStanding:
        """The card's state by the card and by the records: what was torn, refused or revoked is never provisioned."""
        seen = CardStanding(identity.state.value, identity.detail, identity.node_id)
        if identity.state in (CardState.BUSY, CardState.NOT_PIV, CardState.FOREIGN):
            return seen
        with self._store.read() as connection:
            record = provision_by_guid(connection, identity.card_guid)
            if record is not None:
                return self._by_record(connection, seen, record)
            records = records_of(connection, identity)
            before = record_before_reset(connection, identity, records)
            if before is not None:
                detail = f"it was written for node {before.node_id} ({before.provision_id}) and reset since"
                return replace(seen, detail=detail, node_id=before.node_id, provision_id=before.provision_id)
            if identity.state is CardState.BLANK and records and records[0].state == "REFUSED":
                return CardStanding("refused", records[0].detail, None, records[0].provision_id)
            element = self._stock.of(connection, own_names(identity))
        if identity.state is CardState.BLANK and element is not None and element.state != "in_stock":
            why = f" ({element.detail.rstrip('.')})" if element.detail else ""
            return replace(seen, detail=f"the stock says {element.state}{why}; a batch takes what is in stock alone")
        if identity.state is CardState.PROVISIONED:
            return replace(seen, state="refused", detail="it is this site's, but no record here knows it")
        return seen

    def _by_record(self, connection: Connection, seen: CardStanding, record: Row[Any]) -> CardStanding:
        """The state of a card whose GUID is that of a record."""
        told = replace(seen, node_id=record.node_id, provision_id=record.provision_id)
        if record.released_us is not None:
            # Nobody's now: the call that the re-issue was for may write it.
            return replace(told, state="revoked", node_id=None, detail="an approved re-issue took it from its node")
        if record.state == "REFUSED":
            return replace(told, state="refused", detail=record.detail)
        if seen.state == "locked":
            heals = record.state == "COMPLETE"
            return replace(told, detail="the PIN is blocked; a PIN reset heals it" if heals else seen.detail)
        if record.state != "COMPLETE":
            return replace(told, state="torn", detail=record.detail)
        node = self._registry.node(connection, record.node_id)
        if node is not None and node.standing == "REVOKED":
            return replace(told, state="revoked", detail=f"node {record.node_id} is burned")
        if not certificates.any_valid(connection, record.provision_id):
            return replace(told, state="revoked", detail="its certificates are revoked")
        return told

    def card(self, card_reader: CardReader) -> Card:
        """The reader and its card as the wire's message."""
        found = card_reader.identity
        standing = None if found is None else self.standing(found)
        state: CardStateName | None = None if standing is None else standing.state
        detail = card_reader.fault if standing is None else standing.detail
        if card_reader.writing is not None:
            state, detail = "busy", f"being written ({card_reader.writing})"
        last_error = self._readers.last_error(card_reader.name)
        return Card(
            reader=card_reader.name,
            present=card_reader.present,
            simulated=card_reader.simulated,
            atr=card_reader.atr.hex().upper() or None,
            hardware_uid=None if found is None else found.hardware_uid,
            uid_source=None if found is None else found.uid_source.value,
            aliases=[] if found is None else list(found.aliases),
            card_guid=None if found is None or found.card_guid is None else str(found.card_guid),
            node_id=None if standing is None else standing.node_id,
            provision_id=None if standing is None else standing.provision_id,
            state=state,
            pin_tries=None if found is None else found.pin_tries,
            detail=detail,
            silent_s=round(self._readers.silent_s(card_reader.name), 1),
            last_error=None if last_error is None else last_error.words,
            last_error_at=None if last_error is None else rfc3339(last_error.at_us),
        )
