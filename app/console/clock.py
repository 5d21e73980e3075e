"""Time as the console shows it: local clock times, ages, freshness of sources, offset against the service.

Without ``datetime``, which the first frame can do without: what needs it is in ``moments.py``.
"""

from __future__ import annotations

import time
from collections import deque

from app.console.language import number, tr

STALE_AFTER_INTERVALS = 2.0


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


class Freshness:
    """Whether a value is still current. It relies on the local monotonic clock alone, so a frozen service cannot stay
    green. ``interval_s`` is how often the source reports; the value is stale when older than two intervals and
    ``slack_s``, the longest time that a report is on its way to us."""

    def __init__(self, interval_s: float, slack_s: float = 0.0) -> None:
        if interval_s <= 0:
            raise ValueError("the interval of a source is positive")
        self.interval_s = interval_s
        self.slack_s = slack_s
        self._monotonic: float | None = None
        self._asked: float | None = None
        self._unix = 0.0

    def resume(self) -> None:
        """The source is asked again after a pause (its page was not shown): silence counts from now. The value from
        before is not current: until the next report it is ``awaited``, and after two intervals stale again."""
        self._asked = time.monotonic()

    def touch(self, age_s: float = 0.0) -> None:
        """Note a report that the source made ``age_s`` seconds ago (a replayed event is old). An older report than the
        last one does not count."""
        at = time.monotonic() - age_s
        if self._monotonic is None or at >= self._monotonic:
            self._monotonic, self._unix = at, time.time() - age_s

    def age_s(self) -> float | None:
        """Seconds since the last report; None when there was none."""
        return None if self._monotonic is None else time.monotonic() - self._monotonic

    @property
    def stale(self) -> bool:
        """True when older than two intervals and the slack, or never reported; not while it is awaited."""
        return self._old and not self.awaited

    @property
    def awaited(self) -> bool:
        """True when no current value is known, and the source was asked too recently to be called silent."""
        return self._old and self._asked is not None and time.monotonic() - self._asked <= self._limit_s

    @property
    def _limit_s(self) -> float:
        return STALE_AFTER_INTERVALS * self.interval_s + self.slack_s

    @property
    def _old(self) -> bool:
        seconds = self.age_s()
        return seconds is None or seconds > self._limit_s

    @property
    def since(self) -> float | None:
        """Unix time of the last report, for "STALE since 14:32:07"; None when there was none."""
        return None if self._monotonic is None else self._unix

    def words(self) -> str:
        """``STALE since 14:32:07``, ``no data yet``, ``Refreshing, as of 14:32:07`` or ``Loading`` while it is awaited,
        or the empty text when fresh."""
        if self.awaited:
            return tr("Loading") if self.since is None else tr("Refreshing, as of {time}", time=clock_time(self.since))
        if not self.stale:
            return ""
        return tr("no data yet") if self.since is None else tr("STALE since {time}", time=clock_time(self.since))


class ServiceClock:
    """Offset of the service's clock against ours, taken from the sample with the shortest round trip of the last 64.
    The error of such a sample is at most half of its round trip; a mean over all samples would carry every queueing
    delay."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=64)
        self.shared = False
        """True when the service runs on this machine: its clock is ours and needs no estimate."""

    def sample(self, sent: float, received: float, service: float) -> None:
        """Take one exchange: our Unix times of sending and receiving, and the service's time in between, seconds."""
        if received >= sent:
            self._samples.append((received - sent, service - (sent + received) / 2))

    @property
    def offset_s(self) -> float | None:
        """Seconds to add to our time to get the service's; None before the first sample."""
        if self.shared:
            return 0.0
        return min(self._samples)[1] if self._samples else None

    @property
    def error_s(self) -> float | None:
        """Bound of the offset's error, seconds."""
        if self.shared:
            return 0.0
        return min(self._samples)[0] / 2 if self._samples else None

    def forget(self) -> None:
        """Forget every sample: another service has another clock."""
        self._samples.clear()
        self.shared = False
