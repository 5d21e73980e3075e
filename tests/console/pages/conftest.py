"""A real training service for the tests of pages, and a session that is connected to it with its live stream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QDialog

from app.console.connection.client import ConsoleClient, UnitStream
from app.console.connection.unit_key import UnitKeyPair
from app.console.page import Presenter
from app.console.pages import PAGES
from app.console.part import Part
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.shell.window import MainWindow, dress
from app.console.telemetry.live import Live
from app.site.settings import RateSettings
from tests.console.conftest import until
from tests.served_site import ServedSite

UNIT_KEY = UnitKeyPair.generate()
"""Of every connection: a unit gets few new keys a minute, and a test would wait for its turn."""
PLENTY = 1_000_000
"""Calls: more than a file of tests makes."""


@dataclass(frozen=True)
class Service:
    """A training service in a child process. ``key`` is of Citadel clearance; never print it."""

    base_url: str
    key: str
    pid: int
    site: ServedSite

    def __repr__(self) -> str:
        return f"Service({self.base_url})"


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """More settings of the page's site; a page that shows frames asks for probes as often as they are."""
    return {}


@pytest.fixture(scope="module")
def training_service(tmp_path_factory: pytest.TempPathFactory, settings: dict[str, Any]) -> Iterator[Service]:
    """One for the tests of a page, which find each other's cards and people there, and may burn them; no other
    page's. Its buckets are so large that the hands of many tests, which share a key, never find one empty."""
    data_dir = tmp_path_factory.mktemp("page") / "site"
    rates = RateSettings(
        **{f"{kind}_{most}": PLENTY for kind in ("read", "write", "burn", "card") for most in ("per_minute", "burst")}
    )
    site = ServedSite.laid_out(data_dir, "--no-pcsc", "--profile", "training", rates=rates, **settings)
    with site.running():
        site.wait_for_doors()
        yield Service(site.base_url, site.client.headers["Authorization"].removeprefix("Bearer "), site.pid, site)


@pytest.fixture(autouse=True)
def no_dialog_left(qapp: QApplication) -> Iterator[None]:
    """A modal dialog of one test must not stop the next."""
    yield
    for widget in qapp.topLevelWidgets():
        if isinstance(widget, QDialog):
            widget.done(0)


async def dialog_of(page: Presenter | Part, kind: type[Any]) -> Any:
    """The dialog of that kind that opens."""

    def shown() -> list[QDialog]:
        return [one for one in page.view.window().findChildren(kind) if one.isVisible()]

    await until(shown, kind.__name__)
    return shown()[-1]


@asynccontextmanager
async def another_key(service: Service) -> AsyncIterator[ConsoleClient]:
    """A client with the Citadel key of another person, as the command line makes it."""
    key = await asyncio.to_thread(service.site.key_of_another)
    other = ConsoleClient(service.base_url, key, lambda _ms: None)
    try:
        yield other
    finally:
        await other.aclose()


def on_screen(presenter: Presenter, page: str, session: WindowSession, qtbot: Any) -> None:
    """Shows a page at the size of the design, with its actions in the table."""
    presenter.view.resize(1284, 820)
    qtbot.addWidget(presenter.view)
    session.actions.add(presenter.actions())
    session.actions.set_page(page)
    presenter.view.show()


Connect = Callable[[Presenter], AbstractAsyncContextManager[ConsoleClient]]


@pytest.fixture
def connect(session: WindowSession, training_service: Service) -> Connect:
    """Connects the session, follows the stream and brings a page to life, until the block ends."""

    @asynccontextmanager
    async def connected(presenter: Presenter) -> AsyncIterator[ConsoleClient]:
        client = ConsoleClient(training_service.base_url, training_service.key, session.calls.add)
        source = UnitStream(client, UNIT_KEY, "console-of-the-tests", "Console of the tests", time.time)
        session.attach(client, training_service.base_url, client.clearance)
        session.live.tick.connect(presenter.repaint)
        session.changed.connect(presenter.take_change)
        session.live.look(True)
        follow = asyncio.get_running_loop().create_task(session.live.follow(source))
        try:
            yield client
        finally:
            session.live.look(False)
            session.live.tick.disconnect(presenter.repaint)
            session.changed.disconnect(presenter.take_change)
            await presenter.close()
            await session.tasks.close()
            follow.cancel()
            await asyncio.gather(follow, return_exceptions=True)
            session.detach("the test ends")
            await client.aclose()

    return connected


MakeWindow = Callable[[QSize, int], MainWindow]


@pytest.fixture
def make_window(application: QApplication, preferences: PreferenceStore, loop: Any) -> Iterator[MakeWindow]:
    """The window of the product at a size and a text size (per cent), on a training site (its pages have the most
    controls), without a service: what is fixed is what is measured."""
    windows: list[MainWindow] = []

    def make(size: QSize, text: int) -> MainWindow:
        preferences.set(text_scale=text)
        dress(application, preferences.value)
        made = MainWindow("training", preferences, PAGES)
        windows.append(made)
        made.session.live = Live(made.session.clock, made)
        made.resize(size)
        made.show()
        return made

    yield make
    for made in windows:
        loop.run_until_complete(made.close_pages())
        made.finish()
        made.deleteLater()
