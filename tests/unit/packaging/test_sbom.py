"""The bill of materials: all of the lock, the same bytes each time, in the published form."""

from __future__ import annotations

import json
import subprocess
from importlib import resources
from urllib.parse import urljoin

import jsonschema_rs
import pytest

from notices import LOCK, ROOT, Review, locked
from sbom import bill

LOCKED = LOCK.read_text()
MADE = 1_790_000_000


def test_every_package_of_the_lock_is_in_it() -> None:
    """With its version and its licence, and nothing else of an index."""
    found = bill(LOCKED, Review(), made=None)
    libraries = {one["purl"]: one for one in found["components"] if one["type"] == "library"}
    assert set(libraries) == {f"pkg:pypi/{name}@{version}" for name, version in locked(LOCKED).items()}
    assert all(one["licenses"][0]["expression"] for one in libraries.values())
    assert all(one["properties"] for one in libraries.values())
    assert "://" not in json.dumps(found)


def test_a_bundle_has_its_own_ffmpeg() -> None:
    """In the version that is built for it."""
    more = bill(LOCKED, Review(), made=None, bundle=True)["components"][
        len(bill(LOCKED, Review(), made=None)["components"]) :
    ]
    script = ROOT / "packaging" / "freeze" / "ffmpeg.sh"
    name = subprocess.run(["sh", script, "name"], capture_output=True, text=True, check=True).stdout.strip()
    assert [f"{one['name'].lower()}-{one['version']}.tar.xz" for one in more] == [name]


def test_it_is_the_same_each_time() -> None:
    """From one lock; from another one it has another number."""
    assert bill(LOCKED, Review(), made=MADE) == bill(LOCKED, Review(), made=MADE)
    assert bill(LOCKED + "\n", Review(), made=MADE)["serialNumber"] != bill(LOCKED, Review(), made=MADE)["serialNumber"]


def test_what_needs_what_leads_to_every_package() -> None:
    """From the program itself: a package that nothing needs would be in the lock by mistake."""
    needs = {row["ref"]: row["dependsOn"] for row in bill(LOCKED, Review(), made=None)["dependencies"]}
    reached, ahead = set(), [next(iter(needs))]
    while ahead:
        ref = ahead.pop()
        if ref not in reached:
            reached.add(ref)
            ahead += needs[ref]
    assert reached == set(needs)


def test_it_has_the_published_form() -> None:
    """CycloneDX's own schema, as the project's library brings it."""
    pytest.importorskip("cyclonedx", reason="the test environment is older than packaging/test.lock")
    place = resources.files("cyclonedx.schema") / "_res"
    form = json.loads((place / "bom-1.6.SNAPSHOT.schema.json").read_text())
    # Under the names by which the form cites them.
    others = [f"{name}.SNAPSHOT.schema.json" for name in ("spdx", "jsf-0.82")]
    cited = [(urljoin(form["$id"], name), json.loads((place / name).read_text())) for name in others]
    registry = jsonschema_rs.Registry([(name, {**one, "$id": name}) for name, one in cited])
    judge = jsonschema_rs.validator_for(form, registry=registry)
    found = bill(LOCKED, Review(), made=MADE)
    assert [str(fault) for fault in judge.iter_errors(found)] == []
    found["components"][0]["type"] = "no such type"
    assert not judge.is_valid(found)
