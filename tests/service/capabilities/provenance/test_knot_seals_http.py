"""Knot seals over HTTP: a real service with its own three witnesses, judged by its pinned policy and by openssl."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.__main__ import main
from app.api.wire import rfc3339
from app.ledger.c2sp.note import parse_note
from app.ledger.c2sp.policy import parse_policy
from app.ledger.c2sp.proof import consensus_seal, parse_proof, verify_proof
from app.ledger.tree.leaf import read_seal_header
from resources import arc_verify
from tests.served_site import ServedSite
from tests.service.capabilities.provenance.seal_site import body

PATH = "/v1/citadel/provenance/knot-seal"
NODE = "ARC-T0041"
"""Holds no card and was never seen alive."""
HOLDER = "ARC-T0003"
"""The training site gave this person a card just now."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """One service for the tests of this file."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("sealed") / "site").running() as made:
        yield made


def sealed(site: ServedSite, node_id: str = NODE) -> dict[str, Any]:
    """A knot with its quorum. The first one of a fresh site may be pending while its witnesses start."""
    answer = site.post(PATH, msgspec.to_builtins(body(node_id)))
    assert answer.status_code in (200, 202), answer.text
    found: dict[str, Any] = answer.json()
    if answer.status_code == 202:
        assert found["standing"] == "PENDING_CONSENSUS"
        return site.wait(lambda: (again := site.get(f"{PATH}/{found['knot_id']}"))["seal_proof"] and again)
    return found


def test_a_stranger_verifies_the_seal(site: ServedSite) -> None:
    """With the policy alone: leaf, place, witnesses, time."""
    knot = sealed(site)
    policy = parse_policy(site.client.get("/v1/log/policy").content)
    leaf = hashlib.sha256(b"\x00" + knot["leaf"].encode()).digest()
    proven = verify_proof(parse_proof(knot["seal_proof"].encode()), leaf, policy)
    assert proven.origin == knot["log_origin"]
    assert knot["consensus_seal"] == consensus_seal(knot["seal_proof"].encode())
    assert knot["standing"] == "UNVERIFIED"


def test_its_time_is_that_of_its_leaf(site: ServedSite) -> None:
    """To the microsecond, before the quorum and after it: no seal is older than what it seals."""
    knot = sealed(site)
    stated = rfc3339(read_seal_header(knot["leaf"].encode()).ts)
    assert {knot["timestamp"], *(leaf["timestamp"] for leaf in knot["leaves"][:1])} == {stated}


def test_openssl_verifies_its_time_stamp(site: ServedSite, tmp_path: Path) -> None:
    """The token is over the checkpoint's text, under the site's root."""
    knot = sealed(site)
    (tmp_path / "token").write_bytes(base64.b64decode(knot["timestamp_token"]))
    (tmp_path / "data").write_bytes(parse_note(parse_proof(knot["seal_proof"].encode()).note.encode()).text.encode())
    (tmp_path / "roots.pem").write_bytes(site.client.get("/v1/log/roots").content)
    command = ["openssl", "ts", "-verify", "-in", "token", "-token_in", "-data", "data", "-CAfile", "roots.pem"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_card_that_was_just_proven_is_a_live_check(site: ServedSite) -> None:
    """Provisioning recorded it; the seal says what the site itself saw."""
    site.wait(lambda: site.get(f"/v1/registry/nodes/{HOLDER}")["standing"] == "VERIFIED_DIGITAL_HUMAN")
    assert sealed(site, HOLDER)["standing"] == "VERIFIED_DIGITAL_HUMAN"


def test_a_burn_revokes_the_seal(site: ServedSite) -> None:
    """The burn names the seals among its targets, and the knot ends by a new leaf."""
    knot = sealed(site, "ARC-T0040")
    answer = site.post("/v1/citadel/uac/burn", {"node_id": "ARC-T0040", "scope": "LOCAL_ONLY", "reason": "lost"})
    assert answer.status_code in (200, 202), answer.text
    assert ("seal", "revoked") in {(part["kind"], part["state"]) for part in answer.json()["targets"]}
    after = site.get(f"{PATH}/{knot['knot_id']}")
    assert after["leaves"][-1]["standing"] == "REVOKED"
    assert after["leaf"] == knot["leaf"]
    assert site.post(PATH, msgspec.to_builtins(body("ARC-T0040"))).status_code == 409


def test_withdrawn_by_an_empty_body(site: ServedSite) -> None:
    """A reason is not owed."""
    knot = sealed(site)
    answer = site.client.post(f"{PATH}/{knot['knot_id']}/withdraw")
    assert answer.status_code in (200, 202), answer.text
    assert [leaf["standing"] for leaf in answer.json()["leaves"]] == ["UNVERIFIED", "WITHDRAWN"]


def test_wrong_times_are_told_at_their_field(site: ServedSite) -> None:
    """A problem document with the pointer."""
    wrong = msgspec.to_builtins(body(expires_at="2020-01-01T00:00:00Z"))
    answer = site.post(PATH, wrong)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/consent/expires_at"]


def test_a_bundle_verifies_with_what_the_site_pins(
    site: ServedSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bundle, policy and roots as anybody fetches them: the command and the verifier in one file accept it; so does
    the command with the running site's own directory. The same knot is the same bundle."""
    knot = sealed(site)
    answer = site.client.get(f"{PATH}/{knot['knot_id']}/bundle")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == f'attachment; filename="{knot["knot_id"]}.zip"'
    assert site.client.get(f"{PATH}/{knot['knot_id']}/bundle").content == answer.content
    for name, content in (
        ("bundle.zip", answer.content),
        ("policy", site.client.get("/v1/log/policy").content),
        ("roots", site.client.get("/v1/log/roots").content),
    ):
        (tmp_path / name).write_bytes(content)
    path = str(tmp_path / "bundle.zip")
    assert main(["verify", path, "--trust", str(tmp_path)]) == 0, capsys.readouterr().out
    assert main(["verify", path, "--data-dir", str(site.data_dir)]) == 0, capsys.readouterr().out
    assert arc_verify.main([path, "--policy", str(tmp_path / "policy")]) == 0
    assert f"{knot['knot_id']} of node {NODE} stands at UNVERIFIED." in capsys.readouterr().out


def test_a_receipt_verifies_with_what_the_site_pins(
    site: ServedSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The receipt of a training card, under the site's roots."""
    site.wait(lambda: site.get(f"/v1/registry/nodes/{HOLDER}")["standing"] == "VERIFIED_DIGITAL_HUMAN")
    done = site.get("/v1/hardware/se/provisions", node_id=HOLDER)["items"][0]
    path = tmp_path / "receipt.json"
    path.write_bytes(site.client.get(f"/v1/hardware/se/provisions/{done['provision_id']}/receipt").content)
    (tmp_path / "roots").write_bytes(site.client.get("/v1/log/roots").content)
    assert main(["verify", str(path), "--trust", str(tmp_path)]) == 0
    assert f"provision_id {done['provision_id']} node_id {HOLDER}" in capsys.readouterr().out


def test_what_is_not_sealed_has_no_bundle(site: ServedSite) -> None:
    """An unknown knot is 404."""
    assert site.client.get(f"{PATH}/KNOT-0000000000000000/bundle").status_code == 404
