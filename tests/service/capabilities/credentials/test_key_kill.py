"""kill -9 in the middle of a key rotation, with a reader in another process that outlives the service."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.service import now_us
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.hardware.readers.reader_site import IndependentReader

CHILD = Path(__file__).with_name("key_kill_child.py")


@pytest.fixture
def enrolled(tmp_path: Path) -> Iterator[Path]:
    """The directory of a site whose reader ``gate`` (another process) holds its key."""
    other = IndependentReader(line="tcp", key=bytes(16), flags="install")

    async def enrol(site: DoorSite) -> None:
        async with site.running():
            body = ReaderClusterBody(
                display_name="Gate", readers=[ReaderBody(reader_id="gate", channel=other.where, address=5)]
            )
            await site.registry.clusters.put("gate", body, actor=ACTOR)
            await site.registry.clusters.enrol("gate", None, 60, actor=ACTOR)
            await until(lambda: site.registry.clusters.get("gate", now_us()).readers[0].enrolled, 20)

    try:
        with door_site(tmp_path / "site") as site:
            asyncio.run(enrol(site))
        yield tmp_path / "site"
    finally:
        other.close()


def child(data_dir: Path, step: str) -> tuple[int, dict[str, object]]:
    """Exit code and report of a service that rotates the key and dies at the step."""
    done = subprocess.run(
        [sys.executable, str(CHILD), str(data_dir), step],
        env={**os.environ, "PYTHONPATH": str(CHILD.parents[4])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    lines = done.stdout.splitlines()
    return done.returncode, json.loads(lines[-1]) if lines else {"stderr": done.stderr}


@pytest.mark.parametrize(
    "step",
    [
        pytest.param("stored", marks=pytest.mark.campaign),
        "sent",
        pytest.param("acknowledged", marks=pytest.mark.campaign),
        "taken",
    ],
)
def test_a_killed_rotation_never_loses_the_reader(enrolled: Path, step: str) -> None:
    """Killed with the new key stored, sent, acknowledged, or proven and not yet noted: the next start finds the reader
    by the one key or the other, and the rotation is finished."""
    before = child(enrolled, "check")[1]
    died, said = child(enrolled, step)
    assert died == -signal.SIGKILL, said
    code, after = child(enrolled, "check")
    assert (code, after.get("secure")) == (0, True), after
    assert after["changed"] != before["changed"]
