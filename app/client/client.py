"""The typed async client of the API.

``Client`` has one method for each row of the operation table (``app/client/calls.py``, generated and checked in); this
module carries their requests. ``app/client/errors.py`` says what a call raises.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx
import msgspec

from app.capabilities.lifecycle.messages import HrCall, HrReply
from app.client.calls import Calls
from app.client.errors import foreign_answer, no_answer, refusal
from app.client.events import EventParser, ServerEvent

TIMEOUT_S = 35.0
"""A little more than the service's own limit on a handler, so that its answer arrives rather than ours."""


class Client(Calls):
    """Calls one service with one key. Use as ``async with Client(base_url, key) as client``."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.heard: Callable[[], None] | None = None
        """Called for every piece of an event stream, heartbeats included: a caller that shows freshness needs them."""
        # trust_env: a proxy or a .netrc of the environment must never see the key.
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers={"Authorization": f"Bearer {key}", "Accept": "*/*"},
            timeout=httpx.Timeout(timeout_s, connect=5.0),
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30.0),
            trust_env=False,
            # Reading the machine's certificates takes longer than a call; without TLS an empty context is enough.
            verify=base_url.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. The client cannot be used afterwards; a call that is out still gets its answer."""
        await self._http.aclose()

    @asynccontextmanager
    async def _out(self) -> AsyncIterator[dict[str, Any]]:
        """While one call is out; gives the extensions of its request. However the call ends after ``aclose``, answered,
        failed or cancelled, the connection that it made ends with it: no pool knows that one any more."""
        made = []

        async def note(event: str, found: Mapping[str, Any]) -> None:
            if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
                made.append(found["return_value"])

        try:
            yield {"trace": note}
        finally:
            if self._http.is_closed:
                for stream in reversed(made):
                    await stream.aclose()

    async def hr_sync_signed(self, source: str, body: HrCall, fields: Mapping[str, str]) -> HrReply:
        """Call the service as the HR source does: ``fields`` carry its signature (or its ``Authorization``) over
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
        content: bytes | None = None,
        content_type: str = "application/json",
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Any:
        """Send one request and decode its answer as ``reply``; ``bytes`` gives the body undecoded, ``None`` nothing.
        ``content``: a body that is no message, of ``content_type``."""
        if body is not None:
            content = msgspec.json.encode(body)
        fields = {name: value for name, value in (headers or {}).items() if value is not None}
        if content is not None:
            fields["Content-Type"] = content_type
        try:
            async with self._out() as extensions:
                response = await self._http.request(
                    method, path, content=content, params=parameters(query), headers=fields, extensions=extensions
                )
        except httpx.HTTPError as error:
            raise no_answer(error) from error
        if response.status_code >= 300:
            raise refusal(response, response.content)
        if reply is None:
            return None
        if reply is bytes:
            return response.content
        try:
            return msgspec.json.decode(response.content, type=reply)
        except msgspec.DecodeError as error:
            raise foreign_answer(response) from error

    async def _events(
        self,
        path: str,
        *,
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> AsyncIterator[ServerEvent]:
        """Follow a stream of server-sent events until the service ends it. ``Last-Event-ID`` resumes an earlier one."""
        fields = {name: value for name, value in (headers or {}).items() if value is not None}
        fields["Accept"] = "text/event-stream"
        # The service sends a comment every 15 s: after three missing ones it counts as gone.
        timeout = httpx.Timeout(45.0, connect=5.0)
        try:
            async with (
                self._out() as extensions,
                self._http.stream(
                    "GET", path, params=parameters(query), headers=fields, timeout=timeout, extensions=extensions
                ) as response,
            ):
                if response.status_code >= 300:
                    raise refusal(response, await response.aread())
                parser = EventParser(fields.get("Last-Event-ID", ""))
                async for chunk in response.aiter_bytes():
                    if self.heard is not None:
                        self.heard()
                    for event in parser.feed(chunk):
                        yield event
        except httpx.HTTPError as error:
            raise no_answer(error) from error


def parameters(query: msgspec.Struct | None) -> dict[str, str] | None:
    """A query's fields as they are sent; those that are None are left out."""
    if query is None:
        return None
    found = {}
    for name, value in msgspec.to_builtins(query).items():
        if value is not None:
            found[name] = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return found
