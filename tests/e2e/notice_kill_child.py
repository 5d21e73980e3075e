"""A site that sends notices until it is killed: ``python notice_kill_child.py DIR PORT COUNT``.

Takes up what an earlier one left, puts COUNT notices by mail to PORT of loopback, prints the id of each once it is
durable, and waits.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.service.delivery.notice_site import AT_ONCE, NoticeSite

LEASE_S = 0.05
"""So short that the next process need not wait for it."""


async def send(site: NoticeSite, port: int, count: int) -> None:
    """Goes on until it is killed: the mail server does it."""
    async with site.running(port, retries_s=AT_ONCE, lease_s=LEASE_S):
        for number in range(count):
            print(site.put(f"abuse{number}@platform.example"), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(send(NoticeSite(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])))
