"""Calls to systems elsewhere over HTTP: the one client of all capabilities.

No redirect is followed (a secret goes to its registered address or nowhere), no cookie is kept, nothing of the
environment is asked (proxies, certificates), an answer is read to its limit only and never unpacked, and a call ends in
its time, whatever the other side does.

::

    OutboundError
    +-- Unreachable     no connection, or no whole answer in time
    +-- BadAnswer       an answer that is larger than its limit or no HTTP
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, TypeVar

import httpx
import msgspec

ANSWER_LIMIT: Final = 1 << 20
"""Bytes of a body that are read by default."""
CONNECTIONS: Final = 8
"""To one directory at a time."""
_KEEP_ALIVE_S: Final = 60.0

T = TypeVar("T")


class OutboundError(Exception):
    """Base of what a call raises; its text is a sentence for people, without secrets."""


class SystemUnreachable(OutboundError):
    """No connection, or no whole answer in time: another try may succeed, and what was sent may have arrived."""


class BadAnswer(OutboundError):
    """Something answered that cannot be understood."""


@dataclass(frozen=True, slots=True)
class OutboundAnswer:
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


class Outbound:
    """Connections are kept and shared by all who trust the same certificates. Used on the event loop only."""

    def __init__(self) -> None:
        self._clients: dict[str, httpx.AsyncClient] = {}

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
        """One call. ``ca``: PEM certificates that TLS must end at, None = the system's. Raises ``OutboundError``;
        every status is an answer."""
        try:
            async with asyncio.timeout(timeout_s):
                request = self._client(ca).stream(method, url, headers=headers, content=content)
                async with request as reply:
                    if reply.headers.get("content-encoding", "identity") != "identity":
                        # A few bytes can unpack to any size; it was asked for without.
                        raise BadAnswer(f"The answer {reply.status_code} is packed, which was not asked for.")
                    body = bytearray()
                    async for part in reply.aiter_raw():
                        body += part
                        if len(body) > limit:
                            raise BadAnswer(f"The answer {reply.status_code} is longer than {limit} bytes.")
                    return OutboundAnswer(reply.status_code, dict(reply.headers), bytes(body))
        except (TimeoutError, httpx.TimeoutException) as error:
            raise SystemUnreachable(f"No answer within {timeout_s:g} s.") from error
        except httpx.ConnectError as error:
            raise SystemUnreachable(f"No connection: {error}.") from error
        except httpx.RemoteProtocolError as error:
            raise BadAnswer(f"No HTTP that can be understood ({str(error).rstrip('.')}).") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise SystemUnreachable(f"The connection broke: {error or type(error).__name__}.") from error

    async def close(self) -> None:
        """Lets go of every connection."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()

    def _client(self, ca: str | None) -> httpx.AsyncClient:
        name = "" if ca is None else hashlib.sha256(ca.encode()).hexdigest()
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = httpx.AsyncClient(
                verify=trust(ca),
                trust_env=False,
                headers={"Accept-Encoding": "identity"},
                # Cookies know no ports: what one service set would go to its neighbour on the same machine.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
                follow_redirects=False,
                timeout=None,
                limits=httpx.Limits(
                    max_connections=None, max_keepalive_connections=CONNECTIONS * 4, keepalive_expiry=_KEEP_ALIVE_S
                ),
            )
        return client


def trust(ca: str | None) -> ssl.SSLContext:
    """What TLS to systems elsewhere must end at: the certificates in ``ca`` (PEM), None = the system's."""
    context = ssl.create_default_context(cadata=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
