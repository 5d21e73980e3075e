"""Knots with their proofs and time stamps, made by a witnessed site: what an outsider is given to verify."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.api.wire import rfc3339
from app.ledger.cosigned import proof_of
from app.ledger.rounds import Rounds
from app.store.writer import Sealed, Transaction
from tests.service.ledger.witnessed_site import ORIGIN, WitnessedSite
from tests.unit.ledger.test_ledger_timestamp import AUTHORITY

NODE = "node_4f"


class SealedKnots:
    """A site whose log holds six knots. ``alone``: issued; ``withdrawn``: issued and withdrawn; ``pending``: still
    without a quorum. Each as the API gives it."""

    def __init__(self, path: Path) -> None:
        self.site = WitnessedSite(path)
        try:
            asyncio.run(self._fill())
        finally:
            self.site.close()
        self.policy = self.site.policy.text().encode()

    async def _fill(self) -> None:
        rounds: Rounds = self.site.rounds(stamp=lambda text: AUTHORITY.token(text, datetime.now(UTC)))
        await rounds.start()
        rounds.confirm()
        try:
            first = await self._issue(1)
            await rounds.prove(first.seq)
            others = await asyncio.gather(*(self._issue(n) for n in range(2, 6)))
            later = await self._seal(
                "provenance.withdraw",
                "WITHDRAWN",
                {"first_leaf": first.leaf_hash.hex(), "node_id": NODE, "reason": "no longer wanted"},
                first.knot_id,
            )
            await rounds.prove(later.seq)
        finally:
            await rounds.stop()
        self.withdrawn = self._knot("WITHDRAWN", (first, "UNVERIFIED"), (later, "WITHDRAWN"))
        self.alone = self._knot("UNVERIFIED", (others[2], "UNVERIFIED"))
        self.pending = self._knot("PENDING_CONSENSUS", (await self._issue(6), "UNVERIFIED"))

    async def _issue(self, number: int) -> Sealed:
        consent = {
            "purpose": [f"film {number}"],
            "controller": "TRAINING Studio",
            "scope": ["voice"],
            "given_at": "2026-01-01T00:00:00.000000Z",
        }
        payload = {"node_id": NODE, "consent": consent, "evidence": [], "live_check": None, "training": True}
        return await self._seal("provenance.seal", "UNVERIFIED", payload, None)

    async def _seal(self, action: str, standing: str, payload: dict[str, object], knot_id: str | None) -> Sealed:
        def job(tx: Transaction) -> Sealed:
            return tx.seal(action, actor="key_1", standing=standing, payload=payload, knot_id=knot_id)

        return await self.site.store.writer.run(job, seal=True)

    def _knot(self, standing: str, *statements: tuple[Sealed, str]) -> dict[str, Any]:
        leaves = [self._leaf(sealed, stated) for sealed, stated in statements]
        first = {name: value for name, value in leaves[0].items() if name != "standing"}
        return {
            "knot_id": statements[0][0].knot_id,
            "standing": standing,
            "node_id": NODE,
            "log_origin": ORIGIN,
            "leaves": leaves,
            "training": True,
            **json.loads(json.dumps(first)),
        }

    def _leaf(self, sealed: Sealed, standing: str) -> dict[str, Any]:
        with self.site.store.read() as connection:
            proof = proof_of(self.site.ledger.seal, connection, sealed.seq)
        token = None if proof is None else proof.cosigned.token
        return {
            "standing": standing,
            "timestamp": rfc3339(sealed.ts_us if proof is None else proof.cosigned.quorum_at * 1_000_000),
            "log_index": sealed.seq,
            "leaf": sealed.header.decode(),
            "opening": {
                "salt": base64.b64encode(sealed.salt).decode(),
                "payload": base64.b64encode(sealed.payload).decode(),
            },
            "consensus_seal": None if proof is None else proof.consensus_seal,
            "seal_proof": None if proof is None else proof.data.decode(),
            "timestamp_token": None if token is None else base64.b64encode(token).decode(),
        }
