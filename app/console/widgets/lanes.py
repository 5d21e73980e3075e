"""What happened, in lanes over one clock: a shape for each event. Drag to zoom, double click to go out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_data import tick_words, time_ticks
from app.console.widgets.chart_plot import paint_stretch
from app.console.widgets.marks import paint_shape

_LANE, _AXIS, _LABEL, _PAD, _SIDE = 27, 24, 72, 8, 8
_LEAST_DRAG = 4
_LEAST_S = 60.0
"""No stretch shorter than a minute is shown: nothing would tell its ticks apart."""
_TICK_PX = 84
DAY_S = 86_400.0


@dataclass(frozen=True)
class LaneMark:
    """An event: ``at`` in Unix seconds, ``lane`` from 0 at the top; ``words`` tell it whole; ``key`` names it."""

    key: str
    at: float
    lane: int
    state: Meaning
    words: str


class LaneChart(QWidget):
    """``ranged`` gives the stretch that is shown whenever hands change it; ``chosen`` the key of the mark under a click
    or of the one that the arrow keys went to."""

    ranged = Signal(float, float)
    chosen = Signal(str)

    def __init__(self, lanes: Sequence[str], *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lanes = tuple(lanes)
        self._name = name
        self._marks: tuple[LaneMark, ...] = ()
        self._whole = (0.0, DAY_S)
        self._shown = self._whole
        self._now = 0.0
        self._at = ""
        self._drag: tuple[float, float] | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    @property
    def shown(self) -> tuple[float, float]:
        """Begin and end of the stretch shown, Unix seconds."""
        return self._shown

    @property
    def zoomed(self) -> bool:
        """Whether less than the whole range is shown."""
        return self._shown != self._whole

    def set_range(self, low: float, high: float) -> None:
        """The whole range; a zoom inside of it stays while it fits."""
        zoomed = self.zoomed
        self._whole = (low, high)
        if not zoomed or self._shown[0] < low or self._shown[1] > high:
            self._shown = self._whole
        self.update()

    def go_out(self) -> None:
        """Show the whole range."""
        if self.zoomed:
            self._show(*self._whole)

    def show_marks(self, marks: Sequence[LaneMark], now: float) -> None:
        """Show these events, oldest first; ``now`` draws the line of this moment."""
        if tuple(marks) != self._marks or int(now) != int(self._now):
            self._marks, self._now = tuple(marks), now
            self._tell()
            self.update()

    def choose(self, key: str) -> None:
        """Mark an event as the one that is looked at; an unknown key marks none."""
        if key != self._at:
            self._at = key
            self._tell()
            self.update()

    def _tell(self) -> None:
        """What is heard of it: the chosen event, else how many there are; the table beside it has them all."""
        chosen = next((one for one in self._marks if one.key == self._at), None)
        count = len(self._marks)
        words = (
            chosen.words if chosen is not None else tr("1 event") if count == 1 else tr("{count} events", count=count)
        )
        self.setAccessibleDescription(
            tr("{words}. Arrow keys go from event to event, plus and minus zoom.", words=words)
        )

    # --- geometry ----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(theme.px(320), theme.px(_LANE * len(self._lanes) + _AXIS + _PAD))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(200), self.sizeHint().height())

    def _plot(self) -> QRectF:
        left = theme.px(_LABEL)
        return QRectF(left, _PAD, self.width() - left - theme.px(_SIDE), theme.px(_LANE) * len(self._lanes))

    def _x(self, at: float) -> float:
        low, high = self._shown
        plot = self._plot()
        return plot.left() + (at - low) / (high - low) * plot.width()

    def _time(self, x: float) -> float:
        low, high = self._shown
        plot = self._plot()
        return low + max(0.0, min(1.0, (x - plot.left()) / max(1.0, plot.width()))) * (high - low)

    def _near(self, at: QPointF) -> LaneMark | None:
        """The mark under the pointer."""
        reach = theme.px(8)
        lane = int((at.y() - _PAD) // theme.px(_LANE))
        near = [one for one in self._visible() if one.lane == lane and abs(self._x(one.at) - at.x()) <= reach]
        return min(near, key=lambda one: abs(self._x(one.at) - at.x()), default=None)

    def _visible(self) -> list[LaneMark]:
        low, high = self._shown
        return [one for one in self._marks if low <= one.at <= high]

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens, plot = QPainter(self), theme.current(), self._plot()
        low, high = self._shown
        painter.setFont(theme.ui(11))
        ticks, step = time_ticks(low, high, plot.width(), theme.px(_TICK_PX))
        for at in ticks:
            x = round(self._x(at)) + 0.5
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            painter.setPen(QColor(tokens.dim))
            box = QRectF(x - theme.px(40), plot.bottom() + 4, theme.px(80), theme.px(16))
            box.moveRight(min(box.right(), float(self.width())))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), tick_words(at, step))
        painter.setFont(theme.ui(12))
        for at, name in enumerate(self._lanes):
            y = plot.top() + theme.px(_LANE) * (at + 0.5)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QPointF(plot.left(), round(y) + 0.5), QPointF(plot.right(), round(y) + 0.5))
            painter.setPen(QColor(tokens.dim))
            box = QRectF(0, y - theme.px(10), plot.left() - 8, theme.px(20))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), name)
        if low <= self._now <= high:
            painter.fillRect(QRectF(round(self._x(self._now)) - 1, plot.top(), 2, plot.height()), QColor(tokens.accent))
        self._paint_marks(painter, plot)
        if self._drag is not None:
            paint_stretch(painter, plot, *self._drag)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _paint_marks(self, painter: QPainter, plot: QRectF) -> None:
        """The shapes of the events, and a frame around the chosen one."""
        side, tokens = theme.px(9), theme.current()
        found: list[tuple[LaneMark, QRectF]] = []
        for one in self._visible():
            x, y = self._x(one.at), plot.top() + theme.px(_LANE) * (one.lane + 0.5)
            found.append((one, QRectF(x - side / 2, y - side / 2, side, side)))
        # A ground keeps a ring from being struck through by its lane; before any shape, so that none is cut.
        for _, box in found:
            painter.fillRect(box.adjusted(-1, -1, 1, 1), QColor(tokens.panel))
        for one, box in found:
            paint_shape(painter, box, one.state)
            if one.key == self._at:
                painter.setPen(QPen(QColor(tokens.accent), 2))
                painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), 4, 4)

    # --- hands -------------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._drag = (event.position().x(), event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            self._drag = (self._drag[0], event.position().x())
            self.update()
            return
        near = self._near(event.position())
        QToolTip.showText(event.globalPosition().toPoint(), "" if near is None else near.words, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, None
        if drag is None:
            return
        if abs(drag[1] - drag[0]) >= _LEAST_DRAG:
            low, high = sorted(map(self._time, drag))
            self._show(low, high)
        elif (near := self._near(event.position())) is not None:
            self._choose(near)
        self.update()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._drag = None
        self.go_out()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        marks, key = self._visible(), event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and marks:
            step = 1 if key == Qt.Key.Key_Right else -1
            here = next((at for at, one in enumerate(marks) if one.key == self._at), None)
            # From none the newest is the first.
            to = len(marks) - 1 if here is None else max(0, min(len(marks) - 1, here + step))
            self._choose(marks[to])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._zoom(0.5)
        elif key == Qt.Key.Key_Minus:
            self._zoom(2.0)
        elif key == Qt.Key.Key_Home:
            self.go_out()
        else:
            super().keyPressEvent(event)

    def _choose(self, mark: LaneMark) -> None:
        self.choose(mark.key)
        self.chosen.emit(mark.key)

    def _zoom(self, by: float) -> None:
        """Show a longer or shorter stretch around the chosen event, or around the middle."""
        low, high = self._shown
        chosen = next((one.at for one in self._visible() if one.key == self._at), (low + high) / 2)
        half = max(_LEAST_S, (high - low) * by) / 2
        self._show(chosen - half, chosen + half)

    def _show(self, low: float, high: float) -> None:
        least, most = self._whole
        span = min(max(high - low, _LEAST_S), most - least)
        low = max(least, min(low, most - span))
        self._shown = (low, low + span)
        self.update()
        self.ranged.emit(*self._shown)
