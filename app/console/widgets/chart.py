"""The detailed chart: a few series over clock time, by pyqtgraph with one-pixel pens, thinned to pixel columns here."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import clock_time, utc_time, zone_name
from app.console.widgets.text import label

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """One line. ``colour`` names a token, ``dash`` keeps it apart without colour."""

    name: str
    colour: str = "accent"
    dash: bool = False


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


NO_SAMPLE = "no sample"
REACH_STEPS = 1.5
"""A sample stands for times no further from it than this many steps."""


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


class _ClockAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Clock times; values are seconds after ``origin``, so that float32 inside Qt does not blur them."""

    def __init__(self) -> None:
        super().__init__(orientation="bottom")
        self.origin = 0.0
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: Sequence[float], _scale: float, spacing: float) -> list[str]:
        return [clock_time(self.origin + value)[: 8 if spacing < 60 else 5] for value in values]

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        span = max(high - low, 1e-9)
        for step in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400):
            if span / step * 90 <= max(size, 1):
                return [(float(step), 0.0)]
        return [(86400.0, 0.0)]


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


def figures(value: float) -> str:
    """Three of them (at most three decimals), which is all that a line shows: a legend keeps its width."""
    decimals = 2 - math.floor(math.log10(abs(value))) if value else 2
    return f"{value:,.{min(max(decimals, 0), 3)}f}"


class _LogAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Values are decimal logarithms; ticks stand at 1, 2 and 5 times powers of ten, as many as have room."""

    def __init__(self) -> None:
        super().__init__(orientation="left")
        self.enableAutoSIPrefix(False)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        decades = range(math.floor(low) - 1, math.ceil(high) + 1)
        for digits in ((1, 2, 5), (1,)):
            ticks = [power + math.log10(digit) for power in decades for digit in digits]
            ticks = [tick for tick in ticks if low - 1e-9 <= tick <= high + 1e-9]
            if len(ticks) * 22 <= max(size, 44):
                return [(1.0, ticks)]
        return [(1.0, ticks)]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [f"{float(f'{10**value:.3g}'):,g}" for value in values]


class _Key(QWidget):
    """A short piece of the line as it is drawn, for the legend."""

    def __init__(self, series: Series) -> None:
        super().__init__()
        self._series = series
        self.setFixedSize(22, 12)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = QPen(QColor(getattr(theme.current(), self._series.colour)), 2)
        if self._series.dash:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.drawLine(0, self.height() // 2, self.width(), self.height() // 2)


class TimeChart(QWidget):
    """Series over time with a legend, the unit, and the values under the pointer.

    ``set_data`` takes Unix seconds and values, one each ``step`` seconds; call it at most 5 times a second. ``log``:
    values are positive and drawn on a logarithmic axis, so that one slow answer does not flatten all others.
    """

    def __init__(
        self, series: Sequence[Series], *, unit: str, name: str, log: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._series = list(series)
        self._unit = unit
        self._log = log
        self._data: dict[str, tuple[FloatArray, FloatArray]] = {}
        self._step, self._span = 1.0, 0.0
        self._at: float | None = None
        """Unix time that is read out; None: none is."""
        self.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(6)
        self._legend: dict[str, QLabel] = {}
        for number, entry in enumerate(self._series):
            if number:
                head.addSpacing(6)
            head.addWidget(_Key(entry))
            words = label(entry.name, "small")
            self._legend[entry.name] = words
            head.addWidget(words)
        head.addStretch(1)
        self._readout = label("", "small")
        head.addWidget(self._readout)
        self._axis = _ClockAxis()
        axes = {"bottom": self._axis, "left": _LogAxis()} if log else {"bottom": self._axis}
        # Without pyqtgraph's menus: they are never shown and cost more than the plot.
        self.plot = pg.PlotWidget(axisItems=axes, enableMenu=False)
        self.plot.setAccessibleName(name)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item = self.plot.getPlotItem()
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.getAxis("left").enableAutoSIPrefix(False)
        item.setContentsMargins(0, 4, 8, 0)
        self._curves = {entry.name: item.plot([], [], antialias=False, connect="finite") for entry in self._series}
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self._cursor.hide()
        item.addItem(self._cursor, ignoreBounds=True)
        self.plot.scene().sigMouseMoved.connect(self._point)
        column.addLayout(head)
        column.addWidget(self.plot, 1)
        self._dress()

    def set_data(
        self, data: dict[str, tuple[FloatArray, FloatArray]], *, start: float, end: float, step: float
    ) -> None:
        """Show these values between Unix times ``start`` and ``end``; NaN breaks a line. Another length of time, or
        other series of it, takes the readout away: it was of what is no longer shown."""
        changed = data.keys() != self._data.keys() or step != self._step or abs(end - start - self._span) > 1e-3
        if changed or (self._at is not None and not start <= self._at <= end):
            self._at = None
        self._data, self._step, self._span = data, step, end - start
        # A whole minute as origin keeps the ticks at whole clock times.
        origin = float(int(start) // 86400 * 86400)
        self._axis.origin = origin
        width = max(64, self.plot.width())
        low, top = np.inf, 0.0
        for entry in self._series:
            x, y = data.get(entry.name, (np.empty(0), np.empty(0)))
            thin_x, thin_y = thin(x - origin, y, width)
            # A value that is not positive has no logarithm: it counts as not measured.
            good = np.isfinite(thin_y)
            if self._log:
                good &= thin_y > 0
                thin_y = np.log10(np.where(good, thin_y, np.nan))
            self._curves[entry.name].setData(thin_x, thin_y)
            inside = good & (thin_x >= start - origin)
            if inside.any():
                shown = 10 ** thin_y[inside] if self._log else thin_y[inside]
                low, top = min(low, float(shown.min())), max(top, float(shown.max()))
        item = self.plot.getPlotItem()
        item.setXRange(start - origin, end - origin, padding=0)
        if self._log:
            bottom, top = log_range(low, top) if top > 0 else (1.0, 10.0)
            item.setYRange(math.log10(bottom), math.log10(top), padding=0.02)
        else:
            item.setYRange(0, top * 1.1 if top > 0 else 1.0, padding=0)
        self._read_out()

    def _point(self, position: QPointF) -> None:
        """Move the cursor line to the pointer and read out every series there."""
        item = self.plot.getPlotItem()
        inside = item.sceneBoundingRect().contains(position)
        self._at = self._axis.origin + item.vb.mapSceneToView(position).x() if inside else None
        self._read_out()

    def _read_out(self) -> None:
        """Say at each series what was measured at the time of the cursor line, or without one what was measured last;
        beside them the time, or the unit."""
        at = self._at
        self._cursor.setVisible(at is not None)
        found = {entry.name: self._value_of(entry.name, at) for entry in self._series}
        for name, value in found.items():
            self._legend[name].setText(name + ("  –" if value is None else f"  {figures(value)} {self._unit}"))
        if at is None:
            self._readout.setText(f"{self._unit} · {zone_name(time.time())}")
            self._readout.setToolTip("")
            return
        self._cursor.setPos(at - self._axis.origin)
        nothing = all(value is None for value in found.values())
        self._readout.setText(f"{clock_time(at)}   {NO_SAMPLE}" if nothing else clock_time(at))
        self._readout.setToolTip(utc_time(at))

    def _value_of(self, name: str, at: float | None) -> float | None:
        x, y = self._data.get(name, (np.empty(0), np.empty(0)))
        if at is not None:
            return sample_at(x, y, at, self._step)
        good = np.flatnonzero(np.isfinite(y))
        return float(y[good[-1]]) if len(good) else None

    def _dress(self) -> None:
        """Take colours and fonts of the theme in force."""
        tokens = theme.current()
        self.plot.setBackground(tokens.panel)
        item = self.plot.getPlotItem()
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(pg.mkPen(tokens.line))
            axis.setTextPen(pg.mkPen(tokens.dim))
            axis.setStyle(tickFont=theme.ui(11), tickLength=-4)
        item.showGrid(x=False, y=True, alpha=0.12)
        for entry in self._series:
            style = Qt.PenStyle.DashLine if entry.dash else Qt.PenStyle.SolidLine
            self._curves[entry.name].setPen(pg.mkPen(getattr(tokens, entry.colour), width=1, style=style))
        self._cursor.setPen(pg.mkPen(tokens.border))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_cursor"):
            self._dress()
        super().changeEvent(event)
