"""Times and ranges of time of an audit query: RFC 3339 and ISO 8601 intervals to microseconds and back."""

from __future__ import annotations

import functools
import re
from datetime import UTC, datetime, timedelta
from typing import Final

LONGEST_DAYS: Final = 366
"""A query's range is at most this long."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH: Final = datetime(1970, 1, 1)
_MICROSECOND: Final = timedelta(microseconds=1)
_MINUTES: Final = [f"T{hour:02d}:{minute:02d}:" for hour in range(24) for minute in range(60)]
_DATE_TIME: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d:?\d\d))?"
)
_DURATION: Final = re.compile(
    r"P(?:(\d{1,4})W|(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,6})D)?"
    r"(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)"
)


class IntervalError(ValueError):
    """The text is no time or interval, or the range is reversed or too long. The message is a sentence for people."""


def rfc3339(us: int) -> str:
    """``us`` microseconds since 1970 as RFC 3339 in UTC with ``Z`` and six decimals."""
    days, us = divmod(us, 86_400_000_000)
    minute, us = divmod(us, 60_000_000)
    seconds, us = divmod(us, 1_000_000)
    return f"{_date(days)}{_MINUTES[minute]}{seconds:02d}.{us:06d}Z"


@functools.lru_cache(1024)
def _date(days: int) -> str:
    """The ISO date of a day. Cached: a page of a log covers few days, and making a date costs as much as reading a
    row."""
    return (_NAIVE_EPOCH + timedelta(days)).date().isoformat()


def parse_time(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 time or an ISO 8601 date (midnight UTC). Finer digits are cut off."""
    return _us(_time(text))


def parse_interval(text: str) -> tuple[int, int]:
    """``[from, to)`` in microseconds of ``start/end``, ``start/duration`` or ``duration/end`` (ISO 8601)."""
    first, slash, second = text.partition("/")
    if not slash:
        raise IntervalError("An interval is start/end, start/duration or duration/end.")
    if first.startswith("P"):
        end = _time(second)
        return check_range(_us(_shift(end, first, -1)), _us(end))
    start = _time(first)
    end = _shift(start, second, 1) if second.startswith("P") else _time(second)
    return check_range(_us(start), _us(end))


def check_range(from_us: int, to_us: int) -> tuple[int, int]:
    """The same range; ``IntervalError`` if it ends before it begins or is longer than 366 days."""
    if to_us < from_us:
        raise IntervalError("The range ends before it begins.")
    if to_us - from_us > LONGEST_DAYS * 86_400_000_000:
        raise IntervalError(f"The range is longer than {LONGEST_DAYS} days. Ask for a part of it.")
    return from_us, to_us


def _us(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND


def _time(text: str) -> datetime:
    """The time in UTC; ``IntervalError``."""
    found = _DATE_TIME.fullmatch(text) if text.isascii() else None
    if found is None:
        raise IntervalError("A time is written as 2026-01-31T12:00:00Z.")
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        # RFC 3339 allows a leap second; the clock of the log has none.
        seconds = min(int(second or 0), 59) if second == "60" else int(second or 0)
        time = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), seconds, tzinfo=UTC)
        if fraction:
            time += timedelta(microseconds=int(fraction[:6].ljust(6, "0")))
        if zone and zone not in "Zz":
            offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
            if offset >= timedelta(days=1) or int(zone[-2:]) > 59:
                raise IntervalError("The time's offset is out of range.")
            time -= offset if zone[0] == "+" else -offset
    except (ValueError, OverflowError) as error:
        if isinstance(error, IntervalError):
            raise
        raise IntervalError("The time has a field out of range.") from None
    return time


def _shift(time: datetime, duration: str, sign: int) -> datetime:
    """``time`` later (``sign`` 1) or earlier (-1) by an ISO 8601 duration; ``IntervalError``."""
    found = _DURATION.fullmatch(duration) if duration.isascii() else None
    if found is None or not any(found.groups()):
        raise IntervalError("A duration is written as P30D, P1M or PT12H.")
    weeks, years, months, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    try:
        # Years and months by the calendar; a day that the month does not have becomes its last.
        count = time.year * 12 + time.month - 1 + sign * (years * 12 + months)
        year, month = divmod(count, 12)
        last = (datetime(year + month // 11, (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
        time = time.replace(year=year, month=month + 1, day=min(time.day, last))
        return time + sign * timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    except (ValueError, OverflowError):
        raise IntervalError("The duration leads out of the calendar.") from None
