"""The service process: bind, take the launch key, assemble, say where it is, serve until told to stop, end cleanly.

When it stops (SIGTERM, SIGINT, the end of a supervisor's stdin): no new connection, streams end,
requests in flight finish within ``STOP_S``, work whose caller was answered finishes too, then the parts are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, BinaryIO, Final, Protocol, TextIO

from app.api import logs
from app.api.context import Context
from app.api.guard import GuardPolicy
from app.api.keys import key_clearance
from app.api.operation import Endpoint
from app.api.server import Application, build
from app.service.manager import ServiceManager
from app.service.process import STOP_S, GuardedServer, ServeError, bind, limit_process

log = logging.getLogger(__name__)

LAUNCH_LINE_MAX = 256
LOOK_S: Final = 1.0
"""Between two looks for room on a full disk."""

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


class Fallback(Protocol):
    """What is served while the site's disk has no room for the whole service (``full_disk.FullDisk``)."""

    def has_room(self) -> bool:
        """Whether the whole service may be started."""

    def is_full(self, error: BaseException) -> bool:
        """Whether a start failed for lack of room."""

    def assemble(self) -> tuple[Assembly, Callable[[], Awaitable[bool]]]:
        """What is served meanwhile, and what says whether the whole service may take over."""


@dataclass
class Launch:
    """How the process was started. ``stdin`` and ``stdout`` are there for a supervisor."""

    host: str = "127.0.0.1"
    port: int = 0
    supervised: bool = False
    stdin: BinaryIO | None = None
    stdout: TextIO | None = None
    policy: GuardPolicy = field(default_factory=GuardPolicy)
    manager: ServiceManager = field(default_factory=ServiceManager)


def serve(assemble: Assemble, launch: Launch, fallback: Fallback | None = None) -> int:
    """Serve until stopped; the process's exit code.

    ``assemble`` is called after the port is bound, so that a taken port costs nothing. The one line on stdout is
    ``{"ready":true,"base_url":...,"pid":...}``. Raises ``ServeError`` if the address is not loopback (TLS with client
    certificates is the only other way in, and is not configured), is taken, or the supervisor's key is not one.
    ``fallback`` is served while the disk has no room; then everything, at the same port.
    """
    limit_process()
    logs.configure()
    if find_spec("sniffio") is None:
        # The HTTP client looks for it some ten times a call, and looking through the disk for what is not there costs
        # more than the call.
        sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
    with contextlib.closing(bind(launch.host, launch.port)) as listener:
        key = read_launch_key(launch.stdin or sys.stdin.buffer) if launch.supervised else None

        def admit(assembly: Assembly) -> Assembly:
            if key is not None:
                assembly.context.keyring.admit_launch_key(key)
            return assembly

        if fallback is None or fallback.has_room():
            try:
                return asyncio.run(_serve(admit(assemble()), listener, launch))
            except Exception as error:
                if fallback is None or not fallback.is_full(error):
                    raise
                log.warning("the disk took no start; what can be served without it is", exc_info=error)
        return asyncio.run(_WithoutRoom(lambda: admit(assemble()), fallback, admit, listener, launch).serve())


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


def join(assembly: Assembly, listener: socket.socket, policy: GuardPolicy) -> Application:
    """The assembly as an application behind this guard, at this address."""
    context = assembly.context
    application = build(assembly.table, assembly.services, context)
    policy.on_refused = context.metrics.count_refusal
    policy.secret = application.secret_limit
    policy.large = application.body_limit
    context.metrics.gauge("connections_waiting", "Connections without a request.", lambda: len(policy.waiting))
    context.hosts |= hosts(listener) | assembly.public_hosts
    return application


async def _serve(assembly: Assembly, listener: socket.socket, launch: Launch) -> int:
    """Start the parts, serve until told to stop, finish what was begun, stop the parts."""
    context = assembly.context
    application = join(assembly, listener, launch.policy)
    server = GuardedServer(
        application,
        listener,
        launch.policy,
        stdout=launch.stdout or sys.stdout,
        on_stop=application.close_streams,
        manager=launch.manager,
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


class _Switch:
    """An ASGI application that can be exchanged: calls wait while that happens, and what runs ends first."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._running = 0
        self.application: Application | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._open.wait()
        application = self.application
        if application is None:
            raise LookupError("nothing is served")
        self._running += 1
        self._idle.clear()
        try:
            await application(scope, receive, send)
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    def let_in(self) -> None:
        """Serve calls from now on."""
        self._open.set()

    async def hold(self) -> None:
        """Let new calls wait; returns when none runs."""
        self._open.clear()
        await self._idle.wait()

    def close_streams(self) -> None:
        """As ``Application.close_streams``."""
        if self.application is not None:
            self.application.close_streams()


class _WithoutRoom:
    """Serves the fallback until there is room, then what ``whole`` makes, under the same server. ``admit``: takes the
    launch key in, if there is one."""

    def __init__(
        self,
        whole: Assemble,
        fallback: Fallback,
        admit: Callable[[Assembly], Assembly],
        listener: socket.socket,
        launch: Launch,
    ) -> None:
        self._whole = whole
        self._fallback = fallback
        self._admit = admit
        self._listener = listener
        self._launch = launch
        self._switch = _Switch()
        self._assembly: Assembly | None = None

    async def serve(self) -> int:
        """Until stopped; the exit code."""
        may_leave = self._begin()
        launch, switch = self._launch, self._switch
        server = GuardedServer(
            switch,
            self._listener,
            launch.policy,
            stdout=launch.stdout or sys.stdout,
            on_stop=switch.close_streams,
            manager=launch.manager,
        )
        server.end_with((launch.stdin or sys.stdin.buffer) if launch.supervised else None)
        changing = asyncio.create_task(self._change(may_leave))

        def fail(done: asyncio.Task[None]) -> None:
            if not done.cancelled() and done.exception() is not None:
                log.critical("the service could not be started when there was room", exc_info=done.exception())
                # Callers that wait for it are let in to nothing: their connections end.
                switch.let_in()
                server.should_exit = True

        changing.add_done_callback(fail)
        try:
            await server.run_on_listener()
            changing.cancel()
            await asyncio.wait([changing])
            if switch.application is not None:
                await switch.application.drain(STOP_S)
            if self._assembly is not None:
                await self._assembly.context.close()
        finally:
            await self._stop()
        return EXIT_OK if changing.cancelled() or changing.exception() is None else EXIT_REFUSED

    def _begin(self) -> Callable[[], Awaitable[bool]]:
        """Serves the fallback; what says whether it may be left."""
        assembly, may_leave = self._fallback.assemble()
        self._take(self._admit(assembly))
        return may_leave

    def _take(self, assembly: Assembly) -> None:
        """Serves this from now on."""
        self._assembly = assembly
        self._switch.application = join(assembly, self._listener, self._launch.policy)
        self._switch.let_in()

    async def _stop(self) -> None:
        assembly, self._assembly, self._switch.application = self._assembly, None, None
        if assembly is not None:
            await assembly.stop()

    async def _change(self, may_leave: Callable[[], Awaitable[bool]]) -> None:
        """Looks for room until the whole service is served."""
        while True:
            await asyncio.sleep(LOOK_S)
            if not await asyncio.to_thread(self._fallback.has_room):
                continue
            await self._switch.hold()
            # Asked while no call runs: what is in memory alone would be lost with it.
            if not await may_leave():
                self._switch.let_in()
                continue
            await self._stop()
            try:
                # On the loop's own thread, as every start: nobody is answered before it is over.
                with self._launch.manager.patience():
                    self._assembly = self._whole()
                    await self._assembly.start()
            except Exception as error:
                await self._stop()
                if not self._fallback.is_full(error):
                    raise
                log.warning("the disk took no start; it is tried again", exc_info=error)
                may_leave = self._begin()
            else:
                self._take(self._assembly)
                gc.freeze()
                return
