"""Times of a containment as people write and read them, without Qt."""

from __future__ import annotations

import re

LONGEST_S = 604_800
"""A week: what the API takes."""
_UNITS = {"": 60, "s": 1, "min": 60, "m": 60, "h": 3600, "d": 86_400}
_TIME = re.compile(r"([0-9]{1,6})\s*([a-z]{0,3})", re.ASCII)


def seconds_of(text: str) -> int | None:
    """``90 s``, ``15 min`` (``15`` alone is minutes), ``8 h``, ``2 d`` in seconds; None for anything else, nothing, or
    more than a week."""
    found = _TIME.fullmatch(text.strip().lower())
    unit = None if found is None else _UNITS.get(found[2])
    if found is None or unit is None:
        return None
    seconds = int(found[1]) * unit
    return seconds if 1 <= seconds <= LONGEST_S else None


def countdown(seconds: float) -> str:
    """``14:59``, ``1:02:03``, ``2 d 01:00:00``: the time that is left, never below zero."""
    left = max(0, int(seconds))
    days, left = divmod(left, 86_400)
    hours, left = divmod(left, 3600)
    minutes, left = divmod(left, 60)
    if days:
        return f"{days} d {hours:02}:{minutes:02}:{left:02}"
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
