"""The OpenAPI document, and a service that does what it says: schemathesis finds no failure."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from app.api import openapi
from app.api.health import OPERATIONS as HEALTH
from app.api.keys import make_key
from app.api.keys_operations import OPERATIONS as KEYS
from app.api.operation import Clearance
from app.api.wire import Request
from app.service.assembly import TABLE
from tests.service.api.api_site import SAMPLES, ApiSite


@pytest.mark.campaign
def test_schemathesis_finds_no_failure(fresh: ApiSite, tmp_path: Path) -> None:
    """Positive and negative data, every check: nothing contradicts the document."""
    # A launch key is in no list, so that no generated DELETE can revoke it.
    key = make_key(Clearance.CITADEL)
    fresh.context.keyring.admit_launch_key(key)
    with fresh.running():
        with fresh.client() as client:
            described = client.get("/v1/openapi.json").json()
        # A stream never ends by itself; the others answer 5xx or 413 on purpose.
        for name in ("stream", "boom", "slow", "late", "lateread", "latefetch", "small"):
            del described["paths"][f"/v1/sample/{name}"]
        schema = tmp_path / "openapi.json"
        schema.write_text(json.dumps(described))
        # The key goes by a file: arguments are seen.
        config = tmp_path / "schemathesis.toml"
        config.write_text(f'[headers]\nAuthorization = "Bearer {key}"\n')
        ran = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config)),
                *("run", str(schema), "--url", fresh.base_url),
                *("--max-examples", "12", "--seed", "1", "--no-color", "--generation-database", "none"),
            ],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document of the sample table."""
    return openapi.describe((*HEALTH, *KEYS, *SAMPLES))


def test_every_row_says_every_problem_that_it_may_answer(document: dict[str, Any]) -> None:
    """Statuses of the fixed order of judgement are in every operation that can meet them."""
    create = document["paths"]["/v1/keys"]["post"]
    assert set(create["responses"]) == {
        *(
            "200",
            "400",
            "401",
            "403",
            "404",
            "408",
            "409",
            "410",
            "413",
            "415",
            "421",
            "422",
            "429",
            "431",
            "500",
            "503",
        )
    }
    assert create["security"] == [{"key": []}]
    alive = document["paths"]["/healthz"]["get"]
    assert "security" not in alive
    assert "401" not in alive["responses"]


def test_no_pattern_is_of_python_alone(document: dict[str, Any]) -> None:
    """Patterns are written as ECMA-262 reads them, and the rows' own are strict."""
    text = json.dumps(document)
    assert "\\Z" not in text
    assert openapi.loose_patterns((*HEALTH, *KEYS, *SAMPLES)) == []


def test_loose_patterns_are_found() -> None:
    """A final dollar sign or a shorthand class in a request is reported."""

    class Loose(Request, kw_only=True):
        """Two loose patterns and one good one."""

        a: Annotated[str, msgspec.Meta(pattern="^x$")]
        b: Annotated[list[Annotated[str, msgspec.Meta(pattern=r"^\d\Z")]], msgspec.Meta(max_length=2)]
        c: Annotated[str, msgspec.Meta(pattern=r"^[0-9$]\Z")]

    row = dataclasses.replace(SAMPLES[0], request=Loose)
    assert len(openapi.loose_patterns([row])) == 2


def test_the_whole_table_is_strict() -> None:
    """No request of the product has a pattern that Python reads more widely than the document says."""
    assert openapi.loose_patterns(TABLE) == []


def unbounded(where: str, schema: Any) -> Iterator[str]:
    """Places of a schema that take a value of any size."""
    if isinstance(schema, list):
        for part in schema:
            yield from unbounded(where, part)
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    if kind == "integer" and not (
        -(2**63) <= schema.get("minimum", -math.inf) <= schema.get("maximum", math.inf) < 2**63
    ):
        yield where
    if kind == "string" and not ({"enum", "const", "maxLength"} & schema.keys()):
        # The width of the longest text that a pattern takes is told by the parser of ``re`` alone.
        longest = re._parser.parse(schema.get("pattern", ".*")).getwidth()[1]  # type: ignore[attr-defined]
        if longest >= 1024:
            yield where
    if kind == "array" and "maxItems" not in schema:
        yield where
    if kind == "object" and schema.get("additionalProperties") is not False and "maxProperties" not in schema:
        yield where
    for word, part in schema.items():
        yield from unbounded(f"{where}/{word}", part)


def test_no_request_is_of_any_size() -> None:
    """Every integer of a request fits 64 bits, every text, list and object has an end: nothing reaches the store that
    it cannot hold. Only an HR system may send fields of its own, which are skipped."""
    types = {t for row in TABLE for t in (row.request, row.query) if t is not None}
    _, components = msgspec.json.schema_components(types)
    assert [place for name, schema in components.items() for place in unbounded(name, schema)] == ["HrCall"]


@pytest.mark.parametrize("shape", [int, str, list[bool], dict[str, bool], Annotated[str, msgspec.Meta(pattern="^a+$")]])
def test_a_value_of_any_size_is_found(shape: Any) -> None:
    """The walk sees each kind, inside a list and an alternative too."""
    bounded = Annotated[list[Annotated[shape, msgspec.Meta()] | None], msgspec.Meta(max_length=2)]
    assert len(list(unbounded("x", msgspec.json.schema(bounded)))) == 1


def test_clearances_are_those_of_the_contract() -> None:
    """Citadel alone: ``/v1/citadel/*``, the keys, and what changes the registry or a delivery; a terminal's own signed
    word does not, and comes by the key that it fetches with."""
    for row in TABLE:
        word = row.name == "registry.acknowledge_terminal_bundle"
        writes = row.path.startswith(("/v1/registry/", "/v1/deliveries/")) and row.method != "GET" and not word
        citadel = row.path.startswith(("/v1/citadel/", "/v1/keys")) or writes
        assert citadel == (row.clearance is Clearance.CITADEL), row.name


def test_links_lead_to_what_was_made() -> None:
    """A PUT leads to the same row's GET and DELETE, a burn to itself; each by operations and parameters that exist."""
    described = openapi.describe(TABLE)
    operations = {
        operation["operationId"]: operation for item in described["paths"].values() for operation in item.values()
    }
    made = operations["registry.put_unit"]["responses"]["201"]["links"]
    assert made["registry.delete_unit"]["parameters"] == {"id": "$request.path.id"}
    assert "registry.get_unit" in made
    burned = operations["burn.execute"]["responses"]["202"]["links"]
    assert burned["burn.get"] == {"operationId": "burn.get", "parameters": {"burn_id": "$response.body#/burn_id"}}
    for operation in operations.values():
        for response in operation["responses"].values():
            for link in response.get("links", {}).values():
                target = operations[link["operationId"]]["parameters"]
                assert {part["name"] for part in target if part["in"] == "path"} == set(link["parameters"])


def test_the_whole_table_can_be_described() -> None:
    """The product's document names every row once, and every reference leads somewhere."""
    described = openapi.describe(TABLE)
    names = [operation["operationId"] for item in described["paths"].values() for operation in item.values()]
    assert sorted(names) == sorted(row.name for row in TABLE)
    for reference in re.findall(r'"#/components/([^"]+)"', json.dumps(described)):
        kind, name = reference.split("/")
        assert name in described["components"][kind]


@pytest.mark.parametrize(("body", "field"), [("PlatformBody", "languages"), ("BatchBody", "readers")])
def test_a_list_that_names_each_once_says_so(body: str, field: str) -> None:
    """What is refused for an entry that stands there twice is not promised by its schema."""
    described = openapi.describe(TABLE)["components"]["schemas"][body]["properties"][field]
    assert described["uniqueItems"] is True
