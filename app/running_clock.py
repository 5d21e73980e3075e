"""The clock that nobody can set: it counts the time that passes, not the time of day."""

from __future__ import annotations

import time


def running_ns() -> int:
    """Nanoseconds since some moment before. They never fall, and count while the machine sleeps (Linux; elsewhere as
    ``time.monotonic`` does)."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic_ns() if boot is None else time.clock_gettime_ns(boot)


def running_s() -> float:
    """``running_ns`` in seconds."""
    return running_ns() / 1e9
