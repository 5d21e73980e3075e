"""Audit query, alarms and infrastructure over HTTP."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from typing import Any

import pytest

from app.api.wire import rfc3339
from app.ledger.c2sp.note import parse_checkpoint
from app.ledger.tree.leaf import leaf_hash
from app.ledger.tree.tree import verify_inclusion
from app.store.writer import Transaction
from tests.service.capabilities.gateway.gateway_unit import RunningUnit

QUERY = "/v1/audit-log-query"


def span() -> dict[str, str]:
    """The last hour."""
    now = time.time_ns() // 1000
    return {"from": rfc3339(now - 3_600_000_000), "to": rfc3339(now + 60_000_000)}


def ask(unit: RunningUnit, **body: Any) -> Any:
    """A page."""
    response = unit.client.post(QUERY, json=body)
    assert response.status_code == 200, response.text
    return response.json()


def add(unit: RunningUnit, count: int) -> None:
    """Leaves of a capability."""

    def job(tx: Transaction) -> None:
        for number in range(count):
            tx.audit("test.added", actor="tester", node_id=f"NODE-{number % 2}", detail={"word": f"w{number}"})

    unit.site.store.writer.submit(job).result(10)


def test_entries_have_the_fields_of_the_contract(unit: RunningUnit) -> None:
    """An entry says who did what when to whom, and its leaf hash is that of its header."""
    add(unit, 1)
    (entry,) = ask(unit, range=span(), criteria={"action": "test.added"})["entries"]
    (leaf,) = unit.site.leaves(action="test.added")
    assert (entry["seq"], entry["actor"], entry["node_id"]) == (leaf.seq, "tester", "NODE-0")
    assert (entry["outcome"], entry["detail"], entry["leaf_hash"]) == ("ACCEPTED", {"word": "w0"}, leaf.leaf_hash)
    assert len(leaf.leaf_hash) == len(leaf_hash(b"").hex())


def test_text_alone_is_a_criterion(unit: RunningUnit) -> None:
    """``criteria`` may be a text."""
    add(unit, 3)
    assert [entry["detail"] for entry in ask(unit, range=span(), criteria="w1")["entries"]] == [{"word": "w1"}]


def test_range_may_be_an_interval(unit: RunningUnit) -> None:
    """``range`` may be an ISO 8601 interval."""
    add(unit, 1)
    both = span()
    assert ask(unit, range=f"{both['from']}/{both['to']}")["entries"]


def test_pages_are_of_one_checkpoint(unit: RunningUnit) -> None:
    """Following pages leave out nothing, repeat nothing, and are of the first page's tree."""
    add(unit, 5)
    criteria: dict[str, Any] = {"action": "test.added", "limit": 2}
    page = ask(unit, range=(asked := span()), criteria=criteria)
    seen, checkpoints = [], set()
    while True:
        seen += [entry["detail"]["word"] for entry in page["entries"]]
        checkpoints.add(page["checkpoint"])
        if page["next"] is None:
            break
        add(unit, 1)
        page = ask(unit, range=asked, criteria={**criteria, "cursor": page["next"]})
    assert (seen, len(checkpoints)) == (["w4", "w3", "w2", "w1", "w0"], 1)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"range": {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}}, "/range"),
        ({"range": {"from": "2024-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}}, "/range"),
        ({"range": "yesterday"}, "/range"),
        ({"range": "2026-01-01T00:00:00Z/P1D", "criteria": {"limit": 501}}, "/criteria/limit"),
        ({"criteria": "x"}, ""),
    ],
    ids=str,
)
def test_bad_query_is_refused(unit: RunningUnit, body: dict[str, Any], pointer: str) -> None:
    """A wrong query names the field that is wrong."""
    response = unit.client.post(QUERY, json=body)
    assert response.status_code == 422
    assert response.json()["code"] == "invalid_body"
    assert response.json()["errors"][0]["pointer"].startswith(pointer)


def test_a_cursor_of_nothing_is_404(unit: RunningUnit) -> None:
    """It names no page of this query; so it is in every list."""
    response = unit.client.post(QUERY, json={"range": span(), "criteria": {"cursor": "AAAA"}})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_every_entry_proves_itself(unit: RunningUnit, limit: int) -> None:
    """With proofs each entry opens its leaf and leads it to the root of the page's checkpoint, on every page."""
    add(unit, 12)
    criteria: dict[str, Any] = {"action": "test.added", "limit": limit}
    asked, seen = span(), 0
    while True:
        response = unit.client.post(QUERY, params={"proofs": "true"}, json={"range": asked, "criteria": criteria})
        assert response.status_code == 200, response.text
        page = response.json()
        hashes = [base64.b64decode(step) for step in page["hashes"]]
        assert len(set(hashes)) == len(hashes)
        checkpoint = parse_checkpoint(page["checkpoint"].partition("\n\n")[0] + "\n")
        for entry in page["entries"]:
            proof = entry["proof"]
            salt, payload = (base64.b64decode(proof["opening"][name]) for name in ("salt", "payload"))
            header = json.loads(proof["header"])
            assert (header["seq"], header["action"], header["actor"]) == (entry["seq"], "test.added", "tester")
            assert header["body"] == hashlib.sha256(salt + payload).hexdigest()
            said = json.loads(payload)
            said.pop("state", None)  # What the last leaf of a commit says of the store's rows.
            assert said == {"detail": entry["detail"], "node_id": entry["node_id"]}
            leaf = hashlib.sha256(b"\0" + proof["header"].encode()).digest()
            assert leaf.hex() == entry["leaf_hash"]
            path = [hashes[at] for at in proof["path"]]
            assert verify_inclusion(leaf, entry["seq"], checkpoint.size, path, checkpoint.root)
            assert proof["cosigned_path"] is None
        assert page["cosigned"] is None
        seen += len(page["entries"])
        if page["next"] is None:
            break
        criteria["cursor"] = page["next"]
        add(unit, 1)
    assert seen == 12


def test_proofs_come_only_when_they_are_asked_for(unit: RunningUnit) -> None:
    """A page without them is what it was: none of their members is there."""
    add(unit, 1)
    page = ask(unit, range=span())
    assert set(page) == {"entries", "next", "checkpoint", "log_ahead_s"}
    assert "proof" not in page["entries"][0]
    assert unit.client.post(QUERY, params={"proofs": "some"}, json={"range": span()}).status_code == 422


def test_alarms_are_listed(unit: RunningUnit) -> None:
    """Open alarms are served."""
    site = unit.site
    site.store.writer.submit(lambda tx: site.alarms.raise_alarm(tx, "test.fact", "k", "Text.", ref="r")).result(10)
    (item,) = unit.client.get("/v1/alarms").json()["items"]
    assert (item["kind"], item["text"], item["ref"], item["node_id"]) == ("test.fact", "Text.", "r", None)
    assert item["alarm_id"]
    assert item["since"]


def test_own_status_is_served(unit: RunningUnit) -> None:
    """The record of this node has the specification's five fields."""
    record = unit.client.get("/v1/infrastructure/status").json()
    assert {"node_id", "status", "handshake_latency", "active_sovereign_nodes", "uplink"} <= record.keys()


def test_unknown_frame_is_not_served(unit: RunningUnit) -> None:
    """404 with a problem document."""
    response = unit.client.get("/v1/infrastructure/status", params={"node_id": "NOBODY"})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_nodes_are_served(unit: RunningUnit) -> None:
    """The list says its range and step."""
    found = unit.client.get("/v1/infrastructure/nodes", params={"step": "10"}).json()
    assert (found["items"], found["step"], found["probe_interval_ms"]) == ([], 10, 100)
    assert found["from"] < found["to"]


def test_the_present_is_found_after_the_clock_went_ahead_and_back(unit: RunningUnit) -> None:
    """The log keeps the later time; the reply says by how much, and an entry is found by when it came."""
    writer = unit.site.store.writer
    clock = writer._clock
    ahead_us = 3_600_000_000
    assert ask(unit, range=span())["log_ahead_s"] == 0
    try:
        writer._clock = lambda: time.time_ns() // 1000 + ahead_us
        add(unit, 1)
    finally:
        writer._clock = clock
    add(unit, 2)
    page = ask(unit, range=span(), criteria={"action": "test.added"})
    assert 3_500 < page["log_ahead_s"] <= 3_600
    assert [entry["detail"]["word"] for entry in page["entries"]] == ["w1", "w0"]
    for entry in page["entries"]:
        assert span()["from"] < entry["received_at"] < span()["to"] < entry["timestamp"]
    later = rfc3339(time.time_ns() // 1000 + ahead_us + 60_000_000)
    whole = ask(unit, range={"from": span()["from"], "to": later}, criteria={"action": "test.added"})["entries"]
    assert ["received_at" in entry for entry in whole] == [True, True, False]
