"""The moment that the window shows: now, one of the last hour, or an older one.

What the window measured itself reaches back an hour. Of an older moment the service is asked: for the whole hour around
it, which stays while one goes through it.

While a moment of the past is shown, the window changes nothing: the action table and ``Operation`` ask here, and refuse
with the same sentence. So nobody acts today on what they see of ten minutes ago.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.console.clock import clock_time, date_time, zone_name
from app.console.language import tr

REACH_S = 3600
"""How far back goes what the window measured itself, seconds; and so long is what the strip shows."""
KEPT_S = REACH_S + 3000
"""A moment of the last hour may be looked at until it is so old, seconds; then the service is asked of it."""
EDGE_S = 2.0
"""The first moment of the last hour does not become an older one while it is being chosen."""
DAY_S = 86_400
NOW_ALONE = tr("Known of now alone, not of a moment of the past.")
"""What stands in the place of a value of which no moment of the past is known."""
PAST_SHOWN = "past_shown"
"""Code of the failure with which a change is refused while the window shows the past."""
NOW_S = 0.5
"""A moment that is no more than this ahead is now."""


class ShownTime(QObject):
    """One for each window (``session.shown_time``)."""

    changed = Signal()
    """Another moment is shown, or now again."""

    def __init__(self, now: Callable[[], float] = time.time, parent: QObject | None = None) -> None:
        """``now``: Unix time by the service's clock."""
        super().__init__(parent)
        self._now = now
        self.at: float | None = None
        """Unix time by the service's clock; None: the window shows now."""
        self.hour: tuple[float, float] | None = None
        """The hour around an older moment, of which the service is asked, Unix times; None: the last hour is shown."""

    @property
    def is_past(self) -> bool:
        """Whether a moment of the past is shown."""
        return self.at is not None

    def go_to(self, at: float) -> None:
        """Show that moment, Unix time by the service's clock. Who calls keeps it within what is kept."""
        hour = None
        if at < self._now() - REACH_S - EDGE_S:
            known = self.hour
            # On whole seconds: as fine as the strip is.
            middle = math.floor(at)
            inside = known is not None and known[0] <= at <= known[1]
            hour = known if inside else (middle - REACH_S / 2, middle + REACH_S / 2)
        if (at, hour) != (self.at, self.hour):
            self.at, self.hour = at, hour
            self.changed.emit()

    def go_live(self) -> bool:
        """Show now; returns whether the past was shown."""
        was = self.is_past
        if was:
            self.at = self.hour = None
            self.changed.emit()
        return was

    @property
    def words(self) -> str:
        """``PAST 14:32:07Z``, with its day where that is another than today; empty while now is shown."""
        return "" if self.at is None else tr("PAST {time}", time=self.clock)

    @property
    def clock(self) -> str:
        """``14:32:07Z``, with its day where that is another than today; empty while now is shown."""
        return "" if self.at is None else utc_clock(self.at, self._now())

    @property
    def local_words(self) -> str:
        """The moment as clocks of this machine had it, ``16:32:07 CEST``; empty where that is UTC, or now is shown."""
        if self.at is None or time.localtime(self.at).tm_gmtoff == 0:
            return ""
        return f"{time_words(self.at, self._now())} {zone_name(self.at)}"

    @property
    def refusal(self) -> str:
        """Why nothing can be changed, and what to do, a sentence; empty while now is shown."""
        return tr("The console shows the past. Press Esc for live, then do it.") if self.is_past else ""


def utc_clock(at: float, now: float | None = None) -> str:
    """``14:32:07Z`` of a Unix time, ``2026-03-01 14:32:07Z`` on another day than that of ``now`` (default: of this
    machine's clock)."""
    when, today = (time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(one)) for one in (at, now))
    return when[11:] if when[:10] == today[:10] else when


def why_not_kept(at: float, now: float, first: float | None) -> str:
    """Why nothing is kept of that moment, a sentence that says how far back something is; empty: it is kept. Unix times
    by the service's clock. ``first``: of the first entry of the audit log; None: not known, or long ago."""
    if first is not None and at < first:
        return tr(
            "{time} is before the first entry of the audit log, of {first}: nothing is known of it.",
            time=time_words(at, now),
            first=time_words(first, now),
        )
    # Imported here: msgspec, by which messages are read, is not needed before the first paint.
    from app.capabilities.infrastructure.messages import HOURS_KEPT_S

    if at < now - HOURS_KEPT_S:
        return tr(
            "{time} is too long ago: how frames answered is kept for {days} days. Audit goes further back.",
            time=time_words(at, now),
            days=HOURS_KEPT_S // DAY_S,
        )
    return ""


def time_words(at: float, now: float) -> str:
    """The time in the machine's zone, with its day where that is another than that of ``now``."""
    whole = date_time(at)
    return clock_time(at) if whole[:10] == date_time(now)[:10] else whole
