"""Qt's types, made by the thread of the window before another one needs them.

PySide6 makes the Python type of each class of Qt when it is named for the first time, with its enumerations, and a
module that copies all names (pyqtgraph) makes all of them. Where that was the import thread's work while the window
laid itself out, one start of some twenty died in PySide6. It is the same work here, some at each turn of the loop.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

MODULES = ("QtCore", "QtGui", "QtWidgets", "QtNetwork", "QtDBus", "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")
"""What the console, pyqtgraph and qasync import of PySide6."""
SLICE_S = 0.008
"""So long is made in one turn; the longest single piece is ``QtCore.Qt`` with its 140 enumerations."""


class QtTypes(QObject):
    """Makes the types of ``MODULES``; ``made`` comes once, when all are there."""

    made = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pieces = _pieces()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin with the next turn of the loop."""
        self._timer.start()

    def _go_on(self) -> None:
        until = time.monotonic() + SLICE_S
        for _ in self._pieces:
            if time.monotonic() >= until:
                return
        self._timer.stop()
        self.made.emit()


def _pieces() -> Iterator[None]:
    for name in MODULES:
        module = importlib.import_module(f"PySide6.{name}")
        yield
        for one in dir(module):
            getattr(module, one)
            yield
