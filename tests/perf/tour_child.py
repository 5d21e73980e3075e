"""The tour in a process of its own, with a beat every 10 ms: prints the gaps of its window as JSON.

What the tour does on the same thread to see (read widgets, take and judge pictures) is not the console's: its processor
time is taken off. A change of the look, which dresses every widget of the window anew, is told apart.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.commands.console import run_tour
from app.console import theme
from app.console.diagnostics.stall import BEAT_MS, OURS_CPU_S, STALL_S
from app.console.shell.window import MainWindow
from app.console.theme.grounds import Grounds
from app.console.tour import walk
from app.console.tour.eyes import Eyes
from app.console.tour.report import Report


class Watch:
    """Counts gaps of more than 50 ms in which the console used at least 25 ms of the processor."""

    def __init__(self) -> None:
        self.gaps: list[dict[str, object]] = []
        self.walks: list[walk.Walk] = []
        self._apart = {"tour": 0.0, "look": 0.0}
        self._inside = False
        self._wall, self._cpu, self._before = 0.0, 0.0, dict(self._apart)

    def apart(self, kind: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """``work`` with its processor time counted as of ``kind``; what it calls in turn is part of it."""

        @functools.wraps(work)
        def counted(*arguments: Any, **named: Any) -> Any:
            if self._inside:
                return work(*arguments, **named)
            self._inside, began = True, time.thread_time()
            try:
                made = work(*arguments, **named)
                # What is found one by one is found here: a generator would do its work outside.
                return iter(list(made)) if isinstance(made, Iterator) else made
            finally:
                self._inside = False
                self._apart[kind] += time.thread_time() - began

        return counted

    def start(self) -> None:
        """Begin to beat, after the first frame."""
        from PySide6.QtCore import QCoreApplication, Qt, QTimer

        timer = QTimer(QCoreApplication.instance())
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.setInterval(BEAT_MS)
        timer.timeout.connect(self._beat)
        self._wall, self._cpu = time.monotonic(), time.thread_time()
        timer.start()

    def _beat(self) -> None:
        wall, cpu = time.monotonic(), time.thread_time()
        length, look = wall - self._wall, self._apart["look"] - self._before["look"]
        ours = cpu - self._cpu - (self._apart["tour"] - self._before["tour"])
        if length > STALL_S and ours >= OURS_CPU_S:
            step = self.walks[0].step.name if self.walks else "start"
            self.gaps.append({"step": step, "ms": length * 1000, "cpu_ms": ours * 1000, "look_ms": look * 1000})
        self._wall, self._cpu, self._before = time.monotonic(), time.thread_time(), dict(self._apart)


def main() -> int:
    """Watch one tour."""
    watch = Watch()
    for name, work in list(vars(Eyes).items()):
        if callable(work) and not name.startswith("__") and not isinstance(work, staticmethod):
            setattr(Eyes, name, watch.apart("tour", work))
    for name in ("look", "_shape", "_keep"):
        setattr(walk.Walk, name, watch.apart("tour", getattr(walk.Walk, name)))
    Report.write = watch.apart("tour", Report.write)  # type: ignore[method-assign]
    for name in ("judge_picture", "layout_of", "stale_words", "pixels_of", "save_picture", "stream_lives"):
        setattr(walk, name, watch.apart("tour", getattr(walk, name)))
    theme.apply = watch.apart("look", theme.apply)
    Grounds._dress = watch.apart("look", Grounds._dress)  # type: ignore[method-assign]
    make_walk, make_window = walk.Walk.__init__, MainWindow.__init__

    def begin_walk(self: walk.Walk, *arguments: Any, **named: Any) -> None:
        make_walk(self, *arguments, **named)
        watch.walks.append(self)

    def open_window(self: MainWindow, *arguments: Any, **named: Any) -> None:
        make_window(self, *arguments, **named)
        self.painted.connect(watch.start)

    walk.Walk.__init__, MainWindow.__init__ = begin_walk, open_window  # type: ignore[method-assign]

    with tempfile.TemporaryDirectory() as scratch:
        code = run_tour(argparse.Namespace(out=Path(scratch) / "tour"))
    sys.stdout.write(json.dumps(watch.gaps) + "\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
