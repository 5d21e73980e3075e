"""The HTTP client of all calls to systems elsewhere, against sockets that answer as they like."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import format_datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.delivery.outbound import BadAnswer, Outbound, OutboundAnswer, SystemUnreachable, retry_after_s
from tests.door_site import until
from tests.unit.delivery.loopback_peer import OK, Misbehaviour, Peer, dripping, endless, serving, silent

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOKEN = {"Authorization": "Bearer a-secret"}


@contextlib.asynccontextmanager
async def peer(answer: bytes | Misbehaviour) -> AsyncIterator[tuple[Outbound, Peer]]:
    """A client and a peer."""
    outbound = Outbound()
    async with serving(answer) as made:
        try:
            yield outbound, made
        finally:
            await outbound.close()


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


@given(text=st.none() | st.text(max_size=40) | st.from_regex(r"[0-9]{1,12}", fullmatch=True))
def test_any_retry_after_is_seconds(text: str | None) -> None:
    """Never below nothing, never an error."""
    assert retry_after_s(text, NOW) >= 0.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        (format_datetime(NOW.replace(minute=2), usegmt=True), 120.0),
        (format_datetime(NOW.replace(year=2025), usegmt=True), 0.0),
        ("-5", 0.0),
        ("soon", 0.0),
        (None, 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(text: str | None, seconds: float) -> None:
    """RFC 9110, 10.2.3."""
    assert retry_after_s(text, NOW) == seconds


@pytest.mark.parametrize(("text", "seconds"), [("999999999", 999_999_999.0), ("1000000000", 0.0), ("\u0665", 0.0)])
def test_a_pause_of_ten_digits_is_no_number(text: str, seconds: float) -> None:
    """Thirty years are the longest; digits of other scripts are none."""
    assert retry_after_s(text, NOW) == seconds
