"""A site with a registry, three witnesses and knot seals; the rounds run while ``running`` holds."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from app.api.wire import rfc3339
from app.capabilities.provenance.messages import Consent, EvidenceRef, KnotLeaf, KnotSealBody, Subject
from app.capabilities.provenance.service import Provenance, knots_sealed
from app.ledger.c2sp.proof import parse_proof, verify_proof
from app.registry.messages.nodes import NodeBody
from app.registry.service import Registry, now_us
from app.store.cursor import Cursors
from app.store.writer import Transaction
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite

NODE = "ARC-T0001"


class SealSite(WitnessedSite):
    """``NODE`` is registered and was never seen alive."""

    def __init__(self, path: Path, **options: Any) -> None:
        super().__init__(path, **options)
        cursors = Cursors(self.keys.secret("cursor"))
        self.registry = Registry(self.site, self.store, self.keys, cursors)
        self.registry.load()
        self.loop_rounds = self.rounds(on_sealed=knots_sealed)
        self.provenance = Provenance(
            self.site, self.store, self.registry, self.ledger.seal, self.loop_rounds, cursors, self.sign
        )
        self.add_node(NODE)

    def add_node(self, node_id: str) -> None:
        """As an operator would."""
        body = NodeBody(display_name=f"Training Person {node_id}")
        self.do(lambda tx: self.registry.nodes.put_in(tx, node_id, body, "tester"))

    def do(self, job: Any) -> Any:
        """One transaction, waited for."""
        return self.store.writer.submit(job).result(10)

    def sign(self, manifest: bytes) -> bytes:
        """What stands for the site's signature over a bundle."""
        return b"signed " + manifest

    def see_alive(self, node_id: str = NODE, ref: str = "prv_1") -> None:
        """A live check of the card succeeds now."""

        def job(tx: Transaction) -> None:
            self.registry.standing.record(tx, node_id=node_id, kind="card", ref=ref)

        self.do(job)

    @contextlib.asynccontextmanager
    async def running(self, *, confirmed: bool = True) -> AsyncIterator[None]:
        """The rounds go on."""
        await self.loop_rounds.start()
        if confirmed:
            self.loop_rounds.confirm()
        try:
            yield
        finally:
            await self.loop_rounds.stop()

    def verify(self, leaf: KnotLeaf) -> None:
        """The leaf's proof holds under the site's policy."""
        assert leaf.seal_proof is not None
        proof = parse_proof(leaf.seal_proof.encode())
        assert proof.index == leaf.log_index
        verify_proof(proof, hashlib.sha256(b"\x00" + leaf.leaf.encode()).digest(), self.policy)


def body(node_id: str = NODE, *, evidence: tuple[tuple[str, str], ...] = (), **consent: Any) -> KnotSealBody:
    """A consent given a minute ago."""
    given = {
        "purpose": ["identity check at the door"],
        "controller": "TRAINING site",
        "scope": ["card"],
        "given_at": rfc3339(now_us() - 60_000_000),
    }
    return KnotSealBody(
        node_id=node_id,
        consent=Consent(**{**given, **consent}),
        subject=Subject(media_sha256=["ab" * 32], media_type="image/png"),
        evidence=[EvidenceRef(type=kind, ref=ref) for kind, ref in evidence],  # type: ignore[arg-type]
    )
