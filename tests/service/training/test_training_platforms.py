"""The training site's platforms A to E: mail that is taken, greylisted and bounced, a platform that decides, a form."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest

from app.delivery.site_mail import SiteMail
from app.registry.messages.platforms import PlatformBody
from app.training.platforms import CALLED, FORMED, TrainingPlatforms
from tests.service.delivery.notice_site import AT_ONCE, NEVER, PARCEL, NoticeSite
from tests.service.delivery.outbox_site import run


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NoticeSite]:
    """One for each test, with an outbox and without platforms."""
    made = NoticeSite(tmp_path_factory.mktemp("platforms") / "site")
    made.access = made.parts.registry.platforms.access
    yield made
    made.close()


@asynccontextmanager
async def running(site: NoticeSite, *, retries_s: tuple[float, ...] = AT_ONCE) -> AsyncIterator[None]:
    """As the service starts it: the outbox first, then the platforms."""
    site.mail = SiteMail(None, site.parts.keys, training=True)
    site.wire(retries_s=retries_s)
    platforms = TrainingPlatforms(site.parts.registry.platforms, site.mail, site.outbox, training=True)
    await site.outbox.start()
    await platforms.start()
    try:
        yield
    finally:
        await site.outbox.stop()
        await site.carrier.close()
        await platforms.stop()


def address(site: NoticeSite, letter: str) -> str:
    """The registered address of a platform."""
    with site.parts.store.read() as connection:
        found = site.parts.registry.platforms.look_up(connection, f"training-platform-{letter}")
    assert found is not None
    return found.address


def registered(site: NoticeSite) -> dict[str, str]:
    """Names of the registered platforms, by id."""
    return {one.platform_id: one.display_name for one in site.parts.registry.platforms.page(None, 9, None, 0)[0]}


def put(site: NoticeSite, letter: str, **more: object) -> str:
    """A notice to a platform, by its registered address."""
    return site.put(address(site, letter), platform_id=f"training-platform-{letter}", **more)


def test_each_platform_does_what_it_is_for(site: NoticeSite) -> None:
    """A takes, B greylists the first attempt, C bounces, D decides by itself; all of them say TRAINING."""

    async def work() -> None:
        async with running(site):
            taken, greylisted, bounced, called = (put(site, letter) for letter in "abcd")
            assert (await site.state(taken, "sent")).attempts == 1
            assert (await site.state(greylisted, "sent")).attempts == 2
            refused = await site.state(bounced, "bounced")
            assert (refused.status, refused.attempts) == (550, 1)
            assert "TRAINING" in (refused.answer or "")
            await site.state(called, "acknowledged")
            assert (site.row(called).reference or "").startswith("TRAINING-")
            assert all("Training" in name for name in registered(site).values())

    run(work())


def test_a_greylisted_notice_shows_why_it_waits(site: NoticeSite) -> None:
    """After the first attempt: queued, with the server's 451."""

    async def work() -> None:
        async with running(site, retries_s=NEVER):
            waiting = await site.tried(put(site, "b"))
            assert (waiting.state, waiting.status, waiting.fault) == ("queued", 451, "refused")

    run(work())


def test_a_takedown_is_actioned(site: NoticeSite) -> None:
    """The platform reads what kind of notice it is; a repeat gets its first answer."""
    takedown = dataclasses.replace(PARCEL, notice_json=b'{"kind": "takedown"}')

    async def work() -> None:
        async with running(site):
            notice_id = put(site, "d", parcel=takedown)
            await site.state(notice_id, "actioned")
            assert site.row(notice_id).decision == "DECISION_VISIBILITY_CONTENT_REMOVED"
            async with httpx.AsyncClient() as client:
                headers = {"Idempotency-Key": notice_id}
                again = await client.post(address(site, "d"), json={"notice": {"kind": "declaration"}}, headers=headers)
            assert again.json()["reference"] == site.row(notice_id).reference
            assert again.json()["state"] == "actioned"

    run(work())


async def answer_to(url: str, head: bytes) -> bytes:
    """The first line that a head without its body gets."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /notices HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\n" + head + b"\r\n\r\n")
    found = await reader.readline()
    await reader.read()
    writer.close()
    await writer.wait_closed()
    return found


def test_calls_that_are_no_notices_are_refused(site: NoticeSite) -> None:
    """Without a key, without JSON, at another path or without an end."""

    async def work() -> None:
        async with running(site):
            url = address(site, "d")
            async with httpx.AsyncClient() as client:
                key = {"Idempotency-Key": "k"}
                for path, content, headers, status in (
                    (url, b'{"notice": {}}', {}, 400),
                    (url, b"[]", key, 400),
                    (url, b"\xff", key, 400),
                    (f"{url}/more", b'{"notice": {}}', key, 400),
                ):
                    assert (await client.post(path, content=content, headers=headers)).status_code == status
                assert (await client.get(url)).status_code == 404
            for head in (b"Content-Length: 16777217", b"Content-Length: -1", b"Transfer-Encoding: chunked"):
                assert b" 413 " in await answer_to(url, head)

    run(work())


def test_the_form_says_that_it_is_none(site: NoticeSite) -> None:
    """A page for the operator's browser, marked TRAINING."""

    async def work() -> None:
        async with running(site):
            async with httpx.AsyncClient() as client:
                page = await client.get(address(site, "e"))
            assert page.status_code == 200
            assert "TRAINING" in page.text

    run(work())


def test_platforms_are_registered_once(site: NoticeSite) -> None:
    """At the next start what an operator changed or has stays; the called platform keeps its port where it is free."""

    async def first() -> str:
        async with running(site):
            body = PlatformBody(display_name="Renamed", channel="mail", address="accept@elsewhere.training.invalid")
            await site.parts.registry.platforms.put("training-platform-a", body, actor="tester")
            return address(site, "d")

    async def second() -> str:
        async with running(site):
            assert address(site, "a") == "accept@elsewhere.training.invalid"
            return address(site, "d")

    assert asyncio.run(first()) == asyncio.run(second())


def test_another_port_is_registered_anew(site: NoticeSite) -> None:
    """Where the port of the last run is taken, D and E move."""

    async def first() -> str:
        async with running(site):
            return address(site, "d")

    async def second() -> None:
        async with running(site):
            assert address(site, "d") != before
            async with httpx.AsyncClient() as client:
                assert (await client.get(address(site, "e"))).status_code == 200

    before = asyncio.run(first())
    with socket.create_server(("127.0.0.1", int(before.split(":")[2].partition("/")[0]))):
        asyncio.run(second())


def test_a_production_site_has_none(site: NoticeSite) -> None:
    """What only pretends is refused there."""
    with pytest.raises(ValueError, match="training sites only"):
        TrainingPlatforms(site.parts.registry.platforms, site.mail, site.outbox, training=False)
    assert {CALLED, FORMED}.isdisjoint(registered(site))


def test_a_relay_of_the_settings_stays(site: NoticeSite) -> None:
    """A training site that names a relay on loopback keeps it."""
    relay = site.relay(2525)
    mail = SiteMail(relay, site.parts.keys, training=True)
    mail.use(site.relay(2626))
    assert mail.relay == relay


def test_what_the_last_run_left_is_sent_at_once(site: NoticeSite) -> None:
    """The outbox starts before the relay is there: mail that waits goes as soon as it is, not after its first wait."""

    async def queue() -> str:
        async with running(site):
            await site.outbox.stop()
            return put(site, "a")

    async def go_on() -> None:
        async with running(site, retries_s=NEVER):
            await site.state(left, "sent")

    left = asyncio.run(queue())
    asyncio.run(go_on())
