"""A console at a service that runs elsewhere: what the site is, the service's signature says, and nothing before it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.app import Console
from app.console.page import PageRow
from tests.console.conftest import until
from tests.served_site import ServedSite

PAGES = (PageRow("burn", "Burn", "flame", "Ctrl+2", "app.console.pages.burn"),)
LIMIT_S = 60.0


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A served site in production."""
    data_dir = tmp_path_factory.mktemp("elsewhere") / "site"
    data_dir.mkdir(mode=0o700)
    passphrase = data_dir / "passphrase"
    passphrase.touch(mode=0o600)
    passphrase.write_text("a passphrase of a test alone")
    with ServedSite(data_dir, "--no-pcsc", "--profile", "production").running() as made:
        yield made


def play(
    application: QApplication, loop: asyncio.AbstractEventLoop, tmp_path: Path, url: str, expected: str, scene: Any
) -> Console:
    """A whole console at ``url`` while ``scene`` goes on."""
    console = Console(
        application,
        profile=expected,
        command=None,
        connect_url=url,
        preferences_path=tmp_path / "preferences.json",
        pages=PAGES,
    )
    assert (console.session.profile, console.session.training) == ("", False)
    assert console.window.windowTitle() == "unknown site – ARC Console"
    assert console.window.status.band.accessibleName() == "Profile unknown"
    console.start()
    console.load()

    async def whole() -> None:
        running = asyncio.ensure_future(console.run())
        try:
            await scene(console, running)
        finally:
            console.window.closing.emit()
            await running

    loop.run_until_complete(asyncio.wait_for(whole(), LIMIT_S))
    return console


def test_a_production_service_is_shown_as_one(
    application: QApplication, loop: asyncio.AbstractEventLoop, tmp_path: Path, qtbot: Any, production: ServedSite
) -> None:
    """Title, band and words; no page was made before, so none can say that nothing real is touched."""

    async def scene(console: Console, _running: object) -> None:
        await until(lambda: console.loaded, "the pages")
        assert console.session.profile == "production"
        assert console.window.windowTitle() == "ARC Console"
        assert console.window.status.band.accessibleName() == "Profile production"

    console = play(application, loop, tmp_path, production.base_url, "", scene)
    qtbot.addWidget(console.window)
    assert console.refusal == ""


def test_an_option_that_contradicts_the_service_ends_the_console(
    application: QApplication, loop: asyncio.AbstractEventLoop, tmp_path: Path, qtbot: Any, production: ServedSite
) -> None:
    """By itself, with a sentence; no page is made."""

    async def scene(console: Console, running: asyncio.Future[None]) -> None:
        await asyncio.wait([running])
        assert not console.loaded

    console = play(application, loop, tmp_path, production.base_url, "training", scene)
    qtbot.addWidget(console.window)
    assert "is a production site; it was asked for as training" in console.refusal


def test_a_service_that_states_nothing_leaves_the_site_unknown(
    application: QApplication, loop: asyncio.AbstractEventLoop, tmp_path: Path, qtbot: Any
) -> None:
    """It answers as one of an earlier version does: the window says so, stays at UNKNOWN, and F5 asks again."""
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        body = b'{"ready":true,"checks":[],"profile":"training","site_id":"0","version":"1","statement":' + (
            b'{"payload":"e30","protected":"e30","signature":""}}'
        )
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()

    server = loop.run_until_complete(asyncio.start_server(answer, "127.0.0.1", 0))
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def scene(console: Console, _running: object) -> None:
        detail = console.window.service._detail
        await until(lambda: "cannot be believed" in detail.text(), "the sentence")
        assert (console.session.profile, console.loaded, len(asked)) == ("", False, 1)
        console.window.reconnect.emit()
        await until(lambda: len(asked) == 2, "another try")
        await until(lambda: "cannot be believed" in detail.text(), "the sentence again")
        assert (console.session.profile, console.loaded) == ("", False)

    console = play(application, loop, tmp_path, url, "", scene)
    qtbot.addWidget(console.window)
    server.close()
    assert console.window.status.band.accessibleName() == "Profile unknown"
