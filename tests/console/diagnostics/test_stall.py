"""Gaps of the GUI thread."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtWidgets import QApplication

from app.console.diagnostics.stall import StallWatch


def test_a_loop_that_does_not_come_to_its_timers_is_busy(application: QApplication, qtbot: Any) -> None:
    watch = StallWatch()
    watch.start()
    qtbot.waitUntil(lambda: watch.worst_ms > 0)
    end = time.monotonic() + 0.03
    while time.monotonic() < end:
        pass
    assert watch.busy_s >= 0.03
    watch.stop()


def test_a_loop_that_nobody_watches_is_not_called_busy(application: QApplication) -> None:
    assert StallWatch().busy_s == 0.0


def test_our_own_work_is_our_stall(application: QApplication, qtbot: Any) -> None:
    """A gap in which the GUI thread burned its CPU is counted as ours."""
    watch = StallWatch()
    watch.start()
    qtbot.waitUntil(lambda: watch.worst_ms > 0)
    end = time.thread_time() + 0.08
    while time.thread_time() < end:
        pass
    qtbot.waitUntil(lambda: watch.ours == 1)
    watch.stop()
    assert watch.gaps[-1].ours
    assert watch.worst_ms >= 80
