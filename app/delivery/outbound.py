"""HTTP calls to other systems: the one client for all capabilities.

It follows no redirect (a secret goes to its registered address or nowhere), keeps no cookie and uses nothing of the
environment (proxies, certificates). It reads an answer only up to its limit and never unpacks it, and a call ends in
time even if the other side never does.

::

    OutboundError
    +-- SystemUnreachable   no connection, or no complete answer in time
    +-- BadAnswer           an answer beyond its limit, packed, or no HTTP
    +-- UrlRefused          a caller's URL that may not be asked (``guarded.py``)
    +-- FetchRefused        a caller's URL that was asked in vain (``guarded.py``)
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec

from app.api.decode import repeats_member

ANSWER_LIMIT: Final = 1 << 20
"""Longest body that is read, by default, in bytes."""
CONNECTIONS: Final = 8
"""Connections to one directory at a time."""
_KEEP_ALIVE_S: Final = 60.0

T = TypeVar("T")


class OutboundError(Exception):
    """Base of what a call raises; the message is a sentence for people, without secrets."""


class SystemUnreachable(OutboundError):
    """No connection, or no complete answer in time. Another try may succeed, and the request may have arrived."""


class BadAnswer(OutboundError):
    """The answer cannot be understood."""


@dataclass(frozen=True, slots=True)
class OutboundAnswer:
    """A complete answer. ``headers``: names in lower case, values of equal names joined by a comma."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> object:
        """The body as JSON; ``BadAnswer`` if it is none."""
        return self.read_as(object)

    def read_as(self, of: type[T]) -> T:
        """The body as JSON of this shape; ``BadAnswer`` if it is another."""
        try:
            found = msgspec.json.decode(self.body, type=of)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            # Without the parser's words, which may quote the answer.
            raise BadAnswer(f"The answer {self.status} cannot be understood.") from error
        if repeats_member(self.body):
            raise BadAnswer(f"The answer {self.status} has a member twice.")
        return found


class Outbound:
    """Keeps connections, those to each system apart: what one of them holds, or leaves idle, takes nothing from
    another. Used on the event loop only."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str], httpx.AsyncClient] = {}
        self._trust: dict[str, ssl.SSLContext] = {}

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
    ) -> OutboundAnswer:
        """One call. ``ca``: PEM certificates to which TLS must lead; None: those of the system. Raises
        ``OutboundError``; an answer of any status is returned."""
        try:
            async with asyncio.timeout(timeout_s):
                request = self._client(url, ca).stream(method, url, headers=headers, content=content)
                async with request as reply:
                    body = bytearray()
                    async for part in bounded_parts(reply.status_code, reply.headers, reply.aiter_raw(), limit):
                        body += part
                    return OutboundAnswer(reply.status_code, dict(reply.headers), bytes(body))
        except (TimeoutError, httpx.TimeoutException) as error:
            raise SystemUnreachable(f"No answer within {timeout_s:g} s.") from error
        except httpx.ConnectError as error:
            raise SystemUnreachable(f"No connection: {error}.") from error
        except httpx.RemoteProtocolError as error:
            raise BadAnswer(f"No HTTP that can be understood ({str(error).rstrip('.')}).") from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            raise SystemUnreachable(f"The connection broke: {error or type(error).__name__}.") from error

    async def close(self) -> None:
        """Closes every connection."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()

    def _client(self, url: str, ca: str | None) -> httpx.AsyncClient:
        """The client of the system at ``url`` that trusts ``ca``, made once."""
        trusted = "" if ca is None else hashlib.sha256(ca.encode()).hexdigest()
        parts = urlsplit(url)
        client = self._clients.get((f"{parts.scheme}://{parts.netloc}", trusted))
        if client is None:
            if trusted not in self._trust:
                self._trust[trusted] = trust(ca)
            client = self._clients[f"{parts.scheme}://{parts.netloc}", trusted] = httpx.AsyncClient(
                verify=self._trust[trusted],
                trust_env=False,
                headers={"Accept-Encoding": "identity"},
                # Cookies ignore ports: one service's cookie would go to another service on the same machine.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
                follow_redirects=False,
                timeout=None,
                limits=httpx.Limits(
                    max_connections=None, max_keepalive_connections=CONNECTIONS, keepalive_expiry=_KEEP_ALIVE_S
                ),
            )
        return client


async def bounded_parts(
    status: int, headers: Mapping[str, str], parts: AsyncIterable[bytes], limit: int
) -> AsyncIterator[bytes]:
    """The parts of an answer's body as they come, at most ``limit`` bytes together; ``BadAnswer`` at the first part
    beyond, and at once where the body is packed. ``headers``: names in lower case."""
    if headers.get("content-encoding", "identity") != "identity":
        # A few bytes can unpack to any size; the request asked for unpacked answers.
        raise BadAnswer(f"The answer {status} is packed, which was not asked for.")
    length = 0
    async for part in parts:
        length += len(part)
        if length > limit:
            raise BadAnswer(f"The answer {status} is longer than {limit} bytes.")
        yield part


def trust(ca: str | None) -> ssl.SSLContext:
    """TLS to other systems that leads to the certificates in ``ca`` (PEM); None: those of the system."""
    context = ssl.create_default_context(cadata=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def retry_after_s(text: str | None, now: datetime) -> float:
    """Seconds of a ``Retry-After`` (RFC 9110, 10.2.3: a number or a date); 0 for none or one that cannot be read."""
    if text is None:
        return 0.0
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        at = parsedate_to_datetime(text)
        return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0
