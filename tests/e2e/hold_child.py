"""A window with one hold button on a real X screen. It tells of each hold in lines of JSON."""

from __future__ import annotations

import json
import sys

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console.application import make_application
from app.console.widgets.hold import HoldButton


class Clerk(QObject):
    """Tells what the button says as it says it, and when it is ready: with the X server's times of the first press and
    the last release since it was ready before, in ms; and the server's times of all presses and releases since."""

    def __init__(self, button: HoldButton) -> None:
        super().__init__(button)
        self._button = button
        self._times: dict[str, int | None] = {"pressed": None, "released": None}
        self._keys: list[tuple[str, int]] = []
        self._waits = True
        button.installEventFilter(self)
        button.held.connect(lambda: self._say("held"))
        button.aborted.connect(lambda: self._say("aborted"))
        self._look = QTimer(self)
        self._look.setInterval(5)
        self._look.timeout.connect(self._tell)
        self._look.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self._times["pressed"] = self._times["pressed"] or event.timestamp()
            self._keys.append(("press", event.timestamp()))
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyRelease:
            self._times["released"] = event.timestamp()
            self._keys.append(("release", event.timestamp()))
        return False

    def _say(self, word: str) -> None:
        print(json.dumps({"said": word}), flush=True)
        self._waits = True

    def _tell(self) -> None:
        if self._waits and self._button.hasFocus() and self._button.is_ready:
            print(json.dumps({"said": "ready", **self._times, "keys": self._keys}), flush=True)
            self._waits = False
            self._times = {"pressed": None, "released": None}
            self._keys = []


application = make_application()
window = QWidget()
button = HoldButton("Hold to burn", hold_ms=int(sys.argv[1]))
QVBoxLayout(window).addWidget(button)
clerk = Clerk(button)
window.show()
window.activateWindow()
button.setFocus()
application.exec()
