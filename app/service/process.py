"""A server process: its port, its ready line, its end.

What the service and a witness have in common. When it stops (SIGTERM, SIGINT, the end of a
supervisor's stdin): no new connection, requests in flight finish within ``STOP_S``.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import logging
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, BinaryIO, TextIO

import msgspec
import uvicorn

from app.api.guard import GuardPolicy, guard_protocol
from app.service.manager import ServiceManager
from hardware.process import no_core

log = logging.getLogger(__name__)

STOP_S = 10.0
BACKLOG = 512
ACCEPTED_AT_A_TIME = 64
"""The loop accepts up to so many connections in a row before the guard sees the first and can let idle ones go."""
DESCRIPTORS = 8192
ACCEPT_WORDS_S = 1.0
"""Between two log lines about connections that could not be accepted."""
KEEP_ALIVE_S = 75
"""Longer than a client's own pool keeps a connection, so that it is the client who closes."""


class ServeError(Exception):
    """The process cannot be started as asked; the text says what to do."""


_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

Application = Callable[..., Awaitable[None]]
"""An ASGI application."""


def limit_process() -> None:
    """No core file of a process that holds keys and biometric values, nothing that others may read; as many
    descriptors as the system allows, up to ``DESCRIPTORS``."""
    no_core()
    # Each file and directory is its owner's alone from its first moment on, also those that a library makes.
    os.umask(0o077)
    if sys.platform != "win32":
        import resource

        # As much memory as may be is locked: registry keys and projections (hardware/memory.py).
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.getrlimit(resource.RLIMIT_MEMLOCK)[1],) * 2)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connection_bound() -> int:
    """How many connections fit into the process's descriptors: half of them, since the store, doors, directories and
    witnesses need theirs in any case. Without such a limit of the system, ``DESCRIPTORS`` counts."""
    if sys.platform == "win32":
        return DESCRIPTORS // 2
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return (DESCRIPTORS if soft == resource.RLIM_INFINITY else min(DESCRIPTORS, soft)) // 2


def bind(host: str, port: int, *, tls: bool = False) -> socket.socket:
    """A bound socket on a loopback address; with ``tls`` on any. ``ServeError`` for any other, or a taken port."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise ServeError(f"{host} is no IP address. Use 127.0.0.1 or ::1.") from None
    if not address.is_loopback and not tls:
        raise ServeError(f"{host} is not a loopback address, and TLS 1.3 is not configured. Use 127.0.0.1.")
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


def base_url(listener: socket.socket, *, tls: bool = False) -> str:
    """The address that the ready line tells."""
    address, port = listener.getsockname()[:2]
    place = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    return f"{'https' if tls else 'http'}://{place}"


class GuardedServer(uvicorn.Server):
    """uvicorn's server under the guard. It says when it answers, and ends with signals and with a supervisor."""

    def __init__(
        self,
        application: Application,
        listener: socket.socket,
        policy: GuardPolicy,
        *,
        tls: ssl.SSLContext | None = None,
        ready_members: Mapping[str, Any] | None = None,
        stdout: TextIO | None = None,
        on_stop: Callable[[], None] | None = None,
        manager: ServiceManager | None = None,
    ) -> None:
        """``ready_members``: further members of the ready line. ``on_stop`` is called before connections are waited
        for: it ends what would hold them up. ``manager`` hears of the start and the end. The policy's connections are
        bounded by the process's descriptors."""
        policy.connections = min(policy.connections, connection_bound())
        super().__init__(
            uvicorn.Config(
                application,
                http=guard_protocol(policy),
                loop="asyncio",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                backlog=ACCEPTED_AT_A_TIME,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=int(STOP_S),
                ssl_context_factory=None if tls is None else lambda _config, _make: tls,
            )
        )
        self._listener = listener
        self._line = {
            "ready": True,
            "base_url": base_url(listener, tls=tls is not None),
            "pid": os.getpid(),
            **(ready_members or {}),
        }
        self._stdout = stdout or sys.stdout
        self._on_stop = on_stop
        self._manager = manager or ServiceManager()

    def end_with(self, supervisor: BinaryIO | None) -> None:
        """Stop on SIGINT and SIGTERM, and at the end of ``supervisor``, the pipe of the supervisor that started this
        process.
        From the running loop."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self.should_exit = True

        _on_signals(loop, stop)
        if supervisor is not None:
            _watch(supervisor, loop, stop)

    async def run_on_listener(self) -> None:
        """Serve until stopped."""
        asyncio.get_running_loop().set_exception_handler(_LoopErrors())
        await self.serve([self._listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting, then say so."""
        await super().startup(sockets)
        # The loop set the kernel's queue to what it accepts at a time.
        self._listener.listen(BACKLOG)
        self._stdout.write(msgspec.json.encode(self._line).decode() + "\n")
        self._stdout.flush()
        self._manager.ready(asyncio.get_running_loop())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop gracefully, bounded by the configuration's time."""
        self._manager.stopping()
        if self._on_stop is not None:
            self._on_stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled by ``end_with``: uvicorn would raise them again after a clean end, and the process would
        seem to have been killed."""
        yield


class _LoopErrors:
    """What the loop cannot give to any caller. Without descriptors for ``accept`` it says so some hundred times in a
    row, and the log would fill the disk as well: those are counted and told once a second."""

    def __init__(self) -> None:
        self._told_at = -ACCEPT_WORDS_S
        self._untold = 0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _NO_ROOM or "accept" not in context.get("message", ""):
            loop.default_exception_handler(context)
            return
        self._untold += 1
        if loop.time() - self._told_at >= ACCEPT_WORDS_S:
            log.error("no connection can be accepted: %s (%d times)", error.strerror, self._untold)
            self._told_at, self._untold = loop.time(), 0


def _on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: the loop has no such handlers
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop))


def _watch(stdin: BinaryIO, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Stop when the supervisor's pipe ends: one that died must not leave its child behind."""

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
