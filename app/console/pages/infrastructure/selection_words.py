"""What a selection on the chart says: which frame changed, which phase of its handshakes grew, what happened then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from app.console.clock import clock_time
from app.console.frames.measurements import FloatArray
from app.console.language import number, tr
from app.console.pages.infrastructure.courses import Figures
from app.console.pages.infrastructure.words import PHASES
from app.console.widgets.chart_data import figures
from app.console.widgets.chart_plot import ChartEvent

CHANGED_FROM = 1.5
"""A frame did not change where its median in the selection is within this factor of its median before it. A phase grew
where its own is beyond it, and no other phase grew by more milliseconds."""
FEWEST = 3
"""Handshakes before a selection and in it from which a phase is said to have grown."""
AROUND_S = 60.0
"""So long before and after a selection what happened is around it, seconds."""
Stretch = tuple[float, float]


@dataclass(frozen=True)
class MedianChange:
    """The median of a value before a selection and in it, ms, None where nothing was measured; ``at``: Unix time of the
    step in which it had changed, before the selection where that begins later; None where it did not."""

    before: float | None
    now: float | None
    at: float | None = None
    exact: bool = False
    """``at`` is known to the second."""

    @property
    def factor(self) -> float | None:
        """How many times as much; None where it is not known."""
        if self.before is None or self.now is None or self.before <= 0 or self.now <= 0:
            return None
        return self.now / self.before

    @property
    def changed(self) -> bool:
        """Whether it is beyond ``CHANGED_FROM``."""
        factor = self.factor
        return factor is not None and max(factor, 1 / factor) > CHANGED_FROM


def change_of(starts: FloatArray, values: FloatArray, step: float, chosen: Stretch) -> MedianChange:
    """How ``values``, each of the ``step`` seconds from its start on, changed in a selection. A step that
    reaches into the selection belongs to it, one that had ended by then to what was before."""
    known = np.isfinite(values)
    inside = known & (starts + step > chosen[0]) & (starts <= chosen[1])
    before = known & (starts + step <= chosen[0])
    half, was = _median(values[inside]), _median(values[before])
    found = MedianChange(was, half)
    if not found.changed or half is None or was is None:
        return found
    # Half way between both, as the logarithmic axis shows it.
    border = (half * was) ** 0.5
    over = known & ((values > border) if half > was else (values < border))
    first = int(np.flatnonzero(over & inside)[0])
    while first and over[first - 1]:
        first -= 1
    return MedianChange(was, half, float(starts[first]))


def sharpen(change: MedianChange, seconds: FloatArray, values: FloatArray) -> MedianChange:
    """The change with its second, where the handshakes of its step show it: one that had not changed before the first
    that had."""
    factor = change.factor
    if not change.changed or factor is None or change.before is None:
        return change
    border = change.before * factor**0.5
    over = np.flatnonzero(values > border if factor > 1 else values < border)
    if not len(over) or not over[0]:
        return change
    return replace(change, at=float(seconds[over[0]]), exact=True)


def changes_of(starts: FloatArray, values: Figures, step: float, chosen: Stretch) -> list[MedianChange]:
    """The medians of ``change_of`` of many frames, shape (frames, steps), without the time of each."""
    inside = _row_medians(values[:, (starts + step > chosen[0]) & (starts <= chosen[1])])
    before = _row_medians(values[:, starts + step <= chosen[0]])
    return [MedianChange(was, now) for was, now in zip(before, inside, strict=True)]


def _row_medians(values: Figures) -> list[float | None]:
    """The median of each row, None for one without a value."""
    known = np.isfinite(values)
    made: list[float | None] = [None] * len(values)
    rows = np.flatnonzero(known.any(axis=1))
    for row, median in zip(rows.tolist(), np.nanmedian(values[rows], axis=1).tolist(), strict=True):
        made[row] = median
    return made


def _median(values: FloatArray) -> float | None:
    return float(np.median(values)) if len(values) else None


def selected_words(chosen: Stretch, step: float) -> str:
    """``Selected 15:50 to 16:01``; seconds where steps are shorter than a minute or the ends are within one."""
    start, end = (clock_time(one) for one in chosen)
    if step >= 60 and start[:-3] != end[:-3]:
        start, end = start[:-3], end[:-3]
    return tr("Selected {start} to {end}", start=start, end=end)


def change_sentence(frame: str, change: MedianChange, step: float) -> str:
    """``training-c-07 grew 68 times at 15:54``."""
    if change.now is None:
        return tr("{frame} was not measured", frame=frame)
    if change.before is None:
        return tr("{frame}: nothing before it to compare", frame=frame)
    factor = change.factor
    if not change.changed or factor is None:
        return tr("{frame} did not change", frame=frame)
    times = number(factor, ".0f" if factor >= 10 else ".1f")
    how = tr("grew {times} times", times=times) if factor > 1 else tr("fell to {share:.0%}", share=factor)
    if change.at is None:
        return f"{frame} {how}"
    clock = clock_time(change.at)
    return tr(
        "{frame} {how} at {clock}", frame=frame, how=how, clock=clock if change.exact or step < 60 else clock[:-3]
    )


def change_detail(change: MedianChange, others: Sequence[MedianChange]) -> str:
    """The medians, and what the other frames did: ``0.90 to 61.4 ms. The other 51 frames did not change.``"""
    if change.before is not None and change.now is not None:
        parts = [tr("p50 {before} to {now} ms.", before=figures(change.before), now=figures(change.now))]
    elif change.now is not None:
        parts = [tr("p50 {now} ms.", now=figures(change.now))]
    else:
        parts = []
    known = [one for one in others if one.factor is not None]
    moved = sum(one.changed for one in known)
    if known and not moved:
        one = len(known) == 1
        parts.append(
            tr("The other frame did not change.")
            if one
            else tr("The other {count} frames did not change.", count=len(known))
        )
    elif moved:
        parts.append(tr("Of the other {count} frames {moved} changed, too.", count=len(known), moved=moved))
    if unknown := len(others) - len(known):
        parts.append(tr("Of {count} it is not known.", count=unknown))
    return " ".join(parts)


class PhaseChange(NamedTuple):
    """A phase of the handshakes before a selection and in it, ms; ``grew``: it is the one that did."""

    name: str
    before: float | None
    now: float
    grew: bool


def phase_changes(before: Figures, now: Figures) -> list[PhaseChange]:
    """The medians of ``PHASES``, of handshakes as ``PhaseLog.between`` gives them; empty where none was read in the
    selection. At most one grew, and none by fewer handshakes than ``FEWEST``."""
    if not now.shape[1]:
        return []
    after, earlier = _phase_medians(now), _phase_medians(before)
    enough = min(now.shape[1], before.shape[1]) >= FEWEST
    grown = (
        []
        if not enough
        else [
            (ms - was, at)
            for at, (ms, was) in enumerate(zip(after, earlier, strict=True))
            if was is not None and ms is not None and ms > CHANGED_FROM * was
        ]
    )
    most = max(grown)[1] if grown else -1
    return [
        PhaseChange(name, was, ms or 0.0, at == most)
        for at, (name, was, ms) in enumerate(zip(PHASES, earlier, after, strict=True))
    ]


def _phase_medians(found: Figures) -> list[float | None]:
    if not found.shape[1]:
        return [None] * len(PHASES)
    resolve, connect, first, whole = found.astype(np.float64)
    return [_median(one) for one in (resolve, connect, first, np.maximum(whole - first, 0.0))]


def phase_note(before: Figures, now: Figures) -> str:
    """Of how many handshakes the phases are, or why there are none."""
    inside, earlier = now.shape[1], before.shape[1]
    of = tr("Of 1 handshake") if inside == 1 else tr("Of {count} handshakes", count=inside)
    if not inside:
        return tr("The phases of that time are not known: this window reads them while a page shows frames.")
    if not earlier:
        return tr("{of}; no phases were read before.", of=of)
    said = tr("{of}, {before} before.", of=of, before=earlier)
    if min(inside, earlier) < FEWEST:
        return tr("{said} Too few to say which grew.", said=said)
    grown = next((one.name for one in phase_changes(before, now) if one.grew), "")
    return tr("{phase} grew. {said}", phase=grown, said=said) if grown else tr("No phase grew. {said}", said=said)


def around(events: Sequence[ChartEvent], chosen: Stretch) -> list[ChartEvent]:
    """What happened in a selection and ``AROUND_S`` before and after it, the oldest first."""
    start, end = chosen[0] - AROUND_S, chosen[1] + AROUND_S
    return sorted((one for one in events if start <= one.at <= end), key=lambda one: one.at)
