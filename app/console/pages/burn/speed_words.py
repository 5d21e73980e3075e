"""What the figures of the burns' speed mean, in words. Without Qt."""

from __future__ import annotations

from dataclasses import dataclass

from app.capabilities.burn.messages import BurnSpeedReport, SlowBurn, SystemSpeed
from app.console.clock import age, date_time, parse_time
from app.console.language import tr
from app.console.pages.burn.words import milliseconds
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


def duration(value: float | None) -> str:
    """``0.41 ms`` to ``980 ms``, then ``2.50 s``, then one unit as people say it; a dash for none."""
    if value is None or value < 1000:
        return milliseconds(value)
    return f"{value / 1000:.2f} s" if value < 90_000 else age(value / 1000)


def burns(number: int) -> str:
    """``1 burn``, ``12 burns``."""
    return tr("{number:,} burn", number=number) if number == 1 else tr("{number:,} burns", number=number)


def verdict(report: BurnSpeedReport) -> tuple[Meaning, str, str, str]:
    """State, word, sentence and detail. Green only when each burn of the range closed its last door within the goal: a
    door that was given up is no door in time."""
    last, goal = report.last_door, duration(report.goal_ms)
    detail = _detail(report)
    what = "drill" if report.drills else "burn"
    if report.waiting:
        sentence = tr(
            "{burns} not stored yet: the service's disk takes nothing. Make room.", burns=burns(report.waiting)
        )
        return Meaning.BAD, tr("Not stored"), sentence, detail
    if last.open:
        of = tr("1 of them misses") if last.open == 1 else tr("{open:,} of them miss", open=last.open)
        sentence = tr(
            "{of} the proof of a door: the clock of such a {what} runs until the last door is proven.", of=of, what=what
        )
        return (
            Meaning.BAD,
            tr("{open:,} open", open=last.open),
            tr("{burns} had doors. {sentence}", burns=burns(report.with_doors), sentence=sentence),
            detail,
        )
    if not report.with_doors:
        none = (
            tr("No {what} with doors in this range", what=what)
            if report.burns
            else tr("No {what} in this range", what=what)
        )
        return Meaning.IDLE, tr("No figure"), tr("{none}: there is nothing to judge.", none=none), detail
    late = last.timed - last.within
    word = tr("{within:,} of {with_doors:,} in time", within=last.within, with_doors=report.with_doors)
    if late or last.unproven:
        parts = [tr("{late:,} took longer than the goal of {goal}", late=late, goal=goal)] if late else []
        parts += (
            [tr("{unproven:,} ended with a door that was given up", unproven=last.unproven)] if last.unproven else []
        )
        return Meaning.WARN, word, f"Of {burns(report.with_doors)}, {' and '.join(parts)}.", detail
    return Meaning.OK, word, tr("The last door closed within the goal of {goal} each time.", goal=goal), detail


def _detail(report: BurnSpeedReport) -> str:
    """The span of the report, and what the last doors of its burns took."""
    last = report.last_door
    span = tr(
        "{date_time} to {date_time2}",
        date_time=date_time(parse_time(report.from_)),
        date_time2=date_time(parse_time(report.to)),
    )
    if not last.timed:
        return span
    return tr(
        "Last door: half within {duration}, 95 % within {duration2}, longest {duration3}. {span}",
        duration=duration(last.p50_ms),
        duration2=duration(last.p95_ms),
        duration3=duration(last.max_ms),
        span=span,
    )


def in_time(row: SystemSpeed) -> str:
    """``14 of 14``; a dash where no target has a time."""
    return tr("{within:,} of {timed:,}", within=row.within, timed=row.timed) if row.timed else "–"


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
    parts = [tr("{open_doors:,} open", open_doors=row.open_doors)] if row.open_doors else []
    parts += [tr("{unproven_doors:,} given up", unproven_doors=row.unproven_doors)] if row.unproven_doors else []
    return ", ".join([*(parts or ["All proven"]), *(["lifted"] if row.lifted else [])])
