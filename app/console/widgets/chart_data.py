"""What a chart computes: values thinned to pixels, gaps, axes, samples, what a selection says. Without Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from app.console.language import number, tr

FloatArray = npt.NDArray[np.float64]
Lines = Mapping[str, tuple[FloatArray, FloatArray]]
"""Unix seconds, rising, and values by the name of a series; NaN: nothing was measured."""

NO_SAMPLE = tr("no sample")
REACH_STEPS = 1.5
"""A sample stands for times no further from it than this many steps."""
LOG_ABOVE, LINEAR_BELOW = 30.0, 15.0
"""An axis is logarithmic when its largest value is more than 30 times its smallest, and until it is less than 15 times:
one that stands at the bound does not flap."""
TICK_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 432_000,
          864_000)  # fmt: skip


def thin(x: FloatArray, y: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """At most two points a pixel column, its smallest and largest in the order in which they came: the picture is the
    same, the cost is bounded. NaN (nothing measured) is kept where a column has nothing else and breaks the line."""
    size = len(x)
    if columns < 1 or size <= 2 * columns:
        return x, y
    starts = (np.arange(columns) * size) // columns
    ends = np.append(starts[1:], size)
    low, high = np.where(np.isnan(y), np.inf, y), np.where(np.isnan(y), -np.inf, y)
    out_x, out_y = np.empty(2 * columns), np.empty(2 * columns)
    for column, (start, end) in enumerate(zip(starts, ends, strict=True)):
        a, b = start + int(np.argmin(low[start:end])), start + int(np.argmax(high[start:end]))
        first, second = (a, b) if a <= b else (b, a)
        out_x[2 * column], out_x[2 * column + 1] = x[first], x[second]
        out_y[2 * column], out_y[2 * column + 1] = y[first], y[second]
    return out_x, out_y


def within(x: FloatArray, y: FloatArray, start: float, end: float) -> tuple[FloatArray, FloatArray]:
    """The points from ``start`` to ``end``, and the one before and after them, so that lines reach the edges."""
    first, last = int(np.searchsorted(x, start)), int(np.searchsorted(x, end, "right"))
    return x[max(first - 1, 0) : last + 1], y[max(first - 1, 0) : last + 1]


def sample_at(x: FloatArray, y: FloatArray, at: float, step: float) -> float | None:
    """The value of the nearest time of ``x`` (rising), if it is within 1.5 ``step`` of ``at`` and something was
    measured then; None: nobody knows."""
    if not len(x):
        return None
    after = int(np.clip(np.searchsorted(x, at), 0, len(x) - 1))
    near = after - 1 if after and at - x[after - 1] <= x[after] - at else after
    if abs(x[near] - at) > REACH_STEPS * step or not np.isfinite(y[near]):
        return None
    return float(y[near])


def held_at(x: FloatArray, y: FloatArray, at: float, step: float) -> float | None:
    """The value of the step that holds ``at``, where each value is of the ``step`` seconds from its time on; None: it
    was not measured."""
    before = int(np.searchsorted(x, at, "right")) - 1
    if before < 0 or at >= x[before] + step or not np.isfinite(y[before]):
        return None
    return float(y[before])


def stairs(x: FloatArray, y: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """The line of values that hold for a whole ``step``: each from its time to the next."""
    return np.column_stack((x, x + step)).ravel(), np.repeat(y, 2)


def sample_times(lines: Lines) -> FloatArray:
    """The times at which any series has a value, rising, each once."""
    known = [x[np.isfinite(y)] for x, y in lines.values()]
    return np.unique(np.concatenate(known)) if known else np.empty(0)


def gaps(times: FloatArray, start: float, end: float, longest_s: float) -> list[tuple[float, float]]:
    """Where nothing was measured for longer than ``longest_s`` between ``start`` and ``end``, the time before the first
    sample and after the last one included."""
    inside = times[(times >= start) & (times <= end)]
    edges = np.concatenate(([start], inside, [end]))
    wide = np.flatnonzero(np.diff(edges) > longest_s)
    return [(float(edges[at]), float(edges[at + 1])) for at in wide]


# --- axes -------------------------------------------------------------------------------------------------------------


def log_range(low: float, high: float) -> tuple[float, float]:
    """Bounds of a logarithmic axis for values from ``low`` to ``high`` (positive): the next of 1, 2, 5 times a power of
    ten outwards, and at least a factor of ten apart, so that calm values look calm."""

    def step(value: float, direction: int) -> float:
        power = math.floor(math.log10(value))
        steps = [digit * 10.0**exponent for exponent in (power - 1, power, power + 1) for digit in (1, 2, 5)]
        if direction < 0:
            return max(entry for entry in steps if entry <= value * (1 + 1e-9))
        return min(entry for entry in steps if entry >= value * (1 - 1e-9))

    bottom, top = step(low, -1), step(high, 1)
    while top / bottom < 10 * (1 - 1e-9):
        top = step(top * 1.5, 1)
        if top / bottom < 10 * (1 - 1e-9):
            bottom = step(bottom / 1.5, -1)
    return bottom, top


@dataclass(frozen=True)
class ValueAxis:
    """From ``low`` at the foot to ``high`` at the top; ``log``: decimal logarithms lie evenly."""

    low: float
    high: float
    log: bool

    def share(self, values: FloatArray) -> FloatArray:
        """0 at the foot, 1 at the top; NaN for what has no place (not measured, or not positive on a log axis)."""
        if not self.log:
            return (values - self.low) / (self.high - self.low)
        good = np.isfinite(values) & (values > 0)
        logs: FloatArray = np.log10(np.where(good, values, np.nan))
        low, high = math.log10(self.low), math.log10(self.high)
        return (logs - low) / (high - low)

    def ticks(self, height: float, apart: float = 22.0) -> list[tuple[float, bool]]:
        """Values to be named, as many as have room ``apart`` px from each other, and whether each is a power of ten (on
        a linear axis: zero)."""
        room = max(2, int(height // apart))
        if not self.log:
            step = _round_step((self.high - self.low) / room)
            first = math.ceil(self.low / step - 1e-9)
            count = math.floor((self.high - first * step) / step + 1e-9) + 1
            return [((first + at) * step, first + at == 0) for at in range(count)]
        decades = range(math.floor(math.log10(self.low)) - 1, math.ceil(math.log10(self.high)) + 1)
        found: list[tuple[float, bool]] = []
        for digits in ((1, 2, 5), (1, 3), (1,)):
            values = [(digit * 10.0**power, digit == 1) for power in decades for digit in digits]
            found = [
                (value, whole) for value, whole in values if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)
            ]
            if len(found) <= room:
                return found
        return found


def _round_step(least: float) -> float:
    """The next of 1, 2, 5 times a power of ten from ``least`` on."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * (1 - 1e-9))


def value_axis(values: FloatArray, goal: float | None, *, may_log: bool, was_log: bool) -> ValueAxis:
    """The axis that shows the finite ``values`` and the goal. ``may_log``: it is logarithmic where they are far apart;
    ``was_log``: it is so now."""
    shown = values[np.isfinite(values)]
    if goal is not None:
        shown = np.append(shown, goal)
    positive = shown[shown > 0]
    if may_log and len(positive):
        low, high = float(positive.min()), float(positive.max())
        if high / low > (LINEAR_BELOW if was_log else LOG_ABOVE):
            return ValueAxis(*log_range(low, high), True)
    top = float(shown.max()) if len(shown) else 0.0
    return ValueAxis(0.0, top * 1.1 if top > 0 else 1.0, False)


def time_ticks(start: float, end: float, width: float, apart: float = 90.0) -> tuple[list[float], int]:
    """Unix times to be named between ``start`` and ``end``, whole clock times of this machine's zone at least ``apart``
    px from each other, and the seconds between two of them."""
    span = max(end - start, 1e-9)
    step = next((one for one in TICK_S if span / one * apart <= max(width, apart)), TICK_S[-1])
    midnight = datetime.fromtimestamp(start).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    first = math.ceil((start - midnight) / step)
    return [midnight + at * step for at in range(first, math.floor((end - midnight) / step) + 1)], step


def tick_words(at: float, step: int) -> str:
    """A time as the axis names it: seconds only where ticks stand closer than a minute, the day where it begins."""
    moment = datetime.fromtimestamp(at)
    if step >= 43_200 and moment.hour == 0:
        return moment.strftime("%d %b").lstrip("0")
    return moment.strftime("%H:%M:%S" if step < 60 else "%H:%M")


# --- words ------------------------------------------------------------------------------------------------------------


def figures(value: float) -> str:
    """Three of them (at most three decimals), which is all that a line shows: a legend keeps its width."""
    decimals = 2 - math.floor(math.log10(abs(value))) if value else 2
    return number(value, f",.{min(max(decimals, 0), 3)}f")


def change_words(name: str, x: FloatArray, y: FloatArray, chosen: tuple[float, float], unit: str) -> str:
    """What a selection says of a series in one sentence: its median inside against the median of all before it."""
    good = np.isfinite(y)
    inside = y[good & (x >= chosen[0]) & (x <= chosen[1])]
    before = y[good & (x < chosen[0])]
    if not len(inside):
        return tr("Nothing was measured of {name} in it.", name=name)
    now = float(np.median(inside))
    if not len(before):
        return tr("{name} was {now} {unit}; nothing was measured before it.", name=name, now=figures(now), unit=unit)
    then = float(np.median(before))
    if then <= 0 or now <= 0:
        return tr(
            "{name} went from {before} to {now} {unit}.",
            name=name,
            before=figures(then),
            now=figures(now),
            unit=unit,
        )
    if max(now / then, then / now) < 1.25:
        return tr(
            "{name} hardly changed: {before} before, {now} {unit} in it.",
            name=name,
            before=figures(then),
            now=figures(now),
            unit=unit,
        )
    times = now / then
    much = tr("{times:.0f} times", times=times) if times >= 10 else tr("{times:.1f} times", times=times)
    how = tr("grew {much}", much=much) if now > then else tr("fell to {share:.0%}", share=times)
    return tr(
        "{name} {how}, from {before} to {now} {unit}.",
        name=name,
        how=how,
        before=figures(then),
        now=figures(now),
        unit=unit,
    )


def rows_between(
    lines: Lines, names: Sequence[str], start: float, end: float
) -> list[tuple[float, list[float | None]]]:
    """Each time of a sample from ``start`` to ``end`` with the values of the series at it; None: none was measured."""
    times = sample_times(lines)
    times = times[(times >= start) & (times <= end)]
    known: list[dict[float, float]] = []
    for name in names:
        x, y = lines.get(name, (np.empty(0), np.empty(0)))
        good = np.isfinite(y)
        known.append(dict(zip(x[good].tolist(), y[good].tolist(), strict=True)))
    return [(at, [values.get(at) for values in known]) for at in times.tolist()]
