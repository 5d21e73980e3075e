"""A site that delivers until it is killed: ``python outbox_kill_child.py DIR URL PORT``.

Puts a callback to URL, which is reached at PORT of loopback, and one to a place where nobody answers; prints the key's
webhook secret and both ids, and waits.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.service.delivery.outbox_site import NEVER, OutboxSite


async def deliver(site: OutboxSite, url: str, port: int) -> None:
    """Goes on until it is killed: the receiver does it when the first call came."""
    key = site.key()
    async with site.running(listed=[port, 1], retries_s=NEVER):
        nobody = site.put(key.kid, "http://127.0.0.1:1/")
        await site.tried(nobody)
        # Told by the commit: the call may come, and with it the end, before anything else is done.
        print(key.webhook_secret, nobody, flush=True)
        site.put(key.kid, url)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(deliver(OutboxSite(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])))
