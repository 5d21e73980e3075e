"""A real training site does what its document says, whatever is sent to it; and what it refuses, it refuses by name."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
from joserfc.jwk import ECKey, OKPKey

from app.api.keys import make_key
from app.api.operation import Clearance, Endpoint
from app.api.wire import ProblemBody
from app.console.connection.unit_key import UnitKeyPair
from app.service.assembly import TABLE
from app.site.settings import RateSettings
from hardware.terminals.software import SoftwareTerminal
from tests.served_site import ServedSite

HERE = Path(__file__).parent
STREAM = "/v1/telemetry-stream"
SCHEMATHESIS = ("--seed", "1", "--no-color", "--generation-database", "none")
FEW = ("--phases", "examples,fuzzing", "--max-examples", "2")
"""The document's examples, and some right and wrong values of each operation."""
MANY = ("--max-examples", "25")
"""Many, the bounds of all schemas, and chains of calls."""

PROTECTED = [row for row in TABLE if row.clearance is not Clearance.OPEN]
CITADEL = [row for row in TABLE if row.clearance is Clearance.CITADEL]
SIGNED = [row for row in TABLE if row.sender is not None]
BODIES = [row for row in TABLE if row.request is not None and row.sender is None]
"""Of a signed row the body is read after its signature."""


def name(row: Endpoint) -> str:
    """How a row is called in test ids."""
    return row.name


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site whose rate limits hide no operation."""
    rates = RateSettings(**dict.fromkeys(RateSettings.__struct_fields__, 1_000_000))
    served = ServedSite.laid_out(tmp_path_factory.mktemp("openapi") / "site", rates=rates)
    with served.running():
        served.wait_for_doors()
        yield served


@pytest.fixture(scope="module")
def document(site: ServedSite) -> dict[str, Any]:
    """The document as the site serves it."""
    found: dict[str, Any] = site.get("/v1/openapi.json")
    return found


# Whatever fits the document, and whatever does not


class Run(NamedTuple):
    """What schemathesis said, and what the site counted: every operation with every status that it answered."""

    code: int
    words: str
    answers: set[tuple[str, int]]


@pytest.fixture(scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.campaign)], ids=("few", "many"))
def run(
    request: pytest.FixtureRequest,
    site: ServedSite,
    document: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Run:
    """One run of schemathesis over all operations and all checks."""
    opener = {"public_key": UnitKeyPair.generate().jwk, "actions": ["door.open"]}
    assert site.put("/v1/registry/units/opener", opener).status_code == 201
    # What it leaves (caches, databases) lies where it ran.
    place = tmp_path_factory.mktemp("schemathesis")
    schema = place / "openapi.json"
    schema.write_text(json.dumps(document))
    # The launch key is in no list, so that no generated DELETE can revoke it. It goes by a file: arguments are seen.
    config = place / "schemathesis.toml"
    config.touch(0o600)
    key = json.dumps(site.client.headers["Authorization"])
    hooks = json.dumps(str(HERE / "schemathesis_hooks.py"))
    rules = (HERE / "schemathesis.toml").read_text()
    config.write_text(f"hooks = {hooks}\n{rules}\n[headers]\nAuthorization = {key}\n")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", str(schema)]
    ended = subprocess.run(
        [*command, "--url", site.base_url, *SCHEMATHESIS, *request.param],
        capture_output=True,
        text=True,
        timeout=1800,
        cwd=place,
        check=False,
    )
    counted = re.findall(r'arc_requests_total\{operation="([^"]+)",status="(\d+)"\}', site.client.get("/metrics").text)
    answers = {(operation, int(status)) for operation, status in counted}
    return Run(ended.returncode, ended.stdout + ended.stderr, answers)


def test_schemathesis_finds_no_failure(run: Run) -> None:
    """Positive and negative data, boundaries and chains of calls: nothing contradicts the document."""
    assert run.code == 0, "\n".join(line[:600] for line in run.words.splitlines()[-300:])


def test_every_operation_was_called(run: Run) -> None:
    """No row of the table was left out."""
    assert {row.name for row in TABLE} <= {operation for operation, _ in run.answers}


def test_no_rate_limit_hid_an_operation(run: Run) -> None:
    """Nothing was answered 429 instead of being judged."""
    assert 429 not in {status for _, status in run.answers}


def test_nothing_failed_inside(run: Run) -> None:
    """The one 5xx is that of a badge at a reader whose line the run itself has pulled."""
    assert {answer for answer in run.answers if answer[1] >= 500} <= {("credentials.present", 503)}


# The stream ends with its reader, so that its answers are asked for one by one


@pytest.fixture(scope="module")
def unit(site: ServedSite) -> UnitKeyPair:
    """The key of the unit ``watcher``."""
    key = UnitKeyPair.generate()
    assert site.put("/v1/registry/units/watcher", {"public_key": key.jwk, "actions": []}).status_code == 201
    return key


def stream_answer(site: ServedSite, proof: str | None, **query: str) -> tuple[httpx.Response, bytes]:
    """The head, and the first bytes of the body (the whole one of a refusal)."""
    headers = {} if proof is None else {"Arc-Enclave-Sig": proof}
    with site.client.stream("GET", STREAM, params={"unit_id": "watcher", **query}, headers=headers) as answer:
        return answer, next(answer.iter_raw())


def test_the_stream_begins_as_documented(site: ServedSite, document: dict[str, Any], unit: UnitKeyPair) -> None:
    """200 with the document's media type and every header that it requires."""
    answer, first = stream_answer(site, unit.proof("GET", site.base_url + STREAM))
    described = document["paths"][STREAM]["get"]["responses"]["200"]
    headers = document["components"]["headers"]
    assert answer.headers["content-type"] in described["content"]
    assert first.startswith(b"retry: ")
    for field in described["headers"]:
        if headers[field]["required"]:
            assert re.match(headers[field]["schema"]["pattern"], answer.headers[field])


def test_a_proof_opens_the_stream_once(site: ServedSite, unit: UnitKeyPair) -> None:
    """The same proof again is 409."""
    proof = unit.proof("GET", site.base_url + STREAM)
    stream_answer(site, proof)
    answer, body = stream_answer(site, proof)
    assert_problem(answer, body, 409, "replayed")


@pytest.mark.usefixtures("unit")
def test_the_stream_needs_a_proof(site: ServedSite) -> None:
    """A key alone is 403."""
    assert_problem(*stream_answer(site, None), 403, "proof_invalid")


def test_two_different_proofs_are_one_too_many(site: ServedSite, unit: UnitKeyPair) -> None:
    """Header and query that differ are 400."""
    proof = unit.proof("GET", site.base_url + STREAM)
    assert_problem(*stream_answer(site, proof, enclave_sig="another"), 400, "parameter_conflict")


# What is refused before a handler hears of it, at every row


def assert_problem(answer: httpx.Response, body: bytes, status: int, code: str) -> None:
    """The answer is this problem document."""
    assert answer.status_code == status, body
    assert answer.headers["content-type"] == "application/problem+json"
    found = msgspec.json.decode(body, type=ProblemBody)
    assert (found.status, found.code, found.type) == (status, code, f"urn:arc:problem:{code}")
    assert found.request_id == answer.headers["x-request-id"]
    assert found.title
    assert found.detail


def refused(site: ServedSite, document: dict[str, Any], row: Endpoint, status: int, code: str, **request: Any) -> None:
    """``row`` answers this problem, and the document says that it may."""
    answer = site.client.request(row.method, re.sub(r"\{[^}]+\}", "nothing", row.path), **request)
    assert_problem(answer, answer.content, status, code)
    described = document["paths"][row.documented_path][row.method.lower()]["responses"][str(status)]
    assert code in described["description"]
    assert "application/problem+json" in described["content"]


@pytest.fixture(scope="module")
def sovereign(site: ServedSite) -> dict[str, str]:
    """The authorization of a Sovereign key."""
    made = site.post("/v1/keys", {"label": "partner", "clearance": "sovereign"})
    return {"Authorization": f"Bearer {made.json()['key']}"}


def test_a_terminal_takes_its_bundle_over_the_wire(site: ServedSite, sovereign: dict[str, str], tmp_path: Path) -> None:
    """With nothing but the published keys, its own and a Sovereign key: fetched, opened, acknowledged, and seen so."""
    door, path = SoftwareTerminal(tmp_path / "door", "wire-door"), "/v1/registry/terminals/wire-door"
    opens, signs = (ECKey.import_key(door.encryption_key), OKPKey.import_key(door.public_key))
    body = {
        "kind": "palm",
        "offline": True,
        "encryption_key": opens.as_dict(private=False),
        "public_key": signs.as_dict(),
    }
    assert site.put(path, body).status_code == 201
    keys = site.get("/v1/deliveries/keys")["keys"]
    fetched = site.client.get(f"{path}/bundle", headers=sovereign)
    door.take(fetched.content, [ECKey.import_key(key).public_key for key in keys])
    said = door.acknowledgement()
    assert said is not None
    word = {"issue": said[0], "signature": base64.urlsafe_b64encode(said[1]).rstrip(b"=").decode()}
    answer = site.client.post(f"{path}/bundle/taken", json=word, headers=sovereign)
    assert answer.status_code == 200, answer.text
    seen = site.get(path)["bundle"]
    assert (seen["issue"], seen["taken_issue"], seen["taken_at"]) == (said[0], said[0], answer.json()["taken_at"])
    assert seen["decides_until"] == answer.json()["not_after"]


@pytest.mark.parametrize("row", PROTECTED, ids=name)
def test_a_wrong_key_is_401(site: ServedSite, document: dict[str, Any], row: Endpoint) -> None:
    """A key of the right form that nobody was given."""
    key = {"Authorization": f"Bearer {make_key(Clearance.CITADEL)}"}
    refused(site, document, row, 401, "unauthenticated", headers=key)


@pytest.mark.parametrize("row", CITADEL, ids=name)
def test_a_sovereign_key_is_403_where_citadel_is_needed(
    site: ServedSite, document: dict[str, Any], sovereign: dict[str, str], row: Endpoint
) -> None:
    """``/v1/citadel/*``, the keys and what changes the registry."""
    refused(site, document, row, 403, "insufficient_clearance", headers=sovereign)


@pytest.mark.parametrize("row", SIGNED, ids=name)
def test_a_key_signs_nothing(site: ServedSite, document: dict[str, Any], row: Endpoint) -> None:
    """Where the signature is the authentication, even a Citadel key is 401; a body that is none, too."""
    body = {"content": b"{", "headers": {"Content-Type": "application/json"}} if row.request is not None else {}
    refused(site, document, row, 401, "unauthenticated", **body)


@pytest.mark.parametrize("row", TABLE, ids=name)
def test_a_foreign_host_is_421(site: ServedSite, document: dict[str, Any], row: Endpoint) -> None:
    """A name that was bound to this address, with a valid key."""
    refused(site, document, row, 421, "host_refused", headers={"Host": "evil.example"})


@pytest.mark.parametrize("row", TABLE, ids=name)
def test_an_origin_is_403(site: ServedSite, document: dict[str, Any], row: Endpoint) -> None:
    """A web page, with a valid key."""
    refused(site, document, row, 403, "origin_refused", headers={"Origin": "https://evil.example"})


@pytest.mark.parametrize("row", BODIES, ids=name)
def test_malformed_json_is_400(site: ServedSite, document: dict[str, Any], row: Endpoint) -> None:
    """A body that ends too early."""
    refused(site, document, row, 400, "malformed_json", content=b'{"', headers={"Content-Type": "application/json"})


@pytest.mark.parametrize("row", BODIES, ids=name)
def test_a_wrong_type_is_422(site: ServedSite, document: dict[str, Any], row: Endpoint) -> None:
    """A list where an object belongs."""
    refused(site, document, row, 422, "invalid_body", content=b"[]", headers={"Content-Type": "application/json"})
