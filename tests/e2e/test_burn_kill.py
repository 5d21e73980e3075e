"""kill -9 in the middle of burns: every answered proof stays, every stored burn is completed by the restart."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from app.capabilities.burn.messages import Burn
from app.capabilities.burn.tables import burn, burn_segment
from tests.door_site import DoorSite, door_site, until
from tests.service.capabilities.burn.checked_segments import found_in

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STEPS = [
    ("denied", 3),
    ("committed", 6),
    ("effect", 4),
    ("promised", 1),
    ("sealed", 2),
    *(
        pytest.param(*step, marks=pytest.mark.campaign)
        for step in (("committed", 1), ("announced", 2), ("confirmed", 1), ("promised", 4))
    ),
]
"""Step, and at which passing of it the process is killed; ``effect`` lies between a door's proof and its commit,
``promised`` between a segment of the revocation log and its manifest, ``sealed`` between that and the answer."""


def killed(directory: Path, step: str, count: int) -> list[Burn]:
    """The burns that the child had answered when it killed itself."""
    child = subprocess.run(
        [sys.executable, str(HERE / "burn_kill_child.py"), str(directory), step, str(count)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, "the child was to be killed in the middle of its burns"
    whole = [line for line in child.stdout.splitlines(keepends=True) if line.endswith(b"\n")]
    return [msgspec.json.decode(line, type=Burn) for line in whole]


def stored(site: DoorSite) -> list[str]:
    """Ids of all burns on the disk."""
    with site.store.read() as connection:
        return list(connection.scalars(select(burn.c.burn_id).order_by(burn.c.number)))


@pytest.mark.parametrize(("step", "count"), STEPS)
def test_a_killed_burn_is_completed_by_the_next_start(tmp_path: Path, step: str, count: int) -> None:
    """Nothing answered is lost or done twice, nobody burned gets in, and the missing doors are reached."""
    answered = killed(tmp_path / "site", step, count)
    with door_site(tmp_path / "site") as site:
        ids = stored(site)
        before = {burn_id: site.burns.get(burn_id) for burn_id in ids}
        denied = {found.node_id: site.registry.deny.denies_node(found.node_id) for found in before.values()}

        async def go_on() -> dict[str, Burn]:
            async with site.running():
                await until(lambda: all(site.burns.get(burn_id).state == "COMPLETE" for burn_id in ids), 20)
                await until(lambda: all(site.burns.get(burn_id).log.manifest_url for burn_id in ids), 20)
                return {burn_id: site.burns.get(burn_id) for burn_id in ids}

        after = asyncio.run(go_on())
        assert found_in(site) == []
        with site.store.read() as connection:
            told = list(connection.scalars(select(burn_segment.c.burn_id)))
        assert (set(told), len(told)) == (set(ids), len(ids))

    assert {reply.burn_id for reply in answered} <= set(ids)
    assert all(entry is not None for entry in denied.values())
    assert all(found.counts == {"revoked": 61} for found in after.values())
    for reply in answered:
        assert reply.log == after[reply.burn_id].log
        # What was answered as proven was durable, so the restart had nothing to do there.
        assert before[reply.burn_id].counts == after[reply.burn_id].counts
    for burn_id, found in before.items():
        for old, new in zip(found.targets, after[burn_id].targets, strict=True):
            assert new.attempts == (old.attempts if old.state == "revoked" else old.attempts + 1)
