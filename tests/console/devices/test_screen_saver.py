"""The screen stays on while a wall is shown, told by a screen saver of GLib's on a bus of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.console.devices.screen_saver import ScreenSaver
from tests.console.conftest import apart

SERVICE = Path(__file__).with_name("screen_saver_service.py")
Heard = Callable[[], str]


@pytest.fixture
def heard(address: str, application: QApplication) -> Iterator[Heard]:
    """What the screen saver says next."""
    with ExitStack() as stack:
        environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
        command = ["/usr/bin/python3", str(SERVICE)]
        saver = stack.enter_context(
            apart(subprocess.Popen, command, env=environment, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(saver.terminate)
        said = saver.stdout
        assert said is not None
        assert said.readline() == "ready\n"
        yield lambda: str(said.readline().strip())


def test_the_screen_is_held_until_it_is_released(heard: Heard, address: str) -> None:
    """With the program's name and the reason, which a desktop shows to people; a second time, too."""
    screen = ScreenSaver(address)
    for _ in range(2):
        screen.hold("Wall display")
        assert heard() == "held ARC Console Wall display"
        screen.release()
        assert heard() == "free"


def test_it_is_held_once(heard: Heard, address: str) -> None:
    """What holds already is not asked for again: one release is enough."""
    screen = ScreenSaver(address)
    screen.hold("Wall display")
    screen.hold("Wall display")
    assert heard() == "held ARC Console Wall display"
    screen.release()
    assert heard() == "free"


def test_without_a_bus_nothing_happens(application: QApplication) -> None:
    """Neither is waited nor is anything raised."""
    screen = ScreenSaver("unix:path=/nowhere")
    screen.hold("Wall display")
    screen.release()
