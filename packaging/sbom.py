"""The software bill of materials: CycloneDX 1.6 as JSON, of what the lock pins.

    python packaging/sbom.py > arc-console.cdx.json             what a checkout runs
    python packaging/sbom.py bundle > arc-console.cdx.json      what the packages hold

The same lock, version and ``SOURCE_DATE_EPOCH`` give the same bytes. Packages are named by their package URLs, which
say of what kind an index is and not where one lies; ``lock:sha256`` are the digests of the files that the lock allows.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib import metadata
from typing import Any, Final

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from notices import LOCK, ROOT, Review, installed, licence_of, locked

VERSION: Final[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

_NAMESPACE: Final = uuid.UUID("6f1f9c3e-5d0b-5c66-9a4a-4f2a3c1f7b10")
_DIGEST: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def bill(lock: str, review: Review, *, made: int | None, bundle: bool = False) -> dict[str, Any]:
    """The document. ``made``: Unix seconds, or None for one that names no time. ``bundle``: with what is built for the
    packages beside the lock."""
    versions = locked(lock)
    digests = _digests(lock)
    found = dict(installed(versions))
    components = [
        {
            "type": "library",
            "bom-ref": _url(name, version),
            "name": found[name].metadata["Name"],
            "version": version,
            "licenses": [{"expression": licence_of(found[name], name, review)}],
            "purl": _url(name, version),
            "properties": [{"name": "lock:sha256", "value": digest} for digest in digests[name]],
        }
        for name, version in sorted(versions.items())
    ]
    components += [
        {
            "type": "data",
            "bom-ref": f"shipped:{one['name']}",
            "name": one["name"],
            "licenses": [{"expression": one["licence"]}],
        }
        for one in review.shipped
    ]
    components += [
        {
            "type": "library",
            "bom-ref": f"bundled:{one['name']}",
            "name": one["name"],
            "version": one["version"],
            "licenses": [{"expression": one["licence"]}],
        }
        for one in review.bundled
        if bundle and "version" in one
    ]
    own = f"arc-console@{VERSION}"
    needs = {own: _needed("arc-console", versions)}
    needs |= {_url(name, version): _needed(name, versions) for name, version in sorted(versions.items())}
    about: dict[str, Any] = {
        "component": {"type": "application", "bom-ref": own, "name": "arc-console", "version": VERSION},
        "tools": {"components": [{"type": "application", "name": "arc-console packaging/sbom.py", "version": VERSION}]},
    }
    if made is not None:
        about["timestamp"] = datetime.fromtimestamp(made, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(_NAMESPACE, sha256(f"{VERSION}\n{lock}".encode()).hexdigest()).urn,
        "version": 1,
        "metadata": about,
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": on} for ref, on in needs.items()],
    }


def _url(name: str, version: str) -> str:
    """The package URL."""
    return f"pkg:pypi/{name}@{version}"


def _digests(lock: str) -> dict[str, list[str]]:
    """Of each package, those of the files that the lock allows."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lock.splitlines():
        for pinned in locked(line):
            name = pinned
            found[name] = []
        found.setdefault(name, []).extend(_DIGEST.findall(line))
    return {name: sorted(digests) for name, digests in found.items()}


def _needed(name: str, versions: Mapping[str, str]) -> list[str]:
    """What a package requires here, of what is locked. Extras are not followed: the lock holds what they bring."""
    wanted = {
        canonicalize_name(requirement.name)
        for requirement in map(Requirement, metadata.requires(name) or ())
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    }
    return [_url(one, versions[one]) for one in sorted(wanted & versions.keys())]


def main() -> int:
    """Prints the bill."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    made = None if epoch is None else int(epoch)
    bundle = sys.argv[1:] == ["bundle"]
    document = bill(LOCK.read_text(encoding="utf-8"), Review(), made=made, bundle=bundle)
    print(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
