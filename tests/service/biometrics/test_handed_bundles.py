"""A terminal's word that it took a bundle: who is believed, and what it makes the site know."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from sqlalchemy import update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.biometrics import handed_bundles
from app.biometrics.handed_bundles import UNACKNOWLEDGED, Handed, handed_to
from app.biometrics.messages import BundleTakenBody
from app.biometrics.tables import terminal_bundle
from app.capabilities.burn.targets import BurnFacts, TargetResult
from app.capabilities.burn.targets.terminal import TerminalTargets
from app.registry.service import now_us
from hardware.terminals.bundle import PER_GENERATION
from hardware.terminals.bundle_ack import acknowledge
from hardware.terminals.software import SoftwareTerminal
from tests.palm_site import PalmSite

LEAF = "registry.terminal_bundle_taken"


def given(site: PalmSite, terminal_id: str) -> list[Handed]:
    with site.store.read() as connection:
        return handed_to(connection, [terminal_id]).get(terminal_id, [])


def body(issue: int, signature: bytes = bytes(64)) -> BundleTakenBody:
    return BundleTakenBody(issue=issue, signature=base64.urlsafe_b64encode(signature).rstrip(b"=").decode())


def refusal(site: PalmSite, terminal_id: str, said: BundleTakenBody) -> tuple[str, str]:
    with pytest.raises(Problem) as caught:
        asyncio.run(site.biometrics.bundles.acknowledge(terminal_id, said, actor="tester"))
    return caught.value.code, caught.value.detail


def denied(site: PalmSite, node_id: str) -> BurnFacts:
    """A burn of the node as its targets see it."""
    site.registry.deny.deny(node_id, "burn", f"brn_{node_id}")
    epoch: int = site.do(lambda tx: site.registry.deny.store(tx, node_id, "burn", f"brn_{node_id}"))[0]
    return BurnFacts(f"brn_{node_id}", node_id, "LOCAL_ONLY", epoch, "drill", now_us(), training=True)


def known(site: PalmSite, facts: BurnFacts, terminal_id: str) -> TargetResult:
    """What the burn knows of the terminal now."""
    found: list[TargetResult] = []
    TerminalTargets(site.store).dispatch(facts, [f"terminal:{terminal_id}"], found.append)
    return found[0]


def test_only_its_own_word_for_what_it_was_given_counts(site: PalmSite) -> None:
    """404, 409 and 403 by name; a word that is forged or another's is a leaf of its own; the true one is one leaf,
    however often it comes; after a later one it is too late."""
    door, other = site.terminal("taken-door", offline=True), site.terminal("taken-other", offline=True)
    issue = asyncio.run(site.fetch(door)).issue
    assert refusal(site, "taken-nowhere", body(issue))[0] == "not_found"
    assert refusal(site, "taken-other", body(issue)) == (
        "state_conflict",
        "Terminal taken-other was not given this bundle here: fetch another and acknowledge that.",
    )
    assert refusal(site, "taken-door", body(issue + 1))[0] == "state_conflict"
    (handed,) = given(site, "taken-door")
    assert handed.head_sha256 is not None
    foreign = acknowledge("taken-door", issue, handed.head_sha256, other._key)
    for said in (
        body(issue),
        body(issue, foreign),
        body(issue, acknowledge("taken-door", issue, bytes(32), door._key)),
    ):
        assert refusal(site, "taken-door", said)[0] == "proof_invalid"
    assert [leaf["outcome"] for leaf in site.leaves(LEAF)] == ["DENIED"] * 3
    first = asyncio.run(site.acknowledge(door))
    assert asyncio.run(site.acknowledge(door)) == first
    leaf = site.leaves(LEAF)[-1]
    assert (len(site.leaves(LEAF)), leaf["issue"], leaf["terminal_id"]) == (4, issue, "taken-door")
    late = door.acknowledgement()
    assert late is not None
    asyncio.run(site.fetch(door))
    asyncio.run(site.acknowledge(door))
    assert refusal(site, "taken-door", body(*late)) == (
        "state_conflict",
        "Terminal taken-door acknowledged a later bundle: fetch another and acknowledge that.",
    )


def test_what_cannot_be_opened_is_acknowledged_by_nobody(site: PalmSite) -> None:
    """A scanner that took the place of another, with keys of its own, speaks for itself: what the other may have counts
    until it ends."""
    asyncio.run(site.fetch(site.terminal("taken-swap", offline=True)))
    until_us = given(site, "taken-swap")[0].not_after_us
    facts = denied(site, "ARC-S01")
    (site.path / "taken-swap.json").unlink()
    fresh = site.terminal("taken-swap", offline=True)
    asyncio.run(site.fetch(fresh))
    asyncio.run(site.acknowledge(fresh))
    assert [one.taken_us is not None for one in given(site, "taken-swap")] == [False, True]
    found = known(site, facts, "taken-swap")
    assert (found.state, "a device before it" in found.evidence) == ("pending_offline", True)
    assert given(site, "taken-swap")[0].not_after_us == until_us


def test_a_terminal_that_never_says_so_is_waited_for_and_no_longer(site: PalmSite) -> None:
    """However often it fetches: what it had at the burn ends when it did, few rows are kept, and its word for the last
    one ends it."""
    door = site.terminal("taken-mute", offline=True)
    asyncio.run(site.fetch(door))
    old = given(site, "taken-mute")
    facts = denied(site, "ARC-S02")
    for _ in range(UNACKNOWLEDGED + 3):
        asyncio.run(site.fetch(door))
    rows = given(site, "taken-mute")
    assert (rows[:1], len(rows)) == (old, 1 + UNACKNOWLEDGED)
    left = TerminalTargets(site.store).residual("terminal", "terminal:taken-mute", "pending_offline", facts.at_us)
    assert left is not None
    assert left.until == rfc3339(old[0].not_after_us or 0)
    assert known(site, facts, "taken-mute").state == "pending_offline"
    mine = (terminal_bundle.c.terminal_id == "taken-mute", terminal_bundle.c.issue == old[0].issue)
    site.do(lambda tx: tx.connection.execute(update(terminal_bundle).where(*mine).values(not_after_us=tx.now_us - 1)))
    assert known(site, facts, "taken-mute").state == "revoked"
    asyncio.run(site.fetch(door))
    assert old[0].issue not in [one.issue for one in given(site, "taken-mute")]
    asyncio.run(site.acknowledge(door))
    assert len(given(site, "taken-mute")) == 1


def test_a_word_between_a_loss_of_power_and_the_next(tmp_path: Path) -> None:
    """Site and terminal end after the fetch: the burn is still pending, and the terminal says it when it is back. Put
    back without its last entries, a site counts every offline terminal as given a bundle of the last moment."""
    site = PalmSite(tmp_path)
    door = site.terminal("taken-cut", offline=True)
    plain = site.terminal("taken-plain")
    asyncio.run(site.fetch(door))
    asyncio.run(site.acknowledge(door))
    facts = denied(site, "ARC-S03")
    asyncio.run(site.fetch(door))
    site.close()
    site = PalmSite(tmp_path)
    assert known(site, facts, "taken-cut").state == "pending_offline"
    again = SoftwareTerminal(tmp_path / "taken-cut.json", "taken-cut")
    asyncio.run(site.acknowledge(again))
    assert known(site, facts, "taken-cut").state == "revoked"
    assert site.do(lambda tx: handed_bundles.begin_generation(tx, 2, 60)) == 1
    later = denied(site, "ARC-S04")
    rows = given(site, "taken-cut")
    assert [one.issue for one in rows[1:]] == [PER_GENERATION]
    assert known(site, later, "taken-cut").state == "pending_offline"
    assert known(site, facts, "taken-cut").state == "revoked"
    assert known(site, later, plain.terminal_id).state == "revoked"
    shown = site.registry.terminals.get("taken-cut", now_us()).bundle
    assert shown is not None
    assert (shown.fetched_at, shown.taken_issue) == (None, rows[0].issue)
    assert refusal(site, "taken-cut", body(PER_GENERATION))[0] == "state_conflict"
    site.close()
