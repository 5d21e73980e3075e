"""A site that contains nodes and burns a list until it is killed: ``python contain_kill_child.py DIR STEP COUNT``.

Contains ARC-0 for an hour, ARC-1 for a moment and ARC-2 by the brake, then burns ARC-3 to ARC-7 by four eyes, and kills
itself with SIGKILL when that has reached STEP for the COUNTth time. Prints the id of each answered containment.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from app.approvals.messages import ApprovalBody
from app.capabilities.burn.running import Step
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site

NODES = [f"ARC-{number}" for number in range(8)]
HELD, LISTED = NODES[:3], NODES[3:]


def nothing(tx: Transaction, reference: str) -> None:
    """Writes nothing beside it."""


async def go(site: DoorSite) -> None:
    """Contains and burns; the service's watch over ends does not run, so that what is due stays so."""
    for node_id, seconds in zip(HELD, (3600.0, 0.0, None), strict=True):
        held = await site.burns.contain_with(
            node_id,
            cause="containment" if seconds is not None else "brake",
            seconds=seconds,
            message="x",
            actor=ACTOR,
            request_id=None,
            also=nothing,
        )
        print(held, flush=True)
    asked, _ = await site.approvals.request(
        ApprovalBody(kind="mass_burn", subjects=LISTED, reason="the plant was sold"), actor=ACTOR
    )
    await site.approvals.approve(asked.approval_id, actor="key-two")
    print(asked.approval_id, flush=True)
    await site.mass.burn(asked.approval_id, actor=ACTOR, wait_s=30.0)


def main(directory: str, step: str, count: str) -> None:
    """Makes the site and goes."""
    left = int(count)

    def failpoint(reached: Step) -> None:
        nonlocal left
        if reached == step:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    with door_site(Path(directory), failpoint=failpoint) as site:
        for node_id in NODES:
            site.person(node_id)
        asyncio.run(go(site))


if __name__ == "__main__":
    main(*sys.argv[1:])
