"""Entries of the audit log as bundles carry them: opened, with the proof that others check without the site."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from sqlalchemy import Connection, select

from app.api.problems import Problem
from app.api.wire import Reply, Timestamp, base64_text, rfc3339
from app.ledger.bundle import proof_parts
from app.ledger.cosigned import proof_of
from app.ledger.log.append import AuditLog
from app.ledger.tables import audit_entry


class LeafOpening(Reply, kw_only=True):
    """What opens a leaf, as with seals: its ``body`` is hexadecimal SHA-256(salt || payload), both in base64."""

    salt: str | None
    payload: str | None


class ProvenLeaf(Reply, kw_only=True):
    """An entry of the audit log with its proof (C2SP tlog-proof) under a checkpoint that met its quorum at
    ``timestamp``; ``timestamp_token``: RFC 3161, base64, over that checkpoint."""

    log_index: int
    leaf: str
    opening: LeafOpening
    proof: str
    timestamp: Timestamp
    timestamp_token: str | None


def read_leaf(log: AuditLog, connection: Connection, seq: int) -> ProvenLeaf:
    """An entry with its proof; 409 while it waits for its witnesses."""
    proof = proof_of(log, connection, seq)
    if proof is None:
        raise Problem("state_conflict", f"Audit entry {seq} waits for its witnesses; ask again in some seconds.")
    row = connection.execute(select(audit_entry).where(audit_entry.c.seq == seq)).one()
    return ProvenLeaf(
        log_index=seq,
        leaf=bytes(row.header).decode(),
        opening=LeafOpening(salt=base64_text(row.salt), payload=base64_text(row.payload)),
        proof=proof.data.decode(),
        timestamp=rfc3339(proof.cosigned.quorum_at * 1_000_000),
        timestamp_token=base64_text(proof.cosigned.token),
    )


def leaf_files(leaves: Sequence[ProvenLeaf]) -> dict[str, bytes]:
    """The files of a bundle that stand for the leaves: all follow from them. ``ValueError`` for what is no proof or
    token."""
    parts: dict[str, bytes] = {}
    for leaf in leaves:
        token = None if leaf.timestamp_token is None else base64.b64decode(leaf.timestamp_token, validate=True)
        parts |= proof_parts("audit", leaf.log_index, leaf.leaf.encode(), leaf.proof.encode(), token)
    return parts
