"""The revocation log of a real site: what a burn leaves behind that others can verify."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from sqlalchemy import Row, select

from app.capabilities.burn.log.revocation_log import UNSEALED
from app.capabilities.burn.log.segments import LABEL, NOTHING, Earlier, Segment, read_segment
from app.capabilities.burn.messages import Burn
from app.capabilities.burn.tables import burn_segment
from app.ledger.sidecar import SidecarSigner, verify_sidecar
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.service.capabilities.burn.checked_segments import found_in, site_root

CHECK = """
import io, json, sys
import c2pa
root, data, manifest = (open(name, "rb").read() for name in sys.argv[1:4])
trust = {"trust": {"user_anchors": root.decode()}, "verify": {"verify_trust": True}}
context = c2pa.Context(c2pa.Settings.from_dict(trust))
reader = c2pa.Reader("application/json", io.BytesIO(data), manifest, context)
found = json.loads(reader.json())
print(json.dumps([reader.get_validation_state(), found["manifests"][found["active_manifest"]]]))
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """Four readers, and a fifth that decides by its own list."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 4)
        part = ReaderBody(reader_id="safe-1", channel="simulated:", address=1, onboard_list=True)
        body = ReaderClusterBody(display_name="Safe", readers=[part])
        made.write(lambda tx: made.registry.clusters.put_in(tx, "safe", body, ACTOR))
        yield made


def rows(site: DoorSite) -> list[Row[Any]]:
    """The log."""
    with site.store.read() as connection:
        return list(connection.execute(select(burn_segment).order_by(burn_segment.c.number)))


def segments(site: DoorSite) -> list[Segment]:
    """The log, read."""
    return [read_segment(row.body) for row in rows(site)]


def burned(site: DoorSite, *node_ids: str) -> list[Burn]:
    """Burns these nodes, one after the other, with every door there."""

    async def run() -> list[Burn]:
        async with site.running():
            await site.secure(5)
            return [await site.burn(node_id) for node_id in node_ids]

    return asyncio.run(run())


def unplugged_burn(site: DoorSite) -> Burn:
    """Burns ARC-1 with the safe's line pulled, and plugs it in again after the answer; the answer."""

    async def run() -> Burn:
        async with site.running():
            await until(lambda: site.credentials.doors.fleet.states()["safe-1"].secure_channel)
            await site.credentials.plug("safe-1", "unplug")
            await until(lambda: not site.credentials.doors.fleet.states()["safe-1"].online)
            partial = await site.burn("ARC-1")
            await site.credentials.plug("safe-1", "plug")
            await until(lambda: site.burns.get(partial.burn_id).state == "COMPLETE", 20)
            await until(lambda: all(row.manifest for row in rows(site)))
            return partial

    return asyncio.run(run())


def test_a_burn_is_sealed_before_it_is_answered(site: DoorSite) -> None:
    """The answer names the leaf and the manifest of a segment that tells every target with its proof."""
    (reply,) = burned(site, "ARC-1")
    (row,) = rows(site)
    (found,) = segments(site)
    assert (reply.log.index, reply.log.manifest_url) == (row.leaf, f"/v1/citadel/uac/burn/{reply.burn_id}/manifest")
    assert (found.head.burn_id, found.head.reason, found.head.state, found.head.open) == (
        reply.burn_id,
        reply.reason,
        "COMPLETE",
        0,
    )
    told = [(target.target, target.state, target.evidence) for target in found.targets]
    assert told == [(target.id, target.state, target.evidence) for target in reply.targets]
    assert site.burns.get(reply.burn_id).log == reply.log
    assert found_in(site) == []


def test_segments_are_one_chain(site: DoorSite) -> None:
    """Each names the one before it, whichever burn that is of."""
    burned(site, "ARC-1", "ARC-2", "ARC-3")
    heads = [segment.head for segment in segments(site)]
    assert [head.segment for head in heads] == [0, 1, 2]
    assert [head.prev_sha256 for head in heads] == [NOTHING, *(row.sha256 for row in rows(site)[:2])]
    assert found_in(site) == []


def test_what_finishes_later_is_a_follow_up(site: DoorSite) -> None:
    """The answer at the deadline is sealed with what was proven; the rest follows, and names the first segment."""
    reply = unplugged_burn(site)
    first, *later = segments(site)
    assert (reply.state, first.head.state, first.head.open) == ("PARTIAL", "PARTIAL", 1)
    assert reply.log.index == rows(site)[0].leaf
    assert [(one.head.state, one.head.open, one.head.follows) for one in later] == [
        ("COMPLETE", 0, Earlier(0, rows(site)[0].sha256))
    ]
    assert [(target.target, target.state) for target in later[0].targets] == [("reader:safe-1", "revoked")]
    assert found_in(site) == []


def test_a_closed_target_is_told_too(site: DoorSite) -> None:
    """A person gave it up, with a reason: that stands in the log."""

    async def run() -> None:
        async with site.running():
            await until(lambda: site.credentials.doors.fleet.states()["safe-1"].secure_channel)
            await site.credentials.plug("safe-1", "unplug")
            await until(lambda: not site.credentials.doors.fleet.states()["safe-1"].online)
            partial = await site.burn("ARC-1")
            await site.burns.close(partial.burn_id, "reader:safe-1", "the safe was scrapped", actor=ACTOR)
            await until(lambda: len(rows(site)) == 2)

    asyncio.run(run())
    (target,) = segments(site)[1].targets
    assert (target.state, "the safe was scrapped" in (target.evidence or "")) == ("closed", True)


def test_a_burn_that_is_not_waited_for_is_sealed_all_the_same(site: DoorSite) -> None:
    """Its first answer has no manifest yet; what is read afterwards has."""

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            await site.secure(5)
            at_once = await site.burn("ARC-1", wait_s=0.0)
            await until(lambda: site.burns.get(at_once.burn_id).log.manifest_url is not None)
            return at_once, site.burns.get(at_once.burn_id)

    at_once, later = asyncio.run(run())
    assert (at_once.log.manifest_url, at_once.log.index < later.log.index) == (None, True)


def test_a_fresh_process_trusts_the_manifest(site: DoorSite, tmp_path: Path) -> None:
    """The library alone, with the site's root and none of our code: Trusted, and the first action is the creation."""
    burned(site, "ARC-1")
    (row,) = rows(site)
    files = {"root": site_root(site).public_bytes(Encoding.PEM), "data": row.body, "manifest": row.manifest}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, *files], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    state, manifest = json.loads(done.stdout)
    statements = {one["label"]: one["data"] for one in manifest["assertions"]}
    assert (state, statements[LABEL]["sha256"]) == ("Trusted", row.sha256)
    assert statements["c2pa.actions.v2"]["actions"][0]["action"] == "c2pa.created"


def test_a_signer_that_fails_stops_no_burn(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The burn is answered without a manifest, an alarm is open, and the segment is sealed once the signer works."""
    good = SidecarSigner.sign

    def broken(*_: object) -> bytes:
        raise RuntimeError("no signature today")

    async def run() -> tuple[Burn, list[str]]:
        async with site.running():
            await site.secure(5)
            monkeypatch.setattr(SidecarSigner, "sign", broken)
            reply = await site.burn("ARC-1")
            await until(lambda: bool(site.alarms.keys(UNSEALED)))
            monkeypatch.setattr(SidecarSigner, "sign", good)
            await until(lambda: site.burns.get(reply.burn_id).log.manifest_url is not None)
            await until(lambda: not site.alarms.keys(UNSEALED))
            return reply, found_in(site)

    reply, found = asyncio.run(run())
    assert (reply.state, reply.log.manifest_url, found) == ("COMPLETE", None, [])


def test_a_promised_segment_is_sealed_by_the_next_start(site: DoorSite) -> None:
    """With the number and the bytes that it was promised with."""
    burned(site, "ARC-1")
    (before,) = rows(site)
    site.write(lambda tx: tx.connection.execute(burn_segment.update().values(manifest=None)))

    async def run() -> None:
        async with site.running():
            await until(lambda: rows(site)[0].manifest is not None)

    asyncio.run(run())
    (after,) = rows(site)
    assert (after.number, after.body, after.leaf) == (before.number, before.body, before.leaf)
    verify_sidecar(after.body, after.manifest, LABEL, [site_root(site)])


@pytest.mark.parametrize(
    ("tamper", "finding"),
    [
        ("UPDATE burn_segment SET body = swapped(body, 'street', 'Street') WHERE number = 1", "was changed"),
        ("UPDATE burn_segment SET sha256 = (SELECT sha256 FROM burn_segment LIMIT 1)", "was changed"),
        ("DELETE FROM burn_segment WHERE number = 1", "segment 1 is missing"),
        ("DELETE FROM burn_segment WHERE number = 2", "a segment that is not there"),
        ("UPDATE burn_segment SET leaf = 1 WHERE number = 1", "has no leaf"),
        (
            "UPDATE burn_segment SET number = 9 WHERE number = 1; UPDATE burn_segment SET number = 1 WHERE number = 2;"
            "UPDATE burn_segment SET number = 2 WHERE number = 9",
            "does not continue the chain",
        ),
        (
            "UPDATE burn_segment SET manifest = (SELECT manifest FROM burn_segment WHERE number = 0) WHERE number = 1",
            "was changed",
        ),
        ("UPDATE burn_segment SET burn_id = 'burn_other' WHERE number = 1", "is not the one that its leaf says"),
    ],
)
def test_fsck_finds_a_tamper(site: DoorSite, tamper: str, finding: str) -> None:
    """Changed, gone, cut off, reordered, another's leaf, another's manifest, another's burn."""
    burned(site, "ARC-1", "ARC-2", "ARC-3")
    with sqlite3.connect(site.site.store_path) as raw:
        raw.create_function("swapped", 3, lambda body, old, new: body.replace(old.encode(), new.encode()))
        raw.executescript(tamper)
    assert any(finding in what for what in found_in(site)), found_in(site)
