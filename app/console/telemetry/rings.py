"""Measurements of many nodes on one time axis, and the history that fills it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.capabilities.infrastructure.messages import (
    HistoryPoint,
)
from app.console.moments import parse_time

MINUTE_S = 60
BREAK_S = 3.0
"""A gap of this length breaks the line of a chart."""
FloatArray = npt.NDArray[np.float32]


class Rings:
    """Measurements of many nodes on one common time axis: ``values[row, column]`` float32, NaN where nothing was
    measured. Column k holds the time ``[k, k + 1) * step_s``; the ring keeps the last ``columns`` of them."""

    def __init__(self, columns: int, step_s: float = 1.0) -> None:
        if columns < 2 or step_s <= 0:
            raise ValueError("a ring needs two columns and a positive step")
        self.columns, self.step_s = columns, step_s
        self._values: FloatArray = np.full((16, columns), np.nan, dtype=np.float32)
        self._measured = np.zeros(self._values.shape, dtype=bool)
        """Where a value is a measurement of that step, and not coarse history put there."""
        self._rows: dict[str, int] = {}
        self._head: int | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def names(self) -> list[str]:
        """Node ids, in the order of their rows."""
        return list(self._rows)

    def row(self, name: str) -> int:
        """Row of a node; made when the node is new."""
        at = self._rows.get(name)
        if at is None:
            at = self._rows[name] = len(self._rows)
            if at == len(self._values):
                more = np.full((len(self._values), self.columns), np.nan, dtype=np.float32)
                self._values = np.concatenate([self._values, more])
                self._measured = np.concatenate([self._measured, np.zeros(more.shape, dtype=bool)])
        return at

    def put(self, name: str, unix: float, value: float) -> None:
        """Take a measurement. One that is older than the ring is dropped; of several in one step the largest is kept,
        because a spike must not hide behind the calm value after it."""
        column = int(unix // self.step_s)
        self.advance(unix)
        if self._head is None or column <= self._head - self.columns:
            return
        row = self.row(name)
        at = column % self.columns
        # What is coarse was a median of more than this step: it is no measurement that could be the larger one.
        before = self._values[row, at] if self._measured[row, at] else np.nan
        self._values[row, at] = np.fmax(before, value)
        self._measured[row, at] = True

    def fill(self, name: str, start: float, values: FloatArray) -> None:
        """Take coarse history from the API: one value a step from ``start`` on, NaN for none, wherever no measurement
        is known yet. Steps outside the ring are left out."""
        if self._head is None:
            self.advance(start + (len(values) - 0.5) * self.step_s)
        head = self._head or 0
        first = int(start // self.step_s)
        low, high = max(first, head - self.columns + 1), min(first + len(values), head + 1)
        if low >= high:
            return
        columns = np.arange(low, high) % self.columns
        row = self._values[self.row(name)]
        row[columns] = np.where(np.isnan(row[columns]), values[low - first : high - first], row[columns])

    def advance(self, unix: float) -> None:
        """Move on to ``unix``: steps without a measurement become NaN. A jump back in time is ignored."""
        column = int(unix // self.step_s)
        if self._head is None:
            self._head = column
            return
        gap = column - self._head
        if gap <= 0:
            return
        if gap >= self.columns:
            self._values[:] = np.nan
            self._measured[:] = False
        else:
            passed = np.arange(self._head + 1, column + 1) % self.columns
            self._values[:, passed] = np.nan
            self._measured[:, passed] = False
        self._head = column

    def until(self, unix: float, count: int) -> FloatArray:
        """The ``count`` columns up to that time, the one that holds it included, oldest first: shape (nodes, count), a
        copy; NaN where they are older than the ring, or later than what was measured."""
        made = np.full((len(self._rows), count), np.nan, dtype=np.float32)
        inside, columns = self._inside(unix, count)
        made[:, inside] = self._values[: len(made), columns]
        return made

    def measured_until(self, unix: float, count: int) -> npt.NDArray[np.bool_]:
        """For each value of ``until``, whether it was measured in its step, and is no coarse history."""
        made = np.zeros((len(self._rows), count), dtype=bool)
        inside, columns = self._inside(unix, count)
        made[:, inside] = self._measured[: len(made), columns]
        return made

    def _inside(self, unix: float, count: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Which of the ``count`` columns up to that time the ring has, and where it has those."""
        if self._head is None:
            return np.zeros(count, dtype=bool), np.zeros(0, dtype=np.int64)
        columns = np.arange(count, dtype=np.int64) + int(unix // self.step_s) - count + 1
        inside = (columns > self._head - self.columns) & (columns <= self._head)
        return inside, columns[inside] % self.columns

    def newest_until(self, name: str, unix: float, count: int) -> tuple[float, bool] | None:
        """The newest value of a node in the ``count`` columns up to that time, and whether it was measured in its step:
        a value of coarse history holds for longer than that. None: there is none."""
        row, head = self._rows.get(name), self._head
        if row is None or head is None:
            return None
        last = min(int(unix // self.step_s), head)
        first = max(int(unix // self.step_s) - count, head - self.columns)
        for column in range(last, first, -1):
            at = column % self.columns
            if np.isfinite(self._values[row, at]):
                return float(self._values[row, at]), bool(self._measured[row, at])
        return None

    def last(self, count: int) -> FloatArray:
        """The newest ``count`` columns of all nodes, oldest first: shape (nodes, count), a copy."""
        count = min(count, self.columns)
        rows = len(self._rows)
        if self._head is None:
            return np.full((rows, count), np.nan, dtype=np.float32)
        end = (self._head + 1) % self.columns
        if end >= count:
            return self._values[:rows, end - count : end].copy()
        return np.concatenate([self._values[:rows, self.columns - (count - end) :], self._values[:rows, :end]], axis=1)

    def find_listened(self, start: float, count: int, silent_s: float) -> npt.NDArray[np.bool_]:
        """For each of ``count`` columns from ``start`` on, whether measurements came then: of a node in that column, or
        of any within a silence shorter than ``silent_s``."""
        values = self.until(start + (count - 0.5) * self.step_s, count)
        measured = np.flatnonzero(np.isfinite(values).any(axis=0))
        found = np.zeros(count, dtype=bool)
        found[measured] = True
        for before, after in itertools.pairwise(measured.tolist()):
            if (after - before) * self.step_s < silent_s:
                found[before:after] = True
        return found

    @property
    def end(self) -> float:
        """Unix time at which the newest column ends; 0 before the first measurement."""
        return 0.0 if self._head is None else (self._head + 1) * self.step_s


def spread(points: Sequence[HistoryPoint], start: float, seconds: int, step: float, interval_s: float) -> FloatArray:
    """History as one value a second from ``start`` (Unix, whole seconds) on: float32, NaN where nothing was measured.

    A step holds its median for as long as it lasts. A point of more probes than fit into a step is a whole minute that
    the service keeps as one. Probes that were missed leave a gap as long as their share of the step, and at least so
    long that a line breaks there; where in the step they were missed is not known, the gap stands at its end.
    """
    made = np.full(seconds, np.nan, dtype=np.float32)
    # Minutes first: what is finer writes over them.
    coarse = [point for point in points if _coarse(point, step, interval_s)]
    fine = [point for point in points if not _coarse(point, step, interval_s)]
    for group, least in ((coarse, float(MINUTE_S)), (fine, step)):
        # Probes further apart than a step: each point holds until the next probe is due.
        length = max(least, interval_s)
        for point in group:
            found = point.handshake
            if found.p50 is None:
                continue
            at = round(parse_time(point.at) - start)
            missed = found.missed and max(BREAK_S, length * found.missed / (found.missed + found.count))
            made[max(at, 0) : max(at + max(round(length - missed), 1), 0)] = found.p50
    return made


def _coarse(point: HistoryPoint, step: float, interval_s: float) -> bool:
    """Whether a point holds more probes than fit into a step: it is a whole minute then."""
    return point.handshake.count + point.handshake.missed > 2 * step / interval_s + 1
