"""Erasures: what the logs' payloads say of a person is taken out, in steps that the writer can spare."""

from __future__ import annotations

import asyncio
import functools
import sqlite3
from collections.abc import Callable, Sequence

from app.api.problems import Problem
from app.api.wire import FieldError
from app.gateway.erasure_messages import ErasureBody, ErasureReply
from app.ledger.append import Ledger
from app.ledger.erase import AT_ONCE, Eraser, LogName
from app.store.engine import Store
from app.store.writer import Transaction

NOTICE = "Backups keep what they hold until they expire; erase it again after a restore of an older one."

SealsOf = Callable[[sqlite3.Connection, str], list[int]]
"""Places in the seal log that speak of a node."""


class Erasures:
    """Made once for a service. Each step is whole by itself: a call that broke off is finished by asking again."""

    def __init__(self, store: Store, ledger: Ledger, seals_of: SealsOf) -> None:
        self._store = store
        self._ledger = ledger
        self._eraser = Eraser(ledger)
        self._seals_of = seals_of

    async def erase(self, body: ErasureBody, *, actor: str, request_id: str) -> ErasureReply:
        """Erase, or count with ``preview``. 422 if nothing is named."""
        if body.node_id is None and not body.seqs and not body.seal_seqs:
            raise Problem(
                "invalid_body",
                "Name what to erase: node_id, seqs or seal_seqs.",
                errors=[FieldError(pointer="", detail="One of node_id, seqs and seal_seqs is needed.")],
            )
        entries, seals = await asyncio.to_thread(self._named, body)
        leaves: list[int] = []
        if not body.preview:
            await self._erase("audit", entries, body.legal_basis, actor, request_id, leaves)
            await self._merge(bool(leaves))
            await self._erase("seal", seals, body.legal_basis, actor, request_id, leaves)
        return ErasureReply(
            preview=body.preview, entries=len(entries), seals=len(seals), leaf_seqs=leaves, notice=NOTICE
        )

    def _named(self, body: ErasureBody) -> tuple[Sequence[int], Sequence[int]]:
        """What is there to be erased, of either log."""
        entries, seals = list(body.seqs), list(body.seal_seqs)
        size = self._ledger.audit.snapshot().size
        with self._store.snapshot() as raw:
            if body.node_id is not None:
                entries += self._eraser.of_node(raw, body.node_id, size)
                seals += self._seals_of(raw, body.node_id)
            return self._eraser.erasable(raw, "audit", entries), self._eraser.erasable(raw, "seal", seals)

    async def _erase(
        self, log: LogName, seqs: Sequence[int], basis: str, actor: str, request_id: str, leaves: list[int]
    ) -> None:
        for first in range(0, len(seqs), AT_ONCE):
            job = functools.partial(
                self._eraser.erase,
                log=log,
                seqs=seqs[first : first + AT_ONCE],
                legal_basis=basis,
                actor=actor,
                request_id=request_id,
            )
            done = await self._store.writer.run(job)
            if done.leaf_seq is not None:
                leaves.append(done.leaf_seq)

    async def _merge(self, needed: bool) -> None:
        """The erased words leave a large search index too, a part of it at a time."""
        first = True
        while needed:

            def job(tx: Transaction, first: bool = first) -> bool:
                return self._eraser.merge(tx, first)

            needed = await self._store.writer.run(job)
            first = False
