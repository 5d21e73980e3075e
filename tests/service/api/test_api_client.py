"""The typed client against the served API, and its checked-in calls against the table."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import app.client.calls
from app.api import client_writer
from app.api.keys_messages import CreateKey, KeyQuery
from app.client import ApiError, Client, EventParser, ServerEvent, Unreachable
from app.service.assembly import TABLE
from tests.service.api.api_site import ApiSite


def test_checked_in_calls_are_those_of_the_table() -> None:
    """``app/client/calls.py`` is what the writer writes now; else run ``python -m app.api.client_writer``."""
    assert Path(app.client.calls.__file__).read_text() == client_writer.write(TABLE)


def test_key_made_used_and_revoked_through_the_client(shared: ApiSite) -> None:
    """Typed calls carry bodies, path parameters and queries; a revoked key is refused at once."""

    async def work() -> str:
        async with Client(shared.base_url, shared.citadel.key) as client:
            made = await client.keys_create(CreateKey(label="partner", clearance="sovereign"))
            async with Client(shared.base_url, made.key) as partner:
                assert (await partner.health_metrics()).startswith(b"#")
                page = await client.keys_list(query=KeyQuery(limit=500))
                assert made.kid in {row.kid for row in page.items}
                await client.keys_revoke(made.kid)
                with pytest.raises(ApiError) as refused:
                    await partner.health_metrics()
        return refused.value.code

    assert asyncio.run(work()) == "unauthenticated"


def test_problem_becomes_an_error(shared: ApiSite) -> None:
    """Code, status, request id, wrong fields and further members arrive in ``ApiError``."""

    async def work() -> ApiError:
        async with Client(shared.base_url, shared.citadel.key) as client:
            with pytest.raises(ApiError) as refused:
                await client.keys_create(CreateKey(label="", clearance="sovereign"))
        return refused.value

    error = asyncio.run(work())
    assert (error.code, error.status, error.errors[0].pointer) == ("invalid_body", 422, "/label")
    assert error.request_id.startswith("req_")
    assert error.retry_after is None


@pytest.mark.parametrize("turns", range(16))
def test_a_call_that_is_out_at_the_close_leaves_no_connection(turns: int) -> None:
    """Wherever the call is by then, while its connection is being made too: the peer sees the connection end."""

    async def work() -> bool:
        open_now: set[asyncio.Task[None]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            open_now.add(asyncio.current_task())  # type: ignore[arg-type]
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n# ")
                await reader.read()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        client = Client(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "arc_cit_x")
        async with server:
            call = asyncio.ensure_future(client.health_metrics())
            for _ in range(turns):
                await asyncio.sleep(0)
            await client.aclose()
            await asyncio.wait([call])
            await asyncio.wait(open_now, timeout=20) if open_now else None
            return all(task.done() for task in open_now)

    assert asyncio.run(work())


def test_nobody_there_is_unreachable() -> None:
    """A closed port is ``Unreachable``, and nothing was carried out."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

    async def work() -> Unreachable:
        async with Client(f"http://127.0.0.1:{port}", "arc_cit_x") as client:
            with pytest.raises(Unreachable) as error:
                await client.health_alive()
        return error.value

    assert not asyncio.run(work()).unknown


def test_stream_of_events(shared: ApiSite) -> None:
    """Events of a served stream arrive one by one while it is open."""

    async def work() -> list[ServerEvent]:
        found = []
        async with Client(shared.base_url, shared.citadel.key) as client:
            events = client._events("/v1/sample/stream")
            async for event in events:
                found.append(event)
                if len(found) == 3:
                    break
            await events.aclose()  # type: ignore[attr-defined]
        return found

    assert asyncio.run(work()) == [ServerEvent(str(n), "status", "{}") for n in (1, 2, 3)]


@given(st.lists(st.sampled_from([b"a", b":", b"\r", b"\n", b"data: x", b"id: 7", b"event: e", b"\xff", b"\0"])))
def test_event_parser_does_not_see_how_the_bytes_were_cut(parts: list[bytes]) -> None:
    """Any cut of a stream gives the same events as the whole."""
    whole = EventParser().feed(b"".join(parts))
    parser = EventParser()
    assert [event for part in parts for event in parser.feed(part)] == whole


def test_event_parser_follows_the_standard() -> None:
    """Comments drop, data lines join, an id stays, a cut event is not given."""
    text = "\ufeffid: 1\r\nevent: gap\rdata:  a\ndata\ndata:b\n\n: beat\n\ndata: c\n\ndata: cut"
    assert EventParser().feed(text.encode()) == [ServerEvent("1", "gap", " a\n\nb"), ServerEvent("1", "message", "c")]


def test_event_parser_is_bounded() -> None:
    """An event without an end is refused before it fills memory."""
    parser = EventParser()
    for _ in range(16):
        parser.feed(b"x" * 65536)
    with pytest.raises(ApiError):
        parser.feed(b"x")
