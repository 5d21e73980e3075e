"""The lines that the chart shows for a tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.console.language import tr
from app.console.pages.infrastructure.courses import Courses
from app.console.pages.infrastructure.tile_words import Measure
from app.console.pages.infrastructure.tiles_view import TITLES
from app.console.widgets.chart_data import Lines
from app.console.widgets.chart_plot import Series

ALL_FRAMES = tr("all frames")
COMPARED = 2
"""A chart has at most three series."""


@dataclass(frozen=True)
class TileLines:
    """Series with the most important one last, their unit, and their values."""

    series: Sequence[Series]
    unit: str
    lines: Lines
    counts: bool = False
    """The values are whole numbers."""


def history_name(measure: Measure, chosen: str) -> str:
    """What the chart shows: of the ``chosen`` frame, or of all."""
    if measure is Measure.OPERATIONAL:
        return tr("Frames that answered")
    if measure is Measure.MISSED:
        return tr("Missed probes")
    title = TITLES[Measure.P50 if measure is Measure.P50 else Measure.P99]
    return tr("{title} of {peer}", title=title, peer=chosen) if chosen else title


def history_of(
    measure: Measure, courses: Courses, chosen: str, probed: Sequence[str], compared: Sequence[str] = ()
) -> TileLines | None:
    """The lines of a tile; None where nothing was measured. ``probed``: whose missed probes count. Beside the
    chosen frame stand the first two that are ``compared`` with it, told apart by dash; without any the middle frame, or
    the slowest one: the service keeps percentiles of each frame alone."""
    if measure is Measure.OPERATIONAL:
        name = tr("frames that answered")
        return _history([Series(name)], tr("frames"), {name: (courses.starts, courses.count_answers())}, counts=True)
    if measure is Measure.MISSED:
        lines = {ALL_FRAMES: (courses.starts, courses.count_missed(probed))}
        series = [Series(ALL_FRAMES)]
        if chosen:
            lines[chosen] = (courses.starts, courses.count_missed([chosen]))
            series.insert(0, Series(chosen, "text"))
        return _history(series, tr("probes"), lines, counts=True)
    half = measure is Measure.P50
    values = courses.p50 if half else courses.p99
    beside: Lines = {one: (courses.starts, courses.one(values, one)) for one in compared[:COMPARED]}
    if not beside and half:
        beside = {tr("middle frame"): (courses.starts, courses.middle())}
    elif not beside:
        beside = {tr("slowest frame"): (courses.starts, courses.slowest())}
    if not chosen:
        return _history([Series(one) for one in beside], "ms", beside)
    own = (courses.starts, courses.one(values, chosen))
    if not np.isfinite(own[1]).any():
        return None
    drawn = [Series(name, "text") if at == 0 else Series(name, "dim", dash=True) for at, name in enumerate(beside)]
    return _history([*reversed(drawn), Series(chosen)], "ms", {**beside, chosen: own})


def _history(series: Sequence[Series], unit: str, lines: Lines, *, counts: bool = False) -> TileLines | None:
    """None where no line has a value."""
    known = any(np.isfinite(y).any() for _x, y in lines.values())
    return TileLines(series, unit, lines, counts) if known else None
