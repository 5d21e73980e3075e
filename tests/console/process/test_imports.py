"""The imports of the start: the thread that makes them has ended before anybody lets go of what it works for."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.app import Console
from app.console.pages import PAGES
from app.console.process.imports import BackgroundImporter


@pytest.fixture
def slow_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread takes a while to end after it has said that it is done."""
    whole = BackgroundImporter._run

    def run(self: BackgroundImporter) -> None:
        whole(self)
        time.sleep(0.3)

    monkeypatch.setattr(BackgroundImporter, "_run", run)


def imports() -> list[threading.Thread]:
    """The threads that import."""
    return [one for one in threading.enumerate() if one.name == "imports"]


@pytest.mark.usefixtures("slow_thread")
def test_an_importer_is_destroyed_by_the_thread_that_made_it(application: QApplication, qtbot: Any) -> None:
    """By the other one it would take a lock of Qt with it: the console stood still at its start, very seldom."""
    where: list[threading.Thread] = []
    importer = BackgroundImporter(["json"])
    importer.destroyed.connect(lambda: where.append(threading.current_thread()))
    with qtbot.waitSignal(importer.done):
        importer.start()
    importer.join()
    del importer
    assert where == [threading.main_thread()]


@pytest.mark.usefixtures("slow_thread")
def test_no_import_goes_on_when_everything_is_there(
    application: QApplication, loop: asyncio.AbstractEventLoop, tmp_path: Path, qtbot: Any
) -> None:
    """The console waits for its thread."""
    kept = tmp_path / "preferences.json"
    console = Console(
        application,
        profile="training",
        command=None,
        connect_url="http://127.0.0.1:9",
        preferences_path=kept,
        pages=PAGES[:1],
    )
    qtbot.addWidget(console.window)
    console.start()
    console.load()
    assert imports() == []
