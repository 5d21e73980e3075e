"""The client of a console at a service that says: not so fast."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import pytest

from app.api.wire import ProblemBody
from app.client import ApiError
from app.console.connection.client import PATIENCE_S, ConsoleClient
from app.registry.messages.shared import Deleted
from tests.console.conftest import Run


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[tuple[str, Sequence[bytes]]]:
    """A listener that gives these answers in turn, one a connection; its address and the heads that it got."""
    heads: list[bytes] = []
    left = iter(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(next(left))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads
    finally:
        server.close()
        await server.wait_closed()


def whole(status: str, body: msgspec.Struct, *headers: str) -> bytes:
    """An answer that ends its connection."""
    content = msgspec.json.encode(body)
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + content


def too_many(seconds: float) -> bytes:
    """The refusal of an empty bucket."""
    problem = ProblemBody(
        type="about:blank",
        title="Rate limited",
        status=429,
        detail="Wait.",
        instance="/",
        code="rate_limited",
        request_id="req_1",
    )
    return whole("429 Too Many Requests", problem, f"Retry-After: {seconds}")


def test_an_empty_bucket_is_waited_for(run: Run) -> None:
    """The same request is sent again when the service says so; only the answer counts as a call."""

    async def work() -> None:
        timed: list[float] = []
        gone = Deleted(id="ARC-T0001", deleted_at="2026-01-01T00:00:00Z")
        answers = (too_many(0), too_many(0), whole("200 OK", gone))
        async with answering(*answers) as (url, heads), ConsoleClient(url, "arc_cit_test", timed.append) as client:
            assert await client.registry_delete_node("ARC-T0001") == gone
            assert (len(heads), len(set(heads)), len(timed)) == (3, 1, 1)

    run(work())


def test_a_wait_that_is_too_long_is_told(run: Run) -> None:
    """Nobody sits before a console that says nothing for minutes."""

    async def work() -> None:
        answers = (too_many(0), too_many(PATIENCE_S + 1))
        async with answering(*answers) as (url, heads), ConsoleClient(url, "arc_cit_test", [].append) as client:
            with pytest.raises(ApiError) as refused:
                await client.registry_get_node("ARC-T0001")
            assert (refused.value.code, refused.value.retry_after) == ("rate_limited", PATIENCE_S + 1)
            assert len(heads) == 2

    run(work())
