"""Bundles of the site: who gets one, what is in it, and what a burn knows of those that were handed out."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from pathlib import Path
from unittest.mock import ANY

import pytest
from sqlalchemy import update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.biometrics import bundles as bundles_module
from app.biometrics.handed_bundles import Handed, handed_to
from app.biometrics.key_watch import KEY_LOST, KeyWatch
from app.biometrics.service import Biometrics
from app.biometrics.tables import terminal_bundle
from app.capabilities.burn.messages import BurnEvent
from app.capabilities.burn.targets import BurnFacts, TargetResult
from app.capabilities.burn.targets.terminal import TerminalTargets
from app.delivery.events import Event
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.messages.terminals import TerminalBody
from app.registry.service import Registry, now_us
from app.registry.tables import node
from app.registry.terminals import TerminalRow
from app.store.cursor import Cursors
from app.training.palms import TrainingPalms
from hardware.terminals.bundle import PER_GENERATION
from hardware.terminals.offline import ENTRY
from tests.door_site import until
from tests.palm_site import REGISTRY, PalmSite, jwk


def contain(site: PalmSite, node_id: str) -> int:
    """Denies the node, in memory and durably, as a burn does; the epoch."""
    site.registry.deny.deny(node_id, "containment", f"cnt_{node_id}")
    epoch: int = site.do(lambda tx: site.registry.deny.store(tx, node_id, "containment", f"cnt_{node_id}"))[0]
    return epoch


def burned(node_id: str) -> BurnEvent:
    """What the telemetry stream says of a burn."""
    return BurnEvent(
        burn_id="brn_1",
        node_id=node_id,
        scope="LOCAL_ONLY",
        state="PARTIAL",
        target=None,
        open=1,
        total=1,
        elapsed_ms=1.0,
        at=rfc3339(now_us()),
    )


def given(site: PalmSite, terminal_id: str) -> list[Handed]:
    """What the terminal may have, oldest first."""
    with site.store.read() as connection:
        return handed_to(connection, [terminal_id]).get(terminal_id, [])


def refusal(site: PalmSite, terminal_id: str) -> tuple[str, str]:
    with pytest.raises(Problem) as caught:
        asyncio.run(site.biometrics.bundles.issue(terminal_id, actor="tester"))
    return caught.value.code, caught.value.detail


def test_a_terminal_that_decides_nothing_gets_no_people(site: PalmSite) -> None:
    """Projection, epochs and who is denied, with a leaf under the bundle's own number and no secret in it; a later
    generation of the site numbers beyond it."""
    scanner = site.terminal("bundle-plain")
    site.add_node("ARC-B00")
    epoch = contain(site, "ARC-B00")
    head = asyncio.run(site.fetch(scanner))
    assert (head.aud, head.registry_id, head.key_epoch, head.partition) == ("bundle-plain", REGISTRY, 1, None)
    assert head.access_epoch == epoch
    assert "ARC-B00" in head.denied
    frame = scanner.lay("ARC-B00", ENTRY)
    assert not asyncio.run(site.verify(frame, ENTRY, "bundle-plain")).verified
    leaf = site.leaves("registry.terminal_bundle")[-1]
    assert (leaf["terminal_id"], leaf["nodes"], leaf["not_after"]) == ("bundle-plain", 0, None)
    assert asyncio.run(site.fetch(scanner)).issue > head.issue
    # Restored without its last entries, whatever number its log goes on with.
    after, cursors = dataclasses.replace(site.site, generation=2), Cursors(bytes(32))
    registry = Registry(after, site.store, site.keys, cursors)
    later = Biometrics(after, site.store, site.keys, cursors, registry, site.alarms)
    text = asyncio.run(later.bundles.issue("bundle-plain", actor="tester"))
    assert scanner.take(text, later.bundles.site_keys()).issue > PER_GENERATION > head.issue


def test_who_gets_no_bundle(site: PalmSite) -> None:
    """An unknown or deleted terminal, a screen, one that cannot sign, one without a key of its own."""
    assert refusal(site, "bundle-nowhere")[0] == "not_found"
    site.terminal("bundle-gone")
    asyncio.run(site.registry.terminals.delete("bundle-gone", actor="tester"))
    assert refusal(site, "bundle-gone")[0] == "not_found"
    site.legacy("bundle-legacy")
    assert refusal(site, "bundle-legacy") == (
        "state_conflict",
        "Terminal bundle-legacy is registered as legacy: what cannot sign gets no secret.",
    )
    key = site.terminal("bundle-unregistered", registered=False).public_key
    for terminal_id, body in (
        ("bundle-screen", TerminalBody(kind="keystone")),
        ("bundle-keyless", TerminalBody(kind="palm", public_key=jwk(key))),
    ):
        asyncio.run(site.registry.terminals.put(terminal_id, body, actor="tester"))
        assert refusal(site, terminal_id)[0] == "state_conflict"
    assert "encryption key" in refusal(site, "bundle-keyless")[1]


def test_a_partition_is_whom_the_terminal_may_search(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who are granted at its cluster, are enrolled and may match; too many are refused in words."""

    async def use() -> None:
        for node_id in ("ARC-B01", "ARC-B02", "ARC-B03", "ARC-B04"):
            site.add_node(node_id)
            await site.enrol(node_id)
        cluster = ReaderClusterBody(
            display_name="Vault", readers=[ReaderBody(reader_id="vault-1", channel="simulated:", address=1)]
        )
        await site.registry.clusters.put("vault", cluster, actor="tester")
        for node_id in ("ARC-B01", "ARC-B02", "ARC-B03"):
            badge = CredentialBody(format="raw", bits=node_id.encode().hex())
            profile = CredentialProfileBody(node_id=node_id, clusters=["vault"], credentials=[badge])
            await site.registry.profiles.put(f"profile-{node_id}", profile, actor="tester")
        contain(site, "ARC-B02")
        withdrawn = update(node).where(node.c.node_id == "ARC-B03").values(standing="WITHDRAWN")
        site.do(lambda tx: tx.connection.execute(withdrawn))
        door = site.terminal("bundle-vault", offline=True, cluster="vault")
        head = await site.fetch(door)
        assert head.partition is not None
        assert head.partition.nodes == [("ARC-B01", 1)]
        assert head.partition.not_after - head.iat == site.site.settings.credential_ttl_s
        assert door.decide("ARC-B01", ENTRY).granted
        for other in ("ARC-B02", "ARC-B03", "ARC-B04"):
            assert not door.decide(other, ENTRY).granted
        everybody = site.terminal("bundle-all", offline=True)
        monkeypatch.setattr(bundles_module, "MOST_NODES", 1)
        with pytest.raises(Problem, match=r"bundle-all would hold \d+ persons, at most 1: give it a cluster"):
            await site.fetch(everybody)
        monkeypatch.undo()
        monkeypatch.setattr(bundles_module, "MOST_ROWS", 1)
        with pytest.raises(Problem, match=r"\d+ templates, at most 1"):
            await site.fetch(everybody)

    asyncio.run(use())


def test_a_burn_knows_what_was_handed_out(site: PalmSite) -> None:
    """Pending with its end while the terminal may have an earlier bundle, and fetched is not taken; proven by its word
    for the next one, or by the end; a terminal that is deleted has what it has."""
    door = site.terminal("bundle-door", offline=True)
    site.add_node("ARC-B20")
    head = asyncio.run(site.fetch(door))
    assert head.partition is not None
    targets = TerminalTargets(site.store)
    epoch = contain(site, "ARC-B20")
    facts = BurnFacts("brn_1", "ARC-B20", "LOCAL_ONLY", epoch, "drill", now_us(), training=True)

    def now() -> TargetResult:
        found: list[TargetResult] = []
        targets.dispatch(facts, ["terminal:bundle-door"], found.append)
        return found[0]

    planned = site.do(lambda tx: targets.plan(tx, facts))
    assert "terminal:bundle-door" in [one.target_id for one in planned]
    assert now().state == "pending_offline"
    left = targets.residual("terminal", "terminal:bundle-door", "pending_offline", facts.at_us)
    assert left is not None
    assert left.until is not None
    assert "bundle-door" in left.what
    with site.store.read() as connection:
        seen, exposed = targets.preview(connection, "ARC-B20")
    assert "terminal:bundle-door" in [one.id for one in seen]
    assert left in exposed
    drill = dataclasses.replace(facts, drill=True)
    assert site.do(lambda tx: targets.plan(tx, drill)) == []
    asyncio.run(site.registry.terminals.delete("bundle-door", actor="tester"))
    assert now().state == "pending_offline"
    again = site.terminal("bundle-door", offline=True)
    asyncio.run(site.acknowledge(again))
    assert now().state == "pending_offline"
    issue = asyncio.run(site.fetch(again)).issue
    assert now() == TargetResult(
        "terminal:bundle-door",
        "pending_offline",
        f"bundle {issue}, made after the burn, was fetched and is not acknowledged: it may decide alone until "
        f"{left.until}, or until it says that it took it",
        at=ANY,
    )
    assert targets.residual("terminal", "terminal:bundle-door", "pending_offline", facts.at_us) == left
    asyncio.run(site.acknowledge(again))
    assert now().evidence == f"it acknowledged bundle {issue}, made after the burn"
    assert (now().state, targets.residual("terminal", "terminal:bundle-door", "revoked", 0)) == ("revoked", None)
    ended = terminal_bundle.c.terminal_id == "bundle-door"
    values = {"access_epoch": 0, "not_after_us": now_us() - 1}
    site.do(lambda tx: tx.connection.execute(update(terminal_bundle).where(ended).values(values)))
    assert "ended" in now().evidence
    assert not [one for one in site.do(lambda tx: targets.plan(tx, facts)) if one.target_id == "terminal:bundle-door"]


def test_a_bundle_that_could_not_be_made_proves_nothing(site: PalmSite) -> None:
    """Without the registry's key nothing is handed out: a burn still waits for the terminal, and no leaf says else.
    The alarm of it closes when the key is back."""
    asyncio.run(site.fetch(site.terminal("bundle-unmade", offline=True)))
    issued = len(site.leaves("registry.terminal_bundle"))
    site.add_node("ARC-B30")
    asyncio.run(site.enrol("ARC-B30"))
    epoch = contain(site, "ARC-B30")
    keys = site.site.registry_keys_path
    away = keys.rename(keys.with_suffix(".away"))
    watch = KeyWatch(site.biometrics.template_registries, keys, site.alarms)

    def lost() -> bool:
        site.do(watch.sweep)
        return site.alarms.keys(KEY_LOST) == {REGISTRY}

    try:
        assert refusal(site, "bundle-unmade")[0] == "dependency_unavailable"
        assert lost()
    finally:
        away.rename(keys)
    assert not lost()
    facts = BurnFacts("brn_3", "ARC-B30", "LOCAL_ONLY", epoch, "drill", now_us(), training=True)
    found: list[TargetResult] = []
    TerminalTargets(site.store).dispatch(facts, ["terminal:bundle-unmade"], found.append)
    assert (found[0].state, len(site.leaves("registry.terminal_bundle"))) == ("pending_offline", issued)


def test_a_bundle_that_was_not_opened_shortens_nothing(site: PalmSite) -> None:
    """A terminal that may not decide any more may still do so by what it has: the earlier end counts."""
    door = site.terminal("bundle-kept", offline=True)
    asyncio.run(site.fetch(door))
    before = given(site, "bundle-kept")
    body = site.registry.terminals.get("bundle-kept", now_us())
    plain = TerminalBody(kind="palm", public_key=body.public_key, encryption_key=body.encryption_key)
    asyncio.run(site.registry.terminals.put("bundle-kept", plain, actor="tester"))
    asyncio.run(site.biometrics.bundles.issue("bundle-kept", actor="tester"))
    assert given(site, "bundle-kept")[:-1] == before
    seen = site.registry.terminals.get("bundle-kept", now_us()).bundle
    assert seen is not None
    assert (seen.issue > before[0].issue, seen.taken_issue) == (True, None)
    assert seen.decides_until == rfc3339(before[0].not_after_us or 0)
    # Taken, it is the end of what was before.
    asyncio.run(site.fetch(door))
    asyncio.run(site.acknowledge(door))
    (after,) = given(site, "bundle-kept")
    assert (after.nodes, after.not_after_us) == (0, None)
    seen = site.registry.terminals.get("bundle-kept", now_us()).bundle
    assert seen is not None
    assert (seen.taken_issue, seen.decides_until) == (seen.issue, None)


def test_an_erasure_takes_templates_and_says_who_may_have_them(site: PalmSite) -> None:
    """Rows and memory, without a leaf that names the person; a terminal that may hold one is told of."""
    site.add_node("ARC-B40")
    asyncio.run(site.enrol("ARC-B40"))
    asyncio.run(site.fetch(site.terminal("bundle-holds", offline=True)))
    templates, bundles = site.biometrics.templates, site.biometrics.bundles
    leaves = len(site.leaves("registry.templates_erase"))
    with site.store.read() as connection:
        assert templates.held_records(connection, "ARC-B40").rows == 1
        kept = bundles.held_records(connection, "ARC-B40").kept
    assert any("bundle-holds may hold a template until" in sentence for sentence in kept)
    assert site.do(lambda tx: templates.forget(tx, "ARC-B40") + bundles.forget(tx, "ARC-B40")) == 1
    assert "ARC-B40" not in templates.gallery(REGISTRY)
    with site.store.read() as connection:
        assert templates.held_records(connection, "ARC-B40").rows == 0
        assert not bundles.held_records(connection, "ARC-B40").kept
    assert len(site.leaves("registry.templates_erase")) == leaves
    assert site.do(lambda tx: templates.forget(tx, "ARC-B40")) == 0


def test_who_was_erased_meanwhile_is_in_no_bundle(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """An erasure that became durable after the templates were copied for a terminal: the copy is not handed out."""
    for node_id in ("ARC-B44", "ARC-B45"):
        site.add_node(node_id)
        asyncio.run(site.enrol(node_id))
    door = site.terminal("bundle-late", offline=True)
    bundles, templates = site.biometrics.bundles, site.biometrics.templates
    copied = bundles._partition

    def late(terminal: TerminalRow) -> object:
        made = copied(terminal)
        site.do(lambda tx: templates.erase(tx, "ARC-B45", actor="tester"))
        return made

    monkeypatch.setattr(bundles, "_partition", late)
    head = asyncio.run(site.fetch(door))
    assert head.partition is not None
    assert head.partition.nodes
    assert "ARC-B45" not in dict(head.partition.nodes)
    assert [one.nodes for one in given(site, "bundle-late")] == [len(head.partition.nodes)]


def test_an_erasure_tells_of_templates_that_went_before(site: PalmSite) -> None:
    """Taken out by a burn or by hand, a template is here no more and may still be in a terminal: until it has taken a
    later bundle, or its own has ended."""
    site.add_node("ARC-B46")
    asyncio.run(site.enrol("ARC-B46"))
    door = site.terminal("bundle-before", offline=True)
    asyncio.run(site.fetch(door))
    site.do(lambda tx: site.biometrics.templates.revoke(tx, "ARC-B46", "brn_1"))

    def told() -> list[str]:
        with site.store.read() as connection:
            kept = site.biometrics.bundles.held_records(connection, "ARC-B46").kept
        return [sentence for sentence in kept if "bundle-before" in sentence]

    assert len(told()) == 1
    asyncio.run(site.fetch(door))
    assert told()[0].startswith("Terminal bundle-before may hold a template until ")
    asyncio.run(site.acknowledge(door))
    assert told() == []


def test_a_training_terminal_hears_of_a_burn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vault's scanner decides alone by its bundle; a containment that is published takes the person out and has it
    fetch another one, until it has one, which it acknowledges; whoever publishes it does not wait for a palm that lies
    there."""
    site = PalmSite(tmp_path / "site", training=True)
    issue, refused = site.biometrics.bundles.issue, []

    async def away(terminal_id: str, *, actor: str) -> bytes:
        if not refused:
            refused.append(terminal_id)
            raise Problem("dependency_unavailable", "The key is away for a moment.")
        return await issue(terminal_id, actor=actor)

    async def use() -> None:
        palms = TrainingPalms(site.palm, tmp_path / "terminals", site.bus)
        await palms.start()
        for node_id in ("ARC-T01", "ARC-T02"):
            site.add_node(node_id)
            await palms.enrol("palm-lobby", node_id, actor="tester", request_id=None)
        assert (await palms.lay("palm-vault", "ARC-T01", ENTRY, actor="tester", request_id=None)).verified
        vault = palms._terminals["palm-vault"]
        assert vault.alone
        assert vault.decide("ARC-T01", ENTRY, liveness=90).granted
        first = vault.issue
        monkeypatch.setattr(site.biometrics.bundles, "issue", away)
        epoch = contain(site, "ARC-T01")
        told = threading.Thread(target=site.bus.publish, args=[Event("burn", burned("ARC-T01"), now_us())])
        with vault._lock:
            # As while a palm lies on it.
            told.start()
            await asyncio.to_thread(told.join, 10.0)
            assert not told.is_alive()
        await until(lambda: vault.issue > first, 20.0)
        assert (vault.provisioned, refused) == ((REGISTRY, 1, epoch), ["palm-vault"])
        await until(lambda: [one.taken_us is not None for one in given(site, "palm-vault")] == [True], 20.0)
        assert vault.decide("ARC-T02", ENTRY, liveness=90).granted
        assert not vault.decide("ARC-T01", ENTRY, liveness=90).granted
        await palms.stop()
        assert not vault.alone

    asyncio.run(use())
    site.close()
