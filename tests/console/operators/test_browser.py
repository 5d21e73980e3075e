"""The redirect on loopback: one answer with the right state ends the wait, everything else is answered and ignored."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.console.operators.browser import BrowserRefusal, ComeBack, LoopbackRedirect


async def ask(redirect: LoopbackRedirect, query: str) -> int:
    """What the browser gets."""
    async with httpx.AsyncClient(trust_env=False) as browser:
        return (await browser.get(f"{redirect.uri}{query}")).status_code


def test_what_comes_with_the_state_is_taken_once() -> None:
    async def work() -> tuple[ComeBack, list[int]]:
        async with LoopbackRedirect() as redirect:
            waits = asyncio.ensure_future(redirect.wait("s1", 20))
            await asyncio.sleep(0)
            codes = [await ask(redirect, "?state=other&code=evil"), await ask(redirect, "?code=evil")]
            codes.append(await ask(redirect, "?state=s1&state=s1&code=evil"))
            codes.append(await ask(redirect, "?state=s1&code=c1&iss=http%3A%2F%2Fp"))
            codes.append(await ask(redirect, "?state=s1&code=c2"))
            return await waits, codes

    assert asyncio.run(work()) == (ComeBack("c1", "http://p"), [400, 400, 400, 200, 200])


def test_nothing_is_taken_before_a_sign_in_began() -> None:
    async def work() -> int:
        async with LoopbackRedirect() as redirect:
            return await ask(redirect, "?state=&code=evil")

    assert asyncio.run(work()) == 400


def test_a_provider_that_refuses_ends_the_wait() -> None:
    async def work() -> None:
        async with LoopbackRedirect() as redirect:
            waits = asyncio.ensure_future(redirect.wait("s1", 20))
            await asyncio.sleep(0)
            await ask(redirect, "?state=s1&error=access_denied")
            await waits

    with pytest.raises(BrowserRefusal):
        asyncio.run(work())


def test_a_browser_that_never_comes_is_waited_for_as_long_as_the_service_says() -> None:
    async def work() -> None:
        async with LoopbackRedirect() as redirect:
            await redirect.wait("s1", 0.05)

    with pytest.raises(BrowserRefusal):
        asyncio.run(work())


def test_only_loopback_can_reach_it() -> None:
    async def work() -> str:
        async with LoopbackRedirect() as redirect:
            assert redirect._server is not None
            return str(redirect._server.sockets[0].getsockname()[0])

    assert asyncio.run(work()) == "127.0.0.1"


@given(st.binary(max_size=300))
@settings(max_examples=60)
def test_no_request_breaks_it(data: bytes) -> None:
    async def work() -> ComeBack:
        async with LoopbackRedirect() as redirect:
            waits = asyncio.ensure_future(redirect.wait("s1", 20))
            await asyncio.sleep(0)
            reader, writer = await asyncio.open_connection("127.0.0.1", int(redirect.uri.split(":")[2].split("/")[0]))
            writer.write(data + b"\r\n")
            writer.write_eof()
            await reader.read()
            writer.close()
            await ask(redirect, "?state=s1&code=c1")
            return await waits

    assert asyncio.run(work()).code == "c1"
