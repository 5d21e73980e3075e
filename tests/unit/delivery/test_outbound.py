"""The HTTP client of all calls to systems elsewhere, against sockets that answer as they like."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.outbound import BadAnswer, Outbound, OutboundAnswer, SystemUnreachable
from tests.door_site import until

TOKEN = {"Authorization": "Bearer a-secret"}
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
async def peer(answer: bytes | Misbehaviour) -> AsyncIterator[tuple[Outbound, Peer]]:
    """A client and a peer."""
    made = Peer(answer)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    outbound = Outbound()
    try:
        yield outbound, made
    finally:
        await outbound.close()
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


def test_an_answer_is_whole() -> None:
    """Status, headers by lower-case names, body."""

    async def run() -> OutboundAnswer:
        async with peer(b"HTTP/1.1 409 Conflict\r\nX-One: a\r\nX-One: b\r\nContent-Length: 2\r\n\r\nno") as (out, it):
            return await out.call("GET", it.url, timeout_s=5)

    answer = asyncio.run(run())
    assert (answer.status, answer.headers["x-one"], answer.body) == (409, "a, b", b"no")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    """The answer is the redirect itself; the address in it never sees a request, let alone the secret."""

    async def run() -> tuple[int, int]:
        async with peer(OK) as (out, other):
            moved = f"HTTP/1.1 {status} Moved\r\nLocation: {other.url}\r\nContent-Length: 0\r\n\r\n".encode()
            async with peer(moved) as (_, it):
                answer = await out.call("POST", it.url, timeout_s=5, headers=TOKEN, content=b"x")
                return answer.status, len(other.heads)

    assert asyncio.run(run()) == (status, 0)


def test_no_cookie_goes_to_a_neighbour() -> None:
    """What one service sets is sent to none, not even back: cookies know no ports."""

    async def run() -> list[bytes]:
        async with peer(OK) as (out, other), peer(OK.replace(b"\r\n", b"\r\nSet-Cookie: session=1\r\n", 1)) as (_, it):
            for url in (it.url, it.url, other.url):
                await out.call("GET", url, timeout_s=5)
            return it.heads + other.heads

    assert not any(b"cookie" in head.lower() for head in asyncio.run(run()))


def test_nothing_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment gets no secret."""

    async def run() -> tuple[int, int]:
        async with peer(OK) as (_, proxy), peer(OK) as (out, it):
            monkeypatch.setenv("HTTP_PROXY", proxy.url)
            monkeypatch.setenv("ALL_PROXY", proxy.url)
            await out.call("GET", it.url, timeout_s=5, headers=TOKEN)
            return len(proxy.heads), len(it.heads)

    assert asyncio.run(run()) == (0, 1)


def test_an_endless_body_is_cut() -> None:
    """At its limit, not at the memory's."""

    async def run() -> None:
        async with peer(endless) as (out, it):
            with pytest.raises(BadAnswer, match="longer than 10000 bytes"):
                await out.call("GET", it.url, timeout_s=5, limit=10_000)

    asyncio.run(run())


def test_a_packed_body_is_not_unpacked() -> None:
    """It was asked for without; a few bytes could become any number."""

    async def run() -> list[bytes]:
        packed = gzip.compress(bytes(10_000_000))
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode()
        async with peer(head + packed) as (out, it):
            with pytest.raises(BadAnswer, match="packed"):
                await out.call("GET", it.url, timeout_s=5)
            return it.heads

    assert b"accept-encoding: identity\r\n" in asyncio.run(run())[0].lower()


@pytest.mark.parametrize("answer", [silent, dripping])
def test_a_call_ends_in_its_time(answer: Misbehaviour) -> None:
    """Whatever the other side does, and the connection is let go."""

    async def run() -> None:
        async with peer(answer) as (out, it):
            call = asyncio.create_task(out.call("GET", it.url, timeout_s=1))
            # A connection that the peer has not taken yet would outlive it.
            await until(lambda: it.heads)
            with pytest.raises(SystemUnreachable, match="No answer within 1 s"):
                await call
            await until(lambda: not it.open)

    asyncio.run(run())


def test_calls_that_are_given_up_leave_nothing() -> None:
    """A cancelled call closes its connection, and later calls go on as before."""

    async def run() -> tuple[int, int]:
        async with peer(silent) as (out, it):
            calls = [asyncio.create_task(out.call("GET", it.url, timeout_s=30)) for _ in range(40)]
            await until(lambda: len(it.heads) == 40)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            await until(lambda: not it.open)
            it.answer = OK
            return it.open, (await out.call("GET", it.url, timeout_s=5)).status

    assert asyncio.run(run()) == (0, 200)


def test_connections_are_kept_warm() -> None:
    """A hundred calls one after the other are one connection."""

    async def run() -> int:
        async with peer(OK) as (out, it):
            for _ in range(100):
                await out.call("GET", it.url, timeout_s=5)
            return it.connections

    assert asyncio.run(run()) == 1


def test_nobody_there_is_unreachable() -> None:
    """With words for people and without what was sent."""

    async def run() -> str:
        async with peer(OK) as (_, it):
            url = it.url
        outbound = Outbound()
        try:
            with pytest.raises(SystemUnreachable) as told:
                await outbound.call("GET", url, timeout_s=5, headers=TOKEN)
            return str(told.value)
        finally:
            await outbound.close()

    text = asyncio.run(run())
    assert text.startswith("No connection")
    assert "a-secret" not in text


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"])
def test_what_is_no_http_is_a_bad_answer(answer: bytes) -> None:
    """Something is there, and it is not what was registered."""

    async def run() -> None:
        async with peer(answer) as (out, it):
            with pytest.raises(BadAnswer):
                await out.call("GET", it.url, timeout_s=5)

    asyncio.run(run())


@given(body=st.binary(max_size=200) | st.just(b"[" * 100_000) | st.text(max_size=50).map(str.encode))
def test_any_body_is_json_or_a_bad_answer(body: bytes) -> None:
    """No bytes raise anything else, and their words are not repeated."""
    answer = OutboundAnswer(200, {}, body)
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        with pytest.raises(BadAnswer, match=r"^The answer 200 cannot be understood\.$"):
            answer.json()
    else:
        assert answer.json() == decoded
