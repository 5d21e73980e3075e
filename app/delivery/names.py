"""Host names of other systems, each looked up on a thread of its own.

An event loop looks names up on its few shared threads. A name whose servers do not answer holds such a thread for many
seconds, so a handful of sick systems would hold up every healthy one, and all else that waits for these threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import Any


class HostNames:
    """Look-ups of one event loop, used on it only. Of one name a single look-up is under way, however many wait for it
    or have given up: a sick system holds one thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._under_way: dict[tuple[Any, ...], asyncio.Future[Any]] = {}

    async def getaddrinfo(
        self, host: Any, port: Any, *, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> Any:
        """As ``loop.getaddrinfo``."""
        asked = (host, port, family, type, proto, flags)
        answer = self._under_way.get(asked)
        if answer is None:
            answer = self._under_way[asked] = self._loop.create_future()
            threading.Thread(target=self._look_up, args=(asked, answer), name="host-name", daemon=True).start()
        return await asyncio.shield(answer)

    def _look_up(self, asked: tuple[Any, ...], answer: asyncio.Future[Any]) -> None:
        """On the thread of this look-up."""
        try:
            found: Any = socket.getaddrinfo(*asked)
        except Exception as error:  # each caller that waits gets it
            found = error
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits
            self._loop.call_soon_threadsafe(self._tell, asked, answer, found)

    def _tell(self, asked: tuple[Any, ...], answer: asyncio.Future[Any], found: Any) -> None:
        del self._under_way[asked]
        if isinstance(found, Exception):
            answer.set_exception(found)
            answer.exception()  # all may have given up: then nobody misses it
        else:
            answer.set_result(found)


def look_up_apart(loop: asyncio.AbstractEventLoop) -> None:
    """From now on a connection on this loop waits for no other's name: HTTP, LDAP, everything."""
    if not isinstance(getattr(loop.getaddrinfo, "__self__", None), HostNames):
        loop.getaddrinfo = HostNames(loop).getaddrinfo  # type: ignore[method-assign]
