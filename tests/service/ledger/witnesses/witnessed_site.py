"""A store with both logs, three witnesses in process behind real HTTP semantics, and the rounds between them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.policy import WitnessPolicy, parse_policy
from app.ledger.cosigned import LeafProof
from app.ledger.log.append import AuditLog, Ledger, SealLog
from app.ledger.log.keys import LogKey, ring_reader
from app.ledger.tables import SEAL
from app.ledger.witnesses.client import WitnessClient
from app.ledger.witnesses.rounds import Rounds
from app.ledger.witnesses.witness import Witness
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from app.store.writer import Sealed, Transaction


class WitnessedSite:
    """``path`` is a directory; opening it again finds what was there."""

    def __init__(self, path: Path, *, count: int = 3, quorum: int = 2) -> None:
        self.path = path
        self.site = Site.open(path / "site", "training")
        self.keys = Keys(self.site.keys_path, find_kek(self.site))
        self.ledger = Ledger(
            AuditLog(self.site.origin("audit"), self.keys.ed25519("audit")),
            SealLog(self.site.origin("seal"), ring_reader(self.site.origin("seal"), "seal", self.keys, SEAL)),
        )
        self.store = Store.open(self.site.store_path, self.ledger, sealer=self.keys.sealer)
        self.mldsa = Cosigner(self.site.origin("seal"), self.keys.mldsa44("seal"))
        self.cosigners = [_cosigners(number) for number in range(count)]
        keys = [self.ledger.seal.verifier, self.mldsa.key]
        self.witnesses = [
            Witness(path / f"witness-{number}.db", cosigners, keys) for number, cosigners in enumerate(self.cosigners)
        ]
        self.down: set[int] = set()
        self.before: Callable[[int], Awaitable[None]] | None = None
        self.answers: dict[int, httpx.Response] = {}
        self.requests: list[tuple[int, str]] = []
        self.policy = self._policy(quorum)
        self.sealed: list[LeafProof] = []

    def trust(self, number: int, keys: Sequence[LogKey]) -> None:
        """The witness is started again with other keys of the log."""
        self.witnesses[number].close()
        self.witnesses[number] = Witness(self.path / f"witness-{number}.db", self.cosigners[number], keys)

    def _policy(self, quorum: int) -> WitnessPolicy:
        lines = [f"log {self.ledger.seal.verifier.vkey}", f"log {self.mldsa.key.vkey}"]
        names = []
        for number, cosigners in enumerate(self.cosigners):
            members = []
            for kind, cosigner in zip(("ed25519", "mldsa"), cosigners, strict=True):
                lines.append(f"witness w{number}-{kind} {cosigner.key.vkey}")
                members.append(f"w{number}-{kind}")
            lines.append(f"group w{number} any {' '.join(members)}")
            names.append(f"w{number}")
        lines += [f"group all-of-them {quorum} {' '.join(names)}", "quorum all-of-them"]
        return parse_policy(("\n".join(lines) + "\n").encode())

    def clients(self) -> dict[str, WitnessClient]:
        """A client of each witness, by the name of its keys."""
        return {
            cosigners[0].key.name: WitnessClient(
                cosigners[0].key.name,
                f"http://w{number}.invalid/",
                httpx.AsyncClient(transport=httpx.MockTransport(self._handler(number))),
            )
            for number, cosigners in enumerate(self.cosigners)
        }

    def rounds(self, **options: Any) -> Rounds:
        """Rounds of the seal log over all witnesses."""
        options.setdefault("on_sealed", lambda _tx, proofs: self.sealed.extend(proofs))
        rounds = Rounds(self.ledger.seal, self.store, **options)
        rounds.admit(self.policy, self.clients())
        return rounds

    def _handler(self, number: int) -> Callable[[httpx.Request], Awaitable[httpx.Response]]:
        async def handle(request: httpx.Request) -> httpx.Response:
            if self.before is not None:
                await self.before(number)
            if number in self.down:
                raise httpx.ConnectError("down")
            self.requests.append((number, request.content.split(b"\n", 1)[0].decode()))
            if number in self.answers:
                return self.answers[number]
            witness = self.witnesses[number]
            if request.method == "GET":
                reply = witness.checkpoint(request.url.path.split("/")[1])
            else:
                reply = await asyncio.to_thread(witness.add_checkpoint, request.content)
            return httpx.Response(reply.status, text=reply.body, headers={"Content-Type": reply.media_type})

        return handle

    async def seal(self, **payload: object) -> Sealed:
        """One leaf of the seal log."""

        def job(tx: Transaction) -> Sealed:
            return tx.seal("seal.issued", actor="key_1", standing="UNVERIFIED", payload=payload)

        return await self.store.writer.run(job, seal=True)

    def close(self) -> None:
        """Give every file back."""
        self.store.close()
        self.keys.close()
        for witness in self.witnesses:
            witness.close()


def _cosigners(number: int) -> tuple[Cosigner, Cosigner]:
    name = f"w{number}.witness.invalid"
    seed = bytes((32 + number,)) * 32
    return (
        Cosigner(name, Ed25519PrivateKey.from_private_bytes(seed)),
        Cosigner(name, MLDSA44PrivateKey.from_seed_bytes(seed)),
    )
