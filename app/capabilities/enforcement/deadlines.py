"""Clocks of notices: when the law's time ends, when to ask again, and what a person is told of it.

Every time is the store's (UTC) and is written down when the clock starts: a clock that is set back later moves none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from app.capabilities.enforcement.jurisdictions import LawFile

HOUR_US: Final = 3_600_000_000
WARNING_PART: Final = 0.75
"""An alarm is raised when so much of the time is gone."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FRIDAY: Final = 4


@dataclass(frozen=True)
class NoticeClock:
    """When the law's time ends (None: it has no hours), on what basis, whether the end is only about right, and when to
    ask again where there is no end."""

    deadline_us: int | None = None
    basis: str | None = None
    about: bool = False
    follow_up_us: int | None = None


def clock_from_sent(law: LawFile, nature: str | None, sent_us: int) -> NoticeClock:
    """The clock that starts when the platform's server took a valid notice."""
    hours = law.deadline.hours_for(nature)
    if hours is None:
        return NoticeClock(basis=law.deadline.basis, follow_up_us=sent_us + law.follow_up_hours * HOUR_US)
    return NoticeClock(deadline_us=sent_us + hours * HOUR_US, basis=law.deadline.basis)


def clock_from_counter(law: LawFile, countered_us: int) -> NoticeClock:
    """The clock after a counter-notice: until the first day on which the platform may put the content back. Where the
    law knows none, when to ask again."""
    if law.counter is None:
        return NoticeClock(follow_up_us=countered_us + law.follow_up_hours * HOUR_US)
    end_us = add_business_days(countered_us, law.counter.first_day)
    return NoticeClock(deadline_us=end_us, basis=law.counter.basis, about=True)


def add_business_days(at_us: int, days: int) -> int:
    """The same time of day, ``days`` business days later: Monday to Friday, without holidays."""
    at = _EPOCH + timedelta(microseconds=at_us)
    while days:
        at += timedelta(days=1)
        days -= at.weekday() <= _FRIDAY
    return (at - _EPOCH) // timedelta(microseconds=1)


def warning_us(begun_us: int, clock: NoticeClock) -> int | None:
    """When a person is told of a clock that began at ``begun_us``: once three quarters of the law's time are gone, or
    when it is time to ask again. None for a clock without an end."""
    if clock.deadline_us is not None:
        return begun_us + int((clock.deadline_us - begun_us) * WARNING_PART)
    return clock.follow_up_us


def urgency_us(created_us: int, clock: NoticeClock) -> int:
    """By what a board of notices is ordered, the most urgent first: the end of the law's time, else when to ask again,
    else since when the notice waits."""
    return clock.deadline_us or clock.follow_up_us or created_us
