"""Calls to systems elsewhere over HTTP/1.1: the one client of all capabilities.

No redirect is followed (a secret goes to its registered address or nowhere), no cookie is kept, nothing of the
environment is asked (proxies, certificates), an answer is read to its limit only and never unpacked, and a call ends in
its time, whatever the other side does. A burn makes a dozen calls while a thousand doors keep the interpreter busy, so
a call is one write, one future, and the parser in C that our own server has.

::

    OutboundError
    +-- Unreachable     no connection, or no whole answer in time
    +-- BadAnswer       an answer that is larger than its limit or no HTTP
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar, cast

import httptools
import httpx
import msgspec

ANSWER_LIMIT: Final = 1 << 20
"""Bytes of a body that are read by default."""
CONNECTIONS: Final = 8
"""To one directory at a time."""
_KEEP_ALIVE_S: Final = 60.0
_BESIDE: Final = 128 * 1024
"""Bytes of an answer beside its body: heads, trailers, and what frames the chunks."""
_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e]*")
_ALPN: Final = ("http/1.1",)

T = TypeVar("T")


class OutboundError(Exception):
    """Base of what a call raises; its text is a sentence for people, without secrets."""


class Unreachable(OutboundError):
    """No connection, or no whole answer in time: another try may succeed, and what was sent may have arrived."""


class BadAnswer(OutboundError):
    """Something answered that cannot be understood."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. ``headers`` with lower-case names; equal ones joined by a comma."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> object:
        """The body as JSON; ``BadAnswer`` if it is none."""
        return self.read_as(object)

    def read_as(self, of: type[T]) -> T:
        """The body as JSON of this shape; ``BadAnswer`` if it is another."""
        try:
            return msgspec.json.decode(self.body, type=of)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            # Without their words: they may quote what was answered.
            raise BadAnswer(f"The answer {self.status} cannot be understood.") from error


class Wire(asyncio.Protocol):
    """One connection, with one call at a time: RFC 9112 as whoever asks sees it. Never for HEAD, whose answer has the
    length of a body and none."""

    def __init__(self) -> None:
        self.expiry: asyncio.TimerHandle | None = None
        """Lets it go once it was not used for long."""
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[Answer] | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._limit = 0
        self._came = 0
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._keep = False

    @property
    def open(self) -> bool:
        """Whether another call may be sent on it."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes, limit: int) -> Answer:
        """The whole answer to one request. After it, or whatever else ends this, the connection is ``open`` only if it
        can be used again. Raises ``OutboundError``."""
        transport = self._transport
        if transport is None or transport.is_closing():
            raise Unreachable("The connection broke: it was closed.")
        waiter: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        self._parser = httptools.HttpResponseParser(self)
        self._limit, self._came, self._keep = limit, 0, False
        self._begin()
        try:
            transport.write(request)
            return await waiter
        finally:
            self._waiter = self._parser = None
            # One that is answered before it has taken the request would have the rest for the next one's head.
            if not self._keep or transport.get_write_buffer_size():
                transport.abort()

    def close(self) -> None:
        """Lets go of it."""
        if self.expiry is not None:
            self.expiry.cancel()
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The other side is there."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Some of an answer; whatever comes unasked ends the connection."""
        waiter, parser = self._waiter, self._parser
        if waiter is None or waiter.done() or parser is None:
            self.close()
            return
        self._came += len(data)
        try:
            parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(BadAnswer("No HTTP that can be understood (it changed the protocol)."))
        except httptools.HttpParserError as error:
            self._fail(BadAnswer(f"No HTTP that can be understood ({str(error).rstrip('.')})."))
        if self._came - len(self._body) > _BESIDE:
            self._fail(BadAnswer(f"The answer has more than {_BESIDE} bytes beside its body."))

    def connection_lost(self, exc: Exception | None) -> None:
        """The end of it, and of an answer that has no other end (RFC 9112, 6.3)."""
        if exc is not None:
            self._fail(Unreachable(f"The connection broke: {exc or type(exc).__name__}."))
        elif self._status >= 200 and not ({"content-length", "transfer-encoding"} & self._headers.keys()):
            self._done()
        else:
            self._fail(BadAnswer("No HTTP that can be understood (the connection was closed before a whole answer)."))

    # --- the parser's ---

    def on_message_begin(self) -> None:
        """Its first line comes. What comes behind a whole answer would be taken for that of the next call."""
        self._keep = False
        self._begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Equal names are joined by a comma (RFC 9110, 5.2)."""
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        known = self._headers.get(key)
        self._headers[key] = text if known is None else f"{known}, {text}"

    def on_headers_complete(self) -> None:
        """The head is whole."""
        if self._parser is not None:
            self._status = self._parser.get_status_code()
        if self._headers.get("content-encoding", "identity") != "identity":
            # A few bytes can unpack to any size; it was asked for without.
            self._fail(BadAnswer(f"The answer {self._status} is packed, which was not asked for."))

    def on_body(self, part: bytes) -> None:
        """Some of the body."""
        self._body += part
        if len(self._body) > self._limit:
            self._fail(BadAnswer(f"The answer {self._status} is longer than {self._limit} bytes."))

    def on_message_complete(self) -> None:
        """One that only tells that the answer will come (1xx) is passed over."""
        if self._status >= 200:
            whole = self._waiter is not None and not self._waiter.done()
            self._keep = whole and self._parser is not None and self._parser.should_keep_alive()
            self._done()

    def _begin(self) -> None:
        self._status, self._headers = 0, {}
        self._body.clear()

    def _done(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(Answer(self._status, self._headers, bytes(self._body)))

    def _fail(self, error: OutboundError) -> None:
        self._keep = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error)


class Outbound:
    """Connections are kept and shared by all who trust the same certificates. Used on the event loop only."""

    def __init__(self) -> None:
        self._trust: dict[str, ssl.SSLContext] = {}
        self._idle: dict[tuple[str, str, str, int], list[Wire]] = {}

    async def call(
        self,
        method: str,
        url: str,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        ca: str | None = None,
        limit: int = ANSWER_LIMIT,
    ) -> Answer:
        """One call, never HEAD. ``ca``: PEM certificates that TLS must end at, None = the system's. Raises
        ``OutboundError``; every status is an answer."""
        try:
            at = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise Unreachable(f"No connection: {error}.") from error
        request = _request(method, at, headers or {}, content)
        name = "" if ca is None else hashlib.sha256(ca.encode()).hexdigest()
        origin = (name, at.scheme, at.raw_host.decode(), at.port or (443 if at.scheme == "https" else 80))
        try:
            async with asyncio.timeout(timeout_s):
                wire = self._kept(origin) or await self._connected(origin, ca)
                try:
                    return await wire.ask(request, limit)
                finally:
                    self._keep(origin, wire)
        except TimeoutError as error:
            raise Unreachable(f"No answer within {timeout_s:g} s.") from error

    async def close(self) -> None:
        """Lets go of every connection."""
        idle, self._idle = self._idle, {}
        for wires in idle.values():
            for wire in wires:
                wire.close()

    def _kept(self, origin: tuple[str, str, str, int]) -> Wire | None:
        wires = self._idle.get(origin, [])
        while wires:
            wire = wires.pop()
            if wire.expiry is not None:
                wire.expiry.cancel()
            if wire.open:
                return wire
        return None

    def _keep(self, origin: tuple[str, str, str, int], wire: Wire) -> None:
        wires = self._idle.setdefault(origin, [])
        if wire.open and len(wires) < CONNECTIONS:
            wire.expiry = asyncio.get_running_loop().call_later(_KEEP_ALIVE_S, wire.close)
            wires.append(wire)
        else:
            wire.close()

    async def _connected(self, origin: tuple[str, str, str, int], ca: str | None) -> Wire:
        name, scheme, host, port = origin
        secured: ssl.SSLContext | None = None
        if scheme == "https":
            secured = self._trust.get(name)
            if secured is None:
                secured = self._trust[name] = trust(ca)
                secured.set_alpn_protocols(_ALPN)
        elif scheme != "http":
            raise Unreachable(f"No connection: nothing is reached by {scheme or 'an address without a scheme'}.")
        try:
            # Of several addresses the next is tried beside the one before it (RFC 8305).
            _, wire = await asyncio.get_running_loop().create_connection(
                Wire, host, port, ssl=secured, happy_eyeballs_delay=0.25
            )
        except ssl.SSLError as error:
            raise Unreachable(f"No TLS that can be trusted: {error.reason or error}.") from error
        except TimeoutError:
            raise
        except (OSError, UnicodeError) as error:  # the latter of names that are no host's
            raise Unreachable(f"No connection: {getattr(error, 'strerror', None) or error}.") from error
        return wire


def _request(method: str, at: httpx.URL, headers: Mapping[str, str], content: bytes | None) -> bytes:
    """Head and body of a request. ``OutboundError`` for what no header can hold: a line of ours would be theirs."""
    fields = {"Host": at.netloc.decode(), "Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "arc-console"}
    fields |= headers
    if content is not None or method not in ("GET", "DELETE"):
        fields["Content-Length"] = str(len(content or b""))
    lines = [method.encode() + b" " + at.raw_path + b" HTTP/1.1"]
    try:
        for name, value in fields.items():
            key, text = name.encode("ascii"), value.encode("ascii")
            if not _NAME.fullmatch(key) or not _VALUE.fullmatch(text):
                raise ValueError(name)
            lines.append(key + b": " + text)
    except ValueError as error:
        raise OutboundError("The call has a header with characters that no header can hold.") from error
    return b"\r\n".join((*lines, b"", content or b""))


def trust(ca: str | None) -> ssl.SSLContext:
    """What TLS to systems elsewhere must end at: the certificates in ``ca`` (PEM), None = the system's."""
    context = ssl.create_default_context(cadata=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
