"""The guard of every connection: what is not a whole, small, unambiguous HTTP/1.1 request never reaches a handler.

uvicorn's own protocol holds half a head for ever, accepts two ``Host`` fields, any head size, trailers that join the
head and unbounded pipelines. This subclass of its httptools protocol adds what is missing. It subclasses internals, so
uvicorn is pinned to one version in pyproject.toml.

Invariant: ``_phase`` and ``cycle`` follow the *parser* (which message is being read), ``_running`` follows the
*application* (which message is being answered); with pipelining they are different messages. Deadlines belong to the
parser. A refusal of a later message waits for the answer of the running one: what was executed is never left
unanswered.
"""

from __future__ import annotations

import asyncio
import enum
import functools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import httptools
import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from app.api.problems import STATUS_OF
from app.api.secret import SecretBody
from app.api.wire import FieldError, ProblemBody
from hardware.memory import wipe

VERSION = "1.3"
"""Interface version of the specification, part 9; the value of ``Arc-Version``."""

LINGER_S = 1.0
"""How long a refused connection is still read: closing with unread input makes the kernel send a reset, and the
caller would lose the answer that says what was wrong."""

LINGER_BYTES = 1 << 20

PIPELINE_MAX = 8

HTTP_1_0 = b"/pki/"
"""Paths that may be asked for in HTTP/1.0 as well: relying parties' clients of OCSP speak it (OpenSSL's own does)."""

SINGLETONS = frozenset(
    {
        b"authorization",
        b"content-length",
        b"content-type",
        b"host",
        b"idempotency-key",
        b"last-event-id",
        b"origin",
        b"sec-fetch-site",
        b"transfer-encoding",
        b"arc-enclave-sig",
        b"prefer",
        b"webhook-id",
        b"webhook-timestamp",
        b"webhook-signature",
        b"x-bamboohr-signature",
        b"x-bamboohr-timestamp",
    }
)
"""Fields that must not come twice: two readers could each believe another one."""


def new_request_id() -> str:
    """``req_`` and 24 hex digits, never taken from the caller. A name, no secret: plain random numbers do."""
    return f"req_{random.getrandbits(96):024x}"


_TITLES = {code: code.replace("_", " ").capitalize() for code in STATUS_OF}
_encode = msgspec.json.Encoder().encode


def problem_bytes(
    code: str,
    detail: str,
    *,
    request_id: str,
    instance: str,
    errors: list[FieldError] | None = None,
    extra: dict[str, object] | None = None,
) -> bytes:
    """The problem document (RFC 9457) of ``code``; ``extra`` are further members, never instead of a standard one."""
    body = ProblemBody(
        type=f"urn:arc:problem:{code}",
        title=_TITLES[code],
        status=STATUS_OF[code],
        detail=detail,
        instance=instance,
        code=code,
        request_id=request_id,
        errors=errors or [],
    )
    if not extra:
        return _encode(body)
    return _encode({**extra, **msgspec.to_builtins(body)})


class _Phase(enum.Enum):
    IDLE = enum.auto()
    HEAD = enum.auto()
    BODY = enum.auto()


@dataclass
class GuardPolicy:
    """Bounds of one listener. Times in seconds, sizes in bytes."""

    head_deadline_s: float = 5.0
    body_deadline_s: float = 15.0
    head_bytes: int = 16 << 10
    head_fields: int = 64
    body_bytes: int = 16 << 20
    """Above the limit of every operation but those that ``large`` knows: how much of an unwanted body is read before
    the connection is cut."""
    connections: int = 4096
    """When so many are open, the one that has waited longest without a whole request makes room for a new one."""
    on_refused: Callable[[str], None] | None = None
    """Told the problem code of each refusal, for the metrics."""
    secret: Callable[[str, bytes], int | None] | None = None
    """Asked with method and raw path of each request: how large a body may be that must not stay in memory; None for
    one that may."""
    large: Callable[[str, bytes], int] | None = None
    """Asked with method and raw path once a body is longer than ``body_bytes``: how long it may be."""
    waiting: dict[GuardedProtocol, None] = field(default_factory=dict)
    """Connections without a request in progress, oldest first."""


class GuardedProtocol(HttpToolsProtocol):
    """One connection. Made by ``guard_protocol(policy)``."""

    policy: GuardPolicy

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._phase = _Phase.IDLE
        self._raw_head = 0
        self._body_seen = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._refused = False
        self._lingered = 0
        self._running: RequestResponseCycle | None = None
        self._owed: tuple[str, str] | None = None
        # Of the message that the parser reads now; those that no application has begun are wiped with the connection.
        self._secret: SecretBody | None = None
        self._secrets: list[SecretBody] = []
        self._wipe_input = False

    # The transport's side

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        policy = self.policy
        if len(self.connections) > policy.connections:
            oldest = next(iter(policy.waiting), None)
            if oldest is None:
                self._refuse("dependency_unavailable", "Too many connections are open: try again in a second.")
                return
            oldest._drop()
        policy.waiting[self] = None
        self._arm(policy.head_deadline_s, self._head_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self._unset_keepalive_if_required()
        self.policy.waiting.pop(self, None)
        for secret in self._secrets:
            if not secret.begun:
                secret.wipe()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._wipe_input = self._secret is not None
        try:
            self._take(data)
        finally:
            # What was refused may have been a secret sent to the wrong place.
            if self._wipe_input or self._refused:
                wipe(data)

    def _take(self, data: bytes) -> None:
        """Feed the parser, refuse what it refuses, and arm the deadline of what is still to come."""
        if self._refused:
            self._lingered += len(data)
            if self._lingered > LINGER_BYTES:
                self.transport.abort()
            return
        self._unset_keepalive_if_required()
        if self._phase is not _Phase.BODY:
            self._raw_head += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._refuse(*_explain(error))
        except httptools.HttpParserUpgrade:
            self._refuse("malformed_request", "This service speaks HTTP/1.1 only: send no Upgrade and no CONNECT.")
        else:
            # The parser keeps an unfinished field to itself, so only the raw count sees a head that never ends.
            if self._phase is not _Phase.BODY and self._raw_head > self.policy.head_bytes:
                self._refuse(*_HEAD_TOO_LARGE)
            elif self._deadline is None:
                # Armed only for what is still to come: a request that came whole in one piece costs no timer.
                if self._phase is _Phase.BODY:
                    self._arm(self.policy.body_deadline_s, self._body_late)
                elif self._raw_head or self._phase is _Phase.HEAD:
                    self._arm(self.policy.head_deadline_s, self._head_late)

    # The parser's side: an exception here stops the parser and reaches data_received as HttpParserCallbackError

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= PIPELINE_MAX:
            raise _Refusal(
                "malformed_request",
                "Too many requests were sent ahead: this one and those after it were not begun. Wait for the answers.",
            )
        super().on_message_begin()
        self._phase = _Phase.HEAD

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._phase is _Phase.BODY:
            # Trailers would join the head that the application has already been given.
            raise _Refusal("malformed_request", "Trailer fields are not accepted.")
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._check_head()
        self._disarm()
        self._phase = _Phase.BODY
        self.policy.waiting.pop(self, None)
        super().on_headers_complete()
        if not self.pipeline:
            self._running = self.cycle
        scope = cast("dict[str, Any]", self.scope)
        scope["arc.answer"] = functools.partial(self._answer, self.cycle)
        limit = None if self.policy.secret is None else self.policy.secret(scope["method"], scope["raw_path"])
        if limit is not None:
            self._keep_secret(scope, limit)

    def _keep_secret(self, scope: dict[str, Any], limit: int) -> None:
        announced = next((int(value) for name, value in self.headers if name == b"content-length"), 0)
        self._secret = scope["arc.secret"] = SecretBody(announced, limit)
        self._secrets = [secret for secret in self._secrets if not secret.begun]
        self._secrets.append(self._secret)
        self._wipe_input = True

    def on_body(self, body: bytes) -> None:
        self._body_seen += len(body)
        if self._secret is not None:
            self._secret.take(body)
            self.cycle.message_event.set()
        if self._body_seen > self.policy.body_bytes and self._body_seen > self._large():
            raise _Refusal("body_too_large", "The body is larger than any operation accepts.")
        if self._secret is None:
            super().on_body(body)

    def _large(self) -> int:
        """How long the body of the message that is being read may be, where that is more than most."""
        if self.policy.large is None:
            return 0
        scope = cast("dict[str, Any]", self.scope)
        return self.policy.large(scope["method"], scope["raw_path"])

    def on_message_complete(self) -> None:
        self._disarm()
        self._phase = _Phase.IDLE
        self._raw_head = 0
        self._body_seen = 0
        self._secret = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        if self._owed is not None:
            self._unset_keepalive_if_required()
            if not self.transport.is_closing():
                self._write_refusal(*self._owed)
        elif not self.transport.is_closing() and self._running is None:
            self.policy.waiting[self] = None

    # Judgements

    def _check_head(self) -> None:
        """Refuse a head that two readers could understand differently, or that is larger than the policy allows.

        One with Content-Length and Transfer-Encoding never comes here: the parser refuses it.
        """
        if len(self.headers) > self.policy.head_fields:
            raise _Refusal(*_HEAD_TOO_LARGE)
        size = len(self.url)
        version = self.parser.get_http_version()
        if version != "1.1" and not (version == "1.0" and self.url.startswith(HTTP_1_0)):
            raise _Refusal("malformed_request", "Use HTTP/1.1.")
        if not self.url.startswith(b"/"):
            raise _Refusal("malformed_request", "Send the path alone in the request line (origin form).")
        if self.url.startswith(b"//"):
            raise _Refusal("malformed_request", "The path begins with one slash.")
        seen: set[bytes] = set()
        for name, value in self.headers:
            size += len(name) + len(value) + 4
            if name in SINGLETONS:
                if name in seen:
                    raise _Refusal("malformed_request", f"Send {name.decode()} once.")
                seen.add(name)
                if name == b"transfer-encoding" and version == "1.0":
                    raise _Refusal("malformed_request", "HTTP/1.0 knows no Transfer-Encoding: send Content-Length.")
                if name == b"transfer-encoding" and value.lower() != b"chunked":
                    raise _Refusal("malformed_request", "The only transfer coding is chunked.")
            elif name == b"upgrade":
                raise _Refusal("malformed_request", "This service speaks HTTP/1.1 only: send no Upgrade.")
        if size > self.policy.head_bytes:
            raise _Refusal(*_HEAD_TOO_LARGE)
        if b"host" not in seen:
            raise _Refusal("malformed_request", "Send exactly one Host field.")

    # Deadlines

    def _arm(self, seconds: float, act: Callable[[], None]) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(seconds, act)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _head_late(self) -> None:
        self._deadline = None
        if self._raw_head == 0 and self._phase is _Phase.IDLE:
            self._drop()
        else:
            self._refuse("request_timeout", "The head of the request did not arrive in time.")

    def _body_late(self) -> None:
        self._deadline = None
        self._refuse("request_timeout", "The body of the request did not arrive in time.")

    # Endings

    async def _answer(self, cycle: RequestResponseCycle, status: int, head: bytes, body: bytes) -> None:
        """Give a whole answer in one write; ``head`` is its fields, each with its line end, checked by the caller.

        The application finds this in the scope as ``arc.answer``. It leaves ``cycle`` as two ``send`` calls of ASGI
        would, at a third of their cost: no second system call, no search through fields that are our own constants.
        """
        if self.flow.write_paused and not cycle.disconnected:
            await self.flow.drain()
        if cycle.disconnected:
            return
        cycle.response_started = True
        cycle.waiting_for_100_continue = False
        date = b"".join([b"%s: %s\r\n" % field for field in self.server_state.default_headers])
        end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
        if cycle.scope["method"] == "HEAD":
            body = b""
        self.transport.write(b"".join((STATUS_LINE[status], date, head, end, body)))
        cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def send_400_response(self, msg: str) -> None:
        """uvicorn's own refusals leave as problem documents, too."""
        self._refuse("malformed_request", msg)

    def _drop(self) -> None:
        self._refused = True
        self._disarm()
        self.policy.waiting.pop(self, None)
        self.transport.close()

    def _refuse(self, code: str, detail: str) -> None:
        """Answer ``code`` and close, after the answer of an earlier request that runs. If an answer is already on its
        way, only close: two must never mix. Requests that were sent ahead and not begun are dropped."""
        if self._refused:
            return
        self._refused = True
        self._disarm()
        self.policy.waiting.pop(self, None)
        if self.policy.on_refused is not None:
            self.policy.on_refused(code)
        running = self._running
        if running is not None and running.response_complete:
            running = None
        later = self._phase is not _Phase.BODY or bool(self.pipeline)
        self.pipeline.clear()
        if self.transport.is_closing():
            return
        if running is None:
            if self._phase is _Phase.BODY:
                # This very request has its answer already; a second one would be taken for that of the next.
                self._linger()
                return
        elif later and not running.response_started:
            self._owed = (code, detail)
            return
        else:
            running.disconnected = True
            running.message_event.set()
            if running.response_started:
                self.transport.close()
                return
        self._write_refusal(code, detail)

    def _write_refusal(self, code: str, detail: str) -> None:
        """The problem document of a refusal, as the last thing that is written on this connection."""
        request_id = new_request_id()
        body = problem_bytes(code, detail, request_id=request_id, instance=f"urn:arc:request:{request_id}")
        retry = b"retry-after: 1\r\n" if code == "dependency_unavailable" else b""
        self.transport.write(
            STATUS_LINE[STATUS_OF[code]]
            + b"content-type: application/problem+json\r\ncontent-length: %d\r\nconnection: close\r\n" % len(body)
            + b"cache-control: no-store\r\narc-version: %s\r\nx-request-id: %s\r\n"
            % (VERSION.encode(), request_id.encode())
            + retry
            + b"\r\n"
            + body
        )
        self._linger()

    def _linger(self) -> None:
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER_S, self.transport.abort)


@dataclass
class _Refusal(Exception):
    code: str
    detail: str


_HEAD_TOO_LARGE = ("head_too_large", "Send at most 64 fields and 16 KiB before the body.")


def _explain(error: BaseException) -> tuple[str, str]:
    """The refusal that a callback raised, found behind the parser's own exception; else plain bad HTTP."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _Refusal):
            return cause.code, cause.detail
        cause = cause.__context__ or cause.__cause__
    return "malformed_request", "The request is not well-formed HTTP/1.1."


def guard_protocol(policy: GuardPolicy) -> type[GuardedProtocol]:
    """The protocol class for ``uvicorn.Config(http=...)`` with these bounds."""
    return type("BoundGuardedProtocol", (GuardedProtocol,), {"policy": policy})
