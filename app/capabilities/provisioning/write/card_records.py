"""All records of one card: found by the names that it cannot lose, and by the GUIDs that the site gave it."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, insert, or_, select

from app.capabilities.provisioning.tables import card_name, provision, refused_key
from app.capabilities.provisioning.write.journal import chuid_was_acknowledged, was_acknowledged
from app.store.writer import Transaction
from hardware.cards.identify import CardIdentity


def keep_names(tx: Transaction, provision_id: str, names: Collection[str]) -> None:
    """Records names of the card of this provisioning, each once."""
    _keep_once(tx, card_name.c.name, provision_id, names)


def lasting_names(identity: CardIdentity) -> set[str]:
    """The names that no reset takes from the card: serial number, chip."""
    names = {identity.chip, None if identity.serial is None else str(identity.serial)}
    return {name for name in names if name is not None}


def records_of(
    connection: Connection, identity: CardIdentity, written_as: uuid.UUID | None = None
) -> Sequence[Row[Any]]:
    """The card's records, newest first: those of its serial number or chip, that of its GUID, and those of the GUIDs
    that it had before, as far back as the site gave them; ``written_as``: also of the record that is being written.

    A GUID that the site did not give is a name only for a card without a better one, and only until a CHUID of the site
    was acknowledged: makers give one GUID to many cards.
    """
    found = {row.provision_id: row for row in _rows_by_name(connection, lasting_names(identity))}
    guid = None if identity.card_guid is None else str(identity.card_guid)
    if guid is not None and not lasting_names(identity):
        for row in _rows_by_name(connection, {guid}):
            if not chuid_was_acknowledged(connection, row.provision_id):
                found[row.provision_id] = row
    seen: set[str] = set()
    open_ends = [one for one in (guid, None if written_as is None else str(written_as)) if one is not None]
    while open_ends:
        one = open_ends.pop()
        if one in seen:
            continue
        seen.add(one)
        rows = connection.execute(select(provision).where(provision.c.card_guid == one)).all()
        found.update({row.provision_id: row for row in rows})
        open_ends += [row.former_guid for row in rows if row.former_guid is not None]
    return sorted(found.values(), key=lambda row: (row.started_us, row.provision_id), reverse=True)


def record_before_reset(connection: Connection, identity: CardIdentity, records: Sequence[Row[Any]]) -> Row[Any] | None:
    """The newest record of a person's card that this very card held before it was reset: its serial number or chip is
    the same, its GUID is not. None where no such record holds any more."""
    if not lasting_names(identity):
        return None
    for row in records:
        if row.card_guid == str(identity.card_guid) or row.released_us is not None or row.state == "REFUSED":
            continue
        if row.state == "COMPLETE" or was_acknowledged(connection, row.provision_id):
            return row
    return None


def keep_refused_keys(tx: Transaction, provision_id: str, marks: Collection[str]) -> None:
    """Records the marks of the management keys that the card of this provisioning refused, each once."""
    _keep_once(tx, refused_key.c.mark, provision_id, marks)


def refused_keys(connection: Connection, provision_ids: Collection[str]) -> set[str]:
    """Marks of the management keys that the card of these provisionings refused."""
    of_them = select(refused_key.c.mark).where(refused_key.c.provision_id.in_(sorted(provision_ids)))
    return set(connection.scalars(of_them))


def former_records(connection: Connection, row: Row[Any], identity: CardIdentity) -> Sequence[Row[Any]]:
    """The other records of the card of ``row`` that may still hold something."""
    rows = list(records_of(connection, identity))
    if row.former_guid is not None:
        rows += connection.execute(select(provision).where(provision.c.card_guid == row.former_guid)).all()
    others = {one.provision_id: one for one in rows if one.provision_id != row.provision_id}
    return [one for one in others.values() if one.node_id == row.node_id or one.card_guid == row.former_guid]


def _keep_once(tx: Transaction, column: Column[str], provision_id: str, values: Collection[str]) -> None:
    """Adds a row of the column's table for each value that this provisioning does not have there yet."""
    of_it = column.table.c.provision_id == provision_id
    known = set(tx.connection.scalars(select(column).where(of_it)))
    rows = [{"provision_id": provision_id, column.name: value} for value in sorted(set(values) - known)]
    if rows:
        tx.connection.execute(insert(column.table), rows)


def _rows_by_name(connection: Connection, names: Collection[str]) -> Sequence[Row[Any]]:
    if not names:
        return ()
    of_names = select(card_name.c.provision_id).where(or_(*(card_name.c.name == name for name in sorted(names))))
    return connection.execute(select(provision).where(provision.c.provision_id.in_(of_names))).all()
