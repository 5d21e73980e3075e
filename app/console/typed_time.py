"""A time as an operator types it, made a moment that the window can show."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_moment
from app.console.shown_time import DAY_S, NOW_S, REACH_S, time_words, why_not_kept

_AGO = re.compile(r"[-\u2212](?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,4})m(?:in)?)?(?:(\d{1,6})s)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(z?)")


class TimeRefused(ValueError):
    """A time that was typed cannot be shown; the message says why, a sentence for people."""


def typed_time(text: str, now: float, first: float | None = None) -> float:
    """The Unix time that was typed: ``14:32:07`` or ``14:32`` in the machine's zone, in UTC with ``Z``, of today or of
    the last hour; ``-5m``, ``-90s``, ``-3h``, ``-2d``; or a date with its time. Raises TimeRefused where it cannot be
    understood, is ahead of ``now``, or is not kept (``why_not_kept``)."""
    at = _ago(text, now)
    if at is None:
        at = _clock(text, now)
    if at is None:
        at = parse_moment(text, now)
    if at is None:
        raise TimeRefused(
            tr(
                "“{text}” is no time. Type 14:32:07, 14:32, -5m, -3h, -2d or {date}.",
                text=text.strip(),
                date=date_time(now - DAY_S)[:16],
            )
        )
    if at > now + NOW_S:
        raise TimeRefused(
            tr("{time} is still to come. The time now is {now}.", time=time_words(at, now), now=time_words(now, now))
        )
    if refusal := why_not_kept(at, now, first):
        raise TimeRefused(refusal)
    return at


def _ago(text: str, now: float) -> float | None:
    """``-2d``, ``-1h5m``, by how much before now; None: it is not of that form."""
    found = _AGO.fullmatch(text.replace(" ", "").lower())
    if found is None or not any(found.groups()):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return now - days * DAY_S - hours * 3600 - minutes * 60 - seconds


def _clock(text: str, now: float) -> float | None:
    """The newest time of that clock that is not ahead, of today or of the last hour; today's where there is none. None:
    it is no time of a clock."""
    found = _CLOCK.fullmatch(text.replace(" ", "").lower())
    if found is None:
        return None
    zone = UTC if found[4] else None
    try:
        today = datetime.fromtimestamp(now, zone).replace(
            hour=int(found[1]), minute=int(found[2]), second=int(found[3] or 0), microsecond=0
        )
    except ValueError:
        return None
    # An hour that a clock shows twice is meant as it was last; in the first hour of a day yesterday's may be.
    of_today, of_yesterday = (
        [day.replace(fold=fold).timestamp() for fold in (0, 1)] for day in (today, today - timedelta(days=1))
    )
    times = [at for at in of_today if at <= now + NOW_S]
    times += [at for at in of_yesterday if now - REACH_S <= at <= now + NOW_S]
    return max(times) if times else of_today[0]
