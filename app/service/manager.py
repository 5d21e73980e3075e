"""The service manager of the system (systemd), told by the protocol of sd_notify(3): ready, alive, stopping.

It names its datagram socket in the environment of what it starts. A loop that stops telling that it is alive is stuck,
and the manager starts the process anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Iterator, MutableMapping
from typing import Final

log = logging.getLogger(__name__)

BEATS: Final = 3
"""Signs of life within the time after which the manager takes the process for stuck: two may be lost."""
SEND_S: Final = 1.0
"""A manager that takes no message for so long is not waited for: doors are."""


class ServiceManager:
    """What started this process and wants to hear from it; without an address nothing is told."""

    def __init__(self, address: str | None = None, watchdog_us: int | None = None) -> None:
        """``address``: a path, or ``@`` and an abstract name. ``watchdog_us``: microseconds without a sign of life
        after which the process is taken for stuck; None: it need not give any."""
        self._address = address
        self._watchdog_us = watchdog_us
        self._next: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, environment: MutableMapping[str, str]) -> ServiceManager:
        """The one that the environment names. Its variables are taken out, so that no child speaks for this process."""
        address = environment.pop("NOTIFY_SOCKET", "")
        watchdog = environment.pop("WATCHDOG_USEC", "")
        watched = environment.pop("WATCHDOG_PID", "")
        if not address.startswith(("/", "@")):
            if address:
                log.warning("the service manager's socket is of a kind that is not known: it is told nothing")
            return cls()
        meant = watched in ("", str(os.getpid()))
        us = int(watchdog) if meant and watchdog.isascii() and watchdog.isdecimal() and len(watchdog) <= 19 else 0
        return cls(address, us or None)

    def ready(self, loop: asyncio.AbstractEventLoop) -> None:
        """Calls are answered from now on; then signs of life from this loop."""
        self._tell("READY=1")
        self._live(loop)

    def stopping(self) -> None:
        """The end has begun; no sign of life is expected any more."""
        self._tell("STOPPING=1")
        if self._next is not None:
            self._next.cancel()
            self._next = None

    @contextlib.contextmanager
    def patience(self) -> Iterator[None]:
        """While work holds the loop on purpose: the manager does not take the process for stuck."""
        if self._watchdog_us is None:
            yield
            return
        self._tell("WATCHDOG_USEC=0")
        try:
            yield
        finally:
            self._tell(f"WATCHDOG_USEC={self._watchdog_us}")

    def _live(self, loop: asyncio.AbstractEventLoop) -> None:
        """One sign of life, and the next one later from the same loop."""
        if self._watchdog_us is None:
            return
        self._tell("WATCHDOG=1")
        self._next = loop.call_later(self._watchdog_us / 1e6 / BEATS, self._live, loop)

    def _tell(self, state: str) -> None:
        """Sends one state. A manager that is gone is a line in the log and nothing more."""
        if self._address is None:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.settimeout(SEND_S)
                sender.sendto(state.encode("ascii"), address)
        except (OSError, ValueError) as error:
            log.warning("the service manager was not told %s: %s", state, error)
