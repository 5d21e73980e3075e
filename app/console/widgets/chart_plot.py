"""The plot of a chart: axes, lines, gaps, goal, events, selection and crosshair, painted in one widget; drags and keys.

What stands still is painted once into a picture; the crosshair moves over it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.console import theme
from app.console.clock import clock_time, zone_name
from app.console.language import number, tr
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_data import (
    NO_SAMPLE,
    FloatArray,
    Lines,
    ValueAxis,
    figures,
    gaps,
    held_at,
    sample_at,
    sample_times,
    stairs,
    thin,
    tick_words,
    time_ticks,
    value_axis,
    within,
)
from app.console.widgets.chart_range import Stretch, TimeRange, pan
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import paint_shape

GUTTER, ABOVE, AXIS, LANE, EDGE = 44, 22, 20, 22, 10
"""Px at 100 % text: values at the left, the unit above, times below, events under those, nothing at the right."""
READOUT = 196
GESTURES = tr("Drag to zoom, Ctrl-drag to select, Shift-drag to pan, double click to go out")
DRAG_PX = 4
"""A press that moves less is a click."""


@dataclass(frozen=True)
class Series:
    """One line. ``colour`` names a token, ``dash`` keeps it apart without colour."""

    name: str
    colour: str = "accent"
    dash: bool = False


@dataclass(frozen=True)
class ChartEvent:
    """Something that happened at ``at`` (Unix seconds): a shape, one word, and a sentence. ``trace``: the id by which
    the audit log tells of it; empty: it does not."""

    at: float
    state: Meaning
    word: str
    sentence: str
    trace: str = field(default="", compare=False)


class Plot(QWidget):
    """``ended`` follows a drag that zooms. The chart gives it data, goal and events; the range is that of the page."""

    shown_changed = Signal()
    """Another stretch of time is shown."""

    def __init__(self, series: Sequence[Series], unit: str, span: TimeRange, *, log: bool) -> None:
        super().__init__()
        self.series = list(series)
        self.range = span
        self.goal: float | None = None
        self.events: list[ChartEvent] = []
        self.lines: Lines = {}
        self.whole: Stretch = (0.0, 1.0)
        self.step, self.gap_s, self.holds = 1.0, 2.5, False
        self.axis = ValueAxis(0.0, 1.0, False)
        self._unit = unit
        self._may_log = log
        self.counts = False
        """The values are whole numbers."""
        self._still: QPixmap | None = None
        self._press: QPointF | None = None
        self._press_keys = Qt.KeyboardModifier.NoModifier
        self._press_shown: Stretch = self.whole
        self._drag: Stretch | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        keep_lengths(self, lambda one: one.setMinimumHeight(theme.px(64)))
        span.changed.connect(self._follow)
        span.pointed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(180))

    # --- what is shown -----------------------------------------------------------------------------------------------

    @property
    def shown(self) -> Stretch:
        """The stretch of time that is shown: the zoom of the page, where it lies in what this chart has."""
        zoom = self.range.zoom
        if zoom is None or zoom[1] <= self.whole[0] or zoom[0] >= self.whole[1]:
            return self.whole
        return zoom

    def set_series(self, series: Sequence[Series], unit: str, *, counts: bool) -> None:
        """Show other series; there is nothing of them yet."""
        self.series, self._unit, self.counts, self.lines = list(series), unit, counts, {}
        self.renew()

    def figure(self, value: float) -> str:
        """A value as legend and readout say it."""
        return number(value, ",.0f") if self.counts else figures(value)

    def set_lines(self, lines: Lines, whole: Stretch, step: float, gap_s: float, *, holds: bool) -> None:
        """Show these values. ``gap_s``: so long nothing is measured before that is a gap; ``holds``: a value is of the
        whole step from its time on."""
        start, end = whole
        # A stretch without length has no places: nothing could be painted in it.
        self.lines, self.whole = lines, (start, max(end, start + step))
        self.step, self.gap_s, self.holds = step, gap_s, holds
        self.renew()

    def renew(self) -> None:
        """Paint anew what stands still."""
        start, end = self.shown
        known = [within(x, y, start, end)[1] for x, y in self.lines.values()]
        values = np.concatenate(known) if known else np.empty(0)
        self.axis = value_axis(values, self.goal, may_log=self._may_log and not self.counts, was_log=self.axis.log)
        self._still = None
        self.update()

    def _follow(self) -> None:
        self.renew()
        self.shown_changed.emit()

    def gaps(self) -> list[Stretch]:
        """Where nothing was measured in what is shown."""
        found = gaps(sample_times(self.lines), *self.shown, self.gap_s)
        if not self.holds:
            return found
        # What was measured last holds to the end of its step.
        return [(min(first + self.step, last) if first > self.shown[0] else first, last) for first, last in found]

    def values_at(self, at: float) -> dict[str, float | None]:
        """What was measured at that time, by series; None: nothing."""
        nothing = np.empty(0), np.empty(0)
        find = held_at if self.holds else sample_at
        return {one.name: find(*self.lines.get(one.name, nothing), at, self.step) for one in self.series}

    # --- places ------------------------------------------------------------------------------------------------------

    @property
    def box(self) -> QRectF:
        """Where the lines are, px."""
        lane = theme.px(LANE) if self._has_lane else 0
        foot = theme.px(AXIS) + lane
        return QRectF(
            theme.px(GUTTER),
            theme.px(ABOVE),
            max(1.0, self.width() - theme.px(GUTTER) - EDGE),
            max(1.0, self.height() - theme.px(ABOVE) - foot),
        )

    @property
    def _has_lane(self) -> bool:
        return self.height() >= theme.px(160)

    def x_of(self, at: float) -> float:
        """Where a time is, px."""
        start, end = self.shown
        return self.box.left() + (at - start) / (end - start) * self.box.width()

    def time_at(self, x: float) -> float:
        """The time at a place, px."""
        start, end = self.shown
        return start + (x - self.box.left()) / self.box.width() * (end - start)

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._still is None or self._still.devicePixelRatio() != ratio:
            self._still = QPixmap(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
            self._still.setDevicePixelRatio(ratio)
            self._still.fill(QColor(0, 0, 0, 0))
            painter = QPainter(self._still)
            self._paint_still(painter)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        tokens, box = theme.current(), self.box
        painter.setClipRect(box.adjusted(0, 0, 1, 1))
        for stretch in (self.range.selection, self._drag):
            if stretch is not None:
                paint_stretch(painter, box, self.x_of(stretch[0]), self.x_of(stretch[1]))
        at = self.range.at
        if at is not None and self.shown[0] <= at <= self.shown[1]:
            x = round(self.x_of(at)) + 0.5
            painter.setPen(QPen(QColor(tokens.text), 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setClipping(False)
            self._paint_readout(painter, at, x)
        painter.setClipping(False)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _paint_still(self, painter: QPainter) -> None:
        """All but selection, crosshair and focus."""
        painter.setFont(theme.ui(11))
        self._paint_values(painter)
        self._paint_times(painter)
        self._paint_gaps(painter)
        painter.save()
        painter.setClipRect(self.box.adjusted(0, -1, 1, 1))
        self._paint_events(painter)
        for one in self.series:
            self._paint_line(painter, one)
        painter.restore()
        self._paint_goal(painter)
        if self._has_lane:
            self._paint_lane(painter)

    def _paint_values(self, painter: QPainter) -> None:
        """Values at the left with a line each; the unit once, above, and that the axis is logarithmic."""
        tokens, box = theme.current(), self.box
        strong, weak = QColor(tokens.line), QColor(tokens.line)
        weak.setAlphaF(0.55)
        height = QFontMetricsF(painter.font()).height()
        for value, whole in self.axis.ticks(box.height(), theme.px(22)):
            y = round(self._y_of(value)) + 0.5
            painter.setPen(QPen(strong if whole or not self.axis.log else weak, 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(QColor(tokens.dim))
            place = QRectF(0, y - height / 2, box.left() - 6, height)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{float(f'{value:.3g}'):,g}"
            )
        words = tr("{unit}, log scale", unit=self._unit) if self.axis.log else self._unit
        painter.setPen(QColor(tokens.dim))
        painter.drawText(QPointF(theme.px(GUTTER) - 6 - QFontMetricsF(painter.font()).horizontalAdvance(self._unit),
                                 height), words)  # fmt: skip
        zone = zone_name(time.time())
        painter.drawText(QPointF(box.right() - QFontMetricsF(painter.font()).horizontalAdvance(zone), height), zone)

    def _y_of(self, value: float) -> float:
        share = float(self.axis.share(np.array([value]))[0])
        return self.box.bottom() - share * self.box.height()

    def _paint_times(self, painter: QPainter) -> None:
        """The axis below, with whole clock times."""
        tokens, box = theme.current(), self.box
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.drawLine(QPointF(box.left(), box.bottom() + 0.5), QPointF(box.right(), box.bottom() + 0.5))
        ticks, step = time_ticks(*self.shown, box.width(), theme.px(90))
        for at in ticks:
            x = round(self.x_of(at)) + 0.5
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x, box.bottom() + 4))
            words = tick_words(at, step)
            half = metrics.horizontalAdvance(words) / 2
            place = min(max(x, half), self.width() - half - 1)
            painter.setPen(QColor(tokens.dim))
            painter.drawText(QPointF(place - half, box.bottom() + 5 + metrics.ascent()), words)

    def _paint_gaps(self, painter: QPainter) -> None:
        """A hatch of 45 degrees, and in a wide one the words."""
        tokens, box = theme.current(), self.box
        metrics = QFontMetricsF(painter.font())
        for start, end in self.gaps():
            left, right = self.x_of(start), self.x_of(end)
            if right - left < 2:
                continue
            painter.save()
            painter.setClipRect(QRectF(left, box.top(), right - left, box.height()))
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            high = box.height()
            for x in np.arange(left - left % 8 - high, right, 8.0).tolist():
                painter.drawLine(QPointF(x, box.bottom()), QPointF(x + high, box.top()))
            painter.restore()
            width = metrics.horizontalAdvance(NO_SAMPLE)
            if right - left > width + 16:
                middle, foot = (left + right) / 2, box.bottom() - 4
                painter.fillRect(
                    QRectF(middle - width / 2 - 4, foot - metrics.height(), width + 8, metrics.height() + 2),
                    QColor(tokens.panel),
                )
                painter.setPen(QColor(tokens.dim))
                painter.drawText(QPointF(middle - width / 2, foot - metrics.descent()), NO_SAMPLE)

    def _paint_line(self, painter: QPainter, one: Series) -> None:
        """One series, 1 px, broken where nothing was measured."""
        tokens, box = theme.current(), self.box
        if one.name not in self.lines:
            return
        x, y = within(*self.lines[one.name], *self.shown)
        if self.holds:
            x, y = stairs(x, y, self.step)
        x, y = thin(x, y, max(64, int(box.width())))
        start, end = self.shown
        across: FloatArray = box.left() + (x - start) / (end - start) * box.width()
        down: FloatArray = box.bottom() - self.axis.share(y) * box.height()
        pen = QPen(QColor(getattr(tokens, one.colour)), 1)
        if one.dash:
            pen.setDashPattern([3, 3])
        painter.setPen(pen)
        broken = np.flatnonzero(~np.isfinite(down))
        for first, last in zip([0, *(broken + 1).tolist()], [*broken.tolist(), len(down)], strict=True):
            points = [
                QPointF(a, b) for a, b in zip(across[first:last].tolist(), down[first:last].tolist(), strict=True)
            ]
            if len(points) == 1:
                painter.drawPoint(points[0])
            elif points:
                painter.drawPolyline(QPolygonF(points))

    def _paint_goal(self, painter: QPainter) -> None:
        """A dashed line in the ink of text, and its words on it."""
        if self.goal is None:
            return
        tokens, box = theme.current(), self.box
        y = round(self._y_of(self.goal)) + 0.5
        pen = QPen(QColor(tokens.text), 1)
        pen.setDashPattern([5, 4])
        painter.setPen(pen)
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setFont(theme.ui(12, QFont.Weight.Medium))
        metrics = QFontMetricsF(painter.font())
        words = tr("Goal {goal:g} {unit}", goal=self.goal, unit=self._unit)
        place = QRectF(box.left() + 8, y - metrics.height() - 1, metrics.horizontalAdvance(words), metrics.height())
        if place.top() < box.top():
            place.moveTop(y + 1)
        painter.fillRect(place.adjusted(-2, 0, 2, 0), QColor(tokens.panel))
        painter.setPen(QColor(tokens.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(theme.ui(11))

    def _in_sight(self) -> list[ChartEvent]:
        start, end = self.shown
        return [one for one in self.events if start <= one.at <= end]

    def _paint_events(self, painter: QPainter) -> None:
        """A dotted line up through the chart for each."""
        box = self.box
        for one in self._in_sight():
            x = round(self.x_of(one.at)) + 0.5
            pen = QPen(QColor(theme.current().state(one.state)), 1)
            pen.setDashPattern([2, 4])
            painter.setPen(pen)
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))

    def _paint_lane(self, painter: QPainter) -> None:
        """The shapes under the axis, each with its word where it has room before the next."""
        tokens, side = theme.current(), theme.px(10)
        metrics = QFontMetricsF(painter.font())
        middle = self.height() - theme.px(LANE) / 2
        free = -math.inf
        seen = self._in_sight()
        for place, one in enumerate(seen):
            after = self.x_of(seen[place + 1].at) if place + 1 < len(seen) else self.box.right() + EDGE
            x = self.x_of(one.at)
            if x - side / 2 < free:
                continue
            paint_shape(painter, QRectF(x - side / 2, middle - side / 2, side, side), one.state)
            free = x + side / 2 + 2
            width = metrics.horizontalAdvance(one.word)
            if x + side / 2 + 4 + width <= after - side:
                painter.setPen(QColor(tokens.dim))
                painter.drawText(QPointF(x + side / 2 + 4, middle + metrics.capHeight() / 2), one.word)
                free = x + side / 2 + 4 + width + 4

    def _paint_readout(self, painter: QPainter, at: float, x: float) -> None:
        """Time, step and values beside the crosshair, on the side with room; a small chart says them in its head."""
        box, width = self.box, theme.px(READOUT)
        if not self.reads_out:
            return
        tokens = theme.current()
        line = theme.px(18)
        place = QRectF(x + 12, box.top() + 8, width, line * (1 + len(self.series)) + theme.px(12))
        if place.right() > box.right():
            place.moveRight(x - 12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.setBrush(QColor(tokens.raised))
        painter.drawRoundedRect(place, 6, 6)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inner = place.adjusted(10, theme.px(6), -10, 0)
        inner.setHeight(line)
        left, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.setFont(theme.ui(12, QFont.Weight.DemiBold))
        painter.setPen(QColor(tokens.text))
        painter.drawText(inner, left, clock_time(at))
        painter.setFont(theme.ui(12))
        painter.setPen(QColor(tokens.dim))
        painter.drawText(inner, right, tr("step {seconds:g} s", seconds=self.step))
        for one, value in self.values_at(at).items():
            inner.translate(0, line)
            painter.setPen(QColor(tokens.dim))
            painter.drawText(inner, left, one)
            painter.setPen(QColor(tokens.text if value is not None else tokens.dim))
            painter.drawText(inner, right, NO_SAMPLE if value is None else f"{self.figure(value)} {self._unit}")

    @property
    def reads_out(self) -> bool:
        """Whether the values under the crosshair have room in the plot."""
        return self.box.width() >= theme.px(2 * READOUT) and self.box.height() >= theme.px(100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.renew()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_still"):
            self.renew()
        super().changeEvent(event)

    # --- hands -------------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._press, self._press_keys = event.position(), event.modifiers()
            self._press_shown = self.shown

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._press is None:
            self.range.point(self.time_at(place.x()) if self.box.contains(place) else None)
            return
        if abs(place.x() - self._press.x()) < DRAG_PX and self._drag is None:
            return
        if self._press_keys & Qt.KeyboardModifier.ShiftModifier:
            start, end = self._press_shown
            seconds = (self._press.x() - place.x()) / self.box.width() * (end - start)
            self._pan_from(self._press_shown, seconds)
            return
        edges = (min(max(x, self.box.left()), self.box.right()) for x in (self._press.x(), place.x()))
        first, last = sorted(self.time_at(x) for x in edges)
        self._drag = first, last
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        drag, keys = self._drag, self._press_keys
        self._press = self._drag = None
        if drag is None:
            return
        if keys & Qt.KeyboardModifier.ControlModifier:
            self.range.select(drag)
        else:
            self.zoom(drag)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.range.zoom_to(None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self.range.point(None)

    def zoom(self, stretch: Stretch) -> None:
        """Show that stretch on all charts of the page; one of less than two steps is widened to them."""
        start, end = stretch
        lack = 2 * self.step - (end - start)
        if lack > 0:
            start, end = start - lack / 2, end + lack / 2
        self.range.zoom_to((start, end))

    def _pan_from(self, shown: Stretch, seconds: float) -> None:
        if self.range.zoom is not None:
            self.range.zoom_to(pan(shown, seconds, self.whole))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move the crosshair by a sample (Ctrl: ten), with Shift they select; Home, End; Page Up and
        Page Down pan; Enter zooms into the selection, Backspace goes out and then takes the selection away."""
        key, keys = event.key(), event.modifiers()
        steps = 10 if keys & Qt.KeyboardModifier.ControlModifier else 1
        selects = bool(keys & Qt.KeyboardModifier.ShiftModifier)
        start, end = self.shown
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(-steps if key == Qt.Key.Key_Left else steps, selects=selects)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            times = self._times()
            if len(times):
                self._go(float(times[0] if key == Qt.Key.Key_Home else times[-1]), selects=selects)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._pan_from(self.shown, (end - start) / 2 * (-1 if key == Qt.Key.Key_PageUp else 1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.range.selection is not None:
            self.zoom(self.range.selection)
            self.range.select(None)
        elif key == Qt.Key.Key_Backspace and self.range.zoom is not None:
            self.range.zoom_to(None)
        elif key == Qt.Key.Key_Backspace:
            self.range.select(None)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _times(self) -> FloatArray:
        times = sample_times(self.lines)
        return times[(times >= self.shown[0]) & (times <= self.shown[1])]

    def _step(self, by: int, *, selects: bool) -> None:
        times = self._times()
        if not len(times):
            return
        at = self.range.at
        if at is None:
            self._go(float(times[-1]), selects=False)
            return
        near = int(np.argmin(np.abs(times - at)))
        self._go(float(times[min(max(near + by, 0), len(times) - 1)]), selects=selects)

    def _go(self, at: float, *, selects: bool) -> None:
        before = self.range.at
        if selects and before is not None:
            first, last = self.range.selection or (before, before)
            # The edge on which the crosshair stands follows it; the other one stays.
            stays = last if abs(before - first) < abs(before - last) else first
            self.range.select((min(stays, at), max(stays, at)))
        self.range.point(at)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            near = [one for one in self._in_sight() if abs(self.x_of(one.at) - event.pos().x()) <= theme.px(6)]
            words = "\n".join(f"{clock_time(one.at)}  {one.word}: {one.sentence}" for one in near)
            QToolTip.showText(event.globalPos(), words or GESTURES, self, QRect(event.pos(), QSize(1, 1)))
            return True
        return super().event(event)


def paint_stretch(painter: QPainter, box: QRectF, one: float, other: float) -> None:
    """A stretch of time that is chosen or being drawn: tinted between its two edges, px in any order."""
    left, right = sorted((one, other))
    tint = QColor(theme.current().accent)
    painter.setPen(QPen(tint, 1))
    tint.setAlphaF(0.1)
    painter.fillRect(QRectF(left, box.top(), right - left, box.height()), tint)
    for x in (left, right):
        painter.drawLine(QPointF(round(x) + 0.5, box.top()), QPointF(round(x) + 0.5, box.bottom()))
