"""The system browser comes back to this console: a redirect on loopback (RFC 8252, 7.3), taken once."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from app.console.failures import SignInRefused
from app.console.language import language, tr

_LONGEST = 16_384
"""Bytes of the longest request line that is read."""
_READ_S = 10.0
PATH = "/signed-in"
_PAGE = (
    "<!doctype html><html lang={}><meta charset=utf-8><title>ARC Console</title>"
    "<p style='font:16px sans-serif;margin:3em'>{}</p></html>"
)


class BrowserRefusal(SignInRefused):
    """The provider did not sign anybody in: a sentence for people."""


@dataclass(frozen=True)
class ComeBack:
    """What the provider gave to the redirect. ``iss`` as in RFC 9207, None where it says nothing."""

    code: str
    iss: str | None


class LoopbackRedirect:
    """Listens on a free port of 127.0.0.1 while it is open; made on the loop. ``uri`` is what the provider is told."""

    def __init__(self) -> None:
        self.uri = ""
        self._state = ""
        self._server: asyncio.Server | None = None
        self._came: asyncio.Future[ComeBack] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LONGEST)
        port = self._server.sockets[0].getsockname()[1]
        self.uri = f"http://127.0.0.1:{port}{PATH}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        if self._came.done() and not self._came.cancelled():
            self._came.exception()  # looked at: nobody waits any more

    async def wait(self, state: str, seconds: float) -> ComeBack:
        """What came with this ``state``. What comes with another one is answered and ignored: any page of the browser
        can call this port. Raises BrowserRefusal, also when nothing came in time."""
        self._state = state
        try:
            async with asyncio.timeout(seconds):
                return await self._came
        except TimeoutError:
            raise BrowserRefusal(tr("Nobody signed in at the browser in time. Begin again.")) from None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of the browser."""
        try:
            async with asyncio.timeout(_READ_S):
                line = await reader.readline()
                status, words = self._take(line.decode("ascii", "replace"))
                page = _PAGE.format(language(), words).encode()
                head = (
                    f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(page)}\r\n"
                    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
                )
                writer.write(head.encode() + page)
                await writer.drain()
        except (TimeoutError, ConnectionError, ValueError):
            pass  # a caller that says nothing, too much, or goes: it is no sign-in
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def _take(self, line: str) -> tuple[str, str]:
        """Judge one request line; status and words of the answer."""
        parts = line.split()
        if len(parts) != 3 or parts[0] != "GET" or urlsplit(parts[1]).path != PATH:
            return "404 Not Found", tr("Nothing is here.")
        given = {name: values for name, values in parse_qs(urlsplit(parts[1]).query).items() if len(values) == 1}
        if not self._state or given.get("state") != [self._state]:
            return "400 Bad Request", tr("This is no answer to a sign-in that this console began.")
        if not self._came.done():
            if "code" in given:
                self._came.set_result(ComeBack(given["code"][0], given.get("iss", [None])[0]))
            else:
                self._came.set_exception(BrowserRefusal(tr("The provider signed nobody in.")))
        return "200 OK", tr("You may close this page and go back to the console.")
