"""The moment that the window shows: now, or one of the last hour.

While a moment of the past is shown, the window changes nothing: the action table and ``Operation`` ask here, and refuse
with the same sentence. So nobody acts today on what they see of ten minutes ago.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QObject, Signal

from app.console.clock import clock_time, date_time, parse_moment, zone_name
from app.console.language import tr

REACH_S = 3600
"""How far back the strip goes, seconds."""
KEPT_S = REACH_S + 3000
"""A moment that was chosen may be looked at until it is so old, seconds."""
NOW_ALONE = tr("Known of now alone, not of a moment of the past.")
"""What stands in the place of a value of which no moment of the past is known."""
PAST_SHOWN = "past_shown"
"""Code of the failure with which a change is refused while the window shows the past."""
NOW_S = 0.5
"""A moment that is no more than this ahead is now."""
_AGO = re.compile(r"[-\u2212](?:(\d{1,4})h)?(?:(\d{1,4})m(?:in)?)?(?:(\d{1,6})s)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(z?)")


class TimeRefused(ValueError):
    """A time that was typed cannot be shown; the message says why, a sentence for people."""


class ShownTime(QObject):
    """One for each window (``session.shown_time``)."""

    changed = Signal()
    """Another moment is shown, or now again."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.at: float | None = None
        """Unix time by the service's clock; None: the window shows now."""

    @property
    def is_past(self) -> bool:
        """Whether a moment of the past is shown."""
        return self.at is not None

    def go_to(self, at: float) -> None:
        """Show that moment, Unix time by the service's clock. Who calls keeps it within what is kept."""
        if at != self.at:
            self.at = at
            self.changed.emit()

    def go_live(self) -> bool:
        """Show now; returns whether the past was shown."""
        was = self.is_past
        if was:
            self.at = None
            self.changed.emit()
        return was

    @property
    def words(self) -> str:
        """``PAST 14:32:07Z``; empty while now is shown."""
        return "" if self.at is None else tr("PAST {time}", time=utc_clock(self.at))

    @property
    def local_words(self) -> str:
        """The moment as clocks of this machine had it, ``16:32:07 CEST``; empty where that is UTC, or now is shown."""
        if self.at is None or time.localtime(self.at).tm_gmtoff == 0:
            return ""
        return f"{clock_time(self.at)} {zone_name(self.at)}"

    @property
    def refusal(self) -> str:
        """Why nothing can be changed, and what to do, a sentence; empty while now is shown."""
        return tr("The console shows the past. Press Esc for live, then do it.") if self.is_past else ""


def utc_clock(at: float) -> str:
    """``14:32:07Z`` of a Unix time."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%SZ")


def typed_time(text: str, now: float) -> float:
    """The Unix time that was typed: ``14:32:07`` or ``14:32`` in the machine's zone, in UTC with ``Z``, the newest one
    that is not ahead; ``-5m``, ``-90s``, ``-1h``; or a date with its time. Raises TimeRefused where it cannot be
    understood, is ahead of ``now``, or is longer ago than the strip reaches."""
    at = _ago(text, now)
    if at is None:
        at = _clock(text, now)
    if at is None:
        at = parse_moment(text, now)
    if at is None:
        raise TimeRefused(tr("“{text}” is no time. Type 14:32:07, 14:32 or -5m.", text=text.strip()))
    if at > now + NOW_S:
        raise TimeRefused(
            tr("{time} is still to come. The time now is {now}.", time=_time_words(at, now), now=_time_words(now, now))
        )
    if at < now - REACH_S:
        raise TimeRefused(
            tr(
                "{time} is more than an hour ago, and not kept here. Audit goes further back.",
                time=_time_words(at, now),
            )
        )
    return at


def _ago(text: str, now: float) -> float | None:
    """``-1h5m``, by how much before now; None: it is not of that form."""
    found = _AGO.fullmatch(text.replace(" ", "").lower())
    if found is None or not any(found.groups()):
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return now - hours * 3600 - minutes * 60 - seconds


def _clock(text: str, now: float) -> float | None:
    """The newest time of that clock that is not ahead; today's where that is longer ago than the strip reaches. None:
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
    # An hour that a clock shows twice is meant as it was last; after midnight yesterday's may be.
    days = (today, today - timedelta(days=1))
    times = [day.replace(fold=fold).timestamp() for day in days for fold in (0, 1)]
    near = [at for at in times if now - REACH_S <= at <= now + NOW_S]
    return max(near) if near else today.timestamp()


def _time_words(at: float, now: float) -> str:
    """The time in the machine's zone, with its day where that is another than that of ``now``."""
    whole = date_time(at)
    return clock_time(at) if whole[:10] == date_time(now)[:10] else whole
