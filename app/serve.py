"""The service process: bind, take the launch key, assemble, say where it is, serve until told to stop, end cleanly.

Stopping, for whatever reason (SIGTERM, SIGINT, the end of a supervisor's stdin): no new connection, streams end,
requests in flight finish within ``STOP_S``, work whose caller was answered finishes too, then the parts are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO

import msgspec
import uvicorn

from app.api import logs
from app.api.context import Context
from app.api.guard import GuardPolicy, guarded
from app.api.keys import key_clearance
from app.api.operation import Operation
from app.api.server import Application, build

STOP_S = 10.0
LAUNCH_LINE_MAX = 256
BACKLOG = 512
DESCRIPTORS = 8192
KEEP_ALIVE_S = 75
"""Longer than a client's own pool keeps a connection, so that it is the client who closes."""

EXIT_OK = 0
EXIT_REFUSED = 2

log = logging.getLogger(__name__)


class ServeError(Exception):
    """The service cannot be started as asked; the text says what to do."""


async def _nothing() -> None:
    return None


@dataclass
class Assembly:
    """What is served. ``start`` runs on the loop before the ready line, ``stop`` after the last answer; what blocks and
    needs no loop belongs into the function that makes the assembly."""

    table: Sequence[Operation]
    services: Mapping[str, object]
    context: Context
    start: Callable[[], Awaitable[None]] = _nothing
    stop: Callable[[], Awaitable[None]] = _nothing


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
    with contextlib.closing(bind(launch.host, launch.port)) as listener:
        key = read_launch_key(launch.stdin or sys.stdin.buffer) if launch.supervised else None
        assembly = assemble()
        if key is not None:
            assembly.context.keyring.admit_launch_key(key)
        return asyncio.run(_serve(assembly, listener, launch))


def limit_process() -> None:
    """No core file of a process that holds keys; descriptors for as many connections as the guard allows, so that it is
    the guard who chooses which one goes."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def bind(host: str, port: int) -> socket.socket:
    """A bound socket on a loopback address; ``ServeError`` for any other."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise ServeError(f"{host} is no IP address. Use 127.0.0.1 or ::1.") from None
    if not address.is_loopback:
        raise ServeError(
            f"{host} is not a loopback address, and TLS 1.3 with client certificates is not configured. Use 127.0.0.1."
        )
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    # The protocol is named, not left 0: asyncio sets TCP_NODELAY only where it reads IPPROTO_TCP, and without it every
    # answer waits 40 ms for the acknowledgement of its own head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # There, SO_REUSEADDR would let another process take the port over.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(address), port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ServeError(f"Port {port} of {host} cannot be used: {error.strerror}. Choose another --port.") from error
    return listener


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


def base_url(listener: socket.socket) -> str:
    """The address that the ready line tells."""
    address, port = listener.getsockname()[:2]
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


class Server(uvicorn.Server):
    """uvicorn's server that says when it answers, and ends its streams before it waits for its connections."""

    def __init__(self, config: uvicorn.Config, application: Application, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._application = application
        self._on_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting, then say so."""
        await super().startup(sockets)
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop gracefully, bounded by the configuration's time."""
        self._application.close_streams()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled by ``_serve``: uvicorn would raise them again after a clean end, and the process would
        seem to have been killed."""
        yield


async def _serve(assembly: Assembly, listener: socket.socket, launch: Launch) -> int:
    context = assembly.context
    application = build(assembly.table, assembly.services, context)
    policy = launch.policy
    policy.on_refused = context.metrics.refused
    context.metrics.gauge("connections_waiting", "Connections without a request.", lambda: len(policy.waiting))
    context.hosts |= hosts(listener)
    config = uvicorn.Config(
        application,
        http=guarded(policy),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(STOP_S),
    )
    server = Server(config, application, lambda: _announce(listener, launch.stdout or sys.stdout))
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    _on_signals(loop, stop)
    if launch.supervised:
        _watch(launch.stdin or sys.stdin.buffer, loop, stop)
    try:
        await assembly.start()
        await server.serve([listener])
        await application.drain(STOP_S)
        await context.close()
    finally:
        await assembly.stop()
    return EXIT_OK


def _announce(listener: socket.socket, stdout: TextIO) -> None:
    line = msgspec.json.encode({"ready": True, "base_url": base_url(listener), "pid": os.getpid()})
    stdout.write(line.decode() + "\n")
    stdout.flush()


def _on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: the loop has no such handlers
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop))


def _watch(stdin: BinaryIO, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Stop when the supervisor's pipe ends: a console that died must not leave its service behind."""

    descriptor = stdin.fileno()

    def read() -> None:
        # Not through the buffered reader: a thread that waits inside its lock at the end aborts the process.
        with contextlib.suppress(OSError):
            while os.read(descriptor, 4096):
                continue
        # The loop may be closed by now: then there is nothing left to stop.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(stop)

    threading.Thread(target=read, name="supervisor", daemon=True).start()
