"""Erasures over HTTP, against a real service."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from app.__main__ import main
from app.api.wire import rfc3339
from app.commands.options import EXIT_OK
from app.service.assembly import create_key
from app.site.site import Site
from tests.served_site import ServedSite
from tests.service.capabilities.provenance.seal_site import body

PATH = "/v1/citadel/erasures"
APPROVALS = "/v1/citadel/uac/approvals"
NODE = "ARC-T0041"
OTHER = "ARC-T0042"
BURNED = "ARC-T0043"
KEPT = "ARC-KEPT"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """One service for the tests of this file, with a seal of each of two nodes."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("erased") / "site").running() as made:
        for node_id in (KEPT, f"{KEPT}0"):
            put = made.client.put(f"/v1/registry/nodes/{node_id}", json={"display_name": f"Training Person {node_id}"})
            assert put.status_code == 201, put.text
        for node_id in (NODE, OTHER):
            answer = made.post("/v1/citadel/provenance/knot-seal", msgspec.to_builtins(body(node_id)))
            assert answer.status_code in (200, 202), answer.text
        yield made


def entries(site: ServedSite, **criteria: Any) -> list[dict[str, Any]]:
    """Entries of the last hour."""
    now = time.time_ns() // 1000
    asked = {"from": rfc3339(now - 3_600_000_000), "to": rfc3339(now + 60_000_000)}
    answer = site.client.post("/v1/audit-log-query", json={"range": asked, "criteria": criteria})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["entries"]
    return found


def second(site: ServedSite) -> httpx.Client:
    """Another Citadel key."""
    headers = {"Authorization": f"Bearer {site.key_of_another()}"}
    return httpx.Client(base_url=site.base_url, headers=headers, trust_env=False)


def approved(site: ServedSite, **asked: Any) -> str:
    """The approval of exactly this, by a second key."""
    subjects = [asked["node_id"]] if "node_id" in asked else []
    subjects += [f"audit#{seq}" for seq in asked.get("seqs", [])]
    with second(site) as other:
        made = site.post(APPROVALS, {"kind": "erase", "subjects": subjects, "reason": "asked for by the person"})
        assert made.status_code == 201, made.text
        approval_id: str = made.json()["approval_id"]
        answer = other.post(f"{APPROVALS}/{approval_id}/approve")
    assert answer.status_code == 200, answer.text
    return approval_id


def erase(site: ServedSite, **asked: Any) -> dict[str, Any]:
    """An answer of 200."""
    if "preview" not in asked:
        asked["approval_id"] = approved(site, **asked)
    answer = site.client.post(PATH, json={"legal_basis": "GDPR Art. 17(1)(b)", **asked})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_node_is_erased_from_both_logs(site: ServedSite) -> None:
    """A preview counts and changes nothing; the erasure takes the node out of both logs, and says so in its leaves."""
    before = entries(site, node_id=NODE)
    assert before
    counted = erase(site, node_id=NODE, preview=True)
    assert entries(site, node_id=NODE) == before
    done = erase(site, node_id=NODE)
    assert (done["entries"], done["seals"]) == (counted["entries"], counted["seals"]) == (len(before), 1)
    assert done["kept"] == counted["kept"]
    assert done["kept"][-1].startswith("1 knot seal of the node: ")
    assert entries(site, node_id=NODE) == entries(site, text=NODE) == []
    shown = {entry["seq"]: entry for entry in entries(site, limit=500)}
    assert all(shown[entry["seq"]]["erased"] and not shown[entry["seq"]]["detail"] for entry in before)
    assert [shown[entry["seq"]]["leaf_hash"] for entry in before] == [entry["leaf_hash"] for entry in before]
    assert [shown[seq]["action"] for seq in done["leaf_seqs"]] == ["audit.erased"] * 2
    assert erase(site, node_id=NODE)["entries"] == 0


def test_kept_replies_of_the_node_are_erased(site: ServedSite) -> None:
    """The first reply under an Idempotency-Key repeats what was sealed: it goes, and the request runs no second time.
    Those about others stay."""
    asked = {}
    for node_id in (KEPT, f"{KEPT}0"):
        asked[node_id] = {**msgspec.to_builtins(body(node_id))}
        again = [seal_once(site, asked[node_id]) for _ in range(2)]
        assert again[0].json() == again[1].json()

    def kept() -> list[bytes]:
        with contextlib.closing(sqlite3.connect(f"{site.data_dir.as_uri()}/store.db?mode=ro", uri=True)) as store:
            return [row[0] for row in store.execute("SELECT body FROM api_reply WHERE body IS NOT NULL")]

    assert any(f'"{KEPT}"'.encode() in one for one in kept())
    erase(site, node_id=KEPT)
    assert not any(f'"{KEPT}"'.encode() in one for one in kept())
    assert seal_once(site, asked[KEPT]).status_code == 410
    assert seal_once(site, asked[f"{KEPT}0"]).json() == again[0].json()


def seal_once(site: ServedSite, asked: dict[str, Any]) -> httpx.Response:
    """A seal under a key of the node's own."""
    headers = {"Idempotency-Key": f"seal of {asked['node_id']}".replace(" ", "-")}
    return site.client.post("/v1/citadel/provenance/knot-seal", json=asked, headers=headers)


def test_entries_are_erased_by_number(site: ServedSite) -> None:
    """Single entries; what is erased already, or is not there, is not counted."""
    last = entries(site, node_id=OTHER)[0]["seq"]
    assert erase(site, seqs=[last, last, 999_999])["entries"] == 1
    assert erase(site, seqs=[last])["entries"] == 0


def test_only_what_another_key_approved_is_erased(site: ServedSite) -> None:
    """Not approved, approved for something else, used already, or none such: refused, and nothing is erased."""
    other = second(site)
    one, two = (entry["seq"] for entry in entries(site, limit=2))
    made = site.post(APPROVALS, {"kind": "erase", "subjects": [f"audit#{one}"], "reason": "x"}).json()["approval_id"]

    def code(approval_id: str, *seqs: int) -> str:
        body = {"seqs": seqs, "legal_basis": "x", "approval_id": approval_id}
        return str(site.client.post(PATH, json=body).json().get("code"))

    assert code(made, one) == "state_conflict"
    with other:
        assert other.post(f"{APPROVALS}/{made}/approve").status_code == 200
    assert code(made, one, two) == code(made, two) == "state_conflict"
    assert code("apr_0", one) == "not_found"
    assert not any(entry["erased"] for entry in entries(site, limit=500) if entry["seq"] in (one, two))
    assert code(made, one) == "None"
    used = site.get(f"{APPROVALS}/{made}")
    assert used["state"] == "USED"
    assert f"audit#{one}" not in used["subjects"]
    assert code(made, one) == "state_conflict"


def test_evidence_of_a_burn_outlives_the_erasure(site: ServedSite, tmp_path: Path) -> None:
    """What was said beside it goes, with a leaf that names nobody; the reply says what stays, and that still proves."""
    uac = "/v1/citadel/uac"
    held = site.post(f"{uac}/containments", {"node_id": BURNED, "message": "badge seen at the fence"}).json()
    assert site.client.delete(f"{uac}/containments/{held['containment_id']}").status_code == 200
    made = site.post(f"{uac}/burn", {"node_id": BURNED, "scope": "LOCAL_ONLY", "reason": "badge found"}).json()
    counted = erase(site, node_id=BURNED, preview=True)
    done = erase(site, node_id=BURNED)
    assert (done["records"], done["kept"]) == (counted["records"], counted["kept"])
    assert done["records"] == 1
    assert done["kept"][0].startswith("1 burn of the node: ")
    assert len(done["kept"]) == 2
    shown = {entry["seq"]: entry for entry in entries(site, limit=500)}
    told = shown[done["leaf_seqs"][-1]]
    assert (told["action"], told["node_id"], told["detail"]["rows"]) == ("records.erased", None, 1)
    assert erase(site, seqs=[told["seq"]])["entries"] == 0
    assert {entry["action"] for entry in entries(site, node_id=BURNED)} == {"burn.executed", "burn.sealed"}
    assert "fence" not in json.dumps([*shown.values(), site.get(f"{uac}/containments/{held['containment_id']}")])

    def bundle() -> bytes | None:
        answer = site.client.get(f"{uac}/burn/{made['burn_id']}/evidence")
        return answer.content if answer.status_code == 200 else None

    (tmp_path / "burn.zip").write_bytes(site.wait(bundle))
    assert main(["verify", str(tmp_path / "burn.zip"), "--data-dir", str(site.data_dir)]) == EXIT_OK


@pytest.mark.parametrize("subjects", [[NODE, OTHER], ["audit#-1"], ["audit#01"], ["tiles#1"], ["a"], []], ids=str)
def test_what_is_no_subject_is_not_asked_for(site: ServedSite, subjects: list[str]) -> None:
    """One node, and entries by log and number."""
    answer = site.post(APPROVALS, {"kind": "erase", "subjects": subjects, "reason": "x"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")


@pytest.mark.parametrize(
    "asked",
    [
        {"legal_basis": "x"},
        {"node_id": NODE},
        {"node_id": NODE, "legal_basis": "x"},
        {"seqs": [-1], "legal_basis": "x"},
        {"seqs": ["1"], "legal_basis": "x"},
    ],
    ids=str,
)
def test_bad_erasure_is_refused(site: ServedSite, asked: dict[str, Any]) -> None:
    """Something must be named, a legal basis, and an approval."""
    answer = site.client.post(PATH, json=asked)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")


def test_sovereign_key_may_not_erase(site: ServedSite) -> None:
    """Erasing is for Citadel keys."""
    key = create_key(Site.open(site.data_dir, "training"), clearance="sovereign", label="test")
    answer = httpx.post(
        site.base_url + PATH,
        json={"node_id": NODE, "legal_basis": "x"},
        headers={"Authorization": f"Bearer {key}"},
        trust_env=False,
    )
    assert answer.status_code == 403
