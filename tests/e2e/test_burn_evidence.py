"""A burn's evidence from a served site, over HTTP and through the command line."""

from __future__ import annotations

import time
from pathlib import Path

import httpx

from app.__main__ import main
from app.commands.options import EXIT_OK
from tests.served_site import ServedSite

BURN = "/v1/citadel/uac/burn"


def sealed_bundle(site: ServedSite, burn_id: str) -> httpx.Response:
    """The bundle, as soon as the witnesses have cosigned its leaves."""
    deadline = time.monotonic() + 60
    while True:
        answer = site.client.get(f"{BURN}/{burn_id}/evidence")
        if answer.status_code != 409 or time.monotonic() > deadline:
            return answer
        time.sleep(0.2)


def test_a_served_burn_is_verified_offline(tmp_path: Path) -> None:
    """Segment, manifest and bundle are given out with their media types; ``verify`` and ``fsck`` find them good."""
    site = ServedSite.laid_out(tmp_path / "site")
    with site.running():
        made = site.post(BURN, {"node_id": "ARC-T0001", "scope": "LOCAL_ONLY", "reason": "badge found"}).json()
        url = made["log"]["manifest_url"]
        manifest = site.client.get(url)
        segment = site.client.get(url.removesuffix("manifest") + "segment")
        bundle = sealed_bundle(site, made["burn_id"])
        missing = [
            site.client.get(f"{BURN}/{made['burn_id']}/manifest", params={"part": "7"}).status_code,
            site.client.get(f"{BURN}/burn_none/evidence").status_code,
        ]
    kinds = [answer.headers["content-type"] for answer in (manifest, segment, bundle)]
    assert (kinds, missing) == (["application/c2pa", "application/x-ndjson", "application/zip"], [404, 404])
    for name, answer in (("first.c2pa", manifest), ("first.jsonl", segment), ("burn.zip", bundle)):
        (tmp_path / name).write_bytes(answer.content)
    for name in ("first.jsonl", "burn.zip"):
        assert main(["verify", str(tmp_path / name), "--data-dir", str(site.data_dir)]) == EXIT_OK
    assert main(["fsck", "--offline", "--data-dir", str(site.data_dir)]) == EXIT_OK
