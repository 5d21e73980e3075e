"""Knot seals: issued, withdrawn, ended. Each statement is a leaf of the seal log, never an edit.

A seal is one job (rows, seal leaf, audit leaf) followed by a round of witnesses. Without their quorum it is pending.
That is a view of the log and no state of its own, so the next round seals it even after a restart of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, func, insert, or_, select, update

from app.api.problems import Problem
from app.api.wire import FieldError, rfc3339, unix_us
from app.capabilities.provenance.bundles import seal_bundle
from app.capabilities.provenance.messages import (
    KnotListQuery,
    KnotPage,
    KnotSeal,
    KnotSealBody,
    KnotSummary,
    WithdrawBody,
)
from app.capabilities.provenance.seals import (
    by_knot,
    consent_faults,
    issued_payload,
    later_payload,
    purposes_of,
    read_knot,
)
from app.capabilities.provenance.tables import knot
from app.delivery.events import FoundEvidence, Held, Holding, RevocationEvidence
from app.ledger.cosigned import LeafProof
from app.ledger.log.append import SealLog
from app.ledger.tables import seal_entry
from app.ledger.tree.leaf import PAYLOAD_LIMIT, PayloadTooLong, leaf_hash
from app.ledger.witnesses.rounds import Rounds
from app.registry.messages.nodes import Standing
from app.registry.service import Registry, now_us
from app.registry.standing import VERIFIED, CheckRow
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.writer import Sealed, Transaction

ISSUE = "provenance.seal"
WITHDRAW = "provenance.withdraw"
EXPIRE = "provenance.expire"
REVOKE = "provenance.revoke"
HOLDER_ID = "knot-seals"
LISTING = "knots"
OPEN: tuple[Standing, ...] = (VERIFIED, "UNVERIFIED")
"""Standings of knots that still hold."""
SWEEP = 200
"""Knots of one transaction of the sweep."""

# Each seal needs these: building a statement takes three times as long as running it.
_NEW_KNOT: Final = insert(knot)
_OF_NODE: Final = select(knot).where(knot.c.node_id == bindparam("of")).order_by(knot.c.seq)
_KNOT_SEALED: Final = update(knot).where(knot.c.seq == bindparam("leaf")).values(consensus_seal=bindparam("seal"))


class Provenance:
    """The knot seals of a site. Implements ``GrantHolder`` (a burn revokes what the node agreed to),
    ``PersonRecords`` and ``EvidenceSource``."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        log: SealLog,
        rounds: Rounds,
        cursors: Cursors,
        sign: Callable[[bytes], bytes],
    ) -> None:
        """``sign`` signs a bundle's manifest (``app.ledger.bundle.write_bundle``)."""
        self._sign = sign
        self._site = site
        self._store = store
        self._registry = registry
        self._log = log
        self._rounds = rounds
        self._cursors = cursors
        self._fresh_us = int(site.settings.live_check_fresh_s * 1_000_000)

    # --- the calls ---

    async def issue(self, body: KnotSealBody, *, actor: str, request_id: str | None = None) -> tuple[KnotSeal, bool]:
        """Seals a consent; the knot, and whether the quorum of witnesses was met in time. 404: unknown node. 409: the
        node is burned. 422: impossible times, or evidence that this site did not record."""

        def job(tx: Transaction) -> Sealed:
            node = self._registry.require_node(tx.connection, body.node_id)
            if node.standing == "REVOKED":
                raise Problem("state_conflict", f"Node {body.node_id} is burned; nothing is sealed for it any more.")
            evidence = self._evidence(tx, body)
            live = None
            if node.standing == VERIFIED:
                since_us = tx.now_us - self._fresh_us
                live = self._registry.standing.newest_check(tx.connection, body.node_id, since_us=since_us)
            standing: Standing = "UNVERIFIED" if live is None else VERIFIED
            payload = issued_payload(
                body,
                evidence,
                live,
                request_id=request_id,
                training=self._site.training,
            )
            try:
                sealed = tx.seal(ISSUE, actor=actor, standing=standing, payload=payload)
            except PayloadTooLong as error:
                raise _too_long() from error
            expires = body.consent.expires_at
            row = {
                "knot_id": sealed.knot_id,
                "seq": sealed.seq,
                "node_id": body.node_id,
                "standing": standing,
                "expires_us": None if expires is None else unix_us(expires),
            }
            tx.connection.execute(_NEW_KNOT, row)
            self._audit(tx, ISSUE, sealed, body.node_id, standing, actor, request_id)
            return sealed

        sealed = await self._store.writer.run(job, seal=True)
        return await self._read_proven(sealed.knot_id, sealed.seq)

    def _evidence(self, tx: Transaction, body: KnotSealBody) -> list[CheckRow]:
        """The recorded checks that the body names; 422 with everything that is wrong with times and evidence."""
        faults = [FieldError(pointer=at, detail=words) for at, words in consent_faults(body.consent, tx.now_us)]
        found = []
        for index, given in enumerate(body.evidence):
            row = self._registry.standing.check(tx.connection, body.node_id, given.type, given.ref)
            if row is None:
                words = f"This site recorded no {given.type} check of the node under that reference."
                faults.append(FieldError(pointer=f"/evidence/{index}/ref", detail=words))
            else:
                found.append(row)
        if faults:
            raise Problem("invalid_body", faults[0].detail, errors=faults)
        return found

    async def withdraw(
        self, knot_id: str, body: WithdrawBody, *, actor: str, request_id: str | None = None
    ) -> tuple[KnotSeal, bool]:
        """Withdraws a consent by a new leaf; answers as ``issue``. A knot that is already withdrawn stays as it is; one
        that ended otherwise is 409."""

        def job(tx: Transaction) -> int:
            row = self._require(tx.connection, knot_id)
            if row.standing == "WITHDRAWN":
                return _last_seq(tx.connection, knot_id)
            if row.standing not in OPEN:
                raise Problem("state_conflict", f"Knot {knot_id} has ended already ({row.standing}).")
            sealed = self._continue(tx, row, WITHDRAW, "WITHDRAWN", actor, request_id, reason=body.reason)
            return sealed.seq

        seq = await self._store.writer.run(job, seal=True)
        return await self._read_proven(knot_id, seq)

    async def get(self, knot_id: str) -> KnotSeal:
        """A knot with all its leaves and their proofs; 404."""
        return await asyncio.to_thread(self._read, knot_id, {})

    async def bundle(self, knot_id: str) -> bytes:
        """A knot as an evidence bundle. 404; 409 while a statement waits for its quorum, because nobody could verify
        it."""
        found = await self.get(knot_id)
        if found.standing == "PENDING_CONSENSUS":
            raise Problem("state_conflict", f"Knot {knot_id} waits for its witnesses; ask again when it is sealed.")
        return await asyncio.to_thread(seal_bundle, found, self._sign)

    def page(self, query: KnotListQuery) -> KnotPage:
        """Knots, newest first."""
        binding = f"{query.node_id}|{query.consensus_seal}".encode()
        wanted = select(knot, seal_entry.c.ts).join(seal_entry, seal_entry.c.seq == knot.c.seq)
        if query.node_id is not None:
            wanted = wanted.where(knot.c.node_id == query.node_id)
        if query.consensus_seal is not None:
            wanted = wanted.where(knot.c.consensus_seal == query.consensus_seal)
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection, wanted, LISTING, [knot.c.seq], limit=query.limit, cursor=query.cursor, query=binding
            )
        cosigned = self._rounds.newest()
        return KnotPage(
            items=[_summary(row) for row in rows],
            next=following,
            pending=self._log.snapshot().size - (0 if cosigned is None else cosigned.size),
        )

    # --- what others call ---

    def expire(self, tx: Transaction, limit: int = SWEEP) -> int:
        """Adds a leaf EXPIRED for at most ``limit`` knots whose consent has ended; how many."""
        due = tx.connection.execute(
            select(knot)
            .where(knot.c.standing.in_(OPEN), knot.c.expires_us <= tx.now_us)
            .order_by(knot.c.expires_us)
            .limit(limit)
        ).all()
        for row in due:
            self._continue(tx, row, EXPIRE, "EXPIRED", "service", None)
        return len(due)

    def newest_of(self, connection: Connection, node_id: str) -> str | None:
        """The node's newest knot that still holds."""
        return connection.scalar(
            select(knot.c.knot_id)
            .where(knot.c.node_id == node_id, knot.c.standing.in_(OPEN))
            .order_by(knot.c.seq.desc())
            .limit(1)
        )

    def mandate_of(self, connection: Connection, node_id: str, purpose: str) -> str | None:
        """The node's newest knot that still holds and whose consent names ``purpose``; its end counts to the moment."""
        rows = connection.execute(
            select(knot.c.knot_id, seal_entry.c.payload)
            .join(seal_entry, seal_entry.c.seq == knot.c.seq)
            .where(knot.c.node_id == node_id, knot.c.standing.in_(OPEN))
            .where(or_(knot.c.expires_us.is_(None), knot.c.expires_us > now_us()))
            .order_by(knot.c.seq.desc())
        )
        return next((row.knot_id for row in rows if purpose in purposes_of(row.payload)), None)

    def find(self, ref: str) -> FoundEvidence | None:
        """As ``EvidenceSource``: a knot by its name or by its consensus seal, with its bundle where its witnesses have
        met their quorum."""
        if not ref.startswith(("KNOT-", "0x")):
            return None
        by = knot.c.knot_id if ref.startswith("KNOT-") else knot.c.consensus_seal
        with self._store.read() as connection:
            knot_id = connection.scalar(select(knot.c.knot_id).where(by == ref))
        if knot_id is None:
            return None
        seal = self._read(knot_id, {})
        pending = seal.standing == "PENDING_CONSENSUS"
        files = {} if pending else {f"{knot_id}.zip": seal_bundle(seal, self._sign)}
        facts = [
            f"Entry {seal.log_index} of the log {seal.log_origin}, standing {seal.standing}.",
            f"Sealed at {seal.timestamp}." if not pending else "Its witnesses have not met their quorum yet.",
            *([] if seal.consensus_seal is None else [f"Consensus seal {seal.consensus_seal}."]),
        ]
        return FoundEvidence("seal", ref, f"Knot seal {knot_id} of this site", facts, files)

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's knots that still hold."""
        with self._store.read() as connection:
            count = connection.execute(
                select(func.count()).select_from(knot).where(knot.c.node_id == node_id, knot.c.standing.in_(OPEN))
            ).scalar_one()
        if not count:
            return ()
        detail = f"{count} consent{'s' * (count != 1)} sealed; each gets a leaf that revokes it"
        return (Holding(HOLDER_ID, "seal", "Knot seals", count, reversible=False, detail=detail),)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Adds a leaf REVOKED for every knot of the node that still holds."""
        rows = tx.connection.execute(_OF_NODE, {"of": node_id}).all()
        if not rows:
            return ()
        held = [row for row in rows if row.standing in OPEN]
        for row in held:
            self._continue(tx, row, REVOKE, "REVOKED", "service", None, burn_id=burn_id)
        sentence = f"{len(held)} seal{'s' * (len(held) != 1)} revoked by new leaves" if held else "all ended before"
        return (RevocationEvidence(HOLDER_ID, "seal", "Knot seals", len(rows), already=not held, detail=sentence),)

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """As ``PersonRecords``: the consent itself is only in the leaves; that the node has seals stays."""
        count = connection.scalar(select(func.count()).select_from(knot).where(knot.c.node_id == node_id))
        if not count:
            return Held(0)
        sentence = (
            f"{count} knot seal{'s' * (count != 1)} of the node: place in the log, standing and end stay listed under "
            "its id, and a consent that still holds will end by one more leaf. What was agreed is erased."
        )
        return Held(0, [sentence])

    def forget(self, tx: Transaction, node_id: str) -> int:
        """As ``PersonRecords``: there is nothing to remove."""
        del tx, node_id
        return 0

    # --- rows ---

    def _continue(
        self,
        tx: Transaction,
        row: Row[Any],
        action: str,
        standing: Standing,
        actor: str,
        request_id: str | None,
        **more: str | None,
    ) -> Sealed:
        """Adds a later leaf to the knot of ``row``, and its row and audit leaf with it. ``more``: of its payload."""
        first = tx.connection.execute(select(seal_entry.c.header).where(seal_entry.c.seq == row.seq)).scalar_one()
        payload = later_payload(leaf_hash(bytes(first)), row.node_id, **more)
        sealed = tx.seal(action, actor=actor, standing=standing, payload=payload, knot_id=row.knot_id)
        tx.connection.execute(update(knot).where(knot.c.knot_id == row.knot_id).values(standing=standing))
        self._audit(tx, action, sealed, row.node_id, standing, actor, request_id)
        return sealed

    @staticmethod
    def _audit(
        tx: Transaction,
        action: str,
        sealed: Sealed,
        node_id: str,
        standing: Standing,
        actor: str,
        request_id: str | None,
    ) -> None:
        detail = {"knot_id": sealed.knot_id, "log_index": sealed.seq, "standing": standing}
        tx.audit(action, actor=actor, node_id=node_id, request_id=request_id, detail=detail)

    @staticmethod
    def _require(connection: Connection, knot_id: str) -> Row[Any]:
        row = by_knot(connection, knot_id)
        if row is None:
            raise Problem("not_found", f"No knot {knot_id} was sealed here; check the identifier.")
        return row

    async def _read_proven(self, knot_id: str, seq: int) -> tuple[KnotSeal, bool]:
        proof = await self._rounds.prove(seq)
        known = {} if proof is None else {seq: proof}
        return await asyncio.to_thread(self._read, knot_id, known), proof is not None

    def _read(self, knot_id: str, known: Mapping[int, LeafProof]) -> KnotSeal:
        with self._store.read() as connection:
            row = self._require(connection, knot_id)
            return read_knot(self._log, connection, row, known, training=self._site.training)


def knots_sealed(tx: Transaction, proofs: Sequence[LeafProof]) -> None:
    """A round has covered these leaves: keep the consensus seals of knots' first leaves for look-ups
    (``rounds.OnSealed``)."""
    found = [{"leaf": proof.seq, "seal": proof.consensus_seal} for proof in proofs]
    if found:
        tx.connection.execute(_KNOT_SEALED, found)


def _too_long() -> Problem:
    words = f"The consent and its subject are more than one seal holds ({PAYLOAD_LIMIT} bytes); shorten or split them."
    return Problem("invalid_body", words, errors=[FieldError(pointer="/consent", detail=words)])


def _last_seq(connection: Connection, knot_id: str) -> int:
    return int(
        connection.execute(select(func.max(seal_entry.c.seq)).where(seal_entry.c.knot_id == knot_id)).scalar_one()
    )


def _summary(row: Row[Any]) -> KnotSummary:
    return KnotSummary(
        knot_id=row.knot_id,
        node_id=row.node_id,
        standing=row.standing,
        consensus_seal=row.consensus_seal,
        log_index=row.seq,
        timestamp=rfc3339(row.ts),
        expires_at=None if row.expires_us is None else rfc3339(row.expires_us),
    )
