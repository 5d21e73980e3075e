"""Evidence of chosen audit entries over HTTP: a real service, its own witnesses, and the command that judges it."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.api.wire import rfc3339
from app.commands.options import EXIT_OK
from app.commands.verify import pinned_trust, run_verify
from tests.served_site import ServedSite

PATH = "/v1/audit-log-query/evidence"
NODES = ("ARC-E1", "ARC-E2")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with two people that this file alone knows."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("evidence") / "site").running() as made:
        for node_id in NODES:
            put = made.client.put(f"/v1/registry/nodes/{node_id}", json={"display_name": f"Training Person {node_id}"})
            assert put.status_code == 201, put.text
        yield made


def entries(site: ServedSite, **criteria: Any) -> list[dict[str, Any]]:
    """Entries of the last hour."""
    now = time.time_ns() // 1000
    asked = {"from": rfc3339(now - 3_600_000_000), "to": rfc3339(now + 60_000_000)}
    answer = site.client.post("/v1/audit-log-query", json={"range": asked, "criteria": criteria})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["entries"]
    return found


def evidence(site: ServedSite, seqs: list[int]) -> httpx.Response:
    """The answer once the witnesses have seen these entries."""
    last: list[httpx.Response] = []

    def answered() -> bool:
        last[:] = [site.client.post(PATH, json={"entries": seqs})]
        return last[0].status_code != 409 or "waits" not in last[0].text

    site.wait(answered, 60)
    return last[0]


def pins(site: ServedSite, folder: Path) -> Path:
    """What an auditor saved of the site."""
    for name in ("policy", "roots"):
        (folder / name).write_bytes(site.client.get(f"/v1/log/{name}").content)
    return folder


def test_chosen_rows_are_proven_by_the_command(site: ServedSite, tmp_path: Path) -> None:
    """Rows of the query become a file that ``arc-console verify`` takes, and one bit less is refused."""
    rows = [entries(site, node_id=node_id)[0] for node_id in NODES]
    answer = evidence(site, [row["seq"] for row in rows])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    file = tmp_path / "rows.zip"
    file.write_bytes(answer.content)
    trust = pinned_trust(pins(site, tmp_path))
    words = io.StringIO()
    assert run_verify(file, trust, words, as_json=False) == EXIT_OK, words.getvalue()
    assert "2 chosen entries of the log training-" in words.getvalue()
    broken = bytearray(answer.content)
    broken[len(broken) // 2] ^= 1
    file.write_bytes(broken)
    assert run_verify(file, trust, io.StringIO(), as_json=False) != EXIT_OK


def test_what_is_no_choice_is_refused(site: ServedSite) -> None:
    """No entry, one that does not exist, a number below 0, and more than a bundle takes."""
    for wrong in ([], [10**9], [-1], list(range(501))):
        answer = site.client.post(PATH, json={"entries": wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body"), wrong


def test_a_key_that_may_read_the_log_may_prove_it(site: ServedSite, tmp_path: Path) -> None:
    """A Sovereign key may; nobody without a key may."""
    row = entries(site, node_id=NODES[0])[0]
    evidence(site, [row["seq"]])
    made = site.post("/v1/keys", {"label": "auditor", "clearance": "sovereign"})
    assert made.status_code in (200, 201), made.text
    headers = {"Authorization": f"Bearer {made.json()['key']}"}
    with httpx.Client(base_url=site.base_url, trust_env=False) as client:
        assert client.post(PATH, json={"entries": [row["seq"]]}).status_code == 401
        assert client.post(PATH, json={"entries": [row["seq"]]}, headers=headers).status_code == 200


def test_an_erased_entry_can_no_longer_be_proven(site: ServedSite) -> None:
    """Its place stays in the log; what it said is gone, and the answer says so."""
    seq = entries(site, node_id=NODES[1])[0]["seq"]
    headers = {"Authorization": f"Bearer {site.key_of_another()}"}
    approvals = "/v1/citadel/uac/approvals"
    asked = site.post(approvals, {"kind": "erase", "subjects": [f"audit#{seq}"], "reason": "asked for by the person"})
    approval_id = asked.json()["approval_id"]
    with httpx.Client(base_url=site.base_url, headers=headers, trust_env=False) as other:
        assert other.post(f"{approvals}/{approval_id}/approve").status_code == 200
    body = {"seqs": [seq], "legal_basis": "GDPR Art. 17(1)(b)", "approval_id": approval_id}
    assert site.client.post("/v1/citadel/erasures", json=body).status_code == 200
    answer = evidence(site, [seq])
    assert (answer.status_code, answer.json()["code"]) == (409, "state_conflict")
    assert "was erased" in answer.json()["detail"]
