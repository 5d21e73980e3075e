"""Thirty sick systems cost the healthy ones nothing: they hold no thread, no connection and no turn of theirs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.capabilities.burn.targets.connectors import CONNECTORS
from app.delivery.names import HostNames, look_up_apart
from app.delivery.outbound import CONNECTIONS, Outbound
from tests.door_site import DoorSite, door_site, until
from tests.receiver import Received, Receiver, Reply

SICK = 30


def directory_of(number: str) -> Reply:
    """A SCIM server with one account, which is locked from the first change on."""
    user = {"id": "1", "externalId": number, "userName": number, "active": False}
    return 200, {}, json.dumps({"totalResults": 1, "Resources": [user], **user}).encode()


@pytest.fixture
def healthy() -> Iterator[Receiver]:
    """Answers at once."""

    def answer(call: Received) -> Reply:
        return (200, {}, b'{"totalResults": 0}') if "Groups" in call.path else directory_of("E-1")

    made = Receiver(answer)
    with made.listening():
        yield made


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names below ``sick.invalid`` are looked up until the end of the test; those that were asked for."""
    asked: list[str] = []
    over = threading.Event()
    real = socket.getaddrinfo

    def looked_up(host: Any, *arguments: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and name.endswith("sick.invalid"):
            asked.append(name)
            over.wait(120)
            raise socket.gaierror(socket.EAI_AGAIN, "no server answers")
        return real(host, *arguments, **named)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    yield asked
    over.set()


def burning(site: DoorSite, healthy: Receiver, kind: str) -> None:
    """A burn that reaches all sick systems first, and then the healthy one while all of them hang."""
    for number in range(SICK):
        url = f"{'ldaps' if kind == 'ldap' else 'https'}://n{number}.sick.invalid"
        site.directory(f"a-sick-{number:02}", kind, url, secret="a-long-token", bind_dn="cn=a", base_dn="dc=a")
    site.directory("z-healthy", "scim", healthy.url.replace("127.0.0.1", "localhost"), secret="t", timeout_ms=30_000)
    site.account("ARC-1", employee_id="E-1")


@pytest.mark.parametrize("kind", ["scim", "ldap"])
def test_names_that_nobody_knows_hold_no_thread_of_others(
    tmp_path: Path, healthy: Receiver, names: list[str], kind: str
) -> None:
    """The healthy one is proven while each sick name is still being looked up, once; and what works on the loop's own
    threads goes on."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as site:
        burning(site, healthy, kind)

        async def run() -> None:
            async with site.running():
                burn_id = (await site.burn("ARC-1", 0.0)).burn_id

                def state() -> str:
                    found = site.burns.get(burn_id).targets
                    return next(one.state for one in found if one.id.startswith("scim:z-healthy"))

                await until(lambda: len(names) >= SICK and state() == "already", 60)
                assert await asyncio.wait_for(asyncio.to_thread(lambda: "a thread"), 60) == "a thread"
                # Attempts that gave up and came again wait for the look-up that is under way.
                for one in site.burns.get(burn_id).targets:
                    if one.state == "pending_offline":
                        site.burns._hasten(burn_id, one.id)
                await until(
                    lambda: all(
                        one.attempts > 1 for one in site.burns.get(burn_id).targets if one.state == "pending_offline"
                    ),
                    60,
                )

        asyncio.run(run())
    assert sorted(names) == sorted(f"n{number}.sick.invalid" for number in range(SICK))


def test_other_systems_take_no_connection(healthy: Receiver) -> None:
    """A warm connection stays warm, however many others were called since."""

    async def run() -> None:
        outbound = Outbound()
        try:
            await outbound.call("GET", healthy.url, timeout_s=30.0)
            with contextlib.ExitStack() as others:
                for _ in range(4 * CONNECTIONS + 1):
                    other = Receiver(healthy.answer)
                    others.enter_context(other.listening())
                    await outbound.call("GET", other.url, timeout_s=30.0)
                await outbound.call("GET", healthy.url, timeout_s=30.0)
        finally:
            await outbound.close()

    asyncio.run(run())
    first, last = healthy.calls
    assert first.port == last.port


def test_a_name_that_is_not_there_is_told_to_all_who_wait() -> None:
    """By its own error, to each; and the next one who asks is looked up anew."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        look_up_apart(loop)
        look_up_apart(loop)
        assert isinstance(loop.getaddrinfo.__self__, HostNames)  # type: ignore[attr-defined]
        for _ in range(2):
            asked = [loop.getaddrinfo("127.0.0.1", "no such service") for _ in range(3)]
            found = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(one) for one in found] == [socket.gaierror] * 3
        (address, *_) = await loop.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
        assert address[4][1] == 80

    asyncio.run(run())
