"""Permits and proofs of a real service in a process of its own: burns, kills, what is written down."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.__main__ import main
from app.commands.options import EXIT_OK
from app.console.connection.unit_key import UnitKeyPair
from tests.served_site import ServedSite

STREAM = "/v1/telemetry-stream"
NODE, CONTAINED = "ARC-X0001", "ARC-X0002"


class PermitSite:
    """A service on a port that stays its own across restarts, with a unit that may open doors."""

    def __init__(self, data_dir: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.served = ServedSite.laid_out(data_dir, "--no-pcsc", "--port", str(port))
        self.key = UnitKeyPair.generate()

    def register(self) -> None:
        """The unit and two people."""
        unit = {"public_key": self.key.jwk, "actions": ["door.open"]}
        assert self.served.put("/v1/registry/units/door-7", unit).status_code == 201
        for node_id in (NODE, CONTAINED):
            assert self.served.put(f"/v1/registry/nodes/{node_id}", {"display_name": "Training Person 90"}).is_success

    def mint(self, **more: Any) -> str:
        """A permit of the unit."""
        body = {"unit_id": "door-7", "action": "door.open", "resource": "gate 3", "ttl_seconds": 300, **more}
        answer = self.served.post("/v1/permits", body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["permit_token"])

    def use(self, token: str) -> httpx.Response:
        """Uses the permit."""
        return self.served.post("/v1/authorize-action", {"unit_id": "door-7", "permit_token": token})

    def proof(self, path: str = STREAM) -> str:
        """A proof for the stream."""
        return self.key.proof("GET", self.served.base_url + path)

    def stream(self, **place: str) -> int:
        """Status of the stream's head; ``place``: the proof as query ``enclave_sig`` or header ``arc_enclave_sig``."""
        headers = {"Arc-Enclave-Sig": place["arc_enclave_sig"]} if "arc_enclave_sig" in place else {}
        query = {name: value for name, value in place.items() if name == "enclave_sig"}
        with self.served.client.stream("GET", STREAM, params={"unit_id": "door-7", **query}, headers=headers) as answer:
            return answer.status_code


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PermitSite]:
    """Running."""
    made = PermitSite(tmp_path_factory.mktemp("permits") / "site")
    with made.served.running():
        made.register()
        yield made


def test_a_burn_revokes_the_permits_of_the_person(site: PermitSite) -> None:
    """The preview counts them, the burn proves them, and a permit made before is denied."""
    token = site.mint(node_id=NODE)
    preview = site.served.post("/v1/citadel/uac/burn/preview", {"node_id": NODE, "scope": "LOCAL_ONLY"}).json()
    assert [target["kind"] for target in preview["targets"] if target["kind"] == "permit"] == ["permit"]
    body = {"node_id": NODE, "scope": "LOCAL_ONLY", "reason": "badge found on the street"}
    burn = site.served.post("/v1/citadel/uac/burn", body).json()
    (target,) = [target for target in burn["targets"] if target["kind"] == "permit"]
    assert (target["state"], target["evidence"]) == ("revoked", "1 unused permit revoked")
    answer = site.use(token)
    assert (answer.status_code, answer.json()["decision"], answer.json()["reason"]) == (200, "DENY", "burned")
    assert site.use(token).status_code == 409


def test_a_kill_brings_no_permit_and_no_proof_back(site: PermitSite) -> None:
    """What was used stays used across SIGKILL; what was not is still good."""
    used, kept = site.mint(), site.mint()
    proof = site.proof()
    assert site.use(used).json()["decision"] == "PERMIT"
    assert site.stream(enclave_sig=proof) == 200
    site.served.kill()
    site.served.start()
    assert site.use(used).status_code == 409
    assert site.use(kept).json()["decision"] == "PERMIT"
    assert site.stream(enclave_sig=proof) == 409
    assert site.stream(arc_enclave_sig=proof) == 409
    assert site.stream(arc_enclave_sig=site.proof()) == 200


def test_a_replaced_key_ends_no_permit(site: PermitSite) -> None:
    """``key rotate permits`` beside the service: its next start signs by the new key and takes both."""
    before = site.mint()
    assert main(["key", "rotate", "--data-dir", str(site.served.data_dir), "permits"]) == EXIT_OK
    site.served.stop()
    site.served.start()
    after = site.mint()
    assert before.partition(".")[0] != after.partition(".")[0]
    assert [site.use(token).json()["decision"] for token in (before, after)] == ["PERMIT", "PERMIT"]


def test_no_token_and_no_proof_is_written_down(site: PermitSite) -> None:
    """Good, bad, in the header or the query: neither the log nor any file of the site has one."""
    token, proofs = site.mint(), [site.proof(), site.proof(), site.proof("/v1/alarms")]
    site.use(token)
    site.use(token[:-8] + "AAAAAAAA")
    site.stream(enclave_sig=proofs[0])
    site.stream(arc_enclave_sig=proofs[1])
    site.stream(enclave_sig=proofs[2])
    site.stream(enclave_sig=proofs[0], arc_enclave_sig=proofs[1])
    now = time.time()
    asked = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + shift)) for shift in (-3600, 60)]
    log = site.served.post("/v1/audit-log-query", {"range": {"from": asked[0], "to": asked[1]}}).content
    files = [path.read_bytes() for path in site.served.data_dir.rglob("*") if path.is_file()]
    written = [log, site.served.log.read_bytes(), *files]
    secrets = [part.encode() for text in (token, *proofs) for part in text.split(".")[1:]]
    assert b"permits.authorize" in log
    assert not [part for part in secrets for data in written if part in data]
