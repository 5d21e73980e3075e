"""Seals as others find them: the evidence of a strike, and the mandate of a node."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.wire import rfc3339
from app.capabilities.provenance.messages import KnotSeal, WithdrawBody
from app.ledger.bundle import read_bundle
from app.registry.service import now_us
from tests.service.capabilities.provenance.seal_site import NODE, SealSite, body

MANDATE = "enforcement.mandate"
ACTOR = "key_1"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SealSite]:
    """A site of the test's own."""
    made = SealSite(tmp_path)
    yield made
    made.close()


def issue(site: SealSite, *, confirmed: bool = True, **consent: object) -> KnotSeal:
    """A seal; its quorum is met where the rounds are confirmed."""

    async def work() -> KnotSeal:
        async with site.running(confirmed=confirmed):
            return (await site.provenance.issue(body(**consent), actor=ACTOR))[0]

    return asyncio.run(work())


def mandate(site: SealSite, node_id: str = NODE) -> str | None:
    """What a strike of the node would name."""
    with site.store.read() as connection:
        return site.provenance.mandate_of(connection, node_id, MANDATE)


def test_a_seal_is_found_by_its_name_and_by_its_seal(site: SealSite) -> None:
    """With its facts, and a bundle that proves them."""
    knot = issue(site)
    assert knot.consensus_seal is not None
    for ref in (knot.knot_id, knot.consensus_seal):
        found = site.provenance.find(ref)
        assert found is not None
        assert (found.kind, found.ref) == ("seal", ref)
        assert knot.knot_id in found.title
        assert any(knot.consensus_seal in fact for fact in found.facts)
        assert read_bundle(found.files[f"{knot.knot_id}.zip"]).manifest.kind == "knot-seal"


def test_a_pending_seal_is_found_without_a_bundle(site: SealSite) -> None:
    """Nobody could verify it yet, and it says so."""
    knot = issue(site, confirmed=False)
    found = site.provenance.find(knot.knot_id)
    assert found is not None
    assert (found.files, found.facts[-1]) == ({}, "Its witnesses have not met their quorum yet.")


@pytest.mark.parametrize("ref", ["", "KNOT-0123456789ABCDEF", "0x" + "ab" * 32, "scan_0123456789abcdef0123", "case 7"])
def test_other_references_are_none_of_ours(site: SealSite, ref: str) -> None:
    """Unknown seals, and what is no seal."""
    assert site.provenance.find(ref) is None


def test_the_newest_seal_with_the_purpose_is_the_mandate(site: SealSite) -> None:
    """Other purposes are none; neither is another node's."""
    assert mandate(site) is None

    async def work() -> None:
        async with site.running():
            first, _ = await site.provenance.issue(body(purpose=[MANDATE]), actor=ACTOR)
            await site.provenance.issue(body(), actor=ACTOR)
            assert mandate(site) == first.knot_id
            both = ["identity check at the door", MANDATE]
            second, _ = await site.provenance.issue(body(purpose=both), actor=ACTOR)
            assert mandate(site) == second.knot_id
            assert mandate(site, "ARC-T0002") is None

    asyncio.run(work())


def test_a_seal_that_was_withdrawn_is_no_mandate(site: SealSite) -> None:
    """The one before it is again."""

    async def work() -> None:
        async with site.running():
            first, _ = await site.provenance.issue(body(purpose=[MANDATE]), actor=ACTOR)
            second, _ = await site.provenance.issue(body(purpose=[MANDATE]), actor=ACTOR)
            await site.provenance.withdraw(second.knot_id, WithdrawBody(reason="asked"), actor=ACTOR)
            assert mandate(site) == first.knot_id

    asyncio.run(work())


def test_a_consent_that_has_ended_is_no_mandate(site: SealSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the moment, before the sweep has told so."""
    knot = issue(site, purpose=[MANDATE], expires_at=rfc3339(now_us() + 3_600_000_000))
    assert mandate(site) == knot.knot_id
    monkeypatch.setattr("app.capabilities.provenance.service.now_us", lambda: now_us() + 3_600_000_001)
    assert mandate(site) is None


def test_an_erased_consent_names_no_purpose(site: SealSite) -> None:
    """What was agreed is gone."""
    issue(site, purpose=[MANDATE])
    site.do(lambda tx: tx.connection.exec_driver_sql("UPDATE seal_entry SET salt = NULL, payload = NULL"))
    assert mandate(site) is None
