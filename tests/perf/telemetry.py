"""Telemetry fan-out: 1000 subscribers at 10 events a second, against a bare ASGI application on the same server.

Both servers run in a process of their own, one after the other, and are read by this one over real connections. Ours is
the whole service: guard, key, proof, a leaf for each opening, ring. The peer is the plainest thing that streams: one
queue a subscriber, no checks. Latency is from publishing to the last byte read, by the machine's one steady clock.

`ROWS` are functions without arguments; each returns a `Row`. `python -m tests.perf.telemetry` prints them.
"""

from __future__ import annotations

import asyncio
import functools
import json
import multiprocessing
import re
import resource
import secrets
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jws
from joserfc.jwk import ECKey

from app.api.guard import GuardPolicy, guard_protocol
from app.api.server import build
from app.capabilities.gateway.telemetry.operations import OPERATIONS as TELEMETRY
from app.capabilities.gateway.telemetry.service import STREAMS_PER_UNIT
from app.delivery.events import Event
from app.registry.messages.jwk import EcJwk
from app.registry.messages.units import UnitBody
from tests.perf.report import Row, run
from tests.service.capabilities.infrastructure.watch_site import WatchSite

SUBSCRIBERS = 1000
RATE = 10
SECONDS = 8
PATH = "/v1/telemetry-stream"
_SENT = re.compile(rb'"t":(\d+)')


class Sample(msgspec.Struct):
    """An event's body: when it was published (steady clock, ns), and ballast as of a batch of handshakes."""

    t: int
    items: list[dict[str, object]]


BALLAST: list[dict[str, object]] = [
    {
        "peer_id": f"training-a-{n:02}",
        "node_id": f"TRAINING-FRAME-A-{n:02}",
        "latency_ms": 1.234,
        "status": "OPERATIONAL",
    }
    for n in range(5)
]


@dataclass
class Reading:
    """What the subscribers saw."""

    latencies_ms: list[float] = field(default_factory=list)
    events: int = 0
    cpu_s: float = 0.0

    def percentile(self, share: float) -> float:
        """Nearest rank."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Subscriber(asyncio.Protocol):
    def __init__(self, request: bytes, reading: Reading, opened: Callable[[], None]) -> None:
        self._request = request
        self._reading = reading
        self._opened = opened
        self._head = b""
        self._open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        if not self._open:
            self._head += data
            if b"\r\n\r\n" not in self._head:
                return
            if not self._head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(self._head.decode(errors="replace"))
            self._open = True
            self._opened()
        # An event that is cut by a packet's border would be missed; they are far smaller than one, and any such loss
        # counts against us.
        for sent in _SENT.findall(data):
            self._reading.latencies_ms.append((now - int(sent)) / 1e6)
            self._reading.events += 1


async def _read(port: int, requests: list[bytes], pipe: Connection) -> Reading:
    reading = Reading()
    loop = asyncio.get_running_loop()
    everybody = asyncio.Event()
    missing = len(requests)

    def opened() -> None:
        nonlocal missing
        missing -= 1
        if not missing:
            everybody.set()

    transports = []
    for request in requests:
        transport, _ = await loop.create_connection(
            lambda request=request: _Subscriber(request, reading, opened),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        transports.append(transport)
    await asyncio.wait_for(everybody.wait(), 120)
    pipe.send("publish")
    reading.cpu_s = await asyncio.to_thread(pipe.recv)
    await asyncio.sleep(1.0)
    for transport in transports:
        transport.close()
    return reading


async def _publish(publish: Callable[[Sample], None]) -> float:
    """RATE events a second on an even beat; the server's processor seconds."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.monotonic()
    for number in range(RATE * SECONDS):
        await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
        publish(Sample(time.monotonic_ns(), BALLAST))
    await asyncio.sleep(0.5)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


async def _serve(
    app: Any,
    pipe: Connection,
    publish: Callable[[Sample], None],
    http: Any,
    listening: Callable[[int], object],
    end: Callable[[], None],
) -> None:
    config = uvicorn.Config(
        app,
        port=0,
        loop="asyncio",
        http=http,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        backlog=2048,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve())
    await server.listening.wait()
    port = server.servers[0].sockets[0].getsockname()[1]
    pipe.send((port, listening(port)))
    await asyncio.to_thread(pipe.recv)
    pipe.send(await _publish(publish))
    await asyncio.to_thread(pipe.recv)
    end()
    server.should_exit = True
    await task


def _ours(pipe: Connection) -> None:
    with tempfile.TemporaryDirectory() as directory:
        site = WatchSite(Path(directory) / "site")
        keys = []
        for number in range(-(-SUBSCRIBERS // STREAMS_PER_UNIT)):
            key = ECKey.import_key(ec.generate_private_key(ec.SECP256R1()))
            members = key.as_dict(private=True)
            jwk = EcJwk(crv="P-256", x=str(members["x"]), y=str(members["y"]))
            body = UnitBody(public_key=jwk, actions=[])
            name = f"unit-{number}"
            site.store.writer.submit(
                lambda tx, name=name, body=body: site.registry.units.put_in(tx, name, body, "perf")  # type: ignore[misc]
            ).result(10)
            keys.append((name, dict(members)))
        api = site.make_key()
        app = build(TELEMETRY, {"telemetry": site.telemetry}, site.context)

        def listening(port: int) -> object:
            site.context.hosts.add(f"127.0.0.1:{port}".encode())
            return {"key": api.key, "units": keys}

        def publish(body: Sample) -> None:
            site.bus.publish(Event("handshake", body, 0))

        async def run() -> None:
            await site.telemetry.start()
            await _serve(app, pipe, publish, guard_protocol(GuardPolicy()), listening, app.close_streams)
            await site.telemetry.stop()

        asyncio.run(run())
        site.close()


def _bare(pipe: Connection) -> None:
    queues: set[asyncio.Queue[bytes | None]] = set()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        queues.add(queue)
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b": hello\n\n", "more_body": True})
        while (chunk := await queue.get()) is not None:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    def publish(body: Sample) -> None:
        frame = b"event: handshake\ndata: " + msgspec.json.encode(body) + b"\n\n"
        for queue in queues:
            queue.put_nowait(frame)

    def end() -> None:
        for queue in queues:
            queue.put_nowait(None)

    asyncio.run(_serve(app, pipe, publish, "httptools", lambda port: None, end))


def _proof(key: ECKey, url: str) -> str:
    jwk = {name: key.as_dict(private=False)[name] for name in ("kty", "crv", "x", "y")}
    claims = {"htm": "GET", "htu": url, "iat": int(time.time()), "jti": secrets.token_urlsafe(12)}
    registry = jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
    head = {"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk}
    return jws.serialize_compact(head, json.dumps(claims), key, registry=registry)


def _requests(port: int, said: Any) -> list[bytes]:
    host = f"127.0.0.1:{port}"
    if said is None:
        return [f"GET {PATH} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()] * SUBSCRIBERS
    units = [(name, ECKey.import_key(members)) for name, members in said["units"]]
    found = []
    for number in range(SUBSCRIBERS):
        name, key = units[number // STREAMS_PER_UNIT]
        lines = (
            f"GET {PATH}?unit_id={name} HTTP/1.1",
            f"Host: {host}",
            f"Authorization: Bearer {said['key']}",
            f"Arc-Enclave-Sig: {_proof(key, f'http://{host}{PATH}')}",
        )
        found.append(("\r\n".join(lines) + "\r\n\r\n").encode())
    return found


def _measure(target: Callable[[Connection], None]) -> Reading:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=target, args=(there,))
    process.start()
    try:
        port, said = here.recv()
        reading = asyncio.run(_read(port, _requests(port, said), here))
        here.send("end")
        process.join(30)
        return reading
    finally:
        if process.is_alive():
            process.kill()
        process.join()


@functools.cache
def _both() -> tuple[Reading, Reading]:
    """Ours and the bare application's, measured once for all rows."""
    bare = _measure(_bare)
    return _measure(_ours), bare


def _title(what: str) -> str:
    return f"{SUBSCRIBERS} telemetry subscribers at {RATE} Hz, {what}"


def delivered() -> Row:
    """Share of the events that arrived."""
    expected = SUBSCRIBERS * RATE * SECONDS
    ours, bare = (reading.events / expected for reading in _both())
    return Row(
        _title("delivered"), "%", ours * 100, bare * 100, ours / bare, ">= 0.95", "bare ASGI SSE", ours / bare >= 0.95
    )


def latency() -> Row:
    """From publishing to the last byte read, 99th percentile over all subscribers and events."""
    ours, bare = (reading.percentile(0.99) for reading in _both())
    return Row(_title("p99"), "ms", ours, bare, ours / bare, "<= 150 ms", "bare ASGI SSE", ours <= 150)


def processor() -> Row:
    """The server's processor time while it publishes."""
    ours, bare = (reading.cpu_s for reading in _both())
    return Row(_title("processor"), "s", ours, bare, ours / bare, "told", "bare ASGI SSE")


ROWS: tuple[Callable[[], Row], ...] = (delivered, latency, processor)

if __name__ == "__main__":
    run(ROWS)
