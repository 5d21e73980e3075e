"""kill -9 in the middle of discharges: what was answered is done, what was begun is finished, and each burn is one."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from app.capabilities.lifecycle.inbox import RECEIVED
from app.capabilities.lifecycle.messages import HrReply
from app.capabilities.lifecycle.tables import hr_event, hr_measure
from tests.door_site import until
from tests.e2e.hr_kill_child import CALLS, NODES_EACH
from tests.hr_sender import event
from tests.hr_site import HrSite, hr_site

HERE = Path(__file__).parent
EVERY_CHANGE = (("denied", 1), ("recorded", 4))
STEPS = [("judged", 2), ("denied", 1), ("denied", 3), ("recorded", 1), ("recorded", 4), ("taken", 1), ("taken", 3)]
"""Step, and at which passing of it the process is killed: ``recorded`` lies between the first node of an employee and
his others, ``taken`` before the answer."""


def killed(directory: Path, step: str, count: int) -> dict[int, list[str]]:
    """Event id and burns of each call that the child had answered when it killed itself."""
    child = subprocess.run(
        [sys.executable, str(HERE / "hr_kill_child.py"), str(directory), step, str(count)],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        stdout=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, "the child was to be killed in the middle of its calls"
    lines = [line.decode().split() for line in child.stdout.splitlines(keepends=True) if line.endswith(b"\n")]
    return {int(words[0]): words[1:] for words in lines}


def due(site: HrSite) -> list[str]:
    """Nodes of calls on the disk that nothing was done to yet."""
    with site.doors.store.read() as connection:
        return list(connection.scalars(select(hr_measure.c.node_id).where(hr_measure.c.ref.is_(None))))


def taken(site: HrSite) -> set[str]:
    """Employees whose discharge is on the disk."""
    with site.doors.store.read() as connection:
        return set(connection.scalars(select(hr_event.c.employee_id)))


@pytest.mark.parametrize(
    ("step", "count"),
    [pytest.param(*one, marks=[] if one in EVERY_CHANGE else pytest.mark.campaign) for one in STEPS],
)
def test_a_killed_listener_loses_no_discharge(tmp_path: Path, step: str, count: int) -> None:
    """The restart finishes what was on the disk by itself; the sender's retries do the rest, and nothing twice."""
    answered = killed(tmp_path / "site", step, count)
    with hr_site(tmp_path / "site") as site:
        assert {f"E{number}" for number in answered} <= taken(site)
        begun = {f"ARC-{employee}-{n}" for employee in taken(site) for n in range(NODES_EACH)}

        async def go_on() -> list[HrReply]:
            async with site.running():
                await until(lambda: not due(site))
                assert site.burned() == begun
                return [await site.call(event(f"E{n}"), call_id=f"msg_{n}") for n in range(CALLS)]

        replies = asyncio.run(go_on())
        assert {reply.action for reply in replies} == {"burn"}
        assert site.burned() == {f"ARC-E{number}-{n}" for number in range(CALLS) for n in range(NODES_EACH)}
        assert site.doors.actions().count(RECEIVED) == CALLS
        for number, words in answered.items():
            assert words == [replies[number].event_id, *replies[number].burn_ids]
