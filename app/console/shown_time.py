"""The moment that the window shows: now, or one of the last hour.

While a moment of the past is shown, the window changes nothing: the action table and ``Operation`` ask here, and refuse
with the same sentence. So nobody acts today on what they see of ten minutes ago.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from PySide6.QtCore import QObject, Signal

from app.console.clock import clock_time, zone_name
from app.console.language import tr

REACH_S = 3600
"""How far back the strip goes, seconds."""
KEPT_S = REACH_S + 3000
"""A moment that was chosen may be looked at until it is so old, seconds."""
PAST_SHOWN = "past_shown"
"""Code of the failure with which a change is refused while the window shows the past."""


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
