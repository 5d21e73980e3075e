"""How the frames answered over a span, as arrays: what tiles, chart, cells and a selection are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.console.frames.measurements import FloatArray, percentile_columns
from app.console.telemetry.past_frames import PastFrames
from app.console.widgets.chart_data import ValueAxis, log_range
from app.console.widgets.table_cells import Course

Figures = npt.NDArray[np.float32]


class Courses:
    """Of the frames ``peer_ids``, step by step. Made off the GUI thread: many frames have many points."""

    def __init__(self, past: PastFrames, peer_ids: Sequence[str]) -> None:
        self.past = past
        self.starts: FloatArray = past.starts
        """Unix times at which the steps begin."""
        self.step = float(past.step_s)
        self.p50: Figures = past.values(peer_ids, "p50")
        """Milliseconds, shape (frames, steps); NaN where nothing was measured."""
        self.p99: Figures = past.values(peer_ids, "p99")
        self._missed: Figures = past.values(peer_ids, "missed")
        self._rows = {peer_id: row for row, peer_id in enumerate(peer_ids)}

    def one(self, values: Figures, peer_id: str) -> FloatArray:
        """The row of a frame in ``p50`` or ``p99``; NaN throughout for one that is not among them."""
        row = self._rows.get(peer_id)
        return np.full(len(self.starts), np.nan) if row is None else values[row].astype(np.float64)

    def others(self, values: Figures, peer_id: str) -> Figures:
        """The rows of all frames but that one."""
        return values[[row for one, row in self._rows.items() if one != peer_id]]

    def middle(self) -> FloatArray:
        """The median of the frames' medians in each step, ms."""
        return percentile_columns(self.p50, 0.5).astype(np.float64)

    def slowest(self) -> FloatArray:
        """The highest p99 of a frame in each step, ms."""
        return percentile_columns(self.p99, 1.0).astype(np.float64)

    def count_answers(self) -> FloatArray:
        """How many frames answered in each step; NaN where no frame was probed."""
        probed = np.isfinite(self._missed).any(axis=0)
        return np.where(probed, np.isfinite(self.p50).sum(axis=0), np.nan).astype(np.float64)

    def count_missed(self, peer_ids: Sequence[str]) -> FloatArray:
        """How many probes of these frames were missed in each step; NaN where none of them was probed."""
        rows = self._missed[[self._rows[one] for one in peer_ids if one in self._rows]]
        probed = np.isfinite(rows).any(axis=0)
        return np.where(probed, np.nansum(rows, axis=0), np.nan).astype(np.float64)

    def cells(self, goal: float | None) -> dict[str, Course]:
        """The p99 of each frame as a cell draws it, by ``peer_id``: all on one logarithmic scale, which holds the goal.
        A frame of which nothing was measured has none."""
        positive: npt.NDArray[np.bool_] = np.isfinite(self.p99) & (self.p99 > 0)
        known = self.p99[positive]
        if not known.size:
            return {}
        ends = [float(known.min()), float(known.max())] + ([] if goal is None else [goal])
        axis = ValueAxis(*log_range(min(ends), max(ends)), log=True)
        at = None if goal is None else float(axis.share(np.array([goal]))[0])
        shares = axis.share(self.p99.astype(np.float64))
        measured = np.flatnonzero(np.isfinite(shares).any(axis=1)).tolist()
        return {one: Course(tuple(shares[row].tolist()), at) for one, row in self._rows.items() if row in measured}
