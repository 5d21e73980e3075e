"""Time as the console shows it: local clock times, ages, freshness of sources, offset against the service.

Without ``datetime``, which the first frame can do without: what needs it is in ``moments.py``.
"""

from __future__ import annotations

import time
from collections import deque

from app.console.language import number, tr
from app.running_clock import running_s

STALE_AFTER_INTERVALS = 2.0
STEP_S = 0.5
"""Our clock was set, where it moved so much more or less than the time that passed. Clocks that are kept right by
small corrections stay far below it between two measurements."""
APART_S = 60.0
"""Two clocks that differ by so much are no longer of one time for a person who reads both."""
GRAIN_S = 0.01
"""What two measurements may differ by beyond their round trips: clocks drift."""


def clock_time(unix: float) -> str:
    """``14:32:07`` in the machine's zone."""
    return time.strftime("%H:%M:%S", time.localtime(unix))


def date_time(unix: float) -> str:
    """``2026-03-01 14:32:07`` in the machine's zone."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(unix))


def utc_time(unix: float) -> str:
    """``2026-03-01 13:32:07.250Z``: what tooltips show beside a local time."""
    seconds, micros = divmod(round(unix * 1e6), 1_000_000)
    return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(seconds))}.{micros // 1000:03d}Z"


def zone_name(unix: float | None = None) -> str:
    """Name of the machine's zone at that moment (default: now), shown once beside a time axis."""
    return time.localtime(unix).tm_zone or tr("local")


def age(seconds: float) -> str:
    """A duration as people say it, one unit: ``0.4 s``, ``12 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds < 9.95:
        return f"{number(max(seconds, 0.0), '.1f')} s"
    for limit, unit, size in ((90.0, "s", 1.0), (5400.0, "min", 60.0), (129600.0, "h", 3600.0)):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


def apart_words(offset_s: float) -> str:
    """What to say of a machine's clock from which the service's differs by so much; empty while they agree."""
    if abs(offset_s) < APART_S:
        return ""
    apart = age(abs(offset_s))
    told = tr("Times of the site are shown as the service has them.")
    if offset_s < 0:
        return tr("The clock of this machine is {apart} ahead of the service's. {told}", apart=apart, told=told)
    return tr("The clock of this machine is {apart} behind the service's. {told}", apart=apart, told=told)


class Freshness:
    """Whether a value is still current. It relies on the clock that nobody can set alone, so a frozen service cannot
    stay green, and neither can what was heard before the machine slept. ``interval_s`` is how often the source reports;
    the value is stale when older than two intervals and ``slack_s``, the longest time that a report is on its way to
    us."""

    def __init__(self, interval_s: float, slack_s: float = 0.0) -> None:
        if interval_s <= 0:
            raise ValueError("the interval of a source is positive")
        self.interval_s = interval_s
        self.slack_s = slack_s
        self._heard: float | None = None
        self._asked: float | None = None

    def resume(self) -> None:
        """The source is asked again after a pause (its page was not shown): silence counts from now. The value from
        before is not current: until the next report it is ``awaited``, and after two intervals stale again."""
        self._asked = running_s()

    def touch(self, age_s: float = 0.0) -> None:
        """Note a report that the source made ``age_s`` seconds ago (a replayed event is old). An older report than the
        last one does not count."""
        at = running_s() - age_s
        if self._heard is None or at >= self._heard:
            self._heard = at

    def age_s(self) -> float | None:
        """Seconds since the last report; None when there was none."""
        return None if self._heard is None else running_s() - self._heard

    @property
    def stale(self) -> bool:
        """True when older than two intervals and the slack, or never reported; not while it is awaited."""
        return self._old and not self.awaited

    @property
    def awaited(self) -> bool:
        """True when no current value is known, and the source was asked too recently to be called silent."""
        return self._old and self._asked is not None and running_s() - self._asked <= self._limit_s

    @property
    def _limit_s(self) -> float:
        return STALE_AFTER_INTERVALS * self.interval_s + self.slack_s

    @property
    def _old(self) -> bool:
        seconds = self.age_s()
        return seconds is None or seconds > self._limit_s

    @property
    def since(self) -> float | None:
        """Unix time of the last report, for "STALE since 14:32:07", by our clock as it is set now; None when there was
        none."""
        return None if self._heard is None else time.time() - running_s() + self._heard

    def words(self) -> str:
        """``STALE since 14:32:07``, ``no data yet``, ``Refreshing, as of 14:32:07`` or ``Loading`` while it is awaited,
        or the empty text when fresh."""
        if self.awaited:
            return tr("Loading") if self.since is None else tr("Refreshing, as of {time}", time=clock_time(self.since))
        if not self.stale:
            return ""
        return tr("no data yet") if self.since is None else tr("STALE since {time}", time=clock_time(self.since))


class ServiceClock:
    """The service's time, by a clock of ours that nobody can set. Its offset is of the measurement with the shortest
    round trip of the last 64: its error is at most half of that, where a mean over all of them would carry every
    queueing delay.

    What was measured holds until a clock is set, ours or the service's. Ours shows that itself (``doubtful``). The
    service's shows in the next measurement, which then cannot be true beside the ones before it: these are forgotten.
    """

    def __init__(self) -> None:
        self._measured: deque[tuple[float, float]] = deque(maxlen=64)
        self._best: tuple[float, float] | None = None
        """The one with the shortest round trip: time is asked for by each cell of a table."""
        self._set = 0.0
        """Our Unix time less the clock that nobody can set, at the last measurement."""

    def sample(self, sent: float, received: float, service: float) -> None:
        """Take one exchange: when it was sent and received by ``running_s``, and the service's Unix time in between,
        seconds."""
        trip, offset = received - sent, service - (sent + received) / 2
        if trip < 0:
            return
        if self._best is not None:
            best_trip, best = self._best
            if abs(offset - best) > (trip + best_trip) / 2 + GRAIN_S:
                self._measured.clear()
        self._measured.append((trip, offset))
        self._best = min(self._measured)
        self._set = time.time() - running_s()

    def now(self) -> float:
        """Unix time by the service's clock; by ours before the first measurement."""
        return time.time() if self._best is None else running_s() + self._best[1]

    @property
    def doubtful(self) -> bool:
        """True when nothing was measured, or our clock was set or stood still since: it is to be measured again."""
        return self._best is None or abs(time.time() - running_s() - self._set) > STEP_S

    @property
    def offset_s(self) -> float | None:
        """Seconds to add to our time to get the service's; None before the first measurement."""
        return None if self._best is None else self.now() - time.time()

    @property
    def error_s(self) -> float | None:
        """Bound of the offset's error, seconds."""
        return None if self._best is None else self._best[0] / 2

    def forget(self) -> None:
        """Forget every measurement: another service has another clock."""
        self._measured.clear()
        self._best = None
