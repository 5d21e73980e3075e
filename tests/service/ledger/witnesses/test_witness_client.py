"""A witness that answers wrongly on the wire: late without an end, too much, packed."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable

import httpx
import pytest

from app.ledger.witnesses import client as witness_client
from app.ledger.witnesses.client import WitnessClient, WitnessError, WitnessFault

PATIENCE_S = 30.0
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
Speak = Callable[[asyncio.StreamWriter], Awaitable[None]]


def fault_of(speak: Speak) -> WitnessFault:
    """Of one call to a witness that answers what ``speak`` writes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await speak(writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def main() -> WitnessFault:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, httpx.AsyncClient(trust_env=False) as http:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(WitnessError) as caught:
                    await WitnessClient("w", url, http).newest_checkpoint("00")
        return caught.value.fault

    return asyncio.run(main())


def test_a_dripping_answer_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time and the answer never does: the start check and the watch wait for it no longer than for
    silence."""
    monkeypatch.setattr(witness_client, "WAIT_S", 0.5)

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    assert fault_of(drip) is WitnessFault.UNREACHABLE


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of it is read than a note may have."""
    monkeypatch.setattr(witness_client, "WAIT_S", PATIENCE_S)

    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()

    assert fault_of(flood) is WitnessFault.REFUSED


def test_a_packed_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was asked for without, and could unpack to any size."""
    monkeypatch.setattr(witness_client, "WAIT_S", PATIENCE_S)

    async def packed(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"a note\n"))
        await writer.drain()

    assert fault_of(packed) is WitnessFault.REFUSED
