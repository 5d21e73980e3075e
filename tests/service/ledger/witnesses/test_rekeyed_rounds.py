"""Rounds of a log whose keys were replaced: witnesses that know the old, the new, or both; a job that fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.commands.keys import rekeying
from app.ledger.c2sp.note import parse_note
from app.ledger.log.keys import spare_pair
from app.ledger.witnesses.client import WitnessFault
from app.ledger.witnesses.rounds import Rounds
from app.store.writer import Transaction
from tests.service.capabilities.infrastructure.watch_site import until
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite

HOUR_S = 3_600


@pytest.fixture
def site(tmp_path: Path) -> Iterator[WitnessedSite]:
    """Three witnesses that know the first keys alone."""
    made = WitnessedSite(tmp_path)
    yield made
    made.close()


async def rekeyed(site: WitnessedSite, overlap_s: int) -> None:
    """New keys, in a job of this process."""
    log = site.ledger.seal
    pair = spare_pair(log.origin, "seal", site.keys, log.ring)
    await site.store.writer.run(rekeying(log, pair, int(time.time()) + overlap_s))


async def with_rounds(site: WitnessedSite, rounds: Rounds) -> None:
    """Confirmed rounds."""
    await rounds.start()
    rounds.confirm()


def test_who_knows_the_old_key_alone_is_told_of(site: WitnessedSite) -> None:
    """It goes on in the overlap, and the question names it until it knows; asking changes nothing that it has seen."""

    async def work() -> None:
        rounds = site.rounds()
        await with_rounds(site, rounds)
        assert await rounds.unaware() == {}
        await rekeyed(site, HOUR_S)
        proof = await rounds.prove((await site.seal(n=1)).seq)
        assert proof is not None
        note = parse_note(proof.cosigned.note.encode())
        assert sum(line.name == site.ledger.seal.origin for line in note.signatures) == 4
        site.trust(0, site.ledger.seal.ring.newest.keys)
        told = await rounds.unaware()
        assert sorted(told) == ["w1.witness.invalid", "w2.witness.invalid"]
        assert site.ledger.seal.verifier.vkey in told["w1.witness.invalid"]
        assert await rounds.prove((await site.seal(n=2)).seq) is not None
        await rounds.stop()

    asyncio.run(work())


def test_who_was_never_told_refuses_when_the_overlap_ends(site: WitnessedSite) -> None:
    """The quorum is of those that know the new key; the others are in trouble, which is an alarm."""

    async def work() -> None:
        rounds = site.rounds()
        await with_rounds(site, rounds)
        await rekeyed(site, -1)
        for number in (0, 1):
            site.trust(number, site.ledger.seal.ring.newest.keys)
        assert await rounds.prove((await site.seal(n=1)).seq, timeout_s=30) is not None
        await asyncio.to_thread(until, lambda: rounds.witnesses[2].fault is WitnessFault.REFUSED)
        await rounds.stop()

    asyncio.run(work())


def test_a_job_that_fails_changes_no_key(site: WitnessedSite) -> None:
    """Leaf, index and ring go back together, whatever the group's other jobs do."""
    log = site.ledger.seal
    before = log.ring

    async def work() -> None:
        pair = spare_pair(log.origin, "seal", site.keys, log.ring)
        replace = rekeying(log, pair, int(time.time()) + HOUR_S)

        def fails(tx: Transaction) -> None:
            replace(tx)
            raise ValueError("on purpose")

        with pytest.raises(ValueError, match="on purpose"):
            await site.store.writer.run(fails)
        await site.seal(n=1)
        assert log.ring is before
        assert len(parse_note(log.checkpoint().encode()).signatures) == 1
        await site.store.writer.run(replace)
        assert len(parse_note(log.checkpoint().encode()).signatures) == 2
        with pytest.raises(Exception, match="another command"):
            await site.store.writer.run(replace)

    asyncio.run(work())
