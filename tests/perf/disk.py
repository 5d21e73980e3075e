"""The disk's raw rate of 4 KiB ``fdatasync``, measured between the slices of a load: what every commit is bound by."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

_SLICE_S = 0.3
_STEADY = 0.25


def fsyncs(path: Path) -> float:
    """4 KiB writes with ``fdatasync`` a second."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    page, count, began = os.urandom(4096), 0, time.perf_counter()
    while time.perf_counter() - began < _SLICE_S:
        os.pwrite(handle, page, (count % 1024) * 4096)
        os.fdatasync(handle)
        count += 1
    os.close(handle)
    return count / (time.perf_counter() - began)


def steady(rates: Sequence[float]) -> bool:
    """Whether the disk was the same one throughout: the rate of a shared one moves by a factor within a minute, and a
    ratio to it would then say nothing."""
    return max(rates) - min(rates) <= _STEADY * statistics.median(rates)
