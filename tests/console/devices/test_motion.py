"""What the desktop says of motion, told by a settings portal of GLib's on a bus of its own."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.devices.motion import SystemMotion
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.window import MainWindow
from tests.console.conftest import apart

PORTAL = Path(__file__).with_name("settings_portal.py")
APPEARANCE = ("org.freedesktop.appearance", "reduced-motion")
GNOME = ("org.gnome.desktop.interface", "enable-animations")
Serve = Callable[[tuple[str, str], str], Callable[[str], None]]


@pytest.fixture
def bus(address: str, application: QApplication) -> Iterator[QDBusConnection]:
    """A connection to it, as the console has one to the session's."""
    name = uuid.uuid4().hex
    yield QDBusConnection.connectToBus(address, name)
    QDBusConnection.disconnectFromBus(name)


@pytest.fixture
def serve(address: str) -> Iterator[Serve]:
    """Starts a portal with one setting; what is returned gives it another value."""
    with ExitStack() as stack:

        def served(setting: tuple[str, str], value: str) -> Callable[[str], None]:
            environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
            command = ["/usr/bin/python3", str(PORTAL), *setting, value]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            portal = stack.enter_context(apart(subprocess.Popen, command, env=environment, text=True, **pipes))
            assert portal.stdin is not None
            assert portal.stdout is not None
            stack.callback(portal.stdin.close)
            assert portal.stdout.readline() == "ready\n"

            def change(text: str) -> None:
                assert portal.stdin is not None
                portal.stdin.write(f"{text}\n")
                portal.stdin.flush()

            return change

        yield served


@pytest.mark.parametrize(
    ("setting", "less", "more"),
    [(APPEARANCE, "uint32 1", "uint32 0"), (GNOME, "false", "true")],
    ids=["portal", "gnome"],
)
def test_motion_follows_the_desktop(
    setting: tuple[str, str], less: str, more: str, serve: Serve, bus: QDBusConnection, qtbot: Any
) -> None:
    """What is set at the start, and each change of it."""
    change = serve(setting, less)
    motion = SystemMotion(bus=bus)
    motion.ask()
    qtbot.waitUntil(lambda: motion.reduced)
    change(more)
    qtbot.waitUntil(lambda: not motion.reduced)
    change(less)
    qtbot.waitUntil(lambda: motion.reduced)


def test_a_value_that_is_not_known_asks_for_nothing(serve: Serve, bus: QDBusConnection, qtbot: Any) -> None:
    """As the portal's documentation says: it is read as no preference."""
    change = serve(APPEARANCE, "uint32 1")
    motion = SystemMotion(bus=bus)
    motion.ask()
    qtbot.waitUntil(lambda: motion.reduced)
    change("uint32 7")
    qtbot.waitUntil(lambda: not motion.reduced)


def test_without_a_bus_nothing_is_reduced(application: QApplication) -> None:
    """A connection that failed is no reason to wait or to fall."""
    motion = SystemMotion(bus=QDBusConnection.connectToBus("unix:path=/nowhere", "nowhere"))
    motion.ask()
    assert not motion.reduced


@pytest.mark.parametrize(("preferred", "animates"), [("system", False), ("reduced", False), ("full", True)])
def test_the_person_has_the_last_word(
    preferred: str, animates: bool, serve: Serve, bus: QDBusConnection, preferences: PreferenceStore, qtbot: Any
) -> None:
    """The desktop asks for less motion; the window follows unless the person has said otherwise."""
    serve(APPEARANCE, "uint32 1")
    preferences.set(motion=preferred)
    window = MainWindow("training", preferences, PAGES)
    qtbot.addWidget(window)
    motion = SystemMotion(window, bus)
    window.follow_motion(motion)
    qtbot.waitUntil(lambda: motion.reduced)
    assert (theme.motion(100) > 0) is animates
    window.finish()
