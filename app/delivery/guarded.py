"""Fetches of URLs that a caller names, so that no caller reaches through this service what only this service reaches.

A URL is judged as text first. Then its name is resolved once, every address of it is judged, and the connection goes to
one of the judged addresses, under the name that the caller gave (``Host``, SNI). A redirect is judged as if the caller
had named it. The text of a refusal tells no caller what was found behind an address.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import socket
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import urljoin

import httpcore
import httpx
import idna

from app.delivery.addresses import WEB_PORTS, AllowedReach, IpAddress, why_refused
from app.delivery.names import look_up_apart
from app.delivery.outbound import OutboundError, bounded_parts, trust

URL_LIMIT: Final = 2048
"""Longest URL, in characters."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_FORM: Final = re.compile(r"(https?)://([^/?#]*)([/?#].*)?", re.ASCII | re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"(\[[0-9A-Fa-f:.]*\]|[^][:@\\%]+)(?::([0-9]{0,5}))?")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NAME: Final = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
_NAME_LIMIT: Final = 253
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|[0-9]+")
_MEDIA_TYPE: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]{1,127}/[!#$%&'*+.^_`|~0-9a-z-]{1,127}")
_MOVED: Final = frozenset({301, 302, 303, 307, 308})

_CAUSE_LIMIT: Final = 500
"""Longest cause, in characters: it may quote what the other side said."""

_SOCKETS: Final = httpcore.AnyIOBackend()


class UrlRefused(OutboundError):
    """The URL may not be fetched as it is written; the message says why. Nothing was resolved and nobody was asked."""


class FetchRefused(OutboundError):
    """The URL could not be fetched. The message is the same for every cause; ``cause`` is for the operator alone: it
    would tell the caller which addresses and ports answer."""

    def __init__(self, cause: str) -> None:
        super().__init__("The address could not be fetched.")
        self.cause = cause[:_CAUSE_LIMIT]


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """``body``: bytes. ``connect_s``: for the look-up of a name, for the connection to each of its addresses, and for
    TLS. ``total_s``: for everything, the reading by the caller too. ``redirects``: how many a GET follows."""

    body: int = 64 << 20
    connect_s: float = 5.0
    total_s: float = 30.0
    redirects: int = 4


@dataclass(frozen=True, slots=True)
class JudgedUrl:
    """A URL whose text may be fetched. ``host``: a name in lower case and A-labels, or an address in its usual
    spelling, without brackets. ``target``: path and query, percent-encoded."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """The host, in brackets where it is a v6 address, and the port unless the scheme has it by default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    def __str__(self) -> str:
        return f"{self.origin}{self.target}"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete answer 200. ``mime``: the declared media type in lower case, without parameters;
    ``application/octet-stream`` where none is declared. ``sha256``: of the body, hexadecimal."""

    final_url: str
    body: bytes
    mime: str
    sha256: str


class OpenAnswer:
    """An answer whose body is still to be read, once and in order. ``headers``: as in ``OutboundAnswer``."""

    def __init__(self, final_url: JudgedUrl, reply: httpcore.Response, limit: int) -> None:
        self.final_url = str(final_url)
        self.status = reply.status
        self.headers: Mapping[str, str] = dict(httpx.Headers(reply.headers))
        self._host = final_url.host
        self._reply = reply
        self._limit = limit

    async def parts(self) -> AsyncIterator[bytes]:
        """The body as it comes, at most 64 KiB at a time. ``FetchRefused`` if it is packed, too long or breaks off."""
        with _one_wording(self._host):
            async for part in bounded_parts(self.status, self.headers, self._reply.aiter_stream(), self._limit):
                yield part

    async def whole(self) -> Fetched:
        """The complete answer, which must be 200. ``FetchRefused`` otherwise."""
        if self.status != 200:
            raise FetchRefused(f"{self.final_url.partition('?')[0]} answered {self.status}")
        body, digest = bytearray(), hashlib.sha256()
        async for part in self.parts():
            body += part
            digest.update(part)
        mime = _media_type(self.headers.get("content-type", ""))
        return Fetched(self.final_url, bytes(body), mime, digest.hexdigest())


class GuardedFetch:
    """Fetches over connections of their own: none is kept, for the next caller may be allowed less. ``ca``: as
    ``Outbound.call``. Used on the event loop only."""

    def __init__(self, ca: str | None = None) -> None:
        self._tls = trust(ca)

    async def fetch(
        self,
        url: str,
        *,
        allowed: Sequence[AllowedReach] = (),
        limits: FetchLimits | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        """A GET whose answer is 200 and complete. Arguments and errors are those of ``open``."""
        async with self.open(url, allowed=allowed, limits=limits, headers=headers) as answer:
            return await answer.whole()

    @contextlib.asynccontextmanager
    async def open(
        self,
        url: str,
        *,
        allowed: Sequence[AllowedReach] = (),
        limits: FetchLimits | None = None,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> AsyncIterator[OpenAnswer]:
        """An answer of any status, the redirects of a GET followed; its connection ends with the context.

        ``allowed``: what is reached beside public addresses. ``headers`` go to the origin of ``url`` and to no other.
        Raises ``UrlRefused`` before anything is resolved, and ``FetchRefused`` for all that comes later; what the
        caller itself raises goes through.
        """
        judged = judge_url(url, allowed)
        limits = limits or FetchLimits()
        clock = asyncio.timeout(limits.total_s)
        try:
            async with clock, contextlib.AsyncExitStack() as held:
                redirects = limits.redirects if method == "GET" else 0
                for left in range(redirects, -1, -1):
                    hop = await held.enter_async_context(contextlib.AsyncExitStack())
                    with _one_wording(judged.host):
                        asked = self._ask(judged, allowed, limits.connect_s, method, headers, content)
                        reply = await hop.enter_async_context(asked)
                    answer = OpenAnswer(judged, reply, limits.body)
                    location = answer.headers.get("location")
                    if not redirects or location is None or answer.status not in _MOVED:
                        yield answer
                        return
                    if not left:
                        raise FetchRefused(f"{judged.host} is one redirect more than {redirects}")
                    await hop.aclose()
                    moved = _judge_redirect(judged, location, allowed)
                    if moved.origin != judged.origin:
                        headers = None
                    judged = moved
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise FetchRefused(f"{judged.host} took longer than {limits.total_s:g} s") from error

    @contextlib.asynccontextmanager
    async def _ask(
        self,
        judged: JudgedUrl,
        allowed: Sequence[AllowedReach],
        connect_s: float,
        method: str,
        headers: Mapping[str, str] | None,
        content: bytes | None,
    ) -> AsyncIterator[httpcore.Response]:
        """One request on a connection of its own."""
        url = httpcore.URL(scheme=judged.scheme, host=judged.host, port=judged.port, target=judged.target)
        sent = {
            "Host": judged.authority,
            "User-Agent": "arc-console",
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Connection": "close",
            **(headers or {}),
        }
        async with (
            httpcore.AsyncHTTPConnection(
                url.origin, ssl_context=self._tls, network_backend=_JudgedNetwork(allowed)
            ) as connection,
            connection.stream(
                method,
                url,
                headers=list(sent.items()),
                content=content,
                extensions={"timeout": {"connect": connect_s}},
            ) as reply,
        ):
            yield reply


class _JudgedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to judged addresses only."""

    def __init__(self, allowed: Sequence[AllowedReach]) -> None:
        self._allowed = allowed

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore's signature)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """To the first address of the name that takes the connection, after all have been judged."""
        broken: Exception = httpcore.ConnectError(f"{host} has no address")
        async with asyncio.timeout(timeout):
            addresses = await resolve(host, port)
        for address in addresses:
            why = why_refused(address, port, self._allowed)
            if why is not None:
                raise FetchRefused(f"{host}: {why}")
        for address in addresses:
            try:
                return await _SOCKETS.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                broken = error
        raise broken


async def resolve(host: str, port: int) -> list[IpAddress]:
    """The addresses of a name, each once, in the system's order; an address is its own. ``OSError`` where there are
    none."""
    loop = asyncio.get_running_loop()
    look_up_apart(loop)
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(address[0]) for *_, address in found))


def judge_url(url: str, allowed: Sequence[AllowedReach] = ()) -> JudgedUrl:
    """What a URL asks for, judged by its text alone. ``UrlRefused`` unless it is http or https without a user, at a
    port of the web or one that ``allowed`` lists, with a host that is a name or an address that may be reached.

    A host that a resolver takes for an address is one here too: ``2130706433``, ``0x7f.1`` and ``127。1`` are
    127.0.0.1.
    """
    if len(url) > URL_LIMIT:
        raise UrlRefused(f"The URL has more than {URL_LIMIT} characters.")
    if _CONTROL.search(url):
        raise UrlRefused("The URL holds control characters.")
    form = _FORM.fullmatch(url)
    if form is None:
        raise UrlRefused("The URL does not begin with http:// or https://.")
    scheme, rest = form[1].lower(), form[3] or ""
    if "@" in form[2]:
        raise UrlRefused("The URL names a user.")
    authority = _AUTHORITY.fullmatch(form[2])
    if authority is None:
        raise UrlRefused("The URL's host or port cannot be understood.")
    port = int(authority[2]) if authority[2] else _DEFAULT_PORTS[scheme]
    if port not in WEB_PORTS.union(*(reach.ports for reach in allowed)):
        raise UrlRefused("The URL's port may not be reached.")
    host = _judge_host(authority[1])
    if not isinstance(host, str) and why_refused(host, port, allowed) is not None:
        raise UrlRefused("The URL's address may not be reached.")
    # Of what httpx parses, path and query alone are taken.
    return JudgedUrl(scheme, str(host), port, httpx.URL(f"http://host{rest}").raw_path.decode())


def _judge_host(text: str) -> str | IpAddress:
    """A name in lower case and A-labels, or the address that a resolver makes of the text."""
    try:
        if text.startswith("["):
            return IPv6Address(text[1:-1])
        name = text.lower() if text.isascii() else idna.encode(text, uts46=True).decode()
        if len(name.removesuffix(".")) > _NAME_LIMIT or not _NAME.fullmatch(name):
            raise ValueError
        return _address_in_numbers(name) or name
    except ValueError as error:
        raise UrlRefused("The URL's host is no name and no address.") from error


def _address_in_numbers(name: str) -> IPv4Address | None:
    """The address in a name whose last label is a number, as ``inet_aton`` (POSIX) reads it: one to four parts, each
    decimal, octal or hexadecimal, the last one filling all bytes that are left. ``ValueError`` where it is none."""
    parts = name.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    *first, last = (_number(part) for part in parts)
    if len(first) > 3 or any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        raise ValueError
    return IPv4Address(sum(number << 24 - 8 * place for place, number in enumerate(first)) + last)


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") else 10)


def _judge_redirect(source: JudgedUrl, location: str, allowed: Sequence[AllowedReach]) -> JudgedUrl:
    """Where an answer sends a fetch. ``FetchRefused`` if the caller could not have named it."""
    try:
        return judge_url(urljoin(str(source), location), allowed)
    except (UrlRefused, ValueError) as error:
        raise FetchRefused(f"{source.host} redirects to what may not be reached: {error}") from error


def _media_type(declared: str) -> str:
    """Type and subtype of a ``Content-Type`` (RFC 9110, 8.3)."""
    found = declared.partition(";")[0].strip().lower()
    return found if _MEDIA_TYPE.fullmatch(found) else "application/octet-stream"


@contextlib.contextmanager
def _one_wording(host: str) -> Iterator[None]:
    """What goes wrong on the way to ``host`` becomes ``FetchRefused``."""
    try:
        yield
    except FetchRefused:
        raise
    except (
        OutboundError,
        OSError,
        ValueError,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.TimeoutException,
    ) as error:
        raise FetchRefused(f"{host}: {str(error) or type(error).__name__}") from error
