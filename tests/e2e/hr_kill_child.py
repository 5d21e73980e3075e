"""A site that takes discharges until it is killed at one exact step: ``python hr_kill_child.py DIR STEP COUNT``.

Kills itself with SIGKILL when the listener has reached STEP for the COUNTth time. Prints a line an answered call: its
number, then the event id and the burns.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from app.capabilities.lifecycle.inbox import Step
from tests.hr_sender import event
from tests.hr_site import HrSite, hr_site

CALLS = 4
NODES_EACH = 3


async def discharge(site: HrSite) -> None:
    """Every employee, two at a time."""

    async def one(number: int) -> None:
        reply = await site.call(event(f"E{number}"), call_id=f"msg_{number}")
        print(number, reply.event_id, *reply.burn_ids, flush=True)

    async with site.running():
        for number in range(0, CALLS, 2):
            await asyncio.gather(one(number), one(number + 1))


def main(directory: str, step: str, count: str) -> None:
    """Makes the site and takes the calls."""
    left = int(count)

    def failpoint(reached: Step) -> None:
        nonlocal left
        if reached == step:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    with hr_site(Path(directory), failpoint=failpoint) as site:
        # Twelve nodes at most: all are burned.
        site.source(max_discharges_per_minute=CALLS * NODES_EACH)
        site.people([f"E{number}" for number in range(CALLS)], NODES_EACH)
        asyncio.run(discharge(site))


if __name__ == "__main__":
    main(*sys.argv[1:])
