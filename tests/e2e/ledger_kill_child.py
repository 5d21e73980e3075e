"""Child process: clients that audit and seal without end while three witnesses cosign, printing each answer after it
came: ``a seq word``, ``s seq word``, ``p seq consensus_seal``. Ends by being killed."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from pathlib import Path

from app.ledger.witnesses.rounds import Rounds
from app.store.writer import Sealed, Transaction
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite


def answer(*words: object) -> None:
    """One write a line: a line that the parent reads whole was answered, whatever happens next."""
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


async def audits(site: WitnessedSite, name: str) -> None:
    """A client of the audit log."""
    for number in itertools.count():
        word = f"{name}-{number}"

        def job(tx: Transaction, word: str = word) -> int:
            return tx.audit("test.written", actor="key_1", node_id=f"NODE-{word}", detail={"word": word})

        answer("a", await site.store.writer.run(job), word)


async def seals(site: WitnessedSite, rounds: Rounds, name: str) -> None:
    """A client that seals, with an audit entry in the same transaction, and waits for the proof."""
    for number in itertools.count():
        word = f"{name}-{number}"

        def job(tx: Transaction, word: str = word) -> Sealed:
            sealed = tx.seal("knots.issue", actor="key_1", standing="UNVERIFIED", payload={"word": word})
            tx.audit("knots.issue", actor="key_1", detail={"word": word, "log_index": sealed.seq})
            return sealed

        sealed = await site.store.writer.run(job, seal=True)
        answer("s", sealed.seq, word)
        proof = await rounds.prove(sealed.seq)
        if proof is not None:
            answer("p", sealed.seq, proof.consensus_seal)


async def main(directory: Path, tag: str) -> None:
    site = WitnessedSite(directory)
    rounds = site.rounds()
    site.ledger.seal.on_grown = rounds.notice_growth
    await rounds.start()
    rounds.confirm()
    async with asyncio.TaskGroup() as clients:
        for number in range(4):
            clients.create_task(audits(site, f"{tag}a{number}"))
            clients.create_task(seals(site, rounds, f"{tag}s{number}"))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
