"""Rounds over real witnesses: quorum, frozen notes, lost replies, forks, rolled back stores."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.ledger.c2sp.proof import parse_proof, verify_proof
from app.ledger.cosigned import LeafProof, proof_of
from app.ledger.stamps.timestamp import StampError
from app.ledger.witnesses.client import WitnessFault
from app.ledger.witnesses.rounds import Rounds
from tests.service.capabilities.infrastructure.watch_site import until
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite

Opening = Callable[..., WitnessedSite]


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Opening]:
    """Opens sites in the test's directory; closes them at the end."""
    made: list[WitnessedSite] = []

    def open_it(**options: Any) -> WitnessedSite:
        made.append(WitnessedSite(tmp_path, **options))
        return made[-1]

    yield open_it
    for site in made:
        site.close()


def run(site: WitnessedSite, work: Callable[[Rounds], Awaitable[None]], **options: Any) -> None:
    """``work`` beside running, confirmed rounds."""

    async def main() -> None:
        rounds = site.rounds(**options)
        await rounds.start()
        rounds.confirm()
        try:
            await asyncio.wait_for(work(rounds), 60)
        finally:
            await rounds.stop()

    asyncio.run(main())


def holds(site: WitnessedSite, proof: LeafProof | None, leaf: bytes) -> None:
    """The proof verifies under the site's policy."""
    assert proof is not None
    proven = verify_proof(parse_proof(proof.data), leaf, site.policy)
    assert proven.size == proof.cosigned.size
    assert proven.quorum_at == proof.cosigned.quorum_at


def test_a_seal_is_proven_under_its_policy(opening: Opening) -> None:
    """The proof's file verifies, and is kept: read again it is the same to the byte."""
    site = opening()

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        proof = await rounds.prove(sealed.seq)
        holds(site, proof, sealed.leaf_hash)
        with site.store.read() as connection:
            again = proof_of(site.ledger.seal, connection, sealed.seq)
        assert again is not None
        assert proof is not None
        assert (again.data, again.consensus_seal) == (proof.data, proof.consensus_seal)

    run(site, work)


def test_many_seals_share_their_rounds(opening: Opening) -> None:
    """Fifty at once: each is proven, in fewer rounds than seals, and each consensus seal is told once."""
    site = opening()

    async def one(rounds: Rounds, n: int) -> None:
        sealed = await site.seal(n=n)
        holds(site, await rounds.prove(sealed.seq), sealed.leaf_hash)

    async def work(rounds: Rounds) -> None:
        await asyncio.gather(*(one(rounds, n) for n in range(50)))

    run(site, work)
    assert len({proof.cosigned.size for proof in site.sealed}) < 25
    assert sorted(proof.seq for proof in site.sealed) == list(range(50))


def test_one_witness_down_is_no_matter(opening: Opening) -> None:
    """Two of three suffice; the third one's fault is known."""
    site = opening()
    site.down.add(1)

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        holds(site, await rounds.prove(sealed.seq), sealed.leaf_hash)
        await asyncio.to_thread(until, lambda: rounds.witnesses[1].fault is WitnessFault.UNREACHABLE)

    run(site, work)


def test_a_cosignature_of_another_time_does_not_count(opening: Opening) -> None:
    """The time stamp beside a quorum that two wrong clocks had made could never verify: the seal waits, the skew is
    known, and a clock that is set right seals it."""
    site = opening()
    for number in (0, 2):
        site.witnesses[number]._clock = lambda: time.time() + 3_600

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        rounds.notice_growth()
        states = rounds.witnesses
        await asyncio.to_thread(until, lambda: [state.skew_s > 3_000 for state in states] == [True, False, True])
        assert rounds.newest() is None
        assert [state.fault for state in states] == [WitnessFault.REFUSED, None, WitnessFault.REFUSED]
        site.witnesses[0]._clock = time.time
        proof = await rounds.prove(sealed.seq, timeout_s=20)
        holds(site, proof, sealed.leaf_hash)
        assert proof is not None
        assert abs(proof.cosigned.quorum_at - time.time()) < 300

    run(site, work)


def test_what_cannot_be_stamped_waits(opening: Opening) -> None:
    """A seal with a time stamp that nobody takes would be bad for ever: it is pending, and why is known."""
    site = opening()
    wrong = ["the clock is wrong"]

    def stamp(_text: bytes, _at: datetime) -> bytes:
        if wrong:
            raise StampError(wrong[0])
        return b"a token"

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        rounds.notice_growth()
        await asyncio.to_thread(until, lambda: rounds.unstamped == wrong[0])
        assert rounds.newest() is None
        wrong.clear()
        proof = await rounds.prove(sealed.seq, timeout_s=20)
        holds(site, proof, sealed.leaf_hash)
        assert proof is not None
        assert proof.cosigned.token == b"a token"
        await asyncio.to_thread(until, lambda: not rounds.unstamped)

    run(site, work, stamp=stamp)


def test_without_a_quorum_a_seal_is_pending_then_proven(opening: Opening) -> None:
    """Two down: no proof in time; back again: the next round proves what waited."""
    site = opening()
    site.down.update((0, 2))

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        assert await rounds.prove(sealed.seq, timeout_s=0.3) is None
        assert rounds.newest() is None
        site.down.clear()
        holds(site, await rounds.prove(sealed.seq, timeout_s=20), sealed.leaf_hash)

    run(site, work)


def test_nothing_leaves_before_it_is_confirmed(opening: Opening) -> None:
    """A store that may be an old one shows nobody its head."""
    site = opening()

    async def main() -> None:
        rounds = site.rounds()
        await rounds.start()
        sealed = await site.seal(n=1)
        assert await rounds.prove(sealed.seq, timeout_s=0.3) is None
        assert site.requests == []
        rounds.confirm()
        holds(site, await rounds.prove(sealed.seq), sealed.leaf_hash)
        await rounds.stop()

    asyncio.run(main())


def test_a_restarted_log_finds_what_its_witnesses_saw(opening: Opening) -> None:
    """The first request learns the witness's size, the second one is consistent with it."""
    site = opening()

    async def first(rounds: Rounds) -> None:
        await rounds.prove((await site.seal(n=1)).seq)

    run(site, first)
    site.requests.clear()

    async def second(rounds: Rounds) -> None:
        sealed = await site.seal(n=2)
        holds(site, await rounds.prove(sealed.seq), sealed.leaf_hash)

    run(site, second)
    assert {old for _, old in site.requests} == {"old 0", "old 1"}


def test_a_lost_reply_is_asked_for_again(opening: Opening) -> None:
    """The witnesses have the size already: the same checkpoint with an empty proof is cosigned."""
    site = opening()

    async def main() -> None:
        rounds = site.rounds()
        await rounds.start()
        sealed = await site.seal(n=1)
        for witness in site.witnesses:
            assert witness.add_checkpoint(f"old 0\n\n{site.ledger.seal.checkpoint()}".encode()).status == 200
        rounds.confirm()
        holds(site, await rounds.prove(sealed.seq), sealed.leaf_hash)
        await rounds.stop()

    asyncio.run(main())
    assert {old for _, old in site.requests} == {"old 0", "old 1"}


def test_a_rolled_back_store_is_told(opening: Opening, tmp_path: Path) -> None:
    """The witnesses saw more than the store has: no proof, and the fault says so."""
    site = opening()

    async def grow(rounds: Rounds) -> None:
        for n in range(3):
            await rounds.prove((await site.seal(n=n)).seq)

    run(site, grow)
    site.close()
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        (tmp_path / "site" / name).unlink(missing_ok=True)
    old = opening()

    async def work(rounds: Rounds) -> None:
        sealed = await old.seal(n=0)
        assert await rounds.prove(sealed.seq, timeout_s=0.5) is None
        assert {state.fault for state in rounds.witnesses} == {WitnessFault.ROLLED_BACK}

    run(old, work)


def test_a_forked_log_is_told(opening: Opening, tmp_path: Path) -> None:
    """Another tree under the same name: the witnesses refuse, and the fault says fork."""
    site = opening()

    async def grow(rounds: Rounds) -> None:
        await rounds.prove((await site.seal(n=0)).seq)

    run(site, grow)
    site.close()
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        (tmp_path / "site" / name).unlink(missing_ok=True)
    fork = opening()

    async def work(rounds: Rounds) -> None:
        await fork.seal(n=8)
        sealed = await fork.seal(n=9)
        assert await rounds.prove(sealed.seq, timeout_s=0.5) is None
        assert {state.fault for state in rounds.witnesses} == {WitnessFault.FORKED}

    run(fork, work)


def test_a_slow_witness_is_late_not_lost(opening: Opening) -> None:
    """The quorum does not wait for it; its line is kept beside the frozen note."""
    site = opening()
    gate = asyncio.Event()

    async def before(number: int) -> None:
        if number == 2:
            await gate.wait()

    site.before = before

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        proof = await rounds.prove(sealed.seq)
        holds(site, proof, sealed.leaf_hash)
        assert proof is not None
        assert b"w2.witness.invalid" not in proof.data
        gate.set()
        await asyncio.to_thread(until, lambda: _late(site) == 2)

    run(site, work)


def _late(site: WitnessedSite) -> int:
    with site.store.read() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM log_late").scalar_one())


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (httpx.Response(200, text="rubbish"), WitnessFault.REFUSED),
        (httpx.Response(200, content=b"\xff\xfe"), WitnessFault.REFUSED),
        (httpx.Response(200, text=""), WitnessFault.REFUSED),
        (httpx.Response(404, text="unknown"), WitnessFault.REFUSED),
        (httpx.Response(403, text="no key"), WitnessFault.REFUSED),
        (httpx.Response(500, text=""), WitnessFault.REFUSED),
        (httpx.Response(409, text="x\n", headers={"Content-Type": "text/x.tlog.size"}), WitnessFault.REFUSED),
        (httpx.Response(409, text="9\n", headers={"Content-Type": "text/x.tlog.size"}), WitnessFault.ROLLED_BACK),
        (httpx.Response(422, text=""), WitnessFault.FORKED),
    ],
)
def test_what_a_witness_answers_is_judged(opening: Opening, answer: httpx.Response, fault: WitnessFault) -> None:
    """Whatever one witness says, the quorum of the others holds and its fault has a name."""
    site = opening()
    site.answers[0] = answer

    async def work(rounds: Rounds) -> None:
        sealed = await site.seal(n=1)
        holds(site, await rounds.prove(sealed.seq), sealed.leaf_hash)
        await asyncio.to_thread(until, lambda: rounds.witnesses[0].fault is fault)

    run(site, work)
