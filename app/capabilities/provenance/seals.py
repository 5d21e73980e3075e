"""The payloads of a knot's leaves, and the replies made from the rows of the seal log."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, bindparam, select

from app.api.wire import base64_text, rfc3339, unix_us
from app.capabilities.provenance.messages import Consent, KnotLeaf, KnotSeal, KnotSealBody, Opening, OutsideStamp
from app.capabilities.provenance.tables import knot
from app.ledger.cosigned import LeafProof, proof_of
from app.ledger.log.append import SealLog
from app.ledger.stamps.anchors import anchors_of
from app.ledger.tables import seal_entry
from app.ledger.tree.leaf import read_seal_header
from app.registry.messages.nodes import Standing
from app.registry.standing import CheckRow

CLOCK_AHEAD_US = 60_000_000
"""A consent may be given this far ahead of our clock: the controller's may be wrong."""

# Each seal needs these: building a statement takes three times as long as running it.
_KNOT: Final = select(knot).where(knot.c.knot_id == bindparam("name"))
_ENTRIES: Final = select(seal_entry).where(seal_entry.c.knot_id == bindparam("name")).order_by(seal_entry.c.seq)


def issued_payload(
    body: KnotSealBody, evidence: Sequence[CheckRow], live: CheckRow | None, *, request_id: str | None, training: bool
) -> Mapping[str, object]:
    """The payload of a knot's first leaf: all that was agreed, and the checks of the person that this site recorded."""
    consent = body.consent
    payload: dict[str, object] = {
        "node_id": body.node_id,
        "consent": {
            "purpose": consent.purpose,
            "controller": consent.controller,
            "scope": consent.scope,
            "given_at": consent.given_at,
            **{
                name: value
                for name in ("expires_at", "jurisdiction", "withdrawal")
                if (value := getattr(consent, name)) is not None
            },
        },
        "evidence": [_check(row) for row in evidence],
        "live_check": None if live is None else _check(live),
        "training": training,
    }
    if body.subject is not None:
        payload["subject"] = {"media_sha256": body.subject.media_sha256, "media_type": body.subject.media_type}
    if request_id is not None:
        payload["request_id"] = request_id
    return payload


def later_payload(first: bytes, node_id: str, **more: str | None) -> Mapping[str, object]:
    """The payload of a later leaf: it names the first one by its hash (32 bytes)."""
    return {
        "first_leaf": first.hex(),
        "node_id": node_id,
        **{name: value for name, value in more.items() if value is not None},
    }


def consent_faults(consent: Consent, now_us: int) -> list[tuple[str, str]]:
    """What is wrong with the times of a consent: (pointer, sentence)."""
    given = unix_us(consent.given_at)
    found = []
    if given > now_us + CLOCK_AHEAD_US:
        found.append(("/consent/given_at", "The consent lies in the future; check the clock of the controller."))
    if consent.expires_at is not None and unix_us(consent.expires_at) <= given:
        found.append(("/consent/expires_at", "The consent ends before it is given."))
    elif consent.expires_at is not None and unix_us(consent.expires_at) <= now_us:
        found.append(("/consent/expires_at", "The consent has ended already."))
    return found


def read_knot(
    log: SealLog, connection: Connection, row: Row[Any], known: Mapping[int, LeafProof], *, training: bool
) -> KnotSeal:
    """The whole knot of ``row`` (of the table ``knot``). ``known``: proofs that the caller already has, by index."""
    rows = connection.execute(_ENTRIES, {"name": row.knot_id}).all()
    leaves = [_leaf(log, connection, entry, known.get(entry.seq)) for entry in rows]
    first, last = leaves[0], leaves[-1]
    return KnotSeal(
        knot_id=row.knot_id,
        standing=last.standing if last.seal_proof is not None else "PENDING_CONSENSUS",
        consensus_seal=first.consensus_seal,
        timestamp=first.timestamp,
        node_id=row.node_id,
        log_origin=log.origin,
        log_index=first.log_index,
        leaf=first.leaf,
        opening=first.opening,
        seal_proof=first.seal_proof,
        timestamp_token=first.timestamp_token,
        leaves=leaves,
        training=training,
    )


class _Purposes(msgspec.Struct):
    """Of the consent in a knot's first leaf: for what it is given."""

    purpose: list[str] = []


class _Statement(msgspec.Struct):
    """A knot's first leaf, as far as its purposes need it."""

    consent: _Purposes = msgspec.field(default_factory=_Purposes)


def purposes_of(payload: bytes | None) -> list[str]:
    """For what the consent of a knot's first leaf is given; nothing where it was erased."""
    return [] if payload is None else msgspec.json.decode(payload, type=_Statement).consent.purpose


def seals_of(connection: sqlite3.Connection, node_id: str) -> list[int]:
    """The entries of the seal log about a node: every leaf of its knots."""
    rows = connection.execute(
        "SELECT e.seq FROM knot AS k JOIN seal_entry AS e ON e.knot_id = k.knot_id WHERE k.node_id = ? ORDER BY e.seq",
        (node_id,),
    )
    return [row[0] for row in rows]


def by_knot(connection: Connection, knot_id: str) -> Row[Any] | None:
    """The knot's row."""
    return connection.execute(_KNOT, {"name": knot_id}).one_or_none()


def _leaf(log: SealLog, connection: Connection, entry: Row[Any], known: LeafProof | None) -> KnotLeaf:
    """One statement as the wire has it, with its proof as far as there is one."""
    proof = known or proof_of(log, connection, entry.seq)
    header = bytes(entry.header)
    standing: Standing = read_seal_header(header).outcome  # type: ignore[assignment]
    cosigned = None if proof is None else proof.cosigned
    return KnotLeaf(
        standing=standing,
        timestamp=rfc3339(entry.ts),
        log_index=entry.seq,
        leaf=header.decode(),
        opening=Opening(salt=base64_text(entry.salt), payload=base64_text(entry.payload)),
        consensus_seal=None if proof is None else proof.consensus_seal,
        seal_proof=None if proof is None else proof.data.decode(),
        timestamp_token=None if cosigned is None else base64_text(cosigned.token),
        outside_stamps=(cosigned and _outside(log, connection, cosigned.size)) or msgspec.UNSET,
    )


def _outside(log: SealLog, connection: Connection, size: int) -> list[OutsideStamp]:
    """The outside time stamps that hold for the checkpoint of ``size``."""
    return [
        OutsideStamp(
            checkpoint=found.text,
            consistency=[
                base64.b64encode(step).decode() for step in log.consistency_proof(connection, size, found.size)
            ],
            timestamp_token=base64.b64encode(found.token).decode(),
        )
        for found in anchors_of(connection, log, size)
    ]


def _check(row: CheckRow) -> dict[str, str]:
    at = datetime.fromtimestamp(row.at_us // 1_000_000, UTC)
    return {"type": row.kind, "ref": row.ref, "at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
