"""Sockets on loopback that answer HTTP as they like, and remember who came."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

from tests.door_site import until

Reader, Writer = asyncio.StreamReader, asyncio.StreamWriter
Misbehaviour = Callable[[Reader, Writer], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Peer:
    """A socket on loopback that answers every request with the same bytes, and remembers their heads."""

    def __init__(self, answer: bytes | Misbehaviour) -> None:
        self.answer = answer
        self.heads: list[bytes] = []
        self.connections = 0
        self.writers: list[Writer] = []
        self.open = 0
        self.port = 0
        self.url = ""

    async def serve(self, reader: Reader, writer: Writer) -> None:
        """One connection."""
        self.connections += 1
        self.writers.append(writer)
        self.open += 1
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                    if callable(self.answer):
                        await self.answer(reader, writer)
                    else:
                        writer.write(self.answer)
                        await writer.drain()
        finally:
            self.open -= 1
            writer.close()


@contextlib.asynccontextmanager
async def serving(
    answer: bytes | Misbehaviour, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Peer]:
    """A peer; with ``tls`` it speaks HTTPS."""
    made = Peer(answer)
    server = await asyncio.start_server(made.serve, host, port, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    made.url = f"{'http' if tls is None else 'https'}://{f'[{host}]' if ':' in host else host}:{made.port}/"
    try:
        yield made
    finally:
        server.close()
        for writer in made.writers:
            writer.close()
            # A loop that ends before a transport is told of its end leaves it unclosed.
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
        await until(lambda: not made.open)


async def endless(_reader: Reader, writer: Writer) -> None:
    """A body without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"1000\r\n" + bytes(4096) + b"\r\n")
            await writer.drain()


async def silent(reader: Reader, _writer: Writer) -> None:
    """Takes the request and says nothing until the other side goes."""
    await reader.read()


async def dripping(_reader: Reader, writer: Writer) -> None:
    """A byte now and then: no pause is long, the whole never ends."""
    with contextlib.suppress(ConnectionError):
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + bytes(100000):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.005)
