"""Reads the evidence bundle of a strike out of the store. All of it blocks."""

from __future__ import annotations

import base64
from collections.abc import Callable

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from sqlalchemy import select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.enforcement.bundles import ProvenNotice, StrikeFiles, StrikeProof, leaf_indexes, strike_bundle
from app.capabilities.enforcement.messages import LawUsed
from app.capabilities.enforcement.records import StrikeRecords
from app.capabilities.enforcement.tables import strike_event, strike_file, strike_notice
from app.capabilities.enforcement.tracking import TrackingTokens
from app.ledger.log.append import AuditLog
from app.pki.proven_leaf import ProvenLeaf, read_leaf
from app.store.engine import Store


class StrikeBundles:
    """Makes bundles. ``sign`` signs a bundle's manifest; ``certificates``: those that documents and time stamps are
    signed under, then the root."""

    def __init__(
        self,
        store: Store,
        log: AuditLog,
        records: StrikeRecords,
        tokens: TrackingTokens,
        sign: Callable[[bytes], bytes],
        certificates: list[x509.Certificate],
        *,
        training: bool,
    ) -> None:
        self._store = store
        self._log = log
        self._records = records
        self._tokens = tokens
        self._sign = sign
        self._certificates = b"".join(one.public_bytes(Encoding.PEM) for one in certificates)
        self._training = training

    def bundle(self, tracking_token: str) -> bytes:
        """The bundle of a strike. 404; 409 while an entry waits for its witnesses; 410 once it was erased."""
        track = self._records.track_of(tracking_token)
        with self._store.read() as connection:
            row = self._records.row_of(connection, track)
            if row.declaration is None:
                raise Problem("gone", "The content of this strike was erased; its digests stay in the audit log.")
            rows = connection.execute(
                select(strike_notice).where(strike_notice.c.strike_id == row.strike_id).order_by(strike_notice.c.number)
            ).all()
            ids = [one.notice_id for one in rows]
            history = connection.scalars(select(strike_event.c.leaf).where(strike_event.c.notice_id.in_(ids))).all()
            leaves = [read_leaf(self._log, connection, seq) for seq in leaf_indexes(row.leaf, history)]
            files = connection.execute(select(strike_file).where(strike_file.c.strike_id == row.strike_id)).all()
        # A notice that a revision took out is of an earlier declaration, and no part of this one.
        stated = _stated_notices(leaves[0])
        current = [one for one in rows if one.notice_id in stated]
        proof = StrikeProof(
            strike_id=row.strike_id,
            tracking_token=self._tokens.token(track),
            issued_at=rfc3339(row.created_us),
            law=row.law,
            law_sha256=msgspec.json.decode(row.law_used, type=LawUsed).sha256,
            declaration_sha256=row.sha256,
            revision=row.revision,
            notices=[
                ProvenNotice(
                    notice_id=one.notice_id,
                    number=one.number,
                    platform=one.platform,
                    kind=one.kind,
                    sha256=one.notice_sha256,
                    state=one.state,
                )
                for one in current
            ],
            training=self._training,
            log_origin=self._log.origin,
            leaves=leaves,
        )
        documents = {one.number: (bytes(one.notice), str(one.jws)) for one in current}
        pinned = {one.name: bytes(one.data) for one in files if one.data is not None}
        made = StrikeFiles(bytes(row.declaration), documents, pinned, self._certificates)
        return strike_bundle(proof, made, self._sign)


def _stated_notices(leaf: ProvenLeaf) -> set[str]:
    """Ids of the notices that an entry states; none where its content was erased."""
    if leaf.opening.payload is None:
        return set()
    said = msgspec.json.decode(base64.b64decode(leaf.opening.payload))
    return {one["notice_id"] for one in said["detail"]["notices"]}
