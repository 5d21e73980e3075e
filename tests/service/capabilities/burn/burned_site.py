"""A burn with a follow-up, as an outsider is given it to verify: bundle, segments, and what an auditor pins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.capabilities.burn.log.bundles import KIND
from app.capabilities.burn.log.revocations import Revocations
from app.capabilities.burn.messages import Burn
from app.evidence.checks import PinnedTrust
from app.ledger.bundle import MANIFEST, SIGNATURE, unpack, write_bundle
from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import parse_note
from app.ledger.c2sp.policy import parse_policy
from app.ledger.cosigned import Cosigned, freeze
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority, stamp_authority
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from tests.door_site import ACTOR, DoorSite, door_site, until

WITNESS = Cosigner("w0.witness.invalid", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
ADDED = ("arc_verify.py", "HOW-TO-VERIFY.txt", MANIFEST, SIGNATURE)


class BurnedSite:
    """Made in ``path`` and closed again. ARC-1 was burned while a reader with a list of its own was away, which came
    back; then ARC-2 was burned. ``segments``: bytes and manifest of each segment of the first burn."""

    def __init__(self, path: Path) -> None:
        with door_site(path) as site:
            authority, _ = open_authority(site.site, site.store, site.keys)
            self._receipts = DocumentSigner.open(site.store, site.keys, authority)
            self.revocations = Revocations(site.store, site.log, self._receipts.sign_bundle, training=True)
            site.cluster("east", 2)
            part = ReaderBody(reader_id="safe-1", channel="simulated:", address=1, onboard_list=True)
            body = ReaderClusterBody(display_name="Safe", readers=[part])
            site.write(lambda tx: site.registry.clusters.put_in(tx, "safe", body, ACTOR))
            self.burn, self.other = asyncio.run(self._burn(site))
            self.stamps = stamp_authority(site.site, site.store, site.keys, authority)
            own = f"log {site.log.verifier.vkey}\nwitness w0 {WITNESS.key.vkey}\nquorum w0\n"
            self.policy_file = own.encode()
            self.root = authority.root.certificate
            self.root_pem = authority.root_pem()
            self._cosign(site)
            self.bundle = self.revocations.bundle(self.burn.burn_id)
            self.other_bundle = self.revocations.bundle(self.other.burn_id)
            self.again = self.revocations.bundle(self.burn.burn_id)
            self.segments = [
                (self.revocations.segment(self.burn.burn_id, part), self.revocations.manifest(self.burn.burn_id, part))
                for part in range(2)
            ]

    @property
    def trust(self) -> PinnedTrust:
        """What an auditor of the site pinned."""
        return PinnedTrust(parse_policy(self.policy_file), [self.root])

    def trusting(self, *roots: x509.Certificate) -> PinnedTrust:
        """The same policy, other roots."""
        return PinnedTrust(parse_policy(self.policy_file), roots)

    def packed(self, change: Callable[[dict[str, bytes]], None]) -> bytes:
        """The bundle with its parts changed, signed again by the site itself: only what the parts prove can tell."""
        files = unpack(self.bundle)
        parts = {name: data for name, data in files.items() if name not in ADDED}
        change(parts)
        return write_bundle(KIND, parts, training=True, sign=self._receipts.sign_bundle)

    async def _burn(self, site: DoorSite) -> tuple[Burn, Burn]:
        async with site.running():
            await site.secure(3)
            await site.credentials.plug("safe-1", "unplug")
            await until(lambda: not site.credentials.doors.fleet.states()["safe-1"].online)
            partial = await site.burn("ARC-1")
            await site.credentials.plug("safe-1", "plug")
            await until(lambda: site.burns.get(partial.burn_id).state == "COMPLETE", 20)
            other = await site.burn("ARC-2")
            await until(lambda: other.log.manifest_url is not None)
            return site.burns.get(partial.burn_id), other

    def _cosign(self, site: DoorSite) -> None:
        head, now = site.log.snapshot(), int(time.time())
        text = parse_note(head.note.encode()).text
        token = self.stamps.token(text.encode(), datetime.now(UTC))
        cosigned = Cosigned(head.size, head.note + WITNESS.line(text, now), now, token)
        site.write(lambda tx: freeze(tx, site.log, cosigned))
