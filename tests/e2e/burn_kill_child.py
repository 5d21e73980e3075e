"""A site that burns nodes until it is killed at one exact step: ``python burn_kill_child.py DIR STEP COUNT``.

Kills itself with SIGKILL when the burns have reached STEP for the COUNTth time. Prints one JSON line an answered burn.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec

from app.capabilities.burn.running import Step
from tests.door_site import DoorSite, door_site

READERS = 60
NODES = 8


async def burn_all(site: DoorSite) -> None:
    """Burns every node while all readers are polled."""
    async with site.running():
        await site.secure(READERS)

        async def one(number: int) -> None:
            reply = await site.burn(f"ARC-{number}")
            print(msgspec.json.encode(reply).decode(), flush=True)

        # Two at a time: one burn's results share commits with the other's.
        for number in range(0, NODES, 2):
            await asyncio.gather(one(number), one(number + 1))


def main(directory: str, step: str, count: str) -> None:
    """Makes the site and burns."""
    left = int(count)

    def failpoint(reached: Step) -> None:
        nonlocal left
        if reached == step:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    with door_site(Path(directory), failpoint=failpoint) as site:
        site.cluster("east", READERS)
        for number in range(NODES):
            site.person(f"ARC-{number}")
        asyncio.run(burn_all(site))


if __name__ == "__main__":
    main(*sys.argv[1:])
