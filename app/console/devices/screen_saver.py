"""Keeps this machine's screen awake, by ``org.freedesktop.ScreenSaver`` on the session bus.

The service ends an inhibition when its caller leaves the bus: so each has a connection of its own, and a console that
is killed leaves none behind. Without a bus or a screen saver nothing happens, and nothing waits.
"""

from __future__ import annotations

import uuid
from typing import Final

from PySide6.QtDBus import QDBusConnection, QDBusMessage

SERVICE: Final = "org.freedesktop.ScreenSaver"
PATH: Final = "/org/freedesktop/ScreenSaver"
APPLICATION: Final = "ARC Console"


class ScreenSaver:
    """The screen of one session. ``address``: of another bus than the session's, for tests."""

    def __init__(self, address: str = "") -> None:
        self._address = address
        self._connection = ""
        """Name of the connection that holds the screen awake; empty: none does."""

    def hold(self, reason: str) -> None:
        """Ask that the screen stays on, for this reason, until ``release``. Once is enough."""
        if self._connection:
            return
        name = f"screen-{uuid.uuid4().hex}"
        if self._address:
            bus = QDBusConnection.connectToBus(self._address, name)
        else:
            bus = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, name)
        if not bus.isConnected():
            QDBusConnection.disconnectFromBus(name)
            return
        self._connection = name
        message = QDBusMessage.createMethodCall(SERVICE, PATH, SERVICE, "Inhibit")
        message.setArguments([APPLICATION, reason])
        # Nobody reads the answer: its cookie would take the inhibition back, and so does the connection's end.
        bus.asyncCall(message)

    def release(self) -> None:
        """Let the screen go to sleep again."""
        if self._connection:
            QDBusConnection.disconnectFromBus(self._connection)
            self._connection = ""
