"""Sound as a picture: time to the right, pitch upwards, grey by loudness, with lines over it and a playhead.

Grey, so that the lines and the states beside it keep their colours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr

FloatArray = npt.NDArray[np.float32]

TOP_HZ = 5_000.0
ROLLING_S = 8.0
"""What is seen while sound comes in; the whole of it once it has ended."""
RANGE_DB = 50.0
"""Below the loudest moment; what is softer has the colour of the ground."""
LIFT_HZ = 300.0
"""From here on each octave is drawn 6 dB louder: speech falls so, and its upper resonances would not be seen."""
JUMP_HZ = 400.0
"""A line that moves so far from one row to the next is broken there: it is another resonance."""


class _SecondsAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Seconds with their unit, as many as have room."""

    def __init__(self) -> None:
        super().__init__(orientation="bottom")
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [f"{value:g} s" for value in values]


def break_jumps(line: FloatArray) -> FloatArray:
    """A line (n,) that is NaN where it would jump."""
    found = line.copy()
    found[1:][np.abs(np.diff(line)) > JUMP_HZ] = np.nan
    return found


class Spectrogram(QWidget):
    """``append`` takes magnitudes as they come; ``show_tracks`` draws pitch and resonances over them. ``step_s``: time
    of a row of magnitudes, ``bin_hz``: width of one of its columns."""

    AXIS_PX = 48
    """Room for the labels at the left, px at 100 % text: what stands below is aligned with it."""

    def __init__(self, step_s: float, bin_hz: float, most: int, *, name: str, parent: QWidget | None = None) -> None:
        """``most``: rows that are kept."""
        super().__init__(parent)
        self._step_s = step_s
        self._bins = round(TOP_HZ / bin_hz) + 1
        self._power = np.zeros((most, self._bins), np.float32)
        hertz = np.arange(self._bins, dtype=np.float32)[:, None] * np.float32(bin_hz)
        self._lift = 20 * np.log10(np.maximum(hertz, LIFT_HZ) / LIFT_HZ)
        self._count = 0
        self._rolling = False
        self._name = name
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.plot = pg.PlotWidget(axisItems={"bottom": _SecondsAxis()}, enableMenu=False)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item = self.plot.getPlotItem()
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.setContentsMargins(0, 4, 0, 0)
        left = item.getAxis("left")
        left.enableAutoSIPrefix(False)
        left.setTicks([[(hertz, f"{hertz // 1000} kHz") for hertz in range(0, int(TOP_HZ) + 1, 1000)]])
        self._image = pg.ImageItem(axisOrder="row-major")
        item.addItem(self._image)
        self._resonances = [pg.PlotDataItem(connect="finite", antialias=True) for _ in range(3)]
        self._pitch = pg.PlotDataItem(connect="finite", antialias=True)
        for line in (*self._resonances, self._pitch):
            item.addItem(line)
        self._head = pg.InfiniteLine(angle=90, movable=False)
        self._head.hide()
        item.addItem(self._head, ignoreBounds=True)
        item.setYRange(0, TOP_HZ, padding=0)
        column.addWidget(self.plot)
        self._dress()
        self.clear()

    @property
    def seconds(self) -> float:
        """Length of what is shown."""
        return self._count * self._step_s

    @property
    def span(self) -> tuple[float, float]:
        """First and last second in sight."""
        if self._rolling:
            end = max(self.seconds, ROLLING_S)
            return end - ROLLING_S, end
        return 0.0, max(self.seconds, 1.0)

    def clear(self) -> None:
        """Show nothing; what was kept is overwritten."""
        self._power[:] = 0
        self._count = 0
        self._rolling = False
        self._image.clear()
        self.show_tracks(None, ())
        self.show_head(None)
        self._aim()

    def append(self, magnitudes: FloatArray, *, rolling: bool) -> None:
        """Take further rows (frames, bins); ``rolling``: more will come."""
        rows = magnitudes[: len(self._power) - self._count, : self._bins]
        self._power[self._count : self._count + len(rows)] = rows
        self._count += len(rows)
        self._rolling = rolling
        self._aim()
        self._draw()

    def show_tracks(self, pitch: FloatArray | None, resonances: Sequence[FloatArray]) -> None:
        """Draw these lines, Hz a row, NaN where there is none."""
        for line, values in zip(self._resonances, resonances or (np.zeros(0, np.float32),) * 3, strict=True):
            line.setData(np.arange(len(values)) * self._step_s, break_jumps(values))
        pitch = np.zeros(0, np.float32) if pitch is None else pitch
        self._pitch.setData(np.arange(len(pitch)) * self._step_s, pitch)

    def show_head(self, seconds: float | None) -> None:
        """Show what is being played; None: nothing is."""
        self._head.setVisible(seconds is not None)
        if seconds is not None:
            self._head.setPos(seconds)

    def _aim(self) -> None:
        begin, end = self.span
        self.plot.getPlotItem().setXRange(begin, end, padding=0)
        long = tr("{seconds:.1f} s", seconds=self.seconds) if self._count else tr("nothing yet")
        self.setAccessibleName(f"{self._name}: {long}")

    def _draw(self) -> None:
        """Draw what is in sight: at most a row a pixel column would be seen."""
        if not self._count:
            return
        begin = max(0, round(self.span[0] / self._step_s)) if self._rolling else 0
        shown = 20 * np.log10(self._power[begin : self._count].T + 1e-6) + self._lift
        top = float(shown.max())
        self._image.setImage(shown, autoLevels=False, levels=(top - RANGE_DB, top))
        self._image.setRect(begin * self._step_s, 0, shown.shape[1] * self._step_s, TOP_HZ)

    def _dress(self) -> None:
        """Take colours and fonts of the theme in force."""
        tokens = theme.current()
        self.plot.setBackground(tokens.bg)
        ground, ink = QColor(tokens.bg), QColor(tokens.dim)
        share = np.linspace(0, 1, 256)[:, None]
        ends = np.array([[one.red(), one.green(), one.blue()] for one in (ground, ink)], float)
        self._image.setLookupTable((ends[0] + (ends[1] - ends[0]) * share).astype(np.uint8))
        for side in ("left", "bottom"):
            axis = self.plot.getPlotItem().getAxis(side)
            axis.setPen(pg.mkPen(tokens.line))
            axis.setTextPen(pg.mkPen(tokens.dim))
            axis.setStyle(tickFont=theme.ui(11), tickLength=-4)
        self.plot.getPlotItem().getAxis("left").setWidth(theme.px(self.AXIS_PX))
        for line in self._resonances:
            line.setPen(pg.mkPen(tokens.accent, width=2))
        self._pitch.setPen(pg.mkPen(tokens.text, width=2))
        self._head.setPen(pg.mkPen(tokens.text, width=2))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_head"):
            self._dress()
        super().changeEvent(event)
