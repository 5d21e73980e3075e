"""Rows of the table ``provision``: how one is found, and how a column's JSON is written."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, or_, select

from app.api.operation import Caller, Clearance
from app.api.problems import Problem
from app.capabilities.provisioning.tables import provision
from app.store.tables import json_text


def find_provision(connection: Connection, node_id: str, names: Collection[str]) -> Row[Any] | None:
    """The node's newest provisioning of a card with one of these names. Refused ones do not count, nor those whose card
    was taken from the node."""
    named = [
        or_(
            provision.c.hardware_uid == name,
            provision.c.hardware_uid_now == name,
            provision.c.aliases.contains(json_text(name), autoescape=True),
        )
        for name in names
    ]
    return connection.execute(
        select(provision)
        .where(
            provision.c.node_id == node_id,
            provision.c.state != "REFUSED",
            provision.c.released_us.is_(None),
            or_(*named),
        )
        .order_by(provision.c.started_us.desc())
        .limit(1)
    ).one_or_none()


def refused_provision(connection: Connection, node_id: str, name: str) -> Row[Any] | None:
    """The node's newest provisioning that was asked for by this name and refused."""
    return connection.execute(
        select(provision)
        .where(
            provision.c.node_id == node_id,
            provision.c.state == "REFUSED",
            provision.c.released_us.is_(None),
            provision.c.hardware_uid == name,
        )
        .order_by(provision.c.started_us.desc())
        .limit(1)
    ).one_or_none()


def provision_by_guid(connection: Connection, guid: uuid.UUID | None) -> Row[Any] | None:
    """The provisioning that wrote this GUID."""
    if guid is None:
        return None
    return connection.execute(
        select(provision).where(provision.c.card_guid == str(guid)).order_by(provision.c.started_us.desc()).limit(1)
    ).one_or_none()


def provision_row(connection: Connection, provision_id: str) -> Row[Any]:
    """The row of this provisioning; 404 for an unknown one."""
    row = connection.execute(select(provision).where(provision.c.provision_id == provision_id)).one_or_none()
    if row is None:
        raise Problem("not_found", "No provisioning has this identifier; list them to find it.")
    return row


def require_writer(caller: Caller, writer: str, what: str) -> None:
    """Refuse ``what`` of a card to a key that did not write it: 403, unless its clearance is Citadel. A key keeps its
    id when it is rotated."""
    if caller.clearance is not Clearance.CITADEL and caller.key_id != writer:
        raise Problem(
            "insufficient_clearance", f"Only the key that wrote this card, or a Citadel key, may have {what}."
        )
