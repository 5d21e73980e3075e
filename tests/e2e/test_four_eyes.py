"""Four eyes over the API of a real service; a PIN reset whose service is killed loses no PIN and gives none twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.api.keys_messages import KeyClearance
from hardware.cards.apdu import ApduChannel
from hardware.cards.piv import PivSession
from tests.e2e.pin_reset_kill_child import card_in
from tests.served_site import ServedSite
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, WRITER, Desk, pin_on

HERE = Path(__file__).parent
APPROVALS = "/v1/citadel/uac/approvals"
FIRST, SECOND = "ARC-T0001", "ARC-T0002"


class Key:
    """One person's API key, as the command line makes it; or as ``by`` makes it."""

    def __init__(self, site: ServedSite, clearance: KeyClearance, by: Key | None = None) -> None:
        self._site = site
        if by is None:
            self._key = site.key_of_another(clearance)
            self.kid = site.get("/v1/keys", limit="1")["items"][0]["kid"]
        else:
            made = by.post("/v1/keys", {"label": "minted", "clearance": clearance}).json()
            self.kid, self._key = made["kid"], made["key"]

    def rotate(self) -> None:
        """Goes on with a new secret of the same key."""
        answer = self.post(f"/v1/keys/{self.kid}/rotate", {"overlap_seconds": 0})
        assert answer.status_code == 200, answer.text
        self._key = answer.json()["key"]

    def post(self, path: str, body: object | None = None) -> httpx.Response:
        """POST with this key."""
        content = json.dumps({} if body is None else body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        return self._site.client.post(path, content=content, headers=headers)

    def get(self, path: str) -> httpx.Response:
        """GET with this key."""
        return self._site.client.get(path, headers={"Authorization": f"Bearer {self._key}"})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("four-eyes") / "site").running() as served:
        served.wait_for_doors()
        yield served


@pytest.fixture(scope="module")
def written(site: ServedSite) -> dict[str, Any]:
    """A finished card in the first training reader."""
    return provision(site, FIRST)


def provision(site: ServedSite, node_id: str) -> dict[str, Any]:
    """The finished card of a node, in the first training reader."""
    body = {"node_id": node_id, "hardware_uid": "reader:Training Reader 1", "fips_standard": "FIPS 140-3 Level 2"}
    answer = site.post("/v1/hardware/se/provision", body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def mailer(site: ServedSite, provision_id: str) -> httpx.Response:
    """The PIN mailer."""
    return site.post(f"/v1/hardware/se/provisions/{provision_id}/pin-mailer", {})


def test_one_key_and_those_that_it_makes_are_one_person(site: ServedSite, written: dict[str, Any]) -> None:
    """Whatever it asks for: neither a key that it mints, nor it for that one, nor two of them for each other, nor one
    whose secret it drew anew, nor one made afterwards approves; all of it is in the log as denied."""
    one = Key(site, "citadel")
    drawn, minted, sibling = Key(site, "citadel"), Key(site, "citadel", by=one), Key(site, "citadel", by=one)
    assert one.post(f"/v1/keys/{drawn.kid}/rotate").status_code == 200
    burn = {"node_id": "ARC-T0051", "scope": "GLOBAL_REVOCATION", "reason": "lost"}
    subjects = {
        "lift": site.post("/v1/citadel/uac/burn", burn).json()["burn_id"],
        "mass_burn": "ARC-T0052",
        "erase": "ARC-T0052",
        "reissue": written["provision_id"],
        "pin_reset": written["provision_id"],
    }
    expected = [(one, minted, "comes from"), (one, drawn, "comes from"), (minted, one, "comes from this one")]
    expected += [(minted, sibling, "both come from"), (minted, drawn, "both come from")]
    for kind, subject in subjects.items():
        for asker, approver, why in expected:
            asked = asker.post(APPROVALS, {"kind": kind, "subjects": [subject], "reason": "x"}).json()
            decision = f"{APPROVALS}/{asked['approval_id']}"
            assert refusal(approver, decision, why) == refusal(approver, decision, why)
            if kind == "lift" and asker is one:
                refusal(Key(site, "citadel"), decision, "made after the request")
            seen = site.get(decision)
            assert (seen["state"], seen["yours"], seen["barred"]) == ("PENDING", False, None)
            assert site.post(f"{decision}/reject", {}).status_code == 200
    assert len(denials(site)) == 2 * 5 * 5 + 2


def refusal(key: Key, decision: str, why: str) -> str:
    """What a key is told that may not approve, with the way out."""
    refused = key.post(f"{decision}/approve")
    assert (refused.status_code, refused.json()["code"]) == (409, "state_conflict")
    said: str = refused.json()["detail"]
    assert why in said
    assert "arc-console key create" in said
    return said


def test_a_person_alone_resets_and_re_issues_nothing(site: ServedSite, written: dict[str, Any]) -> None:
    """Sovereign asks for nothing; the asking key approves nothing, after its rotation neither; a second key does, the
    PIN is reset, its mailer printed once more, and the card then given to somebody else."""
    one, two, partner = Key(site, "citadel"), Key(site, "citadel"), Key(site, "sovereign")
    wish = {"kind": "pin_reset", "provision_id": written["provision_id"], "reason": "PIN forgotten"}
    assert partner.post(APPROVALS, wish).status_code == 403
    asked = one.post(APPROVALS, wish)
    assert (asked.status_code, asked.json()["state"]) == (201, "PENDING")
    approval_id = asked.json()["approval_id"]
    again = two.post(APPROVALS, wish)
    assert (again.status_code, again.json()) == (200, {**asked.json(), "yours": False, "barred": None})
    assert requests_alarmed(site) == [approval_id]

    reset = f"/v1/hardware/se/provisions/{written['provision_id']}/pin-reset"
    assert partner.post(reset, {"approval_id": approval_id}).json()["code"] == "state_conflict"
    assert one.post(f"{APPROVALS}/{approval_id}/approve").json()["code"] == "state_conflict"
    one.rotate()
    own = one.post(f"{APPROVALS}/{approval_id}/approve")
    assert (own.status_code, own.json()["code"]) == (409, "state_conflict")
    approved = two.post(f"{APPROVALS}/{approval_id}/approve")
    assert (approved.status_code, approved.json()["approved_by"]) == (200, two.kid)
    assert requests_alarmed(site) == []

    of_card = f"/v1/hardware/se/provisions/{written['provision_id']}"
    stranger = partner.post(f"{of_card}/pin-mailer")
    assert (stranger.status_code, stranger.json()["code"]) == (403, "insufficient_clearance")
    assert "the key that wrote this card" in stranger.json()["detail"]
    assert partner.get(f"{of_card}/trace").status_code == 403
    assert (two.get(f"{of_card}/trace").status_code, partner.get(of_card).status_code) == (200, 200)
    assert mailer(site, written["provision_id"]).status_code == 200
    assert mailer(site, written["provision_id"]).status_code == 410
    assert partner.post(f"{of_card}/pin-mailer").status_code == 403
    done = partner.post(reset, {"approval_id": approval_id})
    assert (done.status_code, done.json()["state"]) == (200, "COMPLETE"), done.text
    assert partner.post(f"{of_card}/pin-mailer").status_code == 200
    assert mailer(site, written["provision_id"]).status_code == 410
    assert site.get(f"{APPROVALS}/{approval_id}")["used_by"] == partner.kid

    asked = one.post(APPROVALS, {**wish, "kind": "reissue", "reason": "badge handed back"})
    assert two.post(f"{APPROVALS}/{asked.json()['approval_id']}/approve").status_code == 200
    given = provision(site, SECOND)
    assert given["provision_id"] != written["provision_id"]
    assert given["approver"] == two.kid
    old = site.get(f"/v1/hardware/se/provisions/{written['provision_id']}")
    assert old["released_at"] is not None
    states = [one["state"] for one in site.get(f"/v1/registry/nodes/{FIRST}")["credentials"] if one["card_guid"]]
    assert "revoked" in states
    actions = {entry["action"] for entry in audited(site, FIRST)}
    assert actions >= {
        "approvals.request",
        "approvals.approve",
        "approvals.use",
        "provisioning.pin_reset",
        "provisioning.release",
    }


def denials(site: ServedSite) -> list[dict[str, Any]]:
    """Refused approvals."""
    criteria = {"action": "approvals.approve", "outcome": "DENIED", "limit": 500}
    first = site.get(f"/v1/registry/nodes/{FIRST}")["created_at"]
    answer = site.post("/v1/audit-log-query", {"range": f"{first}/P300D", "criteria": criteria})
    entries: list[dict[str, Any]] = answer.json()["entries"]
    return entries


def requests_alarmed(site: ServedSite) -> list[str]:
    """Approvals that a person is called to. A busy machine may have alarms of its own."""
    return [alarm["ref"] for alarm in site.get("/v1/alarms")["items"] if alarm["kind"] == "approval.requested"]


def audited(site: ServedSite, node_id: str) -> list[dict[str, Any]]:
    """The audit entries of a node."""
    first = site.get(f"/v1/registry/nodes/{node_id}")["created_at"]
    body = {"range": f"{first}/P300D", "criteria": {"node_id": node_id, "limit": 500}}
    answer = site.post("/v1/audit-log-query", body)
    assert answer.status_code == 200, answer.text
    entries: list[dict[str, Any]] = answer.json()["entries"]
    return entries


@pytest.mark.parametrize("apdus", [*(pytest.param(each, marks=pytest.mark.campaign) for each in (1, 3, 4)), 6])
def test_a_killed_reset_is_finished_by_the_same_call(tmp_path: Path, apdus: int) -> None:
    """Killed with SIGKILL at any command, the next start resumes: one PIN, on the card and on the mailer."""
    child = subprocess.Popen(
        [sys.executable, str(HERE / "pin_reset_kill_child.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    provision_id, approval_id = child.stdout.readline().split()
    while child.stdout.readline() != "begins\n":
        assert child.poll() is None
    for _ in range(apdus):
        assert child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.stdout.close()
    child.wait(10)
    desk = Desk(tmp_path / "site")

    async def resume() -> None:
        async with desk.running({READER: card_in(tmp_path)}) as table:
            service = table.service
            reply, status = await service.resets.reset(provision_id, approval_id, actor=ACTOR, request_id="req_t")
            assert (status, reply.state) == (200, "COMPLETE")
            page = await service.mailers.pin_mailer(provision_id, caller=WRITER, request_id="req_t")
            with table.backend.open(READER) as connection:
                piv = PivSession(ApduChannel(connection))
                piv.select()
                piv.verify(pin_on(page))

    try:
        assert desk.state(approval_id) in ("APPROVED", "USED")
        asyncio.run(resume())
        assert desk.state(approval_id) == "USED"
    finally:
        desk.close()
