"""Receipts: what was written on which card, signed by the site, verifiable without it. The format is in ``README.md``.

A receipt is a flattened JWS (RFC 7515, 7.2.2; EdDSA, RFC 8037) whose ``x5c`` leads to the site's root. It is made once,
in the transaction that finishes the card, and names the node, never the person.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from app.api.problems import Problem
from app.api.wire import rfc3339, unix_us
from app.capabilities.provisioning.messages import Receipt, ReceiptListQuery, SlotReply
from app.capabilities.provisioning.rows import provision_row
from app.capabilities.provisioning.tables import provision, provision_step
from app.pki.document_signer import DocumentSigner
from app.store.engine import Store
from hardware.cards.pin_reset import RESET
from hardware.cards.steps import draw_names

TYPE = "arc-receipt+jws"
CSV_LIMIT = 10_000
"""Most lines of one CSV; a longer list must be asked for in parts, by time."""
COLUMNS = (
    "provision_id",
    "batch_id",
    "node_id",
    "hardware_uid",
    "hardware_uid_now",
    "card_guid",
    "finished_at",
    "operator",
    "fips_required",
    "fips_verdict",
    "fips_evidence",
    "weak_management_key",
    "certificate_9A",
    "certificate_9C",
    "certificate_9D",
    "certificate_9E",
    "receipt_sha256",
)


def sign_receipt(signer: DocumentSigner, content: Mapping[str, object]) -> bytes:
    """``content`` as a flattened JWS of the type ``arc-receipt+jws``, JSON."""
    return signer.sign(msgspec.json.encode(content, order="deterministic"), TYPE)


def journal_digest(connection: Connection, provision_id: str) -> str:
    """SHA-256 (hexadecimal) of the card's journal without later PIN resets: one line for each step, ``attempt n step
    digest sw at_us`` separated by single spaces, ``-`` for an unknown value, each ended by a line feed."""
    rows = connection.execute(
        select(provision_step)
        .where(provision_step.c.provision_id == provision_id, provision_step.c.step.notin_(draw_names(RESET)))
        .order_by(provision_step.c.attempt, provision_step.c.n)
    )
    lines = sha256()
    for row in rows:
        digest = "-" if row.digest is None else row.digest.hex()
        sw = "-" if row.sw is None else f"{row.sw:04X}"
        lines.update(f"{row.attempt} {row.n} {row.step} {digest} {sw} {row.at_us}\n".encode())
    return lines.hexdigest()


class Receipts:
    """Reads receipts."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, provision_id: str) -> Receipt:
        """The receipt of a finished card; 404 for an unknown provisioning, 409 for an unfinished one."""
        with self._store.read() as connection:
            row = provision_row(connection, provision_id)
        if row.receipt is None:
            raise Problem("state_conflict", "The card is not finished; its receipt is made when it is.")
        return msgspec.json.decode(row.receipt, type=Receipt)

    def table(self, query: ReceiptListQuery) -> bytes:
        """Finished cards as CSV (RFC 4180, UTF-8), oldest first. 422 when there are more than ``CSV_LIMIT``."""
        found = select(provision).where(provision.c.state == "COMPLETE")
        if query.batch_id is not None:
            found = found.where(provision.c.batch_id == query.batch_id)
        if query.node_id is not None:
            found = found.where(provision.c.node_id == query.node_id)
        if query.from_ is not None:
            found = found.where(provision.c.finished_us >= unix_us(query.from_))
        if query.to is not None:
            found = found.where(provision.c.finished_us < unix_us(query.to))
        order = found.order_by(provision.c.finished_us, provision.c.provision_id).limit(CSV_LIMIT + 1)
        with self._store.read() as connection:
            rows = connection.execute(order).all()
        if len(rows) > CSV_LIMIT:
            raise Problem("invalid_body", f"More than {CSV_LIMIT} cards fit; narrow from and to.")
        return _table(rows)


def _table(rows: Iterable[Row[Any]]) -> bytes:
    """The rows as CSV with the header ``COLUMNS``."""
    text = io.StringIO(newline="")
    lines = csv.writer(text, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    for row in rows:
        fips = msgspec.json.decode(row.fips)
        slots = {one.slot: one.certificate_sha256 for one in msgspec.json.decode(row.slots, type=list[SlotReply])}
        cells = (
            row.provision_id,
            row.batch_id or "",
            row.node_id,
            row.hardware_uid,
            row.hardware_uid_now or "",
            row.card_guid,
            rfc3339(row.finished_us),
            row.operator,
            fips["required"],
            fips["verdict"],
            fips["evidence"],
            str(bool(row.weak_management_key)).lower(),
            *(slots.get(slot, "") for slot in ("9A", "9C", "9D", "9E")),
            "" if row.receipt is None else sha256(row.receipt).hexdigest(),
        )
        lines.writerow([_cell(cell) for cell in cells])
    return text.getvalue().encode()


def _cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula: callers choose some of these texts."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def payload(
    reply: Mapping[str, object],
    *,
    origin: str,
    site_id: str,
    card: Mapping[str, object],
    operator: str,
    approver: str | None,
    journal: str,
    leaf: int,
    now_us: int,
    training: bool,
) -> dict[str, object]:
    """The receipt's payload. ``leaf`` is the index of the audit entry of the finished write."""
    return {
        "v": 1,
        "kind": "provision",
        "training": training,
        "site": site_id,
        "issued_at": datetime.fromtimestamp(now_us // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "provision": dict(reply),
        "card": dict(card),
        "operator": operator,
        "approver": approver,
        "journal_sha256": journal,
        "audit": {"log": origin, "index": leaf},
    }
