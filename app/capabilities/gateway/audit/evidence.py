"""Chosen entries of the audit log as one signed bundle that anybody can verify offline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from app.api.problems import Problem, invalid_field
from app.capabilities.gateway.audit.bundles import entries_bundle
from app.ledger.log.append import AuditLog
from app.pki.proven_leaf import ProvenLeaf, read_leaf
from app.store.engine import Store


class AuditEvidence:
    """Reads alone."""

    def __init__(
        self,
        store: Store,
        log: AuditLog,
        sign: Callable[[bytes], bytes],
        published: Callable[[], int],
        *,
        training: bool,
    ) -> None:
        """``sign`` signs a bundle's manifest; ``published``: size of the newest checkpoint that may leave the process,
        0 while none may."""
        self._store = store
        self._log = log
        self._sign = sign
        self._published = published
        self._training = training

    async def bundle(self, seqs: Sequence[int]) -> bytes:
        """The entries of these numbers, each once, in the log's order. 422: the log has no such entry. 409: one waits
        for its witnesses, or its content was erased: the bundle could not be verified."""
        return await asyncio.to_thread(self._bundle, seqs)

    def _bundle(self, seqs: Sequence[int]) -> bytes:
        """As ``bundle``. Blocks on the disk."""
        size, published = self._log.snapshot().size, self._published()
        for place, seq in enumerate(seqs):
            if seq >= size:
                raise invalid_field(f"/entries/{place}", f"The audit log has {size} entries, and none of number {seq}.")
        # No proof leaves the process before its checkpoint has.
        waiting = next((seq for seq in seqs if seq >= published), None)
        if waiting is not None:
            raise Problem(
                "state_conflict", f"Audit entry {waiting} waits for its witnesses; ask again in some seconds."
            )
        with self._store.read() as connection:
            leaves = [read_leaf(self._log, connection, seq) for seq in sorted(set(seqs))]
        for leaf in leaves:
            _need_content(leaf)
        return entries_bundle(leaves, self._log.origin, self._sign, training=self._training)


def _need_content(leaf: ProvenLeaf) -> None:
    """409 where the content is gone: of such an entry nobody can prove what it said."""
    if leaf.opening.payload is None:
        sentence = f"The content of audit entry {leaf.log_index} was erased: what it said can no longer be proven."
        raise Problem("state_conflict", sentence)
