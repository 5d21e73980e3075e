"""The start check against real witnesses: which answers confirm a store, and which condemn it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.ledger.witnesses.client import request_body
from app.ledger.witnesses.start_check import StoreStanding, StoreVerdict, check
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite


@pytest.fixture
def site(tmp_path: Path) -> Iterator[WitnessedSite]:
    """A store and three witnesses that know nothing yet."""
    made = WitnessedSite(tmp_path)
    yield made
    made.close()


def grown(site: WitnessedSite, *, seen_by: tuple[int, ...] = (0, 1, 2)) -> None:
    """One more leaf, that the witnesses of ``seen_by`` have cosigned; they have seen all before it."""
    asyncio.run(site.seal(n=1))
    size = site.ledger.seal.snapshot().size
    with site.store.read() as connection:
        path = site.ledger.seal.consistency_proof(connection, size - 1)
    for number in seen_by:
        reply = site.witnesses[number].add_checkpoint(request_body(size - 1, path, site.ledger.seal.checkpoint()))
        assert reply.status == 200


def replaced(site: WitnessedSite, path: Path) -> WitnessedSite:
    """The same witnesses over another store under the same keys: the copy that lies beside it, else a new one."""
    site.close()
    store = site.site.store_path
    for suffix in ("", "-wal", "-shm"):
        Path(f"{store}{suffix}").unlink(missing_ok=True)
    if (path / "copy.db").exists():
        (path / "copy.db").rename(store)
    return WitnessedSite(path)


def copied(site: WitnessedSite, path: Path) -> None:
    """A copy of the store as it is now."""
    with contextlib.closing(sqlite3.connect(site.site.store_path)) as file:
        file.execute("VACUUM INTO ?", (str(path / "copy.db"),))


def verdict(site: WitnessedSite) -> StoreVerdict:
    """Of one check."""
    return asyncio.run(check(site.ledger.seal, site.store, site.policy, site.clients()))


def test_a_fresh_site_is_confirmed(site: WitnessedSite) -> None:
    """Nobody has seen anything: there is nothing to be behind of."""
    assert verdict(site).standing is StoreStanding.CONFIRMED
    asyncio.run(site.seal(n=1))
    assert verdict(site).standing is StoreStanding.CONFIRMED


def test_a_store_at_or_before_its_witnesses_is_confirmed(site: WitnessedSite) -> None:
    """Equal, and grown since; what each has seen is told."""
    grown(site)
    grown(site, seen_by=(0, 1))
    asyncio.run(site.seal(n=3))
    found = verdict(site)
    assert found.standing is StoreStanding.CONFIRMED
    assert sorted(found.sizes.values()) == [1, 2, 2]


def test_two_answers_of_three_are_enough_and_one_is_not(site: WitnessedSite) -> None:
    """Those who are silent could be a quorum alone: the store waits, and says for whom."""
    grown(site)
    site.down.add(2)
    assert verdict(site).standing is StoreStanding.CONFIRMED
    site.down.add(0)
    found = verdict(site)
    assert found.standing is StoreStanding.UNCONFIRMED
    assert "w0.witness.invalid does not answer" in found.sentence
    assert "w2.witness.invalid does not answer" in found.sentence


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="rubbish"),
        httpx.Response(200, content=b"\xff"),
        httpx.Response(500, text=""),
        httpx.Response(200, text="x" * 200_000),
    ],
)
def test_what_proves_nothing_is_no_answer(site: WitnessedSite, answer: httpx.Response) -> None:
    """Neither confirms nor condemns."""
    site.answers.update({0: answer, 1: answer})
    assert verdict(site).standing is StoreStanding.UNCONFIRMED


def test_a_note_that_only_the_log_signed_is_no_answer(site: WitnessedSite) -> None:
    """Anybody may repeat the log's own line; so may they one of the other log."""
    asyncio.run(site.seal(n=1))
    own = httpx.Response(200, text=site.ledger.seal.checkpoint())
    other = httpx.Response(200, text=site.ledger.audit.checkpoint())
    site.answers.update({0: own, 1: other})
    found = verdict(site)
    assert found.standing is StoreStanding.UNCONFIRMED
    assert "none of its keys has cosigned it" in found.sentence
    assert "it is of another log" in found.sentence


@pytest.mark.parametrize("seen_by", [(0, 1, 2), (1,)])
def test_a_store_behind_one_witness_is_rolled_back(
    site: WitnessedSite, tmp_path: Path, seen_by: tuple[int, ...]
) -> None:
    """One is enough: its checkpoint carries this log's own signature. Both heads are told."""
    grown(site)
    copied(site, tmp_path)
    grown(site, seen_by=seen_by)
    old = replaced(site, tmp_path)
    found = verdict(old)
    old.close()
    assert found.standing is StoreStanding.ROLLED_BACK
    assert f"2 entries, root {root_of(site)} of {site.ledger.seal.origin}" in found.sentence
    assert f"1 entries, root {root_of(old)}" in found.sentence


def test_a_store_with_another_history_has_forked(site: WitnessedSite, tmp_path: Path) -> None:
    """Longer than what the witnesses saw, and another tree."""
    grown(site)
    fork = replaced(site, tmp_path)
    asyncio.run(fork.seal(n=8))
    asyncio.run(fork.seal(n=9))
    found = verdict(fork)
    fork.close()
    assert found.standing is StoreStanding.FORKED
    assert root_of(site) in found.sentence
    assert root_of(fork) in found.sentence


def root_of(site: WitnessedSite) -> str:
    """In base64."""
    return base64.b64encode(site.ledger.seal.snapshot().root).decode()
