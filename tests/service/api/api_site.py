"""A real site with a small operation table, served by the real server on loopback in a thread of this process."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
import msgspec

from app.api.context import Context
from app.api.guard import GuardPolicy
from app.api.health import OPERATIONS as HEALTH
from app.api.health_messages import SignedStatement, SiteStatement
from app.api.keys_messages import CreateKey
from app.api.keys_operations import OPERATIONS as KEYS
from app.api.operation import Answer, Call, Clearance, Endpoint, Idempotency, Rate
from app.api.problems import Problem
from app.api.rates import RateRule, Rates
from app.api.roles import ANY_ROLE
from app.api.wire import ListQuery, NodeId, Reply, Request
from app.ledger.log.append import AuditLog
from app.service import serving as serve
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys, find_kek
from app.store.sealed import FieldSealer
from app.store.tables import integer, table
from tests.own_tables import add_table


class Echo(Request, kw_only=True):
    """A body with one field of each kind."""

    node_id: NodeId
    count: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1
    kind: Annotated[str, msgspec.Meta(pattern=r"^(red|green)\Z")] = "red"
    tags: Annotated[list[Annotated[str, msgspec.Meta(max_length=20)]], msgspec.Meta(max_length=4)] = msgspec.field(
        default_factory=list
    )


class Echoed(Reply, kw_only=True):
    """What came."""

    node_id: str
    count: int
    kind: str
    tags: list[str]
    run: int
    caller: str


class Listed(Reply, kw_only=True):
    """A page."""

    limit: int
    q: str | None
    name: str = ""


class WaitQuery(Request, kw_only=True):
    """How a slow call ends."""

    end: Literal["well", "disk_full"] = "well"


class Made(Reply, kw_only=True):
    """A made secret."""

    secret: str


sample_change = table("sample_change", integer("id", primary_key=True), integer("at_us"))


@dataclass
class Sample:
    """The service under the sample rows."""

    store: Store
    runs: int = 0
    begun: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    streams: int = 0

    async def until_released(self) -> None:
        self.begun.set()
        await asyncio.to_thread(self.release.wait, 20)
        self.finished.set()


async def _echo(service: Sample, call: Call[Echo, None]) -> Echoed:
    service.runs += 1
    return Echoed(
        node_id=call.body.node_id,
        count=call.body.count,
        kind=call.body.kind,
        tags=call.body.tags,
        run=service.runs,
        caller=call.caller.key_id,
    )


async def _list(service: Sample, call: Call[None, ListQuery]) -> Listed:
    return Listed(limit=call.query.limit, q=call.query.q)


async def _one(service: Sample, call: Call[None, None]) -> Listed:
    return Listed(limit=0, q=None, name=call.path["name"])


async def _secret(service: Sample, call: Call[None, None]) -> Made:
    service.runs += 1
    return Made(secret=f"made-{service.runs}")


async def _slow(service: Sample, call: Call[Any, WaitQuery]) -> Listed:
    service.runs += 1
    await service.until_released()
    if call.query.end == "disk_full":
        raise StoreUnavailable("The disk is full; nothing was written. Free some space and try again.")
    return Listed(limit=service.runs, q=None)


async def _boom(service: Sample, call: Call[Any, Any]) -> Listed:
    raise RuntimeError("a secret thing broke: arc_cit_" + "A" * 38)


async def _refuse(service: Sample, call: Call[Any, Any]) -> Listed:
    service.runs += 1
    raise Problem("state_conflict", f"Refused for the {service.runs}. time: stop asking.", extra={"run": service.runs})


async def _stream(service: Sample, call: Call[Any, Any]) -> Answer:
    async def chunks() -> AsyncIterator[bytes]:
        service.streams += 1
        try:
            number = 0
            while True:
                number += 1
                yield b"id: %d\nevent: status\ndata: {}\n\n" % number
                await asyncio.sleep(0.02)
        finally:
            service.streams -= 1

    return Answer(chunks(), media_type="text/event-stream")


def _row(name: str, method: str, path: str, handler: Any, **more: Any) -> Endpoint:
    more.setdefault("clearance", Clearance.SOVEREIGN)
    more.setdefault("roles", ANY_ROLE)
    return Endpoint(name=name, method=method, path=path, handler=handler, summary=name, **more)


CITADEL = {"clearance": Clearance.CITADEL}

SAMPLES: tuple[Endpoint, ...] = (
    _row("sample.echo", "POST", "/v1/sample/echo", _echo, request=Echo, response=Echoed, rate=Rate.WRITE),
    _row(
        "sample.small", "POST", "/v1/sample/small", _echo, request=Echo, response=Echoed, rate=Rate.BURN, body_limit=200
    ),
    _row("sample.list", "GET", "/v1/sample", _list, query=ListQuery, response=Listed),
    _row("sample.one", "GET", "/v1/sample/{name}", _one, response=Listed, problems=("not_found",)),
    _row("sample.replace", "PUT", "/v1/sample/{name}", _echo, request=Echo, response=Echoed),
    _row("sample.secret", "POST", "/v1/sample/secret", _secret, response=Made, idempotency=Idempotency.SECRET),
    _row("sample.brief", "POST", "/v1/sample/brief", _secret, response=Made, idempotency=Idempotency.MEMORY),
    _row("sample.slow", "POST", "/v1/sample/slow", _slow, query=WaitQuery, response=Listed, timeout_s=5.0),
    _row("sample.late", "POST", "/v1/sample/late", _slow, query=WaitQuery, response=Listed, timeout_s=0.05),
    _row("sample.lateread", "GET", "/v1/sample/lateread", _slow, query=WaitQuery, response=Listed, timeout_s=0.05),
    _row(
        "sample.latefetch",
        "GET",
        "/v1/sample/latefetch",
        _slow,
        query=WaitQuery,
        response=Listed,
        rate=Rate.WRITE,
        timeout_s=0.05,
    ),
    _row("sample.refuse", "POST", "/v1/sample/refuse", _refuse, response=Listed, problems=("state_conflict",)),
    _row("sample.boom", "GET", "/v1/sample/boom", _boom, response=Listed),
    _row("sample.boompost", "POST", "/v1/sample/boom", _boom, response=Listed),
    _row("sample.stream", "GET", "/v1/sample/stream", _stream, media_type="text/event-stream", rate=Rate.STREAM),
    _row(
        "sample.citadel",
        "GET",
        "/v1/citadel/sample",
        _list,
        query=ListQuery,
        response=Listed,
        clearance=Clearance.CITADEL,
    ),
    _row("sample.training", "GET", "/v1/training/sample", _list, query=ListQuery, response=Listed, training_only=True),
)

PLENTY = {rate: RateRule(100_000.0, 100_000) for rate in Rate}


class ApiSite:
    """The open store and parts of one data directory; ``running`` serves them."""

    def __init__(self, data_dir: Path, *, rows: tuple[Endpoint, ...] = SAMPLES) -> None:
        self.site = Site.open(data_dir, "training")
        self.keys = Keys(self.site.keys_path, find_kek(self.site))
        sealer = FieldSealer(self.keys)
        self.audit = AuditLog(self.site.origin("audit"), self.keys.ed25519("audit"))
        self.store = Store.open(self.site.store_path, self.audit, sealer=sealer)
        add_table(self.site.store_path, sample_change)
        self.context = Context.open(self.store, self.keys, self.site.settings, training=True, request_log=False)
        self.context.rates = Rates(PLENTY)
        said = SiteStatement(profile="training", site_id="0" * 16, version="1", at="2026-01-01T00:00:00Z")
        statement = SignedStatement(payload="p", protected="h", signature="s")
        self.context.health.introduce_by(lambda: (said, statement))
        self.sample = Sample(self.store)
        self.table = (*HEALTH, *KEYS, *rows)
        self.base_url = ""
        self.port = 0
        self.citadel = self.context.keyring.create_now(
            CreateKey(label="test citadel", clearance="citadel"), actor="test"
        )
        self.sovereign = self.context.keyring.create_now(
            CreateKey(label="test sovereign", clearance="sovereign"), actor="test"
        )

    def close(self) -> None:
        self.store.close()
        self.keys.close()

    @contextlib.contextmanager
    def running(self, policy: GuardPolicy | None = None) -> Iterator[ApiSite]:
        """Serve until the block ends; the end of the supervisor's pipe is what stops the server."""
        read_end, write_end = os.pipe()
        stdin = os.fdopen(read_end, "rb")
        ready = _Ready()
        assembly = serve.Assembly(self.table, {"sample": self.sample}, self.context)
        launch = serve.Launch(supervised=True, stdin=stdin, stdout=ready, policy=policy or GuardPolicy())
        listener = serve.bind("127.0.0.1", 0)
        failures: list[BaseException] = []

        def work() -> None:
            try:
                asyncio.run(serve._serve(assembly, listener, launch))
            except BaseException as error:
                failures.append(error)
                ready.event.set()

        thread = threading.Thread(target=work, name="served")
        thread.start()
        ready.event.wait(10)
        try:
            if failures:
                raise failures[0]
            said = json.loads(ready.getvalue())
            self.base_url = said["base_url"]
            self.port = int(self.base_url.rsplit(":", 1)[1])
            yield self
        finally:
            self.sample.release.set()
            os.close(write_end)
            thread.join(15)
            stdin.close()
            listener.close()
        assert not thread.is_alive()
        if failures:
            raise failures[0]

    def client(self, key: str | None = None, **more: Any) -> httpx.Client:
        """A client with the Citadel key, or another."""
        headers = {"Authorization": f"Bearer {key or self.citadel.key}"}
        return httpx.Client(base_url=self.base_url, headers=headers, trust_env=False, verify=False, timeout=10, **more)

    def raw(self, data: bytes, *, timeout: float = 8.0, then_close: bool = False) -> bytes:
        """Send bytes, read until the other side closes or one whole answer is there."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(data)
            if then_close:
                connection.shutdown(socket.SHUT_WR)
            return read_answer(connection)

    def head(self, *lines: str, method: str = "GET", path: str = "/v1/sample", host: bool = True) -> bytes:
        """A request head with Host and key; ``lines`` are further fields."""
        found = [f"{method} {path} HTTP/1.1"]
        if host:
            found.append(f"Host: 127.0.0.1:{self.port}")
        found.append(f"Authorization: Bearer {self.citadel.key}")
        return ("\r\n".join([*found, *lines]) + "\r\n\r\n").encode()


def read_answer(connection: socket.socket) -> bytes:
    """One answer: the head and as much body as it announces; whatever came if the other side closes."""
    data = b""
    while True:
        head, found, body = data.partition(b"\r\n\r\n")
        if found:
            length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if length and len(body) >= int(length[0].split(b":")[1]):
                return data
        try:
            more = connection.recv(65536)
        except ConnectionResetError:
            return data
        if not more:
            return data
        data += more


class _Ready(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.event = threading.Event()

    def flush(self) -> None:
        super().flush()
        if self.getvalue():
            self.event.set()


def status(answer: bytes) -> int:
    """Status of a raw answer; 0 if there was none."""
    return int(answer.split(b" ", 2)[1]) if answer else 0


def problem(answer: bytes) -> dict[str, Any]:
    """The problem document of a raw answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head.lower()
    return dict(json.loads(body))
