"""Modules that are heavy to import, imported on a worker thread while the window already answers."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from types import ModuleType

from PySide6.QtCore import QObject, Signal

HEAVY = (
    "numpy",
    "httpx",
    "qasync",
    "pyqtgraph",
    "keyring",
    "app.client",
    "app.console.telemetry.live",
    "app.console.connection.client",
    "app.console.devices.motion",
    "app.console.devices.screen_saver",
    "app.console.operators.desk",
    "app.console.shell.search",
    "httpcore",
    "numpy.ma",
    "app.console.report.dialog",
    "app.console.shell.lock_view",
    "app.console.shell.palette",
)
"""What the console itself needs after the first paint; the pages come after these. The last five would be imported by
the window's thread at the first call, the first chart, and the first use of what they name: up to 14 ms each."""


class BackgroundImporter(QObject):
    """Imports modules on one worker thread; ``done`` reaches the GUI thread."""

    done = Signal()

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self.modules: dict[str, ModuleType] = {}
        self.error: BaseException | None = None
        """What an import raised; the modules after it are missing then."""
        self._thread = threading.Thread(target=self._run, name="imports", daemon=True)

    def start(self) -> None:
        """Begin; ``done`` comes once, also after an error."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end of the thread, which is near once ``done`` has come. Who lets go of this object before that
        leaves the last hold on it to the thread: it would be destroyed there, with a lock of Qt in hand and waiting for
        the interpreter, for whose lock the window's thread may wait at the same time, for ever."""
        self._thread.join()

    def _run(self) -> None:
        try:
            for name in self._names:
                self.modules[name] = importlib.import_module(name)
        except BaseException as error:  # raised again on the GUI thread: a thread's own end would be silent
            self.error = error
        self.done.emit()
