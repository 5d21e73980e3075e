"""Containments, lists and un-burn over HTTP, against a real service with two Citadel keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.served_site import ServedSite

HOLD = "/v1/citadel/uac/containments"
BURN = "/v1/citadel/uac/burn"
APPROVALS = "/v1/citadel/uac/approvals"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """One service for the tests of this file."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("held") / "site").running() as made:
        yield made


@pytest.fixture(scope="module")
def second(site: ServedSite) -> Iterator[httpx.Client]:
    """Another Citadel key."""
    headers = {"Authorization": f"Bearer {site.key_of_another()}"}
    with httpx.Client(base_url=site.base_url, headers=headers, trust_env=False, timeout=60.0) as client:
        yield client


def approved(site: ServedSite, second: httpx.Client, kind: str, subjects: list[str]) -> str:
    """Asked for and agreed to."""
    made = site.post(APPROVALS, {"kind": kind, "subjects": subjects, "reason": "in a test"})
    assert made.status_code == 201, made.text
    approval_id: str = made.json()["approval_id"]
    assert second.post(f"{APPROVALS}/{approval_id}/approve").status_code == 200
    return approval_id


def standing(site: ServedSite, node_id: str) -> Any:
    """Of the node now."""
    return site.get(f"/v1/registry/nodes/{node_id}")["standing"]


def test_the_life_of_a_containment(site: ServedSite) -> None:
    """201, the same again 200, listed, SUSPENDED, released; afterwards it reads as it ended."""
    before = standing(site, "ARC-T0060")
    made = site.post(HOLD, {"node_id": "ARC-T0060", "message": "two places at once"})
    held = made.json()
    assert (made.status_code, held["state"], held["cause"]) == (201, "contained", "containment")
    again = site.post(HOLD, {"node_id": "ARC-T0060", "seconds": 60})
    assert (again.status_code, again.json()) == (200, held)
    assert [item["containment_id"] for item in site.get(HOLD, node_id="ARC-T0060")["items"]] == [held["containment_id"]]
    assert standing(site, "ARC-T0060") == "SUSPENDED"
    released = site.client.delete(f"{HOLD}/{held['containment_id']}")
    assert (released.status_code, released.json()["state"]) == (200, "released")
    assert site.get(HOLD, node_id="ARC-T0060")["items"] == []
    assert site.get(f"{HOLD}/{held['containment_id']}") == released.json()
    assert standing(site, "ARC-T0060") == before


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"node_id": "a"},
        {"node_id": "ARC-T0060", "seconds": 0},
        {"node_id": "ARC-T0060", "seconds": 604_801},
        {"node_id": "ARC-T0060", "message": ""},
        {"node_id": "ARC-T0060", "cause": "brake"},
    ],
    ids=str,
)
def test_bad_containments_are_refused(site: ServedSite, body: dict[str, Any]) -> None:
    """422; what the brake does is no call."""
    answer = site.post(HOLD, body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")


def test_a_list_is_burned_and_one_of_it_lifted_by_two_keys(site: ServedSite, second: httpx.Client) -> None:
    """What is held is burned straight from the list; a burned node is not contained; un-burn leaves it UNVERIFIED."""
    nodes = ["ARC-T0058", "ARC-T0059"]
    for node_id in nodes:
        assert site.post(HOLD, {"node_id": node_id}).status_code == 201
    held = [item["node_id"] for item in site.get(HOLD)["items"] if item["node_id"] in nodes]
    asked = site.post(APPROVALS, {"kind": "mass_burn", "subjects": held, "reason": "in a test"}).json()
    own = site.post(f"{APPROVALS}/{asked['approval_id']}/approve", {})
    assert (own.status_code, own.json()["code"]) == (409, "state_conflict")
    assert site.post(f"{BURN}/mass", {"approval_id": asked["approval_id"]}).json()["code"] == "state_conflict"
    assert second.post(f"{APPROVALS}/{asked['approval_id']}/approve").status_code == 200
    answer = site.post(f"{BURN}/mass", {"approval_id": asked["approval_id"]}, Prefer="wait=20")
    assert answer.status_code in (200, 202), answer.text
    burns = answer.json()["burns"]
    assert {part["node_id"] for part in burns} == set(nodes)
    assert {standing(site, node_id) for node_id in nodes} == {"REVOKED"}
    assert site.post(HOLD, {"node_id": nodes[0]}).json()["code"] == "state_conflict"
    approval_id = approved(site, second, "lift", [burns[0]["burn_id"]])
    lifted = site.post(f"{BURN}/{burns[0]['burn_id']}/lift", {"approval_id": approval_id})
    assert lifted.status_code == 200, lifted.text
    assert lifted.json()["lifted_at"] is not None
    assert standing(site, burns[0]["node_id"]) == "UNVERIFIED"
    assert standing(site, burns[1]["node_id"]) == "REVOKED"
