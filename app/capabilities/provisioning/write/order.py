"""The order for one write, and its durable row, which exists before anything is sent to the card."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Row, insert, update

from app.capabilities.provisioning.issuer.card_secrets import new_pin
from app.capabilities.provisioning.messages import FipsVerdict, ProvisionBody
from app.capabilities.provisioning.paper.pin_mailers import PIN_PURPOSE, pin_context
from app.capabilities.provisioning.readers.card_readers import CardReader
from app.capabilities.provisioning.rows import provision_row
from app.capabilities.provisioning.tables import provision
from app.capabilities.provisioning.write.card_records import keep_names
from app.capabilities.provisioning.write.journal import management_key_was_sent, was_acknowledged
from app.capabilities.provisioning.write.lookup import own_names
from app.capabilities.provisioning.write.outcome import NodeBarred
from app.capabilities.provisioning.write.reissue import Reissues
from app.registry.messages.nodes import Standing
from app.registry.nodes import NodeRow
from app.registry.service import Registry
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction
from hardware.cards.fips import FipsDemand
from hardware.cards.identify import CardIdentity

BEGIN = "provisioning.begin"
REFUSE = "provisioning.refuse"

BARRED: Mapping[Standing, str] = {"REVOKED": "burned", "SUSPENDED": "contained"}
"""Standings of nodes for which no card is written, and how messages name them."""


@dataclass(frozen=True)
class WriteOrder:
    """One write, decided without an await in between: the call, the card that was found, the row that it continues."""

    provision_id: str
    body: ProvisionBody
    card_reader: CardReader
    identity: CardIdentity
    resumed: Row[Any] | None
    demand: FipsDemand
    actor: str
    request_id: str
    batch_id: str | None = None
    freed: str | None = None
    """The provisioning from which an approved re-issue takes the card."""


def require_open(registry: Registry, tx: Transaction, node_id: str) -> NodeRow:
    """The node; raises ``NodeBarred`` if no card may be written for it."""
    node = registry.node(tx.connection, node_id)
    if node is None:
        raise NodeBarred(f"Node {node_id} was deleted; no card is written for it.", final=True)
    if node.standing in BARRED:
        sentence = f"Node {node_id} is {BARRED[node.standing]}; no card is written for it."
        raise NodeBarred(sentence, final=node.standing == "REVOKED")
    return node


def open_row(
    tx: Transaction,
    order: WriteOrder,
    verdict: FipsVerdict,
    registry: Registry,
    reissues: Reissues,
    sealer: FieldSealer,
) -> tuple[Row[Any], NodeRow, str]:
    """Makes or renews the durable row; returns it with the node and the PIN, which the row keeps sealed. A re-issue
    takes the card from its node here, and uses its approval up."""
    body, resumed, identity = order.body, order.resumed, order.identity
    node = require_open(registry, tx, body.node_id)
    pin = new_pin(body.node_id, node.employee_id or "")
    context = pin_context(order.provision_id)
    values: dict[str, object] = {
        "reader": order.card_reader.name,
        "state": "RUNNING",
        "fips": json_text(verdict),
        "operator": order.actor,
        "batch_id": order.batch_id if resumed is None else order.batch_id or resumed.batch_id,
    }
    if order.freed is not None:
        values["approver"] = reissues.release(
            tx, order.freed, to=order.provision_id, actor=order.actor, request_id=order.request_id
        )
    if resumed is None:
        values |= {
            "provision_id": order.provision_id,
            "node_id": body.node_id,
            "hardware_uid": body.hardware_uid,
            "aliases": json_text(sorted(own_names(identity))),
            "card_guid": str(uuid.uuid4()),
            "former_guid": None if identity.card_guid is None else str(identity.card_guid),
            "attempt": 1,
            "started_us": tx.now_us,
            "apdu_count": 0,
            "duration_ms": 0.0,
            "slots": "[]",
            "stages": "[]",
            "warnings": "[]",
            "weak_management_key": 0,
            "unproven": 0,
            "pin": sealer.seal(PIN_PURPOSE, pin.encode(), context),
        }
        tx.connection.execute(insert(provision).values(**values))
    else:
        if resumed.pin is not None:
            pin = sealer.open(PIN_PURPOSE, resumed.pin, context).decode()
        else:
            values["pin"] = sealer.seal(PIN_PURPOSE, pin.encode(), context)
        names = own_names(identity) | set(msgspec.json.decode(resumed.aliases, type=list[str]))
        values |= {
            "attempt": resumed.attempt + 1,
            "aliases": json_text(sorted(names)),
            "detail": None,
            "finished_us": None,
        }
        if _is_another_blank(tx, resumed, identity):
            # Any blank card will do. It gets a new GUID, because the earlier card may have taken the first one. A card
            # without GUID may be that card, torn inside its CHUID: the same old secrets may open it.
            former = resumed.former_guid if identity.card_guid is None else str(identity.card_guid)
            values |= {"card_guid": str(uuid.uuid4()), "former_guid": former}
        tx.connection.execute(update(provision).where(provision.c.provision_id == order.provision_id).values(**values))
    row = provision_row(tx.connection, order.provision_id)
    names = msgspec.json.decode(row.aliases, type=list[str])
    keep_names(tx, order.provision_id, names)
    tx.audit(
        BEGIN,
        actor=order.actor,
        node_id=body.node_id,
        request_id=order.request_id,
        detail={
            "provision_id": order.provision_id,
            "hardware_uid": body.hardware_uid,
            "reader": order.card_reader.name,
            "card_guid": row.card_guid,
            "attempt": row.attempt,
            "names": names,
            "fips": verdict.required,
        },
    )
    return row, node, pin


def _is_another_blank(tx: Transaction, resumed: Row[Any], identity: CardIdentity) -> bool:
    """Whether the card continues the record as a blank one under a new GUID. A card that may hold the management key of
    the record's GUID keeps that GUID: the key is derived from it."""
    if was_acknowledged(tx.connection, resumed.provision_id) or str(identity.card_guid) == resumed.card_guid:
        return False
    same = identity.card_guid is None or str(identity.card_guid) == resumed.former_guid
    return not (same and management_key_was_sent(tx.connection, resumed.provision_id))
