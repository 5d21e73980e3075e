"""Erasures: removes what the logs' payloads, and rows beside them, say about a person, in steps short enough for the
writer. Evidence of a burn stays, and the reply says so."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import hmac
import re
import sqlite3
from collections.abc import Callable, Collection, Sequence

import msgspec
from sqlalchemy import Connection

from app.api.idempotency import forget_replies, replies_naming
from app.api.problems import Problem, invalid_field
from app.api.wire import FieldError, NodeId
from app.approvals.messages import ApprovalKind
from app.approvals.service import Approvals, ApprovalSubject
from app.capabilities.gateway.audit.erasures.messages import ErasureBody, ErasureReply
from app.delivery.events import Held, PersonRecords
from app.ledger.erase import AT_ONCE, Erased, Eraser, LogName
from app.ledger.log.append import Ledger
from app.registry.service import now_us
from app.store.engine import Store
from app.store.writer import Transaction

NOTICE = "Backups keep what they hold until they expire; erase it again after a restore of an older one."

FORGOTTEN = "records.erased"
"""Action of the leaf that says that rows beside the logs were erased."""
KIND: ApprovalKind = "erase"
MOST = 20_001
"""Most subjects of one approval: a node, and all entries of both logs that a call may name."""
_ENTRY = re.compile(r"(?:audit|seal)#(0|[1-9][0-9]{0,15})")
Allowed = tuple[str, ApprovalKind, str]
"""Approval, kind and subject."""
SealsOf = Callable[[sqlite3.Connection, str], list[int]]
"""The entries of the seal log about a node."""


class Erasures:
    """Made once for a service. Each step is complete by itself, and the last one uses up the approval: after a call
    that broke off, the caller asks again and the rest is done. ``secret`` keys the names of the subjects of approvals:
    their leaves stay, and must not tell who was erased."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        seals_of: SealsOf,
        approvals: Approvals,
        *,
        secret: bytes,
        records: Sequence[PersonRecords] = (),
        lasting: Collection[str] = (),
    ) -> None:
        """``records``: the keepers of rows about persons. ``lasting``: actions whose leaves are evidence and stay."""
        self._store = store
        self._records = records
        self._approvals = approvals
        self._secret = secret
        approvals.add_kind(KIND, self._subject, most=MOST)
        self._ledger = ledger
        self._eraser = Eraser(ledger, lasting=lasting)
        self._seals_of = seals_of

    async def erase(self, body: ErasureBody, *, actor: str, request_id: str) -> ErasureReply:
        """Erases; with ``preview`` only counts. 422 if nothing is named, or no approval; 404 for an approval that does
        not exist, 409 for one that does not hold."""
        if body.node_id is None and not body.seqs and not body.seal_seqs:
            raise Problem(
                "invalid_body",
                "Name what to erase: node_id, seqs or seal_seqs.",
                errors=[FieldError(pointer="", detail="One of node_id, seqs and seal_seqs is needed.")],
            )
        if not body.preview and body.approval_id is None:
            sentence = "Ask for an approval of the kind erase first; another Citadel key must agree."
            raise Problem("invalid_body", sentence, errors=[FieldError(pointer="/approval_id", detail=sentence)])
        entries, seals = await asyncio.to_thread(self._find_erasable, body)
        held = await asyncio.to_thread(self._held_records, body.node_id)
        leaves: list[int] = []
        if not body.preview and body.approval_id is not None:
            allowed = (body.approval_id, KIND, self._name(_subjects(body)))
            self._require_approval(allowed)
            await self._erase("audit", entries, body.legal_basis, actor, request_id, leaves, allowed)
            await self._merge(bool(leaves))
            await self._erase("seal", seals, body.legal_basis, actor, request_id, leaves, allowed)
            replies = await asyncio.to_thread(self._replies, body.node_id)
            forgotten, leaf = await self._store.writer.run(
                functools.partial(
                    self._end, body=body, replies=replies, allowed=allowed, actor=actor, request_id=request_id
                )
            )
            held = Held(forgotten, held.kept)
            leaves += leaf
        return ErasureReply(
            preview=body.preview,
            entries=len(entries),
            seals=len(seals),
            records=held.rows,
            kept=list(held.kept),
            leaf_seqs=leaves,
            notice=NOTICE,
        )

    def _held_records(self, node_id: str | None) -> Held:
        if node_id is None:
            return Held(0)
        with self._store.read() as connection:
            found = [keeper.held_records(connection, node_id) for keeper in self._records]
        return Held(sum(one.rows for one in found), [sentence for one in found for sentence in one.kept])

    def _replies(self, node_id: str | None) -> list[bytes]:
        if node_id is None:
            return []
        with self._store.read() as connection:
            return replies_naming(connection, node_id)

    def _end(
        self,
        tx: Transaction,
        *,
        body: ErasureBody,
        replies: Sequence[bytes],
        allowed: Allowed,
        actor: str,
        request_id: str,
    ) -> tuple[int, list[int]]:
        """The last step: erases rows beside the logs, with a leaf that does not say of whom. Kept replies do not count
        as records: they would be gone in a day."""
        node_id = body.node_id
        self._approvals.use(tx, *allowed, actor=actor, request_id=request_id, forget=True)
        if replies:
            forget_replies(tx, replies)
            tx.scrub()
        rows = 0 if node_id is None else sum(keeper.forget(tx, node_id) for keeper in self._records)
        if not rows:
            return 0, []
        tx.scrub()
        detail = {"rows": rows, "legal_basis": body.legal_basis}
        return rows, [tx.audit(FORGOTTEN, actor=actor, request_id=request_id, detail=detail)]

    def _find_erasable(self, body: ErasureBody) -> tuple[Sequence[int], Sequence[int]]:
        """The entries of each log that this call may erase."""
        entries, seals = list(body.seqs), list(body.seal_seqs)
        size = self._ledger.audit.snapshot().size
        with self._store.snapshot() as raw:
            if body.node_id is not None:
                entries += self._eraser.of_node(raw, body.node_id, size)
                seals += self._seals_of(raw, body.node_id)
            return self._eraser.erasable(raw, "audit", entries), self._eraser.erasable(raw, "seal", seals)

    def _require_approval(self, allowed: Allowed) -> None:
        with self._store.read() as connection:
            self._approvals.require(connection, *allowed, now_us())

    async def _erase(
        self,
        log: LogName,
        seqs: Sequence[int],
        basis: str,
        actor: str,
        request_id: str,
        leaves: list[int],
        allowed: Allowed,
    ) -> None:
        """Erases entries of one log, ``AT_ONCE`` in a transaction; adds the seqs of the leaves to ``leaves``."""
        for first in range(0, len(seqs), AT_ONCE):
            step = functools.partial(
                self._eraser.erase,
                log=log,
                seqs=seqs[first : first + AT_ONCE],
                legal_basis=basis,
                actor=actor,
                request_id=request_id,
            )

            def job(tx: Transaction, step: Callable[[Transaction], Erased] = step) -> Erased:
                # Checked again in each step: withdrawing the approval stops the rest.
                self._approvals.require(tx.connection, *allowed, tx.now_us)
                return step(tx)

            done = await self._store.writer.run(job)
            if done.leaf_seq is not None:
                leaves.append(done.leaf_seq)

    async def _merge(self, needed: bool) -> None:
        """Merges a large search index part by part, so that the erased words leave it too."""
        first = True
        while needed:

            def job(tx: Transaction, first: bool = first) -> bool:
                return self._eraser.merge(tx, first)

            needed = await self._store.writer.run(job)
            first = False

    # --- the subject of an approval ---

    def _name(self, subjects: Sequence[str]) -> str:
        names = msgspec.json.encode(sorted(set(subjects)))
        return f"erase:{hmac.digest(self._secret, names, hashlib.sha256).hex()}"

    def _subject(self, connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
        """What an approval of an erasure is about, for the approvals: one node, entries, or both; 422 otherwise."""
        del connection
        nodes = 0
        for index, subject in enumerate(subjects):
            entry = _ENTRY.fullmatch(subject)
            nodes += entry is None
            good = int(entry[1]) < 2**53 if entry is not None else nodes == 1 and _is_node(subject)
            if not good:
                raise invalid_field(f"/subjects/{index}", "Name one node, audit#<seq> or seal#<seq>.")
        entries = len(subjects) - nodes
        parts = ["all of one node"] * nodes
        if entries:
            parts.append(f"{entries} entr{'y' if entries == 1 else 'ies'}")
        # Names nobody: the words of a request must not keep what its erasure removes.
        words = f"Erasure of {' and '.join(parts)} from the logs, for ever (the approval names what)"
        return ApprovalSubject(self._name(subjects), None, None, words)


def _subjects(body: ErasureBody) -> list[str]:
    named = [f"audit#{seq}" for seq in body.seqs] + [f"seal#{seq}" for seq in body.seal_seqs]
    return named if body.node_id is None else [body.node_id, *named]


def _is_node(text: str) -> bool:
    try:
        msgspec.convert(text, NodeId)
    except msgspec.ValidationError:
        return False
    return True
