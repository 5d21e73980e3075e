"""Weekly schedules of clusters and profiles."""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.api.wire import Request


class ScheduleWindow(Request, kw_only=True):
    """A weekly window in the site's time zone: ``days`` 0 = Monday .. 6, ``start`` and ``end`` ``HH:MM``, half-open."""

    days: Annotated[list[Annotated[int, msgspec.Meta(ge=0, le=6)]], msgspec.Meta(min_length=1, max_length=7)]
    start: Annotated[str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
    end: Annotated[str, msgspec.Meta(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)\Z")]


Schedule = Annotated[list[ScheduleWindow], msgspec.Meta(max_length=32)]
"""Absent: always. Empty: never."""
