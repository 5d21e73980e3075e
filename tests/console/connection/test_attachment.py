"""The connection of a window that is closed while it is being made."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.console.app import _cancel_rest
from app.console.connection.attachment import Attachment
from app.console.connection.supervisor import Supervisor
from app.console.operators.cards import DeskCards
from app.console.operators.desk import OperatorDesk
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from tests.console.conftest import Run, until
from tests.served_site import ServedSite

NOBODY = "http://127.0.0.1:9"


def test_nothing_is_attached_after_the_close(preferences: PreferenceStore, run: Run, qtbot: Any) -> None:
    """A child became ready in the moment before: no stream is opened that nobody ends any more."""

    async def work() -> None:
        before = asyncio.all_tasks()
        window = MainWindow("training", preferences, PAGES)
        qtbot.addWidget(window)
        supervisor = Supervisor(["true"], window)
        attachment = Attachment(window, supervisor, None)
        attachment.begin(OperatorDesk(window.session, DeskCards(["true"], window), window))
        supervisor.ready.emit(NOBODY, "arc_cit_test")
        await attachment.close()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not window.session.is_connected
        assert asyncio.all_tasks() == before

    run(work())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site. Of the module: processes begin before the thread of the window is watched."""
    made = ServedSite.laid_out(tmp_path_factory.mktemp("attachment") / "site")
    with made.running():
        yield made


def test_a_machine_whose_clock_is_wrong_gets_its_stream(
    preferences: PreferenceStore, run: Run, qtbot: Any, site: ServedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three hours ahead of the service: the proof is dated by the service's clock, which is measured before any page
    asks for what is of now."""
    true = time.time
    measured: list[bool] = []

    async def work() -> None:
        window = MainWindow("training", preferences, PAGES)
        qtbot.addWidget(window)
        session = window.session
        live = session.live = Live(session.clock, window)
        session.connected.connect(lambda: measured.append(not session.clock.doubtful))
        supervisor = Supervisor(["true"], window)
        attachment = Attachment(window, supervisor, None)
        attachment.begin(OperatorDesk(session, DeskCards(["true"], window), window))
        supervisor.ready.emit(site.base_url, site.client.headers["Authorization"].removeprefix("Bearer "))
        await until(lambda: live.state == "live", "the stream")
        assert abs(live.now() - true()) < 5.0
        await attachment.close()
        await session.tasks.close()

    monkeypatch.setattr(time, "time", lambda: true() + 10_800.0)
    run(work())
    assert measured[0]


def test_a_task_that_takes_a_cancellation_for_a_failure_is_ended(loop: asyncio.AbstractEventLoop) -> None:
    """As a library does, whose connection is cancelled in parts: the loop closes with nothing pending."""
    refused = 0

    async def stubborn() -> None:
        nonlocal refused
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                refused += 1
                if refused == 2:
                    raise

    task: asyncio.Task[Any] = loop.create_task(stubborn())
    loop.run_until_complete(asyncio.sleep(0))
    _cancel_rest(loop)
    assert (task.cancelled(), refused) == (True, 2)
