"""The service's ASGI application, made from the operation table.

The order of judgement is fixed: Host and Origin, key, path and method, clearance, rate, content type, body, handler.
A caller without a key learns nothing about which paths exist. Every refusal is a problem document.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import msgspec

from app.api import decode, openapi
from app.api.absent import absence_of
from app.api.context import Context
from app.api.guard import VERSION, new_request_id, problem_bytes
from app.api.idempotency import Kept, Ticket
from app.api.keys import Unauthenticated
from app.api.operation import (
    Answer,
    Call,
    Caller,
    Clearance,
    Endpoint,
    Idempotency,
    Rate,
    Sender,
    SignedRequest,
    Unsigned,
)
from app.api.problems import Problem
from app.api.refusals import ANONYMOUS
from app.api.roles import role_words
from app.api.router import Router
from app.api.secret import SecretBody
from app.store.acting import acting_as
from app.store.errors import BadCursor, StoreUnavailable

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger(__name__)

JSON: Final = b"application/json"
PROBLEM: Final = b"application/problem+json"
STREAM_WRITE_S: Final = 30.0
"""A reader of a stream that takes nothing for so long is let go."""

_CACHEABLE_HEADERS: Final = (
    (b"arc-version", VERSION.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_BASE_HEADERS: Final = (*_CACHEABLE_HEADERS, (b"cache-control", b"no-store"))
_BASE_LINES: Final = b"".join(b"%s: %s\r\n" % field for field in _BASE_HEADERS)
_CACHEABLE_LINES: Final = b"".join(b"%s: %s\r\n" % field for field in _CACHEABLE_HEADERS)
_WITHOUT_CONTENT: Final = frozenset({204, 304})
_NOBODY: Final = Caller(key_id=ANONYMOUS, clearance=Clearance.OPEN, label="")
_SAME_SITE: Final = frozenset({b"none", b"same-origin"})
_RANK: Final = {Clearance.OPEN: 0, Clearance.SOVEREIGN: 1, Clearance.CITADEL: 2}
_JSON_UTF8: Final = re.compile(rb'application/json *; *charset="?utf-8"?')
_FIELD_NAME: Final = re.compile(r"[A-Za-z0-9-]+")
_FIELD_VALUE: Final = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
_NEVER_KEPT: Final = frozenset({408, 429})
_IDLE_RATES: Final = frozenset({Rate.READ, Rate.HEALTH, Rate.STREAM})
"""What a console calls by itself: such calls do not show that a person is there."""
_encode = msgspec.json.Encoder().encode


class _Gone(Exception):
    """The caller left before the request was whole: nobody is there to answer."""


class _Route:
    """A row, prepared for serving."""

    __slots__ = ("decoder", "headers", "names", "rank", "row", "service", "status", "takes_rest")

    def __init__(self, row: Endpoint, service: object) -> None:
        self.row = row
        self.service = service
        self.decoder = None if row.request is None else msgspec.json.Decoder(row.request)
        self.names = row.parameters
        self.takes_rest = row.takes_rest
        self.headers = [name.lower().encode("ascii") for name in row.headers]
        self.rank = _RANK[row.clearance]
        self.status = row.statuses[0]


@dataclass(slots=True)
class _HttpReply:
    """What goes back; ``body`` None only for a stream, which then is in ``chunks``."""

    status: int
    media_type: bytes
    body: bytes
    headers: Sequence[tuple[bytes, bytes]] = ()
    chunks: AsyncIterator[bytes] | None = None
    code: str = ""

    @property
    def is_cacheable(self) -> bool:
        """Whether the handler itself said who may keep the reply; nobody may otherwise."""
        return any(name == b"cache-control" for name, _ in self.headers)


class _Exchange:
    """One request on its way through."""

    __slots__ = ("caller", "method", "rate_headers", "receive", "request_id", "route", "scope", "secret", "watch")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.method: str = scope["method"]
        self.request_id = new_request_id()
        self.route: _Route | None = None
        self.caller = _NOBODY
        self.rate_headers: Sequence[tuple[bytes, bytes]] = ()
        self.watch: asyncio.Task[None] | None = None
        self.secret: SecretBody | None = scope.get("arc.secret")
        if self.secret is not None:
            self.secret.begun = True

    async def has_disconnected(self) -> bool:
        """Whether the caller has left. The body is read by now, so all that ``receive`` can still say is that."""
        if self.watch is None:
            self.watch = asyncio.get_running_loop().create_task(self._until_disconnected())
            await asyncio.sleep(0)
        return self.watch.done()

    async def _until_disconnected(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass


class _Limits:
    """Time limits of what runs, all under one timer: ``asyncio.wait`` costs as much as a small handler."""

    def __init__(self) -> None:
        self._ends: dict[asyncio.Future[bool], float] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, task: asyncio.Task[Any], seconds: float) -> bool:
        """Wait for ``task``; False if it is not done after ``seconds``. The task itself goes on in either case."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        end = loop.time() + seconds
        self._ends[waiter] = end
        if self._timer is None or end < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = loop.call_at(end, self._due)

        def wake(_task: asyncio.Task[Any]) -> None:
            if not waiter.done():
                waiter.set_result(True)

        task.add_done_callback(wake)
        try:
            return await waiter
        finally:
            del self._ends[waiter]

    def _due(self) -> None:
        # The timer is not moved when a wait ends early: it finds nobody late, and is set anew for who still waits.
        loop = asyncio.get_running_loop()
        now = loop.time()
        for waiter, end in self._ends.items():
            if end <= now and not waiter.done():
                waiter.set_result(False)
        later = [end for end in self._ends.values() if end > now]
        self._timer = loop.call_at(min(later), self._due) if later else None


class Application:
    """The ASGI application. Made by ``build``."""

    def __init__(self, table: Sequence[Endpoint], services: Mapping[str, object], context: Context) -> None:
        self.context = context
        self._router: Router[_Route] = Router()
        self._closing = asyncio.Event()
        self._working: set[asyncio.Task[_HttpReply]] = set()
        self._limits = _Limits()
        names: set[str] = set()
        for row in table:
            if row.name in names:
                raise ValueError(f"two rows have the name {row.name}")
            names.add(row.name)
            if row.served_by not in services:
                raise ValueError(f"no service for {row.name}")
            self._router.add(row.method, row.path, _Route(row, services[row.served_by]))

    def secret_limit(self, method: str, raw_path: bytes) -> int | None:
        """How large a body of this request may be that must not stay in memory; None for one that may. A body sent to
        nowhere is nobody's: 0."""
        found = self._router.find(raw_path)
        route = None if found is None else found[0].get(method)
        if route is None:
            return 0
        return route.row.body_limit if route.row.secret else None

    def body_limit(self, method: str, raw_path: bytes) -> int:
        """How many bytes the body of this request may have; 0 where none is taken."""
        found = self._router.find(raw_path)
        route = None if found is None else found[0].get(method)
        return 0 if route is None else route.row.body_limit

    # The life of the application

    def close_streams(self) -> None:
        """End every open stream (their readers see the end of the body), so that a graceful stop is not held up."""
        self._closing.set()

    async def drain(self, seconds: float) -> None:
        """Wait, at most ``seconds``, for the work whose callers were already answered."""
        if self._working:
            await asyncio.wait(self._working, timeout=seconds)

    @property
    def working(self) -> int:
        """Changes in progress, those that outlived their time limit included."""
        return len(self._working)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            raise ValueError("this application speaks HTTP alone; run it with lifespan='off'")
        started = time.perf_counter()
        exchange = _Exchange(scope, receive)
        try:
            reply = await self._serve(exchange)
        except _Gone:
            return
        except Exception as error:
            reply = self._problem(exchange, error)
        finally:
            if exchange.watch is not None:
                exchange.watch.cancel()
            # None as well where the work goes on: its task wipes then.
            if exchange.secret is not None:
                exchange.secret.wipe()
        try:
            if reply.chunks is None:
                await self._send(exchange, reply, send)
            else:
                await self._stream(exchange, reply, send)
        finally:
            self._account(exchange, reply, time.perf_counter() - started)

    def _account(self, exchange: _Exchange, reply: _HttpReply, seconds: float) -> None:
        """Count the call and write its line of the request log."""
        name = exchange.route.row.name if exchange.route is not None else "none"
        self.context.metrics.request(name, reply.status, seconds)
        if self.context.request_log is not None:
            self.context.request_log.write(
                request_id=exchange.request_id,
                operation=name,
                method=exchange.method if exchange.route is not None else "",
                status=reply.status,
                seconds=seconds,
                key_id=exchange.caller.key_id,
                code=reply.code,
            )

    # Judgement

    async def _serve(self, exchange: _Exchange) -> _HttpReply:
        """The four steps of every call, in the order of judgement. Each raises ``Problem`` for what it refuses."""
        headers: dict[bytes, bytes] = dict(exchange.scope["headers"])
        host = self._admit(exchange, headers)
        route, path = self._resolve(exchange, headers)
        call, raw = await self._read(exchange, route, path, headers, host)
        return await self._answer(exchange, route, call, raw, headers)

    def _admit(self, exchange: _Exchange, headers: Mapping[bytes, bytes]) -> bytes:
        """Host and Origin: only a program that addresses this service by its own name may go on. Returns the Host."""
        context = self.context
        host = headers.get(b"host", b"")
        if host not in context.hosts and host.lower() not in context.hosts:
            context.refusals.note("host_refused", request_id=exchange.request_id)
            raise Problem("host_refused", "This service answers only at its own address: use its base URL.")
        if b"origin" in headers or headers.get(b"sec-fetch-site", b"none") not in _SAME_SITE:
            context.refusals.note("origin_refused", request_id=exchange.request_id)
            raise Problem("origin_refused", "Web pages may not call this service: call it from a program.")
        return host

    def _resolve(self, exchange: _Exchange, headers: Mapping[bytes, bytes]) -> tuple[_Route, dict[str, str]]:
        """Key, path, method, clearance and rate: the row that serves this caller, and its path parameters.

        The key is judged before the path is: a caller without one must not learn which paths exist.
        """
        found = self._router.find(exchange.scope["raw_path"])
        route = None if found is None else found[0].get(exchange.method)
        exchange.route = route
        if found is None or (route.rank if route is not None else max(other.rank for other in found[0].values())):
            exchange.caller = self._authenticate(exchange, headers.get(b"authorization"))
        if found is None:
            raise _no_path(absence_of(exchange.scope["raw_path"], training=self.context.training))
        rows, segments = found
        if route is None:
            allow = ", ".join(sorted(rows))
            raise Problem("method_not_allowed", f"Use one of: {allow}.", headers={"Allow": allow})
        path: dict[str, str] = {}
        if segments:
            values = decode.path_values(segments, rest=route.takes_rest, pattern=route.row.rest_pattern)
            if values is None:
                raise _no_path()
            path = dict(zip(route.names, values, strict=True))
        caller = exchange.caller
        why = _bar(route, caller)
        if why is not None:
            self.context.refusals.note(
                "insufficient_clearance",
                key_id=caller.key_id,
                operation=route.row.name,
                request_id=exchange.request_id,
                acting=caller.acting,
            )
            raise Problem("insufficient_clearance", why)
        if route.row.sender is None:
            self._draw(exchange, caller, route.row.rate)
        if route.row.rate not in _IDLE_RATES:
            self.context.keyring.note_act(caller)
        return route, path

    async def _read(
        self, exchange: _Exchange, route: _Route, path: dict[str, str], headers: Mapping[bytes, bytes], host: bytes
    ) -> tuple[Call[Any, Any], bytes | memoryview]:
        """Content type, body, signature of the sender, query: the call as its handler sees it, and the raw body."""
        row, scope = route.row, exchange.scope
        raw = await self._body(exchange, route, headers)
        named = {name.decode(): headers[name].decode("latin-1") for name in route.headers if name in headers}
        caller = exchange.caller
        if row.sender is not None:
            caller = self._sender(exchange, route, row.sender, SignedRequest(named, path, bytes(raw)))
        query_string: bytes = scope["query_string"]
        query = decode.query(row.query, query_string) if query_string or row.query is not None else None
        body: Any = None
        if row.sender is not None or row.body_type:
            body = raw
        elif route.decoder is not None:
            if isinstance(raw, memoryview):
                body = decode.secret_body(route.decoder, raw)
            else:
                body = decode.body(route.decoder, raw)
        call: Call[Any, Any] = Call(
            body=body,
            query=query,
            path=path,
            caller=caller,
            request_id=exchange.request_id,
            headers=named,
            url=f"{scope['scheme']}://{host.decode('ascii')}{scope['raw_path'].decode('ascii')}",
            disconnected=exchange.has_disconnected,
        )
        return call, raw

    async def _answer(
        self,
        exchange: _Exchange,
        route: _Route,
        call: Call[Any, Any],
        raw: bytes | memoryview,
        headers: Mapping[bytes, bytes],
    ) -> _HttpReply:
        """The handler's reply, or the one that an earlier call with the same ``Idempotency-Key`` was given."""
        row = route.row
        # Torn, a bundle would leave its secrets where they lie: to hand one out is no read.
        if row.is_read:
            with acting_as(call.caller.acting):
                return await self._look_up(route, call)
        given = headers.get(b"idempotency-key") if row.method == "POST" else None
        begun = None if given is None else self._begin(exchange, row, call.caller, given, raw)
        if isinstance(begun, Kept):
            replayed = ((b"idempotency-replayed", b"true"),)
            return _HttpReply(begun.status, begun.media_type.encode(), begun.body or b"", replayed)
        return await self._change(exchange, route, call, begun)

    def _begin(
        self, exchange: _Exchange, row: Endpoint, caller: Caller, idempotency_key: bytes, raw: bytes | memoryview
    ) -> Kept | Ticket | None:
        """The kept reply of an equal call, or the ticket under which this call's reply will be kept."""
        path: bytes = exchange.scope["raw_path"] + b"?" + exchange.scope["query_string"]
        try:
            return self.context.replies.begin(
                key_id=caller.key_id,
                idempotency_key=idempotency_key.decode("latin-1"),
                method=row.method,
                path=path.decode("latin-1"),
                body=raw,
                now_us=time.time_ns() // 1000,
            )
        except StoreUnavailable:
            # A burn is idempotent by nature, and denies in memory even on a failing disk: it must begin.
            if row.rate is not Rate.BURN:
                raise
            return None

    def _authenticate(self, exchange: _Exchange, authorization: bytes | None) -> Caller:
        """The caller by its key; the refusal is noted with its cause, which the caller is never told."""
        try:
            return self.context.keyring.authenticate(authorization)
        except Unauthenticated as refused:
            route = exchange.route
            self.context.refusals.note(
                f"unauthenticated.{refused.cause}",
                key_id=refused.key_id or ANONYMOUS,
                operation=route.row.name if route is not None else "",
                request_id=exchange.request_id,
            )
        challenge = 'Bearer realm="arc"' if authorization is None else 'Bearer realm="arc", error="invalid_token"'
        raise Problem(
            "unauthenticated",
            "Send a valid API key as Authorization: Bearer <API_KEY>.",
            headers={"WWW-Authenticate": challenge},
        )

    def _sender(self, exchange: _Exchange, route: _Route, sender: Sender, sent: SignedRequest) -> Caller:
        """Who signed the request. What nobody signed is counted, and drawn from the bucket of the unsigned alone."""
        row = route.row
        try:
            exchange.caller = sender(route.service, sent)
        except Unsigned as refused:
            self.context.refusals.note(
                f"unauthenticated.{refused.cause}", operation=row.name, request_id=exchange.request_id
            )
        else:
            self._draw(exchange, exchange.caller, row.rate)
            return exchange.caller
        self._draw(exchange, _NOBODY, row.rate)
        raise Problem(
            "unauthenticated",
            "Sign the request as the registered source does, with its secret and the present time.",
            headers={"WWW-Authenticate": f'Webhook realm="{row.capability}"'},
        )

    def _draw(self, exchange: _Exchange, caller: Caller, rate: Rate) -> None:
        draw = self.context.rates.draw(caller.key_id, rate)
        exchange.rate_headers = draw.headers
        if draw.retry_after_s:
            self.context.metrics.rate_denied(rate.value)
            raise Problem(
                "rate_limited",
                "This key has used up its calls of this class: wait and try again.",
                headers={"Retry-After": str(draw.retry_after_s)},
            )

    async def _body(self, exchange: _Exchange, route: _Route, headers: Mapping[bytes, bytes]) -> bytes | memoryview:
        """The whole body within the row's limit; ``Problem`` for a wrong content type, ``_Gone`` when the caller
        left."""
        row = route.row
        length = headers.get(b"content-length")
        present = (length is not None and length.strip(b"0") != b"") or b"transfer-encoding" in headers
        if route.decoder is None and not row.body_type:
            if present:
                raise Problem("malformed_request", "This call takes no body: send none.")
            return b""
        if not present and row.optional_body:
            return b"{}"
        content_type = headers.get(b"content-type", b"").lower()
        if row.body_type:
            if content_type != row.body_type.encode("ascii"):
                raise Problem("unsupported_media_type", f"Send the body as Content-Type: {row.body_type}.")
        # Senders of webhooks cannot be told how to write it, and a discharge must not be lost over a parameter.
        elif content_type != JSON and (row.sender is None or _JSON_UTF8.fullmatch(content_type) is None):
            raise Problem("unsupported_media_type", "Send the body as Content-Type: application/json.")
        if length is not None and int(length) > row.body_limit:
            raise _too_large(row)
        if exchange.secret is not None:
            return await self._secret_body(exchange, row, exchange.secret)
        message = await exchange.receive()
        if message["type"] != "http.request":
            raise _Gone
        body: bytes = message.get("body", b"")
        if message.get("more_body", False):
            parts = [body]
            size = len(body)
            while message.get("more_body", False):
                message = await exchange.receive()
                if message["type"] != "http.request":
                    raise _Gone
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > row.body_limit:
                    raise _too_large(row)
            body = b"".join(parts)
        if len(body) > row.body_limit:
            raise _too_large(row)
        if not body and row.optional_body:
            return b"{}"
        return body

    async def _secret_body(self, exchange: _Exchange, row: Endpoint, secret: SecretBody) -> memoryview:
        """The body where the connection gathers it; what ``receive`` gives of it is empty."""
        more = True
        while more:
            message = await exchange.receive()
            if message["type"] != "http.request":
                raise _Gone
            if secret.over:
                raise _too_large(row)
            more = message.get("more_body", False)
        return secret.view()

    # Work

    async def _look_up(self, route: _Route, call: Call[Any, Any]) -> _HttpReply:
        """Run a handler that changes nothing. It is cancelled when its time is over."""
        try:
            async with asyncio.timeout(route.row.timeout_s) as limit:
                return _reply(route, await route.row.handler(route.service, call))
        except TimeoutError:
            if limit.expired():
                raise _late() from None
            raise

    async def _change(
        self, exchange: _Exchange, route: _Route, call: Call[Any, Any], ticket: Ticket | None
    ) -> _HttpReply:
        """Run a handler that may change something. Past its time the caller is told so and the work goes on: a change
        that was begun is never torn by a slow disk or a caller who hangs up."""
        task = asyncio.get_running_loop().create_task(self._perform(exchange, route, call, ticket))
        self._working.add(task)
        task.add_done_callback(self._end_work)
        secret, exchange.secret = exchange.secret, None
        if secret is not None:
            # Registered before the wait below: the body is gone before the answer leaves.
            task.add_done_callback(lambda _task: secret.wipe())
        if not await self._limits.wait(task, route.row.timeout_s):
            raise _late()
        return task.result()

    def _end_work(self, task: asyncio.Task[_HttpReply]) -> None:
        self._working.discard(task)
        if not task.cancelled():
            # Fetched, so that work whose caller is gone does not end in a warning; ``_perform`` has logged it.
            task.exception()

    async def _perform(
        self, exchange: _Exchange, route: _Route, call: Call[Any, Any], ticket: Ticket | None
    ) -> _HttpReply:
        """Run the handler to its end and keep its reply under the ticket, whether or not the caller still waits."""
        try:
            with acting_as(call.caller.acting):
                reply = _reply(route, await route.row.handler(route.service, call))
        except Exception as error:
            reply = self._problem(exchange, error)
        except BaseException:
            if ticket is not None:
                self.context.replies.drop(ticket)
            raise
        if ticket is None:
            return reply
        if reply.status >= 500 or reply.status in _NEVER_KEPT or reply.chunks is not None:
            self.context.replies.drop(ticket)
            return reply
        kept = Kept(reply.status, reply.media_type.decode(), reply.body)
        if route.row.idempotency is not Idempotency.KEPT and not reply.code:
            if route.row.idempotency is Idempotency.MEMORY:
                self.context.replies.remember(ticket, kept)
            kept = replace(kept, body=None)
        try:
            await self.context.replies.finish(ticket, kept)
        except StoreUnavailable:
            # The work is done and its caller must hear of it; only the repeat is not covered.
            log.exception("A reply could not be kept.", extra={"request_id": exchange.request_id})
        return reply

    def _problem(self, exchange: _Exchange, error: Exception) -> _HttpReply:
        """The problem document of the error that ended a request."""
        if isinstance(error, Problem):
            problem = error
        elif isinstance(error, BadCursor):
            # 404 and not 422: a cursor of the right shape is valid input that names a page which does not exist.
            problem = Problem("not_found", "There is no such page of this list: begin again without the cursor.")
        elif isinstance(error, StoreUnavailable):
            problem = Problem("dependency_unavailable", str(error), headers={"Retry-After": "2"})
        else:
            log.error("A request failed.", exc_info=error, extra={"request_id": exchange.request_id})
            problem = Problem(
                "internal_error", "Something failed here: tell the operator the request_id, and try again later."
            )
        body = problem_bytes(
            problem.code,
            problem.detail,
            request_id=exchange.request_id,
            instance=f"urn:arc:request:{exchange.request_id}",
            errors=list(problem.errors),
            extra=dict(problem.extra),
        )
        return _HttpReply(problem.status, PROBLEM, body, _fields(problem.headers), code=problem.code)

    # Sending

    async def _send(self, exchange: _Exchange, reply: _HttpReply, send: Send) -> None:
        """Write the reply: in one piece where the connection is ours, else by the two messages of ASGI."""
        answer = exchange.scope.get("arc.answer")
        if answer is not None:
            lines = _CACHEABLE_LINES if reply.is_cacheable else _BASE_LINES
            head = b"%sx-request-id: %s\r\n" % (lines, exchange.request_id.encode("ascii"))
            if reply.status not in _WITHOUT_CONTENT:
                head += b"content-type: %s\r\ncontent-length: %d\r\n" % (reply.media_type, len(reply.body))
            for field in (*exchange.rate_headers, *reply.headers):
                head += b"%s: %s\r\n" % field
            await answer(reply.status, head, reply.body)
            return
        base = _CACHEABLE_HEADERS if reply.is_cacheable else _BASE_HEADERS
        headers = [*base, (b"x-request-id", exchange.request_id.encode("ascii")), *exchange.rate_headers]
        if reply.status not in _WITHOUT_CONTENT:
            headers.append((b"content-type", reply.media_type))
            headers.append((b"content-length", b"%d" % len(reply.body)))
        headers.extend(reply.headers)
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _stream(self, exchange: _Exchange, reply: _HttpReply, send: Send) -> None:
        """Send chunks as they come until they end, the reader leaves or stalls, or the service stops."""
        chunks = reply.chunks
        if chunks is None:
            return
        headers = [
            *_BASE_HEADERS,
            (b"x-request-id", exchange.request_id.encode("ascii")),
            *exchange.rate_headers,
            (b"content-type", reply.media_type),
            *reply.headers,
        ]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        loop = asyncio.get_running_loop()
        pump = loop.create_task(_pump(chunks, send))
        gone = loop.create_task(exchange._until_disconnected())
        closing = loop.create_task(self._closing.wait())
        try:
            await asyncio.wait((pump, gone, closing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (pump, gone, closing):
                task.cancel()
            results = await asyncio.gather(pump, gone, closing, return_exceptions=True)
        failure = results[0]
        if isinstance(failure, Exception):
            # Left without the final chunk, the body is visibly cut: a reader must not take it for a whole one.
            if not isinstance(failure, TimeoutError):
                log.error("A stream failed.", exc_info=failure, extra={"request_id": exchange.request_id})
            return
        if not gone.done() or gone.cancelled():
            await send({"type": "http.response.body", "body": b""})


async def _pump(chunks: AsyncIterator[bytes], send: Send) -> None:
    try:
        async for chunk in chunks:
            async with asyncio.timeout(STREAM_WRITE_S):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        close = getattr(chunks, "aclose", None)
        if close is not None:
            await close()


def _reply(route: _Route, result: object) -> _HttpReply:
    """A handler's result as an HTTP reply."""
    if not isinstance(result, Answer):
        return _HttpReply(route.status, JSON, _encode(result))
    headers = _fields(result.headers)
    media_type = result.media_type.encode("ascii")
    body = result.body
    if body is None:
        return _HttpReply(result.status, media_type, b"", headers)
    if isinstance(body, bytes | bytearray | memoryview):
        return _HttpReply(result.status, media_type, bytes(body), headers)
    if isinstance(body, AsyncIterator):
        return _HttpReply(result.status, media_type, b"", headers, chunks=body)
    return _HttpReply(result.status, media_type, _encode(body), headers)


def _fields(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """A handler's own header fields; ValueError for what would break out of its line."""
    for name, value in headers.items():
        if _FIELD_NAME.fullmatch(name) is None or _FIELD_VALUE.fullmatch(value) is None:
            raise ValueError(f"a handler gave a bad header field {name!r}")
    return [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]


def _bar(route: _Route, caller: Caller) -> str | None:
    """Why this caller may not call the row: an operator by roles, a key by clearance; None: it may."""
    if caller.roles is not None:
        if route.rank == 0 or not caller.roles.isdisjoint(route.row.roles):
            return None
        return f"This call is for the role {role_words(route.row.roles)}: ask an operator who has it."
    return "This call needs a Citadel key: ask for one." if route.rank > _RANK[caller.clearance] else None


def _no_path(why: str | None = None) -> Problem:
    return Problem("not_found", why or "There is nothing at this path: see /v1/openapi.json for those that exist.")


def _too_large(row: Endpoint) -> Problem:
    return Problem("body_too_large", f"The body of this call holds at most {row.body_limit} bytes: send less.")


def _late() -> Problem:
    return Problem(
        "dependency_unavailable",
        "The answer took too long; what was begun goes on: ask for its state before you repeat it.",
        headers={"Retry-After": "5"},
    )


def build(table: Sequence[Endpoint], services: Mapping[str, object], context: Context) -> Application:
    """The ASGI application of ``table``.

    ``services`` gives each capability's service object by package name; ``health`` and ``keys`` come from ``context``
    unless named. Rows for training alone are left out of any other site. ValueError for a table that contradicts
    itself.
    """
    rows = [row for row in table if context.training or not row.training_only]
    context.health.describe_by(partial(openapi.document, rows))
    application = Application(rows, {"health": context.health, "keys": context.keyring, **services}, context)
    context.metrics.gauge("changes_in_progress", "Changes that run now.", lambda: application.working)
    return application
