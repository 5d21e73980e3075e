"""kill -9 in a burn: the signature is there exactly as long as the burn is not."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.capabilities.burn.tables import burn
from app.capabilities.voice.tables import voice_probe, voice_signature
from tests.voice_site import ALICE, VoiceSite, voice_site

ROOT = Path(__file__).parents[4]


def counted(site: VoiceSite) -> tuple[int, int, int]:
    """Burns, signatures and remembered recordings."""
    with site.doors.store.read() as connection:
        burns, signatures, probes = (
            connection.scalar(select(func.count()).select_from(table)) or 0
            for table in (burn, voice_signature, voice_probe)
        )
    return burns, signatures, probes


@pytest.mark.parametrize(("step", "left"), [("denied", (0, 1, 3)), ("committed", (1, 0, 0))])
def test_a_killed_burn_leaves_the_signature_or_the_burn(tmp_path: Path, step: str, left: tuple[int, int, int]) -> None:
    """Before the commit both as before, after it neither a signature nor a print; the store opens as it was left."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.service.capabilities.voice.voice_kill_child", str(tmp_path / "site"), step],
        cwd=ROOT,
        timeout=240,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL
    with voice_site(tmp_path / "site") as site:
        assert counted(site) == left
        if left[1]:
            assert asyncio.run(site.check("ARC-1", ALICE.says(1))).match
