"""Knot seals over real rounds: what they state, how they end, and that a stranger can check them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from msgspec import to_builtins

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.provenance.messages import KnotListQuery, WithdrawBody
from app.capabilities.provenance.seals import by_knot, read_knot
from app.ledger.bundle import read_bundle
from app.ledger.c2sp.proof import consensus_seal
from app.ledger.tree.leaf import knot_id_of
from app.registry.service import now_us
from tests.service.capabilities.provenance.seal_site import NODE, SealSite, body


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SealSite]:
    """A site of the test's own."""
    made = SealSite(tmp_path)
    yield made
    made.close()


def run(site: SealSite, work: Callable[[], Awaitable[None]], *, confirmed: bool = True) -> None:
    """``work`` beside running rounds."""

    async def main() -> None:
        async with site.running(confirmed=confirmed):
            await asyncio.wait_for(work(), 60)

    asyncio.run(main())


def test_a_seal_opens_to_what_was_agreed(site: SealSite) -> None:
    """Header, body, knot_id, consensus_seal and proof fit each other without asking us."""

    async def work() -> None:
        knot, sealed = await site.provenance.issue(body(), actor="key_1", request_id="req_1")
        assert sealed
        header = json.loads(knot.leaf)
        assert knot.opening.salt is not None
        assert knot.opening.payload is not None
        salt, payload = base64.b64decode(knot.opening.salt), base64.b64decode(knot.opening.payload)
        assert header["body"] == hashlib.sha256(salt + payload).hexdigest()
        assert header["outcome"] == knot.standing == "UNVERIFIED"
        assert knot.knot_id == knot_id_of(hashlib.sha256(b"\x00" + knot.leaf.encode()).digest())
        assert knot.seal_proof is not None
        assert knot.consensus_seal == consensus_seal(knot.seal_proof.encode())
        assert json.loads(payload)["consent"]["purpose"] == ["identity check at the door"]
        site.verify(knot.leaves[0])

    run(site, work)


def test_a_fresh_live_check_makes_it_verified(site: SealSite) -> None:
    """What this site itself saw, not what the caller says; the payload names it."""
    site.see_alive()

    async def work() -> None:
        knot, _ = await site.provenance.issue(body(evidence=(("card", "prv_1"),)), actor="key_1")
        assert knot.standing == "VERIFIED_DIGITAL_HUMAN"
        assert knot.opening.payload is not None
        payload = json.loads(base64.b64decode(knot.opening.payload))
        assert payload["live_check"]["ref"] == "prv_1"
        assert [row["ref"] for row in payload["evidence"]] == ["prv_1"]

    run(site, work)


def test_an_old_live_check_does_not(site: SealSite) -> None:
    """Older than the window of the site."""
    site.see_alive()
    late = now_us() - 901_000_000
    site.do(lambda tx: tx.connection.exec_driver_sql("UPDATE live_check SET at_us = ?", (late,)))

    async def work() -> None:
        knot, _ = await site.provenance.issue(body(), actor="key_1")
        assert knot.standing == "UNVERIFIED"

    run(site, work)


def test_evidence_is_looked_up(site: SealSite) -> None:
    """A reference that this site did not record is refused, and nothing is sealed."""

    async def work() -> None:
        with pytest.raises(Problem) as caught:
            await site.provenance.issue(body(evidence=(("palm", "plm_9"),)), actor="key_1")
        assert caught.value.code == "invalid_body"
        assert [error.pointer for error in caught.value.errors] == ["/evidence/0/ref"]
        assert site.ledger.seal.snapshot().size == 0

    run(site, work)


@pytest.mark.parametrize(
    ("field", "seconds"),
    [("given_at", 120), ("expires_at", -61), ("expires_at", -30)],
    ids=["future", "before", "over"],
)
def test_times_that_cannot_be(site: SealSite, field: str, seconds: int) -> None:
    """A consent of the future, one that ends before it begins, one that has ended."""

    async def work() -> None:
        with pytest.raises(Problem) as caught:
            await site.provenance.issue(body(**{field: rfc3339(now_us() + seconds * 1_000_000)}), actor="key_1")
        assert [error.pointer for error in caught.value.errors] == [f"/consent/{field}"]

    run(site, work)


def test_unknown_and_burned_nodes(site: SealSite) -> None:
    """404 and 409."""
    site.do(lambda tx: site.registry.standing.change(tx, NODE, "REVOKED", actor="tester", ref="burn"))

    async def work() -> None:
        with pytest.raises(Problem) as unknown:
            await site.provenance.issue(body("ARC-NOBODY"), actor="key_1")
        with pytest.raises(Problem) as burned:
            await site.provenance.issue(body(), actor="key_1")
        assert (unknown.value.code, burned.value.code) == ("not_found", "state_conflict")

    run(site, work)


def test_without_witnesses_it_is_pending_then_sealed(site: SealSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """202 in the service's words; read again after the next round it is sealed, under one consensus seal for ever, and
    only then there is a bundle of it: what nobody could verify is no evidence."""
    monkeypatch.setattr("app.ledger.witnesses.rounds.PROVE_S", 0.3)
    site.down.update((0, 1, 2))

    async def work() -> None:
        knot, sealed = await site.provenance.issue(body(), actor="key_1")
        assert not sealed
        assert (knot.standing, knot.consensus_seal, knot.seal_proof) == ("PENDING_CONSENSUS", None, None)
        assert site.provenance.page(KnotListQuery()).pending == 1
        with pytest.raises(Problem, match="waits for its witnesses"):
            await site.provenance.bundle(knot.knot_id)
        site.down.clear()
        assert await site.loop_rounds.prove(knot.log_index, timeout_s=20) is not None
        again = await site.provenance.get(knot.knot_id)
        assert again.standing == "UNVERIFIED"
        assert again.consensus_seal == (await site.provenance.get(knot.knot_id)).consensus_seal is not None
        site.verify(again.leaves[0])
        assert json.loads(read_bundle(await site.provenance.bundle(knot.knot_id)).files["seal.json"]) == to_builtins(
            again
        )

    run(site, work)


def test_withdrawal_is_a_new_leaf(site: SealSite) -> None:
    """The first leaf stays to the byte; the second one names it; once more changes nothing."""

    async def work() -> None:
        knot, _ = await site.provenance.issue(body(), actor="key_1")
        ended, _ = await site.provenance.withdraw(knot.knot_id, WithdrawBody(reason="asked for"), actor="key_2")
        assert ended.standing == "WITHDRAWN"
        assert (ended.leaf, ended.consensus_seal) == (knot.leaf, knot.consensus_seal)
        assert [leaf.standing for leaf in ended.leaves] == ["UNVERIFIED", "WITHDRAWN"]
        opening = ended.leaves[1].opening
        assert opening.payload is not None
        first = hashlib.sha256(b"\x00" + knot.leaf.encode()).hexdigest()
        assert json.loads(base64.b64decode(opening.payload))["first_leaf"] == first
        for leaf in ended.leaves:
            site.verify(leaf)
        again, _ = await site.provenance.withdraw(knot.knot_id, WithdrawBody(), actor="key_2")
        assert len(again.leaves) == 2

    run(site, work)


def test_a_burn_revokes_by_new_leaves(site: SealSite) -> None:
    """All that hold, in the burn's own transaction; a second burn finds them ended; a withdrawal is too late."""

    async def work() -> None:
        knots = [(await site.provenance.issue(body(), actor="key_1"))[0] for _ in range(3)]
        (holding,) = site.provenance.holdings(NODE)
        assert holding.count == 3
        (evidence,) = await site.store.writer.run(lambda tx: site.provenance.revoke(tx, NODE, "brn_1"))
        assert (evidence.count, evidence.already) == (3, False)
        (again,) = await site.store.writer.run(lambda tx: site.provenance.revoke(tx, NODE, "brn_1"))
        assert again.already
        assert site.provenance.holdings(NODE) == ()
        found = await site.provenance.get(knots[0].knot_id)
        assert found.leaves[-1].standing == "REVOKED"
        with pytest.raises(Problem) as caught:
            await site.provenance.withdraw(knots[0].knot_id, WithdrawBody(), actor="key_1")
        assert caught.value.code == "state_conflict"

    run(site, work)


def test_a_consent_ends_by_a_new_leaf(site: SealSite) -> None:
    """The sweep states EXPIRED once its time has come, and not before."""

    async def work() -> None:
        end = rfc3339(now_us() + 3_600_000_000)
        knot, _ = await site.provenance.issue(body(expires_at=end), actor="key_1")
        assert await site.store.writer.run(site.provenance.expire) == 0
        past = now_us() - 1
        await site.store.writer.run(lambda tx: tx.connection.exec_driver_sql("UPDATE knot SET expires_us = ?", (past,)))
        assert await site.store.writer.run(site.provenance.expire) == 1
        assert await site.store.writer.run(site.provenance.expire) == 0
        assert (await site.provenance.get(knot.knot_id)).leaves[-1].standing == "EXPIRED"

    run(site, work)


def test_lists_page_and_look_up(site: SealSite) -> None:
    """Newest first, by node, by consensus seal, no row twice."""
    site.add_node("ARC-T0002")

    async def work() -> None:
        made = [(await site.provenance.issue(body(), actor="key_1"))[0] for _ in range(5)]
        other, _ = await site.provenance.issue(body("ARC-T0002"), actor="key_1")
        first = site.provenance.page(KnotListQuery(node_id=NODE, limit=3))
        second = site.provenance.page(KnotListQuery(node_id=NODE, limit=3, cursor=first.next))
        found = [row.knot_id for row in (*first.items, *second.items)]
        assert found == [knot.knot_id for knot in reversed(made)]
        (row,) = site.provenance.page(KnotListQuery(consensus_seal=other.consensus_seal)).items
        assert (row.knot_id, row.node_id) == (other.knot_id, "ARC-T0002")

    run(site, work)


def test_a_knot_is_read_while_the_log_grows(site: SealSite) -> None:
    """Commits that fill a tile after a reader's snapshot began take nothing from its proofs."""

    async def work() -> None:
        await asyncio.gather(*(site.seal(n=n) for n in range(9)))
        knot, _ = await site.provenance.issue(body(), actor="key_1")
        with site.store.read() as connection:
            row = by_knot(connection, knot.knot_id)
            assert row is not None
            await asyncio.gather(*(site.seal(n=n) for n in range(256)))
            again = read_knot(site.ledger.seal, connection, row, {}, training=True)
        assert again.seal_proof == knot.seal_proof

    run(site, work)


def test_more_than_a_seal_holds_is_told(site: SealSite) -> None:
    """Each field within its own bounds, all of them together beyond a leaf: 422, and nothing is sealed."""

    async def work() -> None:
        many = ["\U0001f600" * 200] * 32
        with pytest.raises(Problem) as caught:
            await site.provenance.issue(body(purpose=many, scope=many, withdrawal="\1" * 4_000), actor="key_1")
        assert caught.value.code == "invalid_body"
        assert caught.value.errors[0].pointer == "/consent"
        assert site.ledger.seal.snapshot().size == 0

    run(site, work)


def test_an_unknown_knot(site: SealSite) -> None:
    """404."""

    async def work() -> None:
        with pytest.raises(Problem) as caught:
            await site.provenance.get("KNOT-0000000000000000")
        assert caught.value.code == "not_found"

    run(site, work)
