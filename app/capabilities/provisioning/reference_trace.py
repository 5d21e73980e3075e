"""Reference traces: the last good trace of the same kind of card, to which another trace is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, func, select, true

from app.capabilities.provisioning.messages import TraceEntry
from app.capabilities.provisioning.tables import provision
from hardware.cards import tlv
from hardware.cards.piv import RID

NEWEST = 500
"""Finished cards among which the reference trace is searched: the trace of one row has about 30 KiB."""


@dataclass(frozen=True)
class CardModel:
    """A kind of card: ``name`` for people, ``template`` the property template that SELECT PIV gave, in hexadecimal."""

    name: str
    template: str


def model_of(entries: Sequence[TraceEntry]) -> CardModel | None:
    """The card's kind, by its answer to SELECT PIV (SP 800-73-5 part 2, 3.1.1); None if it gave none. The template says
    which applet the card runs and what it can do, and nothing of the single card or its holder."""
    for entry in entries:
        selects = entry.header[2:4].lower() == "a4" and (entry.data or "").lower().startswith(RID.hex())
        if not selects or entry.sw != "9000" or not entry.response:
            continue
        template = bytes.fromhex(entry.response)
        try:
            said = tlv.find(template, 0x61, 0x50)
        except tlv.TlvError:
            said = None
        label = "".join(chr(byte) for byte in said or b"" if 0x20 <= byte < 0x7F).strip()
        digest = sha256(template).hexdigest()[:8].upper()
        return CardModel(f"{label or 'PIV'} {digest}", entry.response)
    return None


def reference_trace_of(connection: Connection, row: Row[Any], model: CardModel, writer: str | None) -> str | None:
    """The provisioning of the newest other card of this model that was finished in one attempt (a resumed write leaves
    out steps). None when the ``NEWEST`` finished ones have none. ``writer``: only cards that this key wrote; None: all.
    """
    finished = (
        select(provision.c.provision_id, provision.c.started_us, provision.c.trace)
        .where(
            provision.c.state == "COMPLETE",
            provision.c.attempt == 1,
            provision.c.trace.is_not(None),
            provision.c.provision_id != row.provision_id,
            true() if writer is None else provision.c.operator == writer,
        )
        .order_by(provision.c.started_us.desc())
        .limit(NEWEST)
        .subquery()
    )
    found: str | None = connection.scalar(
        select(finished.c.provision_id)
        .where(func.instr(finished.c.trace, model.template.encode()) > 0)
        .order_by(finished.c.started_us.desc())
        .limit(1)
    )
    return found
