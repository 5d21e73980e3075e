"""Knots with their proofs and time stamps, as an outsider is given them to verify."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.capabilities.provenance.bundles import seal_bundle
from app.capabilities.provenance.messages import KnotListQuery, KnotSeal, WithdrawBody
from app.ledger.c2sp.note import parse_note
from app.ledger.stamps.anchors import add_anchor
from app.ledger.witnesses.rounds import Rounds
from app.pki.authority import Root, SiteAuthority, make_root
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority, stamp_authority
from tests.service.capabilities.infrastructure.watch_site import until
from tests.service.capabilities.provenance.seal_site import SealSite, body
from tests.unit.ledger.stamps.test_timestamp import AUTHORITY

SIZE = 7
"""Leaves with their quorum."""


class Issuer:
    """A site's authority and the signer of its receipts and bundles."""

    def __init__(self, authority: SiteAuthority, receipts: DocumentSigner) -> None:
        self.authority = authority
        self.receipts = receipts

    @classmethod
    def stranger(cls, *, training: bool = True) -> Issuer:
        """Another site's."""
        key, own = ec.generate_private_key(ec.SECP256R1()), Ed25519PrivateKey.generate()
        root = make_root(key, training=training, site="stranger.invalid", now=datetime.now(UTC))
        authority = SiteAuthority(Root(root, key), training=training)
        chain = [authority.receipt_signer(own.public_key()).certificate, root]
        return cls(authority, DocumentSigner(own, chain))

    @property
    def root(self) -> x509.Certificate:
        """What is pinned."""
        return self.authority.root.certificate

    def bundle(self, seal: dict[str, Any]) -> bytes:
        """A knot as a bundle that this site signed."""
        return seal_bundle(msgspec.convert(seal, KnotSeal), self.receipts.sign_bundle)


class SealedKnots(SealSite):
    """A site whose log holds eight leaves, closed. ``alone``: issued; ``withdrawn``: issued and withdrawn; ``pending``:
    still without a quorum; ``renewed``: issued, and stamped by an outside authority twice. Each as the API gives it.
    ``late_s``: how wrong the clock of the time stamps is."""

    def __init__(self, path: Path, *, late_s: float = 0.0) -> None:
        self._late = timedelta(seconds=late_s)
        super().__init__(path)
        try:
            authority, _ = open_authority(self.site, self.store, self.keys)
            self.issuer = Issuer(authority, DocumentSigner.open(self.store, self.keys, authority))
            self._stamps = stamp_authority(self.site, self.store, self.keys, authority)
            asyncio.run(self._fill())
        finally:
            self.close()
        self.policy_file = self.policy.text().encode()

    def rounds(self, **options: Any) -> Rounds:
        """Rounds that stamp."""
        return super().rounds(stamp=self._stamp, **options)

    def _stamp(self, text: bytes, at: datetime) -> bytes:
        return self._stamps.token(text, at + self._late)

    async def _fill(self) -> None:
        async with self.running():
            first = await self._issue()
            others = await asyncio.gather(*(self._issue() for _ in range(4)))
            reason = WithdrawBody(reason="no longer wanted")
            withdrawn, _ = await self.provenance.withdraw(first.knot_id, reason, actor="key_1")
            await self._stamped_outside()
            await self._issue()
            await self._stamped_outside()
        # No round runs any more, so this one waits for its quorum.
        waiting = asyncio.create_task(self._issue())
        await asyncio.to_thread(until, lambda: self.ledger.seal.snapshot().size > SIZE)
        waiting.cancel()
        newest = self.provenance.page(KnotListQuery(limit=1)).items[0].knot_id
        self.pending: dict[str, Any] = msgspec.to_builtins(await self.provenance.get(newest))
        self.renewed: dict[str, Any] = msgspec.to_builtins(await self.provenance.get(others[1].knot_id))
        self.alone: dict[str, Any] = msgspec.to_builtins(others[2])
        self.withdrawn: dict[str, Any] = msgspec.to_builtins(withdrawn)

    async def _stamped_outside(self) -> None:
        cosigned = self.loop_rounds.newest()
        assert cosigned is not None
        token = AUTHORITY.token(parse_note(cosigned.note.encode()).text.encode(), datetime.now(UTC))
        await self.store.writer.run(
            lambda tx: add_anchor(tx, self.ledger.seal, cosigned.size, "https://tsa.invalid", token)
        )

    async def _issue(self) -> KnotSeal:
        knot, _ = await self.provenance.issue(body(), actor="key_1", request_id="req_1")
        return knot
