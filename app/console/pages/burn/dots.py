"""The targets of a burn over time, without Qt: when each was proven, which have no proof yet, and where their marks
stand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from app.console.language import number, tr
from app.console.pages.burn.board import FINAL, BoardRow, BurnBoard
from app.console.pages.burn.words import PROVEN, duration, target_state, target_word
from app.console.theme.tokens import Meaning

_FLOOR_S = 0.01
"""The axis begins here, or a decade earlier where targets were proven before."""
_LEAST_END_S = 1.0
_MARGIN = 1.25
"""So much of the time is left free after the last mark, for what is written beside it."""
_SPREAD_PX = 36.0
"""So far, at 100 % text, marks of one moment may stand beside each other before they become smaller."""


@dataclass(frozen=True)
class TargetDots:
    """``ended``: seconds and state of the targets that need nothing more; ``open``: states of those without proof, the
    worst first; ``now_s``: how long these have been so. Seconds count from the call; None: there is no such line."""

    ended: tuple[tuple[float, Meaning], ...] = ()
    open: tuple[Meaning, ...] = ()
    now_s: float | None = None
    expected_s: float | None = None
    goal_s: float | None = None

    @cached_property
    def span_s(self) -> tuple[float, float]:
        """Begin and end of the log axis, seconds."""
        first = min((at for at, _ in self.ended), default=_FLOOR_S)
        low = _FLOOR_S if first >= _FLOOR_S or first < _FLOOR_S / 10 else _FLOOR_S / 10
        marks = [at for at in (self.now_s, self.expected_s, self.goal_s) if at is not None]
        last = max([*marks, *(at for at, _ in self.ended), _LEAST_END_S])
        return low, _round_up(last * _MARGIN)

    def share(self, at: float) -> float:
        """Where a moment stands on the axis, 0 to 1; what came before the axis stands at its begin."""
        low, high = self.span_s
        return min(1.0, max(0.0, math.log(max(at, low) / low) / math.log(high / low)))


def _round_up(value: float) -> float:
    """The next 1, 2 or 5 of a decade, so that an axis with a clock on it moves seldom."""
    decade = 10.0 ** math.floor(math.log10(value))
    return next(step * decade for step in (1.0, 2.0, 5.0, 10.0) if step * decade >= value * 0.999)


def ticks_of(low: float, high: float) -> list[tuple[float, bool]]:
    """Lines of the axis, 1, 2 and 5 of each decade, and whether a label may stand at it (1 and 5)."""
    found = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for step in (1, 2, 5):
            at = step * 10.0**power
            if low * 0.999 <= at <= high * 1.001:
                found.append((at, step != 2))
    return found


def tick_label(at: float) -> str:
    """``50 ms``, ``0.5 s``, ``10 s``."""
    if at < 0.099:
        return f"{number(at * 1000, '.0f')} ms"
    return f"{number(at, '.1f' if at < 0.99 else '.0f')} s"


def stack_marks(
    shares: Sequence[float], width: float, height: float, pitches: Sequence[float]
) -> tuple[float, list[tuple[float, float]]]:
    """The distance of two marks in px, of those in ``pitches`` (largest first), and the middle of each mark: from the
    left, and up from the foot. Marks of one moment stand on each other, then in columns beside it."""
    for pitch in pitches:
        columns = Counter(int(share * width / pitch) for share in shares)
        fits = max(1, int(height // pitch))
        widest = math.ceil(max(columns.values(), default=0) / fits) * pitch
        if widest <= max(pitch, _SPREAD_PX) or pitch == pitches[-1]:
            break
    filled: Counter[int] = Counter()
    last = max(0, int(width / pitch) - 1)
    places = []
    for share in shares:
        column = min(last, int(share * width / pitch))
        at = next(
            (near for off in range(last + 1) for near in (column + off, column - off)
             if 0 <= near <= last and filled[near] < fits),
            column,
        )  # fmt: skip
        places.append(((at + 0.5) * pitch, (filled[at] + 0.5) * pitch))
        filled[at] += 1
    return pitch, places


def dots_of(board: BurnBoard, rows: Sequence[BoardRow], now: float, goal_s: float | None) -> TargetDots:
    """The marks of a burn at ``now`` (Unix seconds by the service's clock). ``rows``: its ``sorted_rows``."""
    left = [row for row in rows if row.state not in FINAL]
    ended = sorted(
        (row.latency_ms / 1000, target_state(row.state))
        for row in rows
        if row.state in FINAL and row.latency_ms is not None
    )
    return TargetDots(
        ended=tuple(ended),
        open=tuple(target_state(row.state) for row in left),
        now_s=board.age_s(left[0], now) if left else None,
        expected_s=None if board.expected_ms is None else board.expected_ms / 1000,
        goal_s=goal_s,
    )


def proven_times(rows: Sequence[BoardRow]) -> tuple[int, list[float]]:
    """How many targets are proven, and after how many ms each that has a time, soonest first."""
    proven = [row for row in rows if row.state in PROVEN]
    return len(proven), sorted(row.latency_ms for row in proven if row.latency_ms is not None)


def proven_words(times: Sequence[float]) -> str:
    """First, middle and last proof, in words; ``times`` in ms, soonest first."""
    if not times:
        return tr("each read back")
    return tr(
        "first {first}, middle {middle}, last {last}, each read back",
        first=duration(times[0]),
        middle=duration(times[len(times) // 2]),
        last=duration(times[-1]),
    )


def chart_words(rows: Sequence[BoardRow], dots: TargetDots) -> str:
    """What the chart shows of these rows, as it is heard: a count for each state, the proofs, and the lines."""
    count, times = proven_times(rows)
    states = Counter(target_word(row.state) for row in rows if row.state not in PROVEN)
    said = [tr("{word}: {count}", word=word, count=states[word]) for word in states]
    if count:
        said.append(tr("{count} proven: {times}", count=count, times=proven_words(times)))
    if dots.expected_s is not None:
        said.append(tr("Expected {time}", time=duration(dots.expected_s * 1000)))
    if dots.goal_s is not None:
        said.append(tr("Goal {time}", time=duration(dots.goal_s * 1000)))
    return ". ".join(said)
