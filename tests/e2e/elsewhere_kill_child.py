"""A site that burns one node over readers and directories until it is killed: ``python elsewhere_kill_child.py DIR STEP
COUNT``; what is registered comes as JSON on standard input.

Kills itself with SIGKILL when the burn has reached STEP for the COUNTth time; a STEP that there is not leaves that to
whoever started it. Prints the keys by which it signs, burns when it is sent a line, prints the burn's id once answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import msgspec

from app.capabilities.burn.running import Step
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.delivery.published_keys import PublishedKeys
from tests.door_site import DoorSite, door_site

READERS = 12
NODE = "ARC-1"


async def burn(site: DoorSite) -> None:
    """Burns the node while all readers are polled, and goes on until it is killed."""
    async with site.running():
        await site.secure(READERS)
        print(msgspec.json.encode(PublishedKeys(site.keys).public()).decode(), flush=True)
        sys.stdin.readline()
        print((await site.burn(NODE, wait_s=20)).burn_id, flush=True)
        await asyncio.Event().wait()


def main(directory: str, step: str, count: str) -> None:
    """Makes the site and burns."""
    left = int(count)

    def failpoint(reached: Step) -> None:
        nonlocal left
        if reached == step:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    with door_site(Path(directory), connectors=CONNECTORS, failpoint=failpoint) as site:
        known = json.loads(sys.stdin.readline())
        site.cluster("east", READERS)
        for directory_id, body in known["directories"].items():
            site.directory(directory_id, **body)
        site.account(NODE, *(tuple(account) for account in known["accounts"]), email=known["email"])
        asyncio.run(burn(site))


if __name__ == "__main__":
    main(*sys.argv[1:])
