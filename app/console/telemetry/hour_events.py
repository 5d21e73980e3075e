"""What the time strip marks: the alarms, burns and containments of the hour that it shows, and for which part of it
they are known.

Those of the last hour come from the audit log and then from the stream, those of an older one from the log alone. Where
neither could be asked, or the stream has lost something, nothing is known: that part must not look as if it had been
quiet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.console.failures import failure_of
from app.console.language import tr
from app.console.shown_time import REACH_S
from app.console.telemetry.site_events import RESTART, SiteEvents, first_entry
from app.console.widgets.chart_plot import ChartEvent

if TYPE_CHECKING:
    from app.console.session import WindowSession
    from app.console.telemetry.live import LiveEvent

AGAIN_MS = 5000
"""Before a log that could not be read is asked again."""


class HourEvents(QObject):
    """One for each window, for its whole life."""

    changed = Signal()
    """Something was read, or could not be."""

    def __init__(self, session: WindowSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.first: float | None = None
        """Unix time of the first entry of the audit log; None: not known yet, or more than a year ago."""
        self._trouble = tr("The audit log was not read yet.")
        self._session = session
        self._events = SiteEvents(session, contained=True)
        self._known: tuple[float, float] | None = None
        """The stretch of which all is known; None: nothing is."""
        self._follows = False
        """Nothing was lost since the log was read: what comes by the stream completes it."""
        self._reading = self._again = False
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.setInterval(AGAIN_MS)
        self._retry.timeout.connect(self.read_now)
        session.older_events.changed.connect(self.changed)
        session.connected.connect(self._begin_anew)
        session.disconnected.connect(self._lose)
        session.live.subscribe("gap", self._take_gap)
        session.live.state_changed.connect(self._take_state)
        if session.is_connected:
            self.read_now()

    # --- what is known -----------------------------------------------------------------------------------------------

    def all(self) -> list[ChartEvent]:
        """The events of the hour that is shown, the oldest first; restarts of the service are none of them."""
        if self._session.shown_time.hour is not None:
            older = self._session.older_events.answer
            return [] if older is None else older.all()
        since = self._session.live.now() - REACH_S
        return [one for one in self._events.all() if one.word != RESTART and one.at >= since]

    def known_span(self) -> tuple[float, float] | None:
        """Unix times between which every event is known; None: nothing is."""
        hour = self._session.shown_time.hour
        if hour is not None:
            older = self._session.older_events.answer
            return None if older is None or older.since >= hour[1] else (older.since, hour[1])
        if self._known is None:
            return None
        live = self._session.live
        if self._follows and not live.stale:
            self._known = (self._known[0], live.now())
        start = max(self._known[0], self._events.forgotten_until)
        return None if start >= self._known[1] else (start, self._known[1])

    @property
    def asking(self) -> bool:
        """Whether the log is asked for the hour that is shown, and the answer is awaited."""
        return self._session.older_events.asking

    @property
    def trouble(self) -> str:
        """Why the log is not known for all of the hour that is shown, one sentence; empty: it is, or the stream is what
        is missing."""
        older = self._session.shown_time.hour is not None
        return self._session.older_events.lacks[1] if older else self._trouble

    # --- reading -----------------------------------------------------------------------------------------------------

    def _begin_anew(self) -> None:
        """A service answers, perhaps that of another log."""
        self.first = None
        self.read_now()

    def read_now(self) -> None:
        """Read the last hour; once more where that is being done, for it may have begun too early."""
        if not self._session.is_connected:
            return
        if self._reading:
            self._again = True
            return
        self._reading = True
        self._session.tasks.spawn(self._read(), name="events of the last hour")

    async def _read(self) -> None:
        """Read, until no stream began and none lost anything meanwhile."""
        live = self._session.live
        try:
            while True:
                self._again = False
                end = live.now()
                start = await self._events.read(end - REACH_S, end)
                if not self._again:
                    break
            if self.first is None:
                self.first = await first_entry(self._session)
            self._known, self._trouble = (start, end), ""
            # A stream that is not there yet reads again when it is.
            self._follows = live.state == "live"
        except Exception as error:  # it is said on the strip, and tried again
            self._trouble = failure_of(error).sentence
            self._retry.start()
        finally:
            self._reading = False
            self.changed.emit()

    def _take_gap(self, _events: Sequence[LiveEvent]) -> None:
        self._lose("")
        self.read_now()

    def _take_state(self, state: str) -> None:
        if state == "live":
            self.read_now()
        else:
            self._lose("")

    def _lose(self, _reason: str) -> None:
        """From now on events may be missing, until the log is read again."""
        self._follows = False
        self.changed.emit()
