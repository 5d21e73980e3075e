"""Moments, as the API and people write them and as they are read again."""

from __future__ import annotations

from datetime import UTC, datetime

from app.console.language import tr

_WEEKDAYS = (tr("Mon"), tr("Tue"), tr("Wed"), tr("Thu"), tr("Fri"), tr("Sat"), tr("Sun"))


def moment(unix: float, now: float) -> str:
    """As short as it can be told apart, in the machine's zone: ``14:32:07`` of the day of ``now``, ``Sun 14:32`` within
    six days before it, ``2026-03-01`` otherwise."""
    at, today = datetime.fromtimestamp(unix), datetime.fromtimestamp(now)
    days = (today.date() - at.date()).days
    if days == 0:
        return at.strftime("%H:%M:%S")
    return f"{_WEEKDAYS[at.weekday()]} {at:%H:%M}" if 0 < days <= 6 else at.strftime("%Y-%m-%d")


def parse_time(text: str) -> float:
    """Unix seconds of an RFC 3339 time with ``Z`` as the API writes it. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no zone in {text!r}")
    return moment.timestamp()


def parse_moment(text: str, now: float) -> float | None:
    """Unix seconds of ``2026-01-31 14:32:07``, ``2026-01-31`` or ``14:32`` (today), in the machine's zone unless the
    text ends in ``Z`` or an offset; None when the text is no time."""
    text = text.strip()
    if not text:
        return None
    if len(text) <= 8 and ":" in text and "-" not in text:
        text = f"{datetime.fromtimestamp(now):%Y-%m-%d} {text if len(text.split(':')[0]) == 2 else '0' + text}"
    try:
        return datetime.fromisoformat(text.replace("/", "-")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def api_time(unix: float) -> str:
    """RFC 3339 in UTC with ``Z`` and microseconds, as the API takes it."""
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
