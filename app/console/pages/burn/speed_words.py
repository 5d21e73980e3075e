"""What the figures of the burns' speed mean, in words. Without Qt."""

from __future__ import annotations

from dataclasses import dataclass

from app.capabilities.burn.messages import BurnSpeedReport, SlowBurn, SystemSpeed
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.burn.words import duration
from app.console.theme.tokens import Meaning

DAY_S = 86_400.0


@dataclass(frozen=True)
class SpeedSpan:
    """A range that ends now."""

    title: str
    seconds: float


SPANS = (
    SpeedSpan(tr("Last 24 hours"), DAY_S),
    SpeedSpan(tr("Last 7 days"), 7 * DAY_S),
    SpeedSpan(tr("Last 30 days"), 30 * DAY_S),
    SpeedSpan(tr("Last 365 days"), 365 * DAY_S),
)


def burns(count: int) -> str:
    """``1 burn``, ``12 burns``."""
    return tr("1 burn") if count == 1 else tr("{count:,} burns", count=count)


def verdict(report: BurnSpeedReport) -> tuple[Meaning, str, str, str]:
    """State, word, sentence and detail. Green only when each burn of the range closed its last door within the goal: a
    door that was given up is no door in time."""
    last, goal = report.last_door, duration(report.goal_ms)
    detail = _detail(report)
    if report.waiting:
        sentence = tr(
            "{burns} not stored yet: the service's disk takes nothing. Make room.", burns=burns(report.waiting)
        )
        return Meaning.BAD, tr("Not stored"), sentence, detail
    if last.open:
        return Meaning.BAD, tr("{count:,} open", count=last.open), _open_sentence(report), detail
    if not report.with_doors:
        return Meaning.IDLE, tr("No figure"), _none_sentence(report), detail
    word = tr("{count:,} of {total:,} in time", count=last.within, total=report.with_doors)
    if last.timed - last.within or last.unproven:
        return Meaning.WARN, word, _late_sentence(report), detail
    return Meaning.OK, word, tr("The last door closed within the goal of {goal} each time.", goal=goal), detail


def _open_sentence(report: BurnSpeedReport) -> str:
    """How many burns miss the proof of a door."""
    had = tr("{burns} had doors.", burns=burns(report.with_doors))
    count = report.last_door.open
    if count == 1:
        misses = tr("1 of them misses the proof of a door:")
    else:
        misses = tr("{count:,} of them miss the proof of a door:", count=count)
    if report.drills:
        until = tr("the clock of such a drill runs until the last door is proven.")
    else:
        until = tr("the clock of such a burn runs until the last door is proven.")
    return f"{had} {misses} {until}"


def _none_sentence(report: BurnSpeedReport) -> str:
    """That the range has nothing to judge."""
    if report.burns:
        if report.drills:
            return tr("No drill with doors in this range: there is nothing to judge.")
        return tr("No burn with doors in this range: there is nothing to judge.")
    if report.drills:
        return tr("No drill in this range: there is nothing to judge.")
    return tr("No burn in this range: there is nothing to judge.")


def _late_sentence(report: BurnSpeedReport) -> str:
    """How many burns were late, and how many ended without the proof of a door."""
    last, goal, some = report.last_door, duration(report.goal_ms), burns(report.with_doors)
    late = last.timed - last.within
    if not last.unproven:
        return tr("Of {burns}, {late:,} took longer than the goal of {goal}.", burns=some, late=late, goal=goal)
    if not late:
        return tr("Of {burns}, {given_up:,} ended with a door that was given up.", burns=some, given_up=last.unproven)
    return tr(
        "Of {burns}, {late:,} took longer than the goal of {goal} and {given_up:,} ended with a door that was "
        "given up.",
        burns=some,
        late=late,
        goal=goal,
        given_up=last.unproven,
    )


def _detail(report: BurnSpeedReport) -> str:
    """The span of the report, and what the last doors of its burns took."""
    last = report.last_door
    span = tr("{start} to {end}", start=date_time(parse_time(report.from_)), end=date_time(parse_time(report.to)))
    if not last.timed:
        return span
    return tr(
        "Last door: half within {half}, 95 % within {most}, longest {longest}. {span}",
        half=duration(last.p50_ms),
        most=duration(last.p95_ms),
        longest=duration(last.max_ms),
        span=span,
    )


def in_time(row: SystemSpeed) -> str:
    """``14 of 14``; a dash where no target has a time."""
    return tr("{count:,} of {total:,}", count=row.within, total=row.timed) if row.timed else "–"


def system_state(row: SystemSpeed) -> Meaning:
    """Of a system's row: bad while something is open, a warning where the goal was missed, nothing without a time."""
    if row.open:
        return Meaning.BAD
    if not row.timed:
        return Meaning.IDLE
    return Meaning.OK if row.within == row.timed and not row.unproven else Meaning.WARN


def slow_state(row: SlowBurn, goal_ms: float) -> Meaning:
    """Of a burn among the worst."""
    if row.open_doors:
        return Meaning.BAD
    return Meaning.WARN if row.unproven_doors or row.last_door_ms > goal_ms else Meaning.OK


def doors_words(row: SlowBurn) -> str:
    """What its doors miss: ``2 open``, ``1 given up``, ``All proven``, and whether it was lifted."""
    parts = [tr("{count:,} open", count=row.open_doors)] if row.open_doors else []
    parts += [tr("{count:,} given up", count=row.unproven_doors)] if row.unproven_doors else []
    return ", ".join([*(parts or [tr("All proven")]), *([tr("lifted")] if row.lifted else [])])
