"""A site whose disk becomes full, killed at one exact step: ``python waiting_kill_child.py DIR MODE [STEP]``.

MODE ``make`` lays the site out; ``burn`` fills the disk and burns; ``start`` only goes on. It kills itself with SIGKILL
when STEP is reached. Prints one JSON line of what it found at its start, and one of the answered burn.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from sqlalchemy import select

from app.capabilities.burn.running import Step
from app.capabilities.burn.tables import burn
from tests.door_site import DoorSite, door_site, until

NODE = "ARC-1"


def fill(directory: Path) -> None:
    """Takes the last byte of the file system."""
    with (directory / "filler").open("ab", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(1 << 16))


async def work(site: DoorSite, directory: Path, mode: str) -> None:
    """Burns on a full disk, or goes on until nothing waits."""
    async with site.running():
        if mode == "burn":
            fill(directory)
            reply = await site.burn(NODE)
            print(json.dumps({"burn_id": reply.burn_id, "stored": reply.stored}), flush=True)
            (directory / "filler").unlink()
        await until(lambda: site.burns.trouble() is None)


def main(directory: Path, mode: str, step: str | None = None) -> None:
    """Makes the site, then what ``mode`` says."""

    def failpoint(reached: Step) -> None:
        if reached == step:
            os.kill(os.getpid(), signal.SIGKILL)

    with door_site(directory / "site", failpoint=failpoint) as site:
        if mode == "make":
            site.cluster("east", 1)
            site.person(NODE, clusters=["east"])
            return
        with site.store.read() as connection:
            stored = list(connection.scalars(select(burn.c.burn_id)))
        denied = site.registry.deny.denies_node(NODE)
        print(json.dumps({"denied": denied is not None, "stored": stored}), flush=True)
        asyncio.run(work(site, directory, mode))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
