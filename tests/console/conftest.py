"""Fixtures of the console's tests: a dressed application, a qasync loop a test, the guards of the GUI thread."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
import qasync
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import ownedByPython

from app.console import theme
from app.console.accessibility import install_interfaces
from app.console.actions import ActionTable
from app.console.application import make_application
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.theme.tokens import DARK
from tests.console.layout_items import stale_items

LIMIT_S, PATIENCE_S = 120.0, 60.0
"""Of a whole test and of one condition: they end what hangs; a machine that others use, too, is no failure."""
Made = TypeVar("Made")
_watching = threading.Event()
_frozen = False
_dressed = -1


class BlockedGui(AssertionError):
    """Something that can block was called on the GUI thread."""


def _refuse(event: str, arguments: tuple[Any, ...], watching: threading.Event = _watching) -> None:
    """Audit hook: it stays for the life of the process, so it looks only while a console test runs. ``watching`` is its
    own: at the process's end this module's names are gone before the hook."""
    if not watching.is_set() or threading.current_thread() is not threading.main_thread():
        return
    if event in ("subprocess.Popen", "sqlite3.connect"):
        raise BlockedGui(f"{event} on the GUI thread")
    if event == "socket.connect":
        peer = arguments[0]
        if isinstance(peer, socket.socket) and peer.gettimeout() != 0:
            raise BlockedGui("a blocking connect on the GUI thread")


sys.addaudithook(_refuse)


def pytest_configure(config: pytest.Config) -> None:
    """A screen for each worker on a real window system: on one screen windows would share the focus."""
    if os.environ.get("QT_QPA_PLATFORM") != "xcb" or not hasattr(config, "workerinput"):
        return
    told, tell = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(tell), "-screen", "0", "1480x900x24", "-nolisten", "tcp"],
        pass_fds=(tell,),
        stderr=subprocess.DEVNULL,
    )
    os.close(tell)
    with open(told) as number:
        os.environ["DISPLAY"] = f":{number.readline().strip()}"

    def end() -> None:
        screen.kill()
        screen.wait()

    config.add_cleanup(end)


@pytest.fixture(autouse=True)
def gui_guard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No blocking call on the GUI thread. ``time.sleep`` raises no audit event on 3.11, so it is replaced."""
    sleep = time.sleep

    def guarded(seconds: float) -> None:
        if threading.current_thread() is threading.main_thread() and _watching.is_set():
            raise BlockedGui("time.sleep on the GUI thread")
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", guarded)
    _watching.set()
    yield
    _watching.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Cycles of Qt objects end on the GUI thread, as in the product (``app.console.process.collector``).

    Python's own collector is off while a test runs, or a worker thread that allocates might delete a timer and take Qt
    with it. What a test leaves in cycles ends here, when its fixtures are gone. What outlives a file's tests, modules
    above all, is frozen: looking through it after each test would cost a tenth of a second.
    """
    global _frozen
    gc.disable()
    if not _frozen:
        gc.collect()
        gc.freeze()
        _frozen = True
    try:
        result = yield
        if nextitem is None or nextitem.path != item.path:
            _delete_widgets()
        # Qt deletes in an event loop alone what is to be deleted later.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()
        if nextitem is not None and nextitem.path != item.path:
            gc.freeze()
    finally:
        gc.enable()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """While its windows are there, a test must have left no wrapper of a layout item that is gone."""
    del item
    result = yield
    left = stale_items()
    assert not left, f"items of layouts that are gone, and that PySide still knows by their addresses: {left}"
    return result


def _delete_widgets(keep: Sequence[QWidget] = ()) -> None:
    """Delete every window that is left, shown or not, but those to ``keep``. Qt styles all that there are when the
    application is dressed: with the 1200 widgets of some forgotten pages each later test of the process takes half a
    second longer. What Qt made itself, such as the list of a field, ends with its owner."""
    if not isinstance(QApplication.instance(), QApplication):
        return
    kept = set(map(id, keep))
    for one in QApplication.topLevelWidgets():
        if one.parent() is None and ownedByPython(one) and id(one) not in kept:
            one.deleteLater()


@pytest.fixture(autouse=True)
def no_widget_left() -> Iterator[None]:
    """A test's windows end with it; those of its module's fixtures, which are made before, with the module."""
    keep = QApplication.topLevelWidgets() if isinstance(QApplication.instance(), QApplication) else []
    yield
    _delete_widgets(keep)


@pytest.fixture
def application(qapp: QApplication) -> QApplication:
    """The application with the console's fonts and the dark theme; dressed anew where a test has changed its look."""
    global _dressed
    if theme.edition() != _dressed:
        theme.apply(make_application(), DARK)
        install_interfaces()
        _dressed = theme.edition()
    return qapp


@pytest.fixture
def loop(application: QApplication) -> Iterator[asyncio.AbstractEventLoop]:
    """A qasync loop, closed with nothing pending."""
    made = qasync.QEventLoop(application)
    asyncio.set_event_loop(made)
    yield made
    rest = asyncio.all_tasks(made)
    for task in rest:
        task.cancel()
    if rest:
        made.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
    made.run_until_complete(made.shutdown_default_executor())
    asyncio.set_event_loop(None)
    made.close()


class PatientBot(QtBot):
    """Waits as long as ``until`` does: a machine that others use, too, is no failure. A widget that a test gives it
    stands alone, and so wears the look by itself, as the window lets its parts and its pages do."""

    def addWidget(self, widget: QWidget, **more: Any) -> None:
        super().addWidget(widget, **more)
        if not isinstance(widget, MainWindow):
            theme.wear(widget)

    def waitUntil(self, callback: Callable[[], object], *, timeout: float = PATIENCE_S * 1000) -> None:
        super().waitUntil(callback, timeout=int(timeout))

    def waitSignal(self, signal: Any, *, timeout: float = PATIENCE_S * 1000, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=int(timeout), **more)


@pytest.fixture
def qtbot(application: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """The library's, with more patience."""
    del application
    return PatientBot(request)


Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def run(loop: asyncio.AbstractEventLoop) -> Run:
    """Run a coroutine to its end on that loop, at most ``LIMIT_S``."""
    return lambda work: loop.run_until_complete(asyncio.wait_for(work, LIMIT_S))


async def until(condition: Callable[[], object], what: str = "the condition") -> None:
    """Let the loop run until ``condition`` holds; fails after ``PATIENCE_S``."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"{what} did not come true within {PATIENCE_S:.0f} s")
        await asyncio.sleep(0.01)


@pytest.fixture
def set_zone() -> Iterator[Callable[[str], None]]:
    """Sets the zone of the machine's clock, until the test ends."""
    with pytest.MonkeyPatch.context() as patch:

        def chosen(name: str) -> None:
            patch.setenv("TZ", name)
            time.tzset()

        yield chosen
    time.tzset()


@pytest.fixture
def preferences(tmp_path: Path, application: QApplication) -> PreferenceStore:
    """Preferences in a directory of the test, of somebody who has seen the first steps."""
    made = PreferenceStore(tmp_path / "config" / "preferences.json")
    made.set(first_steps="skipped")
    return made


@pytest.fixture
def session(application: QApplication, preferences: PreferenceStore, qtbot: Any) -> WindowSession:
    """A session without a window."""
    owner = QWidget()
    qtbot.addWidget(owner)
    made = WindowSession(profile="training", preferences=preferences, actions=ActionTable(owner), parent=owner)
    made.live = Live(made.clock, owner)
    return made


def apart(make: Callable[..., Made], *args: object, **kwargs: object) -> Made:
    """On a thread of its own: what is made opens files, which the window's thread never does."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(make, *args, **kwargs).result()
