"""Other ARC sites: a second real service in a process of its own, killed and started again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest

from app.capabilities.burn.messages import Burn, BurnTarget
from app.capabilities.burn.targets.connectors import CONNECTORS
from tests.door_site import DoorSite, door_site, until
from tests.receiver import Received, Receiver, Reply
from tests.served_site import ServedSite


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with all its doors."""
    served = ServedSite.laid_out(tmp_path_factory.mktemp("peer") / "other", "--no-pcsc", "--profile", "training")
    with served.running():
        yield served


@pytest.fixture(scope="module")
def key(other: ServedSite) -> str:
    """A Citadel key of the other site that outlives its restarts."""
    answer = other.post("/v1/keys", {"label": "other site", "clearance": "citadel"})
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["key"])


@pytest.fixture
def site(tmp_path: Path, other: ServedSite, key: str) -> Iterator[DoorSite]:
    """A training site that burns there too."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        made.directory("branch", "peer", other.base_url, secret=key, timeout_ms=5000)
        yield made


def burned(site: DoorSite, wait_s: float = 0.0) -> BurnTarget:
    """The target at the other site after a burn of ARC-1."""

    async def run() -> tuple[Burn, BurnTarget]:
        async with site.running():
            return await site.tried("peer", wait_s)

    return asyncio.run(run())[1]


def there(other: ServedSite, node_id: str) -> dict[str, Any]:
    """The other site's only burn of the node."""
    (found,) = other.get("/v1/citadel/uac/burn", node_id=node_id)["items"]
    return dict(found)


def test_the_other_site_burns_and_proves_it(site: DoorSite, other: ServedSite) -> None:
    """By its own doors, under the id that the node has there, LOCAL_ONLY: no call comes back."""
    other.wait_for_doors()
    site.account("ARC-1", ("branch", "ARC-T0031"))
    found = burned(site, 10.0)
    burn = there(other, "ARC-T0031")
    assert (found.state, burn["state"], burn["scope"]) == ("revoked", "COMPLETE", "LOCAL_ONLY")
    assert burn["burn_id"] in (found.evidence or "")
    assert "badge found on the street" in burn["reason"]


def test_a_key_that_is_not_taken_is_a_failure(site: DoorSite, other: ServedSite) -> None:
    """Not pending: nobody would look."""
    site.directory("branch", "peer", other.base_url, secret="arc_cit_wrong", timeout_ms=5000)
    found = burned(site)
    assert (found.state, found.evidence) == ("failed", "answered 401: it does not take our secret")


def test_the_trial_reads_only(site: DoorSite, other: ServedSite) -> None:
    """It says which version answers, and burns nobody."""
    before = other.get("/v1/citadel/uac/burn")["items"]

    async def run() -> Any:
        async with site.running():
            return (await site.registry.directories.probe(site.registry.directories.get("branch", 0))).probe

    probe = asyncio.run(run())
    assert (probe.ok, probe.found) == (True, "an ARC site, version 1.3, takes our key")
    assert other.get("/v1/citadel/uac/burn")["items"] == before


def test_a_training_site_burns_nobody_for_real(tmp_path: Path) -> None:
    """A site that does not say that it is one for training gets no burn from one that is."""

    def production(call: Received) -> Reply:
        return 200, {"Arc-Version": "1.3"}, b'{"items": [], "next": null}'

    with Receiver(production).listening() as peer, door_site(tmp_path / "s", connectors=CONNECTORS) as site:
        site.directory("branch", "peer", peer.url, secret="key")
        found = burned(site)
    assert (found.state, [call.method for call in peer.calls]) == ("failed", ["GET"])


BARE = "burn burn_1 there, epoch 4, leaf 7 of its log: COMPLETE without the proofs for it; nothing is proven"
ANSWER = {
    "burn_id": "burn_1",
    "node_id": "ARC-1",
    "scope": "LOCAL_ONLY",
    "state": "COMPLETE",
    "epoch": 4,
    "targets": [{"id": "local", "state": "revoked"}],
    "log": {"index": 7},
    "training": False,
}


@pytest.mark.parametrize(
    ("change", "state", "evidence"),
    [
        ({}, "revoked", "burn burn_1 there, epoch 4, leaf 7 of its log: COMPLETE with 1 targets"),
        (
            {"targets": [{"id": "local", "state": "revoked"}, {"id": "reader:1", "state": "closed"}]},
            "revoked",
            "burn burn_1 there, epoch 4, leaf 7 of its log: COMPLETE with 2 targets, 1 of them without proof",
        ),
        ({"targets": []}, "failed", BARE),
        ({"targets": [{"id": "local", "state": "pending_offline"}]}, "failed", BARE),
        ({"targets": [{"id": "reader:1", "state": "revoked"}]}, "failed", BARE),
        (
            {"targets": [{"id": "local", "state": "revoked"}, {"id": "reader:1", "state": "failed"}]},
            "failed",
            BARE,
        ),
        (
            {"known": False},
            "unlinked",
            "burn burn_1 there, epoch 4, leaf 7 of its log: it denies ARC-1, an id that nobody has there; if the "
            "person has another id there, name it as the account",
        ),
        ({"known": True}, "revoked", "burn burn_1 there, epoch 4, leaf 7 of its log: COMPLETE with 1 targets"),
        ({"training": True}, "failed", "the site answered about another burn; nothing is proven"),
        ({"node_id": "ARC-2"}, "failed", "the site answered about another burn; nothing is proven"),
        ({"scope": "GLOBAL_REVOCATION"}, "failed", "the site answered about another burn; nothing is proven"),
        ({"state": "DONE"}, "pending_offline", "The answer 200 cannot be understood."),
        (
            {"state": "PARTIAL", "targets": [{"id": f"reader:{n}", "state": "pending_offline"} for n in range(5)]},
            "pending_offline",
            "burn burn_1 there, epoch 4, leaf 7 of its log: denied there, 5 targets open "
            "(reader:0, reader:1, reader:2 and others)",
        ),
    ],
)
def test_answers_to_a_production_site(tmp_path: Path, change: dict[str, Any], state: str, evidence: str) -> None:
    """Only a whole answer about this burn, by a site that is none for training, proves anything."""
    body = json.dumps({**ANSWER, **change}).encode()
    with (
        Receiver(lambda call: (200, {}, body)).listening() as peer,
        door_site(tmp_path / "s", connectors=CONNECTORS, training=False) as site,
    ):
        site.directory("branch", "peer", peer.url, secret="key")
        found = burned(site)
    assert (found.state, found.evidence) == (state, evidence)
    assert json.loads(peer.calls[0].body)["scope"] == "LOCAL_ONLY"


def test_an_account_that_nobody_has_there_is_a_wrong_link(tmp_path: Path) -> None:
    """The node names an id of the other site: a typing error there must not look like success."""
    body = json.dumps({**ANSWER, "node_id": "ARC-9", "known": False}).encode()
    with (
        Receiver(lambda call: (200, {}, body)).listening() as peer,
        door_site(tmp_path / "s", connectors=CONNECTORS, training=False) as site,
    ):
        site.directory("branch", "peer", peer.url, secret="key")
        site.account("ARC-1", ("branch", "ARC-9"))
        found = burned(site)
    assert found.state == "failed"
    assert (found.evidence or "").endswith("correct the account that the node names")


def test_the_keys_of_security_events_are_served(other: ServedSite) -> None:
    """A JWK set, for whoever receives events of that site or is a terminal of it."""
    found = other.get("/v1/deliveries/keys")["keys"]
    assert [jwt.PyJWK(one).key_id for one in found] == [one["kid"] for one in found]
    assert len(found) == 2


def test_a_killed_site_is_burned_when_it_is_back(site: DoorSite, other: ServedSite, key: str) -> None:
    """Pending while it is down; after its restart it is told by itself."""
    site.account("ARC-1", ("branch", "ARC-T0047"))
    other.kill()

    async def run() -> str:
        async with site.running():
            before, target = await site.tried("peer")
            assert target.state == "pending_offline"
            await asyncio.to_thread(other.start)
            site.directory("branch", "peer", other.base_url, secret=key, timeout_ms=5000)
            await until(lambda: site.burns.get(before.burn_id).state == "COMPLETE", 60)
            return before.state

    assert asyncio.run(run()) == "PARTIAL"
    assert there(other, "ARC-T0047")["scope"] == "LOCAL_ONLY"
