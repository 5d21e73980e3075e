"""Garbage collection of cycles, on the GUI thread alone.

Python collects on the thread that allocates next, which may be any. A cycle that holds a widget or a timer would then
be deleted on a thread that must not touch Qt, and the process dies. So the automatic collector stays off for the life
of the console, and a timer on the GUI thread does its work.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

BEAT_MS = 500
_THRESHOLDS = (700, 10, 10)
"""Python's own: allocations for the youngest generation, collections of the one below for the others."""


class Collector(QObject):
    """Collects on the thread that made it, as often as Python itself would. ``start`` freezes the objects that exist by
    then (modules, the window): hardly one is garbage, to look for it would stop the window, and leaving them out keeps
    a full collection within a few milliseconds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self.beat)

    def start(self) -> None:
        """Begin; the automatic collector is off from here on."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def beat(self) -> None:
        """Collect the oldest generation whose time has come."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > _THRESHOLDS[generation]:
                gc.collect(generation)
                return
