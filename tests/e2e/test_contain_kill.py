"""kill -9 amid containments and a list that is burned: who was denied is so before any reader is driven."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.capabilities.burn.messages import MassBurn
from tests.door_site import ACTOR, door_site, until
from tests.e2e.contain_kill_child import HELD, LISTED, NODES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize(
    ("step", "count"),
    [
        pytest.param("listed", 1, marks=pytest.mark.campaign),
        ("denied", 2),
        pytest.param("committed", 1, marks=pytest.mark.campaign),
        ("committed", 4),
    ],
)
def test_what_was_answered_holds_over_a_kill(tmp_path: Path, step: str, count: int) -> None:
    """Locks and brake hold, the lock whose time is over ends with the start, and the rest of the list is burned."""
    child = subprocess.run(
        [sys.executable, str(HERE / "contain_kill_child.py"), str(tmp_path / "site"), step, str(count)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, "the child was to be killed in the middle"
    *held, approval_id = child.stdout.decode().split()
    with door_site(tmp_path / "site") as site:
        assert [node_id for node_id in NODES if site.registry.deny.denies_node(node_id) is None] == []

        async def go_on() -> MassBurn:
            async with site.running():
                await until(lambda: site.registry.deny.denies_node(HELD[1]) is None)
                return await site.mass.burn(approval_id, actor=ACTOR, wait_s=20.0)

        reply = asyncio.run(go_on())
        assert (reply.state, [part.node_id for part in reply.burns]) == ("COMPLETE", LISTED)
        assert len({part.burn_id for part in reply.burns}) == len(LISTED)
        assert [site.burns.get(part.burn_id).node_id for part in reply.burns] == LISTED
        states = [site.burns.containments.get(containment_id).state for containment_id in held]
        assert states == ["contained", "expired", "contained"]
        free = [node_id for node_id in NODES if site.registry.deny.denies_node(node_id) is None]
        assert free == [HELD[1]]
