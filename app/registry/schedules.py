"""Weekly schedules: from the wire to the form that a door evaluates. Several kinds of rows carry one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from app.registry.messages.schedules import ScheduleWindow
from app.store.tables import json_text
from hardware.readers.decision import Schedule, Window

_DAY = 24 * 60


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def to_column(windows: Sequence[ScheduleWindow] | None) -> str | None:
    """The column's text; None means always, an empty list never."""
    return None if windows is None else json_text(windows)


def from_column(column: str | None) -> list[ScheduleWindow] | None:
    """The windows that ``to_column`` was given."""
    return None if column is None else msgspec.json.decode(column, type=list[ScheduleWindow])


@lru_cache(maxsize=4096)
def combine(column: str | None, other: str | None, zone: str) -> Schedule | None:
    """What two columns (of profile and cluster) allow together, in the form that a door evaluates, on the clock of
    ``zone`` (IANA name). None: always. A window that ends before it starts runs over midnight into the next day."""
    if column is None and other is None:
        return None
    if column is None or other is None:
        return Schedule(zone, tuple(_windows(column if other is None else other)))
    both = []
    for one in _windows(column):
        for two in _windows(other):
            start, end = max(one.start, two.start), min(one.end, two.end)
            if one.day == two.day and start < end:
                both.append(Window(one.day, start, end))
    return Schedule(zone, tuple(both))


def _windows(column: str | None) -> list[Window]:
    """Windows that stay within their day: one over midnight is cut in two, so that windows can be intersected. One that
    ends when it starts is empty and is left out: read as a whole day it would open a door that
    nobody meant to open."""
    cut = []
    for window in from_column(column) or ():
        start, end = _minutes(window.start), _minutes(window.end)
        if start == end:
            continue
        for day in window.days:
            if start < end:
                cut.append(Window(day, start, end))
                continue
            cut.append(Window(day, start, _DAY))
            if end:
                cut.append(Window((day + 1) % 7, 0, end))
    return cut
