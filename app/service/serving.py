"""The service process: bind, take the launch key, assemble, say where it is, serve until told to stop, end cleanly.

When it stops (SIGTERM, SIGINT, the end of a supervisor's stdin): no new connection, streams end,
requests in flight finish within ``STOP_S``, work whose caller was answered finishes too, then the parts are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import BinaryIO, TextIO

from app.api import logs
from app.api.context import Context
from app.api.guard import GuardPolicy
from app.api.keys import key_clearance
from app.api.operation import Endpoint
from app.api.server import build
from app.service.process import STOP_S, GuardedServer, ServeError, bind, limit_process

LAUNCH_LINE_MAX = 256

EXIT_OK = 0
EXIT_REFUSED = 2


async def _nothing() -> None:
    return None


@dataclass
class Assembly:
    """What is served. ``start`` runs on the loop before the ready line, ``stop`` after the last answer; what blocks and
    needs no loop belongs into the function that makes the assembly."""

    table: Sequence[Endpoint]
    services: Mapping[str, object]
    context: Context
    start: Callable[[], Awaitable[None]] = _nothing
    stop: Callable[[], Awaitable[None]] = _nothing
    public_hosts: frozenset[bytes] = frozenset()
    """Hosts by which relying parties address this service, beyond its own address."""


Assemble = Callable[[], Assembly]


@dataclass
class Launch:
    """How the process was started. ``stdin`` and ``stdout`` are there for a supervisor."""

    host: str = "127.0.0.1"
    port: int = 0
    supervised: bool = False
    stdin: BinaryIO | None = None
    stdout: TextIO | None = None
    policy: GuardPolicy = field(default_factory=GuardPolicy)


def serve(assemble: Assemble, launch: Launch) -> int:
    """Serve until stopped; the process's exit code.

    ``assemble`` is called after the port is bound, so that a taken port costs nothing. The one line on stdout is
    ``{"ready":true,"base_url":...,"pid":...}``. Raises ``ServeError`` if the address is not loopback (TLS with client
    certificates is the only other way in, and is not configured), is taken, or the supervisor's key is not one.
    """
    limit_process()
    logs.configure()
    if find_spec("sniffio") is None:
        # The HTTP client looks for it some ten times a call, and looking through the disk for what is not there costs
        # more than the call.
        sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
    with contextlib.closing(bind(launch.host, launch.port)) as listener:
        key = read_launch_key(launch.stdin or sys.stdin.buffer) if launch.supervised else None
        assembly = assemble()
        if key is not None:
            assembly.context.keyring.admit_launch_key(key)
        return asyncio.run(_serve(assembly, listener, launch))


def read_launch_key(stdin: BinaryIO) -> str:
    """The first line of the supervisor's pipe; ``ServeError`` if that is no well-formed API key."""
    line = stdin.readline(LAUNCH_LINE_MAX)
    if not line.endswith(b"\n"):
        raise ServeError("The supervisor wrote no key: write it as the first line of stdin.")
    key = line.strip().decode("ascii", "replace")
    if key_clearance(key) is None:
        raise ServeError("The supervisor's key is no API key: write one as the first line of stdin.")
    return key


def hosts(listener: socket.socket) -> set[bytes]:
    """Every Host by which the service may be addressed: exact, with the port."""
    address, port = listener.getsockname()[:2]
    names = [f"[{address}]" if ":" in address else address, "localhost"]
    return {f"{name}:{port}".encode("ascii") for name in names}


async def _serve(assembly: Assembly, listener: socket.socket, launch: Launch) -> int:
    """Start the parts, serve until told to stop, finish what was begun, stop the parts."""
    context = assembly.context
    application = build(assembly.table, assembly.services, context)
    policy = launch.policy
    policy.on_refused = context.metrics.count_refusal
    policy.secret = application.secret_limit
    context.metrics.gauge("connections_waiting", "Connections without a request.", lambda: len(policy.waiting))
    context.hosts |= hosts(listener) | assembly.public_hosts
    server = GuardedServer(
        application, listener, policy, stdout=launch.stdout or sys.stdout, on_stop=application.close_streams
    )
    server.end_with((launch.stdin or sys.stdin.buffer) if launch.supervised else None)
    try:
        await assembly.start()
        # What is there by now is no garbage. A full collection that walks over all of it stops everything, doors as
        # well, for as long as 90 ms on a site of a thousand readers; over what comes from here on, for a few.
        gc.freeze()
        await server.run_on_listener()
        await application.drain(STOP_S)
        await context.close()
    finally:
        await assembly.stop()
    return EXIT_OK
