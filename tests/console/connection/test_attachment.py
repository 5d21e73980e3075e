"""The connection of a window that is closed while it is being made."""

from __future__ import annotations

import asyncio
from typing import Any

from app.console.app import _cancel_rest
from app.console.connection.attachment import Attachment
from app.console.connection.supervisor import Supervisor
from app.console.operators.cards import DeskCards
from app.console.operators.desk import OperatorDesk
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.window import MainWindow
from tests.console.conftest import Run

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
