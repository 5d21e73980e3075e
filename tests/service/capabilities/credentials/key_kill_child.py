"""A site in a process of its own that rotates the key of reader ``gate`` and is killed at one step of it.

Arguments: data directory, step. ``none`` rotates to the end, ``check`` only looks. Prints the reader's state when it is
up with no key in doubt.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from app.capabilities.credentials.doors import Doors
from app.registry.service import now_us
from hardware.readers.channels import TcpChannel
from hardware.readers.fleet import ReaderFleet
from hardware.readers.lines import LineKeeper
from tests.door_site import ACTOR, DoorSite, door_site, until

KEYSET_BYTES = 40
"""A KEYSET over Secure Channel is longer, polls are shorter."""


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(step: str) -> None:
    """Makes this process die at the step."""
    if step == "stored":  # durable, not sent
        ReaderFleet.change_setup = die  # type: ignore[method-assign]
    elif step == "sent":  # the frame is on the line: the reader takes it while nobody is here any more
        write = TcpChannel.write

        def written(self: TcpChannel, data: bytes) -> int:
            count = write(self, data)
            if len(data) >= KEYSET_BYTES:
                die()
            return count

        def change(self: ReaderFleet, *args: Any) -> Any:
            TcpChannel.write = written  # type: ignore[method-assign]
            return submit(self, *args)

        submit = ReaderFleet.change_setup
        ReaderFleet.change_setup = change  # type: ignore[method-assign]
    elif step == "acknowledged":
        LineKeeper._rekey = die  # type: ignore[method-assign]
    elif step == "taken":  # the reader holds it, nobody here has noted it
        Doors.seen = die  # type: ignore[method-assign]


async def run(site: DoorSite, step: str) -> None:
    async with site.running():
        await until(lambda: site.credentials.doors.fleet.state("gate").secure_channel, 60)
        if step != "check":
            await site.registry.clusters.rotate_keys("gate", None, actor=ACTOR)
        gate = lambda: site.registry.clusters.get("gate", now_us()).readers[0]  # noqa: E731
        await until(lambda: gate().key_pending is None and gate().secure_channel, 60)
        print(json.dumps({"changed": gate().key_changed_at, "secure": gate().secure_channel}), flush=True)


if __name__ == "__main__":
    arm(sys.argv[2])
    with door_site(Path(sys.argv[1])) as opened:
        asyncio.run(run(opened, sys.argv[2]))
