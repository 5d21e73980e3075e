"""Whether this machine asks for less motion: what its desktop says by ``org.freedesktop.portal.Settings`` on the
session bus (XDG Desktop Portal). Without a bus or a portal nothing was said, and nothing is reduced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher, QDBusVariant

SERVICE: Final = "org.freedesktop.portal.Desktop"
PATH: Final = "/org/freedesktop/portal/desktop"
INTERFACE: Final = "org.freedesktop.portal.Settings"
PATIENCE_MS: Final = 5000
"""A portal that is only being started answers within it."""
SETTINGS: Final[Mapping[tuple[str, str], Callable[[object], bool]]] = MappingProxyType(
    {
        ("org.freedesktop.appearance", "reduced-motion"): lambda value: value == 1,
        # Desktops before that key, Debian 12's among them, have GNOME's switch of animations.
        ("org.gnome.desktop.interface", "enable-animations"): lambda value: value is False,
    }
)
"""Settings by namespace and key, and whether a value of theirs asks for less motion."""


class SystemMotion(QObject):
    """``reduced`` follows the desktop; ``changed`` comes when it is another. Nothing here waits. ``bus``: that of the
    session where it is not given."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None, bus: QDBusConnection | None = None) -> None:
        super().__init__(parent)
        self._bus = bus
        self._said: dict[tuple[str, str], bool] = {}

    @property
    def reduced(self) -> bool:
        """Whether one of the settings asks for less motion."""
        return any(self._said.values())

    def ask(self) -> None:
        """Listen for changes and read what is set now. Does nothing without a bus."""
        bus = self._bus or QDBusConnection.sessionBus()
        if not bus.isConnected():
            return
        # PySide's stub names bytes; the module takes SLOT's text alone.
        hear = cast("bytes", SLOT("_hear(QDBusMessage)"))
        bus.connect(SERVICE, PATH, INTERFACE, "SettingChanged", self, hear)
        for setting in SETTINGS:
            # ReadOne is younger than some portals; Read is answered by all, in one wrapping more.
            message = QDBusMessage.createMethodCall(SERVICE, PATH, INTERFACE, "Read")
            message.setArguments(list(setting))
            watcher = QDBusPendingCallWatcher(bus.asyncCall(message, PATIENCE_MS), self)
            watcher.finished.connect(lambda done, setting=setting: self._take_answer(setting, done.reply()))

    def _take_answer(self, setting: tuple[str, str], reply: QDBusMessage) -> None:
        """An error says that the desktop does not know the setting."""
        if reply.type() == QDBusMessage.MessageType.ReplyMessage and reply.arguments():
            self._take(setting, reply.arguments()[0])

    @Slot(QDBusMessage)
    def _hear(self, message: QDBusMessage) -> None:
        arguments = message.arguments()
        if len(arguments) == 3:
            self._take((str(arguments[0]), str(arguments[1])), arguments[2])

    def _take(self, setting: tuple[str, str], value: object) -> None:
        if setting not in SETTINGS:
            return
        while isinstance(value, QDBusVariant):
            value = value.variant()
        before = self.reduced
        self._said[setting] = SETTINGS[setting](value)
        if self.reduced != before:
            self.changed.emit()
