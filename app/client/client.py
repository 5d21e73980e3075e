"""The typed async client of the API: the console's only way in, and the one that partners may import.

::

    ClientError
    +-- ApiError        the service answered with a problem document (or with something that is none)
    +-- Unreachable     no answer: nobody listens, the connection broke, the time ran out

``Client`` has one method for each row of the operation table (``app/client/calls.py``, generated and checked in).
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx
import msgspec

from app.api.wire import FieldError, ProblemBody
from app.capabilities.lifecycle.messages import HrCall, HrReply
from app.client.calls import Calls

TIMEOUT_S = 35.0
"""A little more than the service's own limit on a handler, so that its answer arrives rather than ours."""

EVENT_MAX = 1 << 20
"""Bytes of one server-sent event; a longer one ends the stream."""


class ClientError(Exception):
    """Base of what a call raises."""


@dataclass
class ApiError(ClientError):
    """A refusal. ``code`` is of the contract's vocabulary, ``detail`` one sentence for people, ``errors`` the wrong
    fields, ``retry_after`` seconds or None, ``extra`` further members of the document (``provision_id``)."""

    code: str
    detail: str
    request_id: str
    status: int
    errors: list[FieldError] = field(default_factory=list)
    retry_after: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.detail} ({self.code}, {self.request_id})"


@dataclass
class Unreachable(ClientError):
    """No answer came; ``reason`` is a sentence. ``unknown``: the request may have been carried out all the same."""

    reason: str
    unknown: bool = True

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event. ``id`` is the last one seen, as the standard has it; ``data`` is JSON text here."""

    id: str
    event: str
    data: str


class Client(Calls):
    """Calls one service with one key. Use as ``async with Client(base_url, key) as client``."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout_s: float = TIMEOUT_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.heard: Callable[[], None] | None = None
        """Called for every piece of an event stream, heartbeats included: who shows freshness needs them."""
        # trust_env: a proxy or a .netrc of the environment must never see the key.
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers={"Authorization": f"Bearer {key}", "Accept": "*/*"},
            timeout=httpx.Timeout(timeout_s, connect=5.0),
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30.0),
            trust_env=False,
            # To read the machine's certificates takes longer than a call; without TLS nobody is trusted.
            verify=base_url.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. The client cannot be used afterwards."""
        await self._http.aclose()

    async def hr_sync_signed(self, source: str, body: HrCall, fields: Mapping[str, str]) -> HrReply:
        """A call as the HR source would make it, signed by ``fields`` (also an ``Authorization`` of its own) over
        exactly ``msgspec.json.encode(body)``. POST ``/webhooks/hr-sync/{source}``."""
        path = f"/webhooks/hr-sync/{quote(source, safe='')}"
        found: HrReply = await self._call("POST", path, HrReply, body=body, headers=fields)
        return found

    async def _call(
        self,
        method: str,
        path: str,
        reply: Any,
        *,
        body: msgspec.Struct | None = None,
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Any:
        """Send one request; the reply decoded as ``reply`` (``bytes`` and ``None`` as they are)."""
        content = None if body is None else msgspec.json.encode(body)
        fields = {name: value for name, value in (headers or {}).items() if value is not None}
        if content is not None:
            fields["Content-Type"] = "application/json"
        try:
            response = await self._http.request(method, path, content=content, params=parameters(query), headers=fields)
        except httpx.HTTPError as error:
            raise _unreachable(error) from error
        if response.status_code >= 300:
            raise refusal(response, response.content)
        if reply is None:
            return None
        if reply is bytes:
            return response.content
        try:
            return msgspec.json.decode(response.content, type=reply)
        except msgspec.DecodeError as error:
            raise _not_ours(response) from error

    async def _events(
        self,
        path: str,
        *,
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> AsyncIterator[ServerEvent]:
        """Follow a stream of server-sent events until the service ends it. ``Last-Event-ID`` takes it up again."""
        fields = {name: value for name, value in (headers or {}).items() if value is not None}
        fields["Accept"] = "text/event-stream"
        # The service sends a comment every 15 s: three missed ones mean that nobody is there.
        timeout = httpx.Timeout(45.0, connect=5.0)
        try:
            async with self._http.stream(
                "GET", path, params=parameters(query), headers=fields, timeout=timeout
            ) as response:
                if response.status_code >= 300:
                    raise refusal(response, await response.aread())
                parser = EventParser(fields.get("Last-Event-ID", ""))
                async for chunk in response.aiter_bytes():
                    if self.heard is not None:
                        self.heard()
                    for event in parser.feed(chunk):
                        yield event
        except httpx.HTTPError as error:
            raise _unreachable(error) from error


class EventParser:
    """Server-sent events out of bytes (WHATWG HTML, 9.2.6): any of CR LF, LF, CR ends a line; comments are dropped."""

    def __init__(self, last_id: str = "") -> None:
        self._buffer = b""
        self._id = last_id
        self._event = ""
        self._data: list[str] = []
        self._skip_lf = False
        self._first = True

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that end within ``chunk``. ``ApiError`` if one grows past ``EVENT_MAX``."""
        found: list[ServerEvent] = []
        self._buffer += chunk
        while True:
            if self._skip_lf and self._buffer:
                self._skip_lf = False
                if self._buffer[:1] == b"\n":
                    self._buffer = self._buffer[1:]
            ends = [at for at in (self._buffer.find(b"\r"), self._buffer.find(b"\n")) if at >= 0]
            if not ends:
                break
            end = min(ends)
            line = self._buffer[:end]
            self._skip_lf = self._buffer[end : end + 1] == b"\r"
            self._buffer = self._buffer[end + 1 :]
            event = self._line(line.decode("utf-8", "replace"))
            if event is not None:
                found.append(event)
        if len(self._buffer) + sum(map(len, self._data)) > EVENT_MAX:
            raise ApiError("malformed_request", "The service sent an event that is too large.", "", 0)
        return found

    def _line(self, line: str) -> ServerEvent | None:
        if self._first:
            self._first = False
            line = line.removeprefix("\ufeff")
        if not line:
            event = ServerEvent(self._id, self._event or "message", "\n".join(self._data)) if self._data else None
            self._event = ""
            self._data = []
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None


def parameters(query: msgspec.Struct | None) -> dict[str, str] | None:
    """A query's fields as they are sent; absent ones are left out."""
    if query is None:
        return None
    found = {}
    for name, value in msgspec.to_builtins(query).items():
        if value is not None:
            found[name] = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return found


def refusal(response: httpx.Response, content: bytes) -> ApiError:
    """The error of an answer that is no success."""
    try:
        members = msgspec.json.decode(content, type=dict[str, Any])
        problem = msgspec.convert(members, ProblemBody)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _not_ours(response)
    try:
        retry_after = float(response.headers["retry-after"])
    except (KeyError, ValueError):
        retry_after = None
    return ApiError(
        code=problem.code,
        detail=problem.detail,
        request_id=problem.request_id,
        status=response.status_code,
        errors=problem.errors,
        retry_after=retry_after,
        extra={name: value for name, value in members.items() if name not in ProblemBody.__struct_fields__},
    )


def _not_ours(response: httpx.Response) -> ApiError:
    return ApiError(
        "internal_error",
        "The answer is not one of this service: check the address.",
        response.headers.get("x-request-id", ""),
        response.status_code,
    )


def _unreachable(error: httpx.HTTPError) -> Unreachable:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Unreachable("The service does not answer at its address: start it, or check the address.", False)
    if isinstance(error, httpx.TimeoutException):
        return Unreachable("The service took too long to answer: see whether it is busy, then try again.")
    return Unreachable("The connection to the service broke: it may have been stopped.")
