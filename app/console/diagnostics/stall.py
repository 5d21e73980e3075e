"""Gaps of the GUI thread, and whose fault they are.

A timer of 10 ms stamps wall time and the GUI thread's CPU time. A gap above 50 ms is ours when the thread burned at
least 25 ms of CPU in it; otherwise the machine did not let us run.
"""

from __future__ import annotations

import faulthandler
import time
from collections import deque
from typing import IO, NamedTuple

from PySide6 import QtCore
from PySide6.QtCore import QObject, QTimer

BEAT_MS = 10
STALL_S = 0.050
OURS_CPU_S = 0.025
MEMORY_S = 60.0
BUSY_S = 0.016
"""What can wait gives way to keys, timers and answers where they have waited for so long: it would become one gap with
what was done before it."""


class Gap(NamedTuple):
    """One gap: Unix time of its end, length and the GUI thread's CPU in it, seconds."""

    unix: float
    length_s: float
    cpu_s: float

    @property
    def ours(self) -> bool:
        """True when this program kept the GUI from answering."""
        return self.cpu_s >= OURS_CPU_S


class StallWatch(QObject):
    """``trace`` is a file for the stack of a GUI thread that is held for more than 50 ms: a C thread writes it, so it
    works while the GIL is held. It costs 111 us a beat and is meant for tests and for a running diagnosis."""

    def __init__(self, trace: IO[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._trace = trace
        self._gaps: deque[Gap] = deque(maxlen=1000)
        self._recent: deque[tuple[float, float]] = deque()
        self._wall = self._cpu = 0.0
        self.ours = 0
        self.machines = 0
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to watch. Call it on the GUI thread, after the first paint."""
        self._timer.setTimerType(QtCore.Qt.TimerType.PreciseTimer)
        self._wall, self._cpu = time.monotonic(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        """Stop watching."""
        self._timer.stop()
        if self._trace is not None:
            faulthandler.cancel_dump_traceback_later()

    def _beat(self) -> None:
        """Measure the gap since the last beat, and keep it if it is a stall."""
        wall, cpu = time.monotonic(), time.thread_time()
        length, used = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu
        if length > STALL_S:
            gap = Gap(time.time(), length, used)
            self._gaps.append(gap)
            if gap.ours:
                self.ours += 1
            else:
                self.machines += 1
        # The worst of a minute without keeping 6000 beats: only ever shorter gaps may follow a longer one.
        while self._recent and self._recent[-1][1] <= length:
            self._recent.pop()
        self._recent.append((wall, length))
        while wall - self._recent[0][0] > MEMORY_S:
            self._recent.popleft()
        if self._trace is not None:
            faulthandler.dump_traceback_later(STALL_S, file=self._trace)

    @property
    def busy_s(self) -> float:
        """For so long the loop has not come to its timers, seconds, up to one beat more; 0 while nothing is watched."""
        return time.monotonic() - self._wall if self._timer.isActive() else 0.0

    @property
    def is_busy(self) -> bool:
        """Whether the turn is long already."""
        return self.busy_s > BUSY_S

    @property
    def worst_ms(self) -> float:
        """Longest gap of the last minute, ms."""
        return self._recent[0][1] * 1000 if self._recent else 0.0

    @property
    def gaps(self) -> list[Gap]:
        """Gaps above 50 ms, oldest first, at most 1000."""
        return list(self._gaps)


class FrameTimes:
    """Cost of repaints of the window, ms, over the last 100."""

    def __init__(self) -> None:
        self._ms: deque[float] = deque(maxlen=100)

    def add(self, milliseconds: float) -> None:
        """Note the cost of one repaint, ms."""
        self._ms.append(milliseconds)

    @property
    def p95(self) -> float | None:
        """95th percentile, ms; None before the first."""
        if not self._ms:
            return None
        return sorted(self._ms)[int(0.95 * (len(self._ms) - 1))]
