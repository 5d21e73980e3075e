"""The voice check over HTTP, as a partner calls it: a call with the specification's fields, what is refused before a
recording is heard, and by whom. The tests' own engine hears, which enrols drawn voices; all else is the service."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.capabilities.voice.analyser import MODELS
from app.capabilities.voice.matrix import matrix_of, npy_bytes
from tests.served_site import ServedSite
from tests.voice_site import ALICE

CHECK = "/v1/core/vssn/spectral-check"
NODE = "ARC-T0001"
VOICE = f"/v1/registry/nodes/{NODE}/voice"
RECORDING = base64.b64encode(npy_bytes(matrix_of(ALICE.says(1)))).decode()
GOOD: dict[str, Any] = {"node_id": NODE, "audio_stream_vector": RECORDING, "tolerance_coefficient": 0.25}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    made = ServedSite.laid_out(tmp_path_factory.mktemp("voice") / "site")
    made._prefix = [sys.executable, "-m", "tests.security.voice_child", "plain"]
    with made.running():
        yield made


@pytest.fixture(scope="module")
def sovereign(site: ServedSite) -> dict[str, str]:
    made = site.post("/v1/keys", {"label": "partner", "clearance": "sovereign"})
    return {"Authorization": f"Bearer {made.json()['key']}"}


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_the_three_fields_of_the_specification_are_enough(site: ServedSite, sovereign: dict[str, str]) -> None:
    """After an enrolment a Sovereign key gets a verdict, which verifies the node; a burn then takes the signature."""
    node = "ARC-T0003"
    takes = [base64.b64encode(npy_bytes(matrix_of(ALICE.says(number)))).decode() for number in (11, 12, 13)]
    enrolled = site.put(f"/v1/registry/nodes/{node}/voice", {"samples": takes, "consent": True})
    assert enrolled.status_code == 200, enrolled.text
    assert site.client.get(f"/v1/registry/nodes/{node}/voice", headers=sovereign).json() == enrolled.json()
    fields = {"node_id": node, "audio_stream_vector": RECORDING, "tolerance_coefficient": 0.5}
    answer = site.client.post(CHECK, json=fields, headers=sovereign)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    named = ("node_id", "match", "verdict", "tolerance_coefficient", "standing", "serial")
    assert [told[name] for name in named] == [
        node, True, "GENUINE", 0.5, "VERIFIED_DIGITAL_HUMAN", enrolled.json()["serial"],
    ]  # fmt: skip
    beside = {
        "similarity",
        "synthetic_probability",
        "resonance",
        "far",
        "frr",
        "speech_seconds",
        "reasons",
        "timestamp",
    }
    assert beside <= set(told)
    checks = site.client.get(f"/v1/registry/nodes/{node}").json()["live_checks"]
    assert {"kind": "voice", "ref": told["check_id"]}.items() <= checks[0].items()
    burned = site.post("/v1/citadel/uac/burn", {"node_id": node, "scope": "GLOBAL_REVOCATION", "reason": "a test"})
    assert burned.status_code in (200, 202), burned.text
    assert code(site.client.post(CHECK, json=fields, headers=sovereign)) == (409, "state_conflict")
    assert code(site.client.get(f"/v1/registry/nodes/{node}/voice", headers=sovereign)) == (404, "not_found")


def test_the_error_curve_is_told_to_every_key(site: ServedSite, sovereign: dict[str, str]) -> None:
    """From the strictest tolerance to the loosest."""
    curve = site.client.get(f"{CHECK}/calibration", headers=sovereign).json()
    assert [curve["points"][at]["tolerance"] for at in (0, -1)] == [0.0, 1.0]


def test_a_signature_is_erased_once(site: ServedSite) -> None:
    """Then there is none."""
    voice = "/v1/registry/nodes/ARC-T0004/voice"
    takes = [base64.b64encode(npy_bytes(matrix_of(ALICE.says(number)))).decode() for number in (21, 22, 23)]
    assert site.put(voice, {"samples": takes}).status_code == 200
    assert [site.client.delete(voice).json()["rows"] for _ in range(2)] == [1, 0]


def test_a_site_may_bring_its_own_models(tmp_path: Path) -> None:
    """From a folder of its settings; their name and their digest are told with every verdict and curve."""
    folder = tmp_path / "models"
    shutil.copytree(MODELS, folder)
    facts = json.loads((folder / "model.json").read_bytes())
    text = json.dumps({**facts, "id": "models-of-the-site"}).encode()
    (folder / "model.json").write_bytes(text)
    made = ServedSite.laid_out(tmp_path / "site", voice_models_path=str(folder))
    with made.running():
        model = made.client.get(f"{CHECK}/calibration").json()["model"]
    assert model == {"id": "models-of-the-site", "sha256": hashlib.sha256(text).hexdigest()}


def test_an_unknown_node_is_404(site: ServedSite, sovereign: dict[str, str]) -> None:
    """With the three fields of the specification, by a Sovereign key."""
    answer = site.client.post(CHECK, json={**GOOD, "node_id": "ARC-NOBODY"}, headers=sovereign)
    assert code(answer) == (404, "not_found")


def test_enrolling_takes_a_citadel_key(site: ServedSite, sovereign: dict[str, str]) -> None:
    """And so does erasing; to see what is enrolled does not."""
    for method, body in (("PUT", {"samples": [RECORDING] * 3}), ("DELETE", None)):
        answer = site.client.request(method, VOICE, json=body, headers=sovereign)
        assert code(answer) == (403, "insufficient_clearance")
    assert code(site.client.get(VOICE, headers=sovereign)) == (404, "not_found")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"tolerance_coefficient": True}, "/tolerance_coefficient"),
        ({"tolerance_coefficient": 1.5}, "/tolerance_coefficient"),
        ({"tolerance_coefficient": -1}, "/tolerance_coefficient"),
        ({"tolerance_coefficient": "NaN"}, "/tolerance_coefficient"),
        ({"tolerance_coefficient": None}, "/tolerance_coefficient"),
        ({"node_id": "x"}, "/node_id"),
        ({"more": 1}, "/more"),
    ],
)
def test_a_wrong_field_is_422(site: ServedSite, change: dict[str, Any], pointer: str) -> None:
    """At its place, and without its value."""
    answer = site.post(CHECK, {**GOOD, **change})
    assert code(answer) == (422, "invalid_body")
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert RECORDING[:40] not in answer.text


def test_what_is_no_json_is_400(site: ServedSite) -> None:
    """A bare NaN is none."""
    text = json.dumps({**GOOD, "tolerance_coefficient": float("nan")})
    answer = site.client.post(CHECK, content=text, headers={"Content-Type": "application/json"})
    assert code(answer) == (400, "malformed_json")


def test_a_body_over_8_mib_is_413(site: ServedSite) -> None:
    """One below it is read."""
    for size, expected in ((8 << 20, 413), ((8 << 20) - 200, 404)):
        body = {"node_id": "ARC-NOBODY", "audio_stream_vector": "A" * size}
        assert site.post(CHECK, body).status_code == expected
