"""The main job over the API of a real service: write a card, open a door with it, burn, and every door refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.served_site import ServedSite

NODE = "ARC-T0001"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site after its first start."""
    with ServedSite(tmp_path_factory.mktemp("main-job") / "site").running() as served:
        served.wait_for_doors()
        yield served


@pytest.fixture(scope="module")
def written(site: ServedSite) -> dict[str, Any]:
    """The card of ``NODE``, written in the first training reader, and its grant for one cluster."""
    answer = site.post(
        "/v1/hardware/se/provision",
        {"node_id": NODE, "hardware_uid": "reader:Training Reader 1", "fips_standard": "FIPS 140-3 Level 2"},
    )
    assert answer.status_code == 200, answer.text
    provision: dict[str, Any] = answer.json()
    profile = {
        "node_id": NODE,
        "credentials": [{"format": "piv-guid", "card_guid": provision["card_guid"]}],
        "clusters": ["garage"],
    }
    assert site.put("/v1/registry/credential-profiles/badge-1", profile).status_code == 201
    return provision


def present(site: ServedSite, reader: str) -> dict[str, Any]:
    """The badge of ``NODE`` at a reader."""
    answer = site.post("/v1/training/present", {"reader_id": reader, "node_id": NODE})
    assert answer.status_code == 200, answer.text
    decision: dict[str, Any] = answer.json()
    return decision


def test_main_job(site: ServedSite, written: dict[str, Any]) -> None:
    """A proven card opens its door, and after the burn no door of 104 opens, with a latency for each target."""
    assert all(written["verification"].values())
    assert written["standing"] == "VERIFIED_DIGITAL_HUMAN"
    sync = site.post(
        "/v1/uac/credential/sync",
        {"hardware_reader_cluster": "garage", "credential_profile_token": "badge-1", "reauth_ttl_seconds": 3600},
    )
    assert sync.status_code == 200, sync.text
    assert {reader["state"] for reader in sync.json()["readers"]} == {"applied"}
    assert present(site, "garage-01")["decision"] == "GRANT"
    assert present(site, "data-hall-01")["reason"] == "wrong_cluster"

    burned = site.post(
        "/v1/citadel/uac/burn", {"node_id": NODE, "scope": "GLOBAL_REVOCATION", "reason": "the main job's end"}
    )
    assert burned.status_code == 200, burned.text
    burn = burned.json()
    assert burn["state"] == "COMPLETE"
    assert len([target for target in burn["targets"] if target["kind"] == "reader"]) == 104
    assert {target["state"] for target in burn["targets"]} == {"revoked"}
    assert all(target["latency_ms"] is not None for target in burn["targets"])
    assert {present(site, f"garage-{number:02}")["decision"] for number in range(1, 13)} == {"DENY"}
    again = site.post(
        "/v1/hardware/se/provision",
        {"node_id": NODE, "hardware_uid": "reader:Training Reader 3", "fips_standard": "FIPS 140-3 Level 2"},
    )
    assert (again.status_code, again.json()["code"]) == (409, "state_conflict")
    alarms = site.get("/v1/alarms")["items"]
    assert [alarm["ref"] for alarm in alarms if alarm["kind"] == "burn.tripwire"] == [burn["burn_id"]]


def test_everything_is_in_the_audit_log(site: ServedSite, written: dict[str, Any]) -> None:
    """The card's writing stands in the log under its node, with the checkpoint that covers it."""
    query = {
        "range": {"from": "2020-01-01T00:00:00Z", "to": "2020-12-31T00:00:00Z"},
        "criteria": {"node_id": NODE, "action": "provisioning.complete"},
    }
    empty = site.post("/v1/audit-log-query", query).json()
    assert empty["entries"] == []
    started = written["timestamp"][:10]
    query["range"] = {"from": f"{started}T00:00:00Z", "to": f"{int(started[:4]) + 1}-01-01T00:00:00Z"}
    page = site.post("/v1/audit-log-query", query).json()
    assert [entry["detail"]["provision_id"] for entry in page["entries"]] == [written["provision_id"]]
    assert page["checkpoint"].startswith("training-")


def test_a_frame_shows_its_measured_handshake(site: ServedSite) -> None:
    """Each operational frame's record is of a handshake that ended after the service started."""

    def measured() -> list[Any]:
        frames = site.get("/v1/infrastructure/nodes")["items"]
        found = [frame for frame in frames if frame["record"]["status"] == "OPERATIONAL" and frame["phases"]]
        return found if len(found) >= 50 else []

    frames = site.wait(measured)
    for frame in frames:
        number, _, unit = frame["record"]["handshake_latency"].partition(" ")
        assert unit == "ms"
        assert float(number) == pytest.approx(frame["phases"]["first_byte_ms"], abs=0.006)
        assert frame["record"]["uplink"].startswith("TLS_")


def test_stops_cleanly_when_its_console_ends(tmp_path: Any) -> None:
    """The end of stdin is the end of the service, with exit code 0 and no error in its log."""
    site = ServedSite.laid_out(tmp_path / "site")
    site.start()
    assert site.stop() == 0
    assert '"level":"error"' not in site.log.read_text()
