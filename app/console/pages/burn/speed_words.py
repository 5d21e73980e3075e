"""What the figures of the burns' speed mean, in words. Without Qt."""

from __future__ import annotations

from dataclasses import dataclass

from app.capabilities.burn.messages import BurnSpeedReport, SlowBurn, SystemSpeed
from app.console.clock import age, date_time, parse_time
from app.console.pages.burn.words import milliseconds
from app.console.theme.tokens import Meaning

DAY_S = 86_400.0


@dataclass(frozen=True)
class SpeedSpan:
    """A range that ends now."""

    title: str
    seconds: float


SPANS = (
    SpeedSpan("Last 24 hours", DAY_S),
    SpeedSpan("Last 7 days", 7 * DAY_S),
    SpeedSpan("Last 30 days", 30 * DAY_S),
    SpeedSpan("Last 365 days", 365 * DAY_S),
)


def duration(value: float | None) -> str:
    """``0.41 ms`` to ``980 ms``, then ``2.50 s``, then one unit as people say it; a dash for none."""
    if value is None or value < 1000:
        return milliseconds(value)
    return f"{value / 1000:.2f} s" if value < 90_000 else age(value / 1000)


def burns(number: int) -> str:
    """``1 burn``, ``12 burns``."""
    return f"{number:,} burn" if number == 1 else f"{number:,} burns"


def verdict(report: BurnSpeedReport) -> tuple[Meaning, str, str, str]:
    """State, word, sentence and detail. Green only when each burn of the range closed its last door within the goal: a
    door that was given up is no door in time."""
    last, goal = report.last_door, duration(report.goal_ms)
    detail = _detail(report)
    what = "drill" if report.drills else "burn"
    if report.waiting:
        sentence = f"{burns(report.waiting)} not stored yet: the service's disk takes nothing. Make room."
        return Meaning.BAD, "Not stored", sentence, detail
    if last.open:
        of = "1 of them misses" if last.open == 1 else f"{last.open:,} of them miss"
        sentence = f"{of} the proof of a door: the clock of such a {what} runs until the last door is proven."
        return Meaning.BAD, f"{last.open:,} open", f"{burns(report.with_doors)} had doors. {sentence}", detail
    if not report.with_doors:
        none = f"No {what} with doors in this range" if report.burns else f"No {what} in this range"
        return Meaning.IDLE, "No figure", f"{none}: there is nothing to judge.", detail
    late = last.timed - last.within
    word = f"{last.within:,} of {report.with_doors:,} in time"
    if late or last.unproven:
        parts = [f"{late:,} took longer than the goal of {goal}"] if late else []
        parts += [f"{last.unproven:,} ended with a door that was given up"] if last.unproven else []
        return Meaning.WARN, word, f"Of {burns(report.with_doors)}, {' and '.join(parts)}.", detail
    return Meaning.OK, word, f"The last door closed within the goal of {goal} each time.", detail


def _detail(report: BurnSpeedReport) -> str:
    last = report.last_door
    span = f"{date_time(parse_time(report.from_))} to {date_time(parse_time(report.to))}"
    if not last.timed:
        return span
    return (
        f"Last door: half within {duration(last.p50_ms)}, 95 % within {duration(last.p95_ms)}, "
        f"longest {duration(last.max_ms)}. {span}"
    )


def in_time(row: SystemSpeed) -> str:
    """``14 of 14``; a dash where no target has a time."""
    return f"{row.within:,} of {row.timed:,}" if row.timed else "–"


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
    parts = [f"{row.open_doors:,} open"] if row.open_doors else []
    parts += [f"{row.unproven_doors:,} given up"] if row.unproven_doors else []
    return ", ".join([*(parts or ["All proven"]), *(["lifted"] if row.lifted else [])])
