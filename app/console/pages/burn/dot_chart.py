"""One mark for each target of a burn, on a log axis of the time since the call."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.pages.burn.dots import TargetDots, stack_marks, tick_label, ticks_of
from app.console.pages.burn.words import duration
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import shape_icon

_HEAD, _AXIS, _SIDE, _LEAST, _WANTED = 20, 20, 8, 80, 156
_PITCHES = (7.0, 6.0, 5.0, 3.0)
_OPEN_PITCH = 13.0
_LABEL_PX = 54
"""Px between two labels of the axis, at 100 % text."""


class DotChart(QWidget):
    """``show_dots`` shows a burn; its words are given for those who hear it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dots = TargetDots()
        self._side = 1.0
        self._places: dict[Meaning, QPolygonF] = {}
        """Middles of the marks of what is final. Kept, because only the clock moves between two answers."""
        self._placed: tuple[object, ...] = ()
        self.setAccessibleName(tr("Targets over time"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def dots(self) -> TargetDots:
        """What is shown."""
        return self._dots

    def show_dots(self, dots: TargetDots, words: str) -> None:
        """Show these marks; ``words`` say the same."""
        if dots != self._dots:
            self._dots = dots
            self.update()
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), theme.px(_WANTED))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_LEAST))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._placed = ()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._placed = ()
            self.updateGeometry()
        super().changeEvent(event)

    # --- geometry ----------------------------------------------------------------------------------------------------

    def _plot(self) -> QRectF:
        side = theme.px(_SIDE)
        head, axis = theme.px(_HEAD), theme.px(_AXIS)
        return QRectF(side, head, max(1.0, self.width() - 2.0 * side), max(1.0, float(self.height() - head - axis)))

    def _x(self, at: float) -> float:
        plot = self._plot()
        return plot.left() + self._dots.share(at) * plot.width()

    def _place(self, plot: QRectF) -> None:
        """Find where the marks of what is final stand, if anything of that has changed."""
        dots = self._dots
        wanted = (dots.ended, dots.span_s)
        if wanted == self._placed:
            return
        self._placed = wanted
        shares = [dots.share(at) for at, _ in dots.ended]
        pitches = [theme.px(one) for one in _PITCHES]
        self._side, places = stack_marks(shares, plot.width(), plot.height() - 4, pitches)
        self._places = {}
        for (_, state), (x, y) in zip(dots.ended, places, strict=True):
            self._places.setdefault(state, QPolygonF()).append(QPointF(plot.left() + x, plot.bottom() - 2 - y))

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, plot, dots = QPainter(self), self._plot(), self._dots
        tokens = theme.current()
        self._place(plot)
        if dots.now_s is not None:
            ahead = QRectF(plot)
            ahead.setLeft(self._x(dots.now_s))
            painter.fillRect(ahead, QColor(tokens.bg))
        self._paint_axis(painter, plot)
        self._paint_lines(painter, plot)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for state, places in self._places.items():
            if state is Meaning.OK:
                pen = QPen(QColor(tokens.ok), max(2.0, self._side - 1.0))
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                painter.drawPoints(places)
            else:
                self._paint_shapes(painter, state, places, round(self._side))
        self._paint_open(painter, plot)

    def _paint_axis(self, painter: QPainter, plot: QRectF) -> None:
        """Lines at 1, 2 and 5 of each decade; words where there is room for them."""
        tokens, (low, high) = theme.current(), self._dots.span_s
        early = any(at < low for at, _ in self._dots.ended)
        painter.setFont(theme.ui(11))
        free = -1.0
        for at, may_label in ticks_of(low, high):
            x = round(self._x(at)) + 0.5
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            words = tick_label(at)
            if early and at == low:
                words = tr("up to {time}", time=words)
            room = painter.fontMetrics().horizontalAdvance(words)
            left = min(max(0.0, x - room / 2), self.width() - room)
            if may_label and left >= free:
                painter.setPen(QColor(tokens.dim))
                box = QRectF(left, plot.bottom() + 3, room + 2, theme.px(_AXIS) - 3)
                painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), words)
                free = left + max(room + 12.0, float(theme.px(_LABEL_PX)))
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())

    def _paint_lines(self, painter: QPainter, plot: QRectF) -> None:
        """Now, the goal and what was expected, each with its word at the side that has room."""
        tokens, dots = theme.current(), self._dots
        lines = (
            (dots.now_s, tr("now"), tokens.work, Qt.PenStyle.SolidLine, 2.0),
            (dots.goal_s, tr("Goal {time}", time=duration((dots.goal_s or 0.0) * 1000)), tokens.text, None, 1.0),
            (
                dots.expected_s, tr("Expected {time}", time=duration((dots.expected_s or 0.0) * 1000)), tokens.dim,
                None, 1.0,
            ),
        )  # fmt: skip
        painter.setFont(theme.ui(12, QFont.Weight.Medium))
        measure: QFontMetrics = painter.fontMetrics()
        taken: list[QRectF] = []
        for at, words, colour, style, wide in lines:
            if at is None:
                continue
            x = round(self._x(at)) + 0.5
            pen = QPen(QColor(colour), wide)
            if style is None:
                pen.setDashPattern([5, 4])
            painter.setPen(pen)
            painter.drawLine(QPointF(x, plot.top() - 4), QPointF(x, plot.bottom()))
            room = measure.horizontalAdvance(words) + 2.0
            for left in (x - room - 6, x + 6):
                box = QRectF(left, 0, room, plot.top() - 2)
                if left >= 0 and box.right() <= self.width() and not any(box.intersects(one) for one in taken):
                    taken.append(box.adjusted(-6, 0, 6, 0))
                    painter.setPen(QColor(colour))
                    painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), words)
                    break

    def _paint_open(self, painter: QPainter, plot: QRectF) -> None:
        """What has no proof yet stands at the left of the line of now, the worst on top."""
        dots = self._dots
        if dots.now_s is None or not dots.open:
            return
        pitch = theme.px(_OPEN_PITCH)
        fits = max(1, int((plot.height() - 4) // pitch))
        # More than a few columns of them are as many small ones.
        while len(dots.open) > 4 * fits and pitch > 4:
            pitch -= 1
            fits = max(1, int((plot.height() - 4) // pitch))
        right = self._x(dots.now_s) - 4
        places: dict[Meaning, QPolygonF] = {}
        for at, state in enumerate(reversed(dots.open)):
            column, row = divmod(at, fits)
            middle = QPointF(right - (column + 0.5) * pitch, plot.bottom() - 2 - (row + 0.5) * pitch)
            places.setdefault(state, QPolygonF()).append(middle)
        for state, some in places.items():
            self._paint_shapes(painter, state, some, pitch)

    def _paint_shapes(self, painter: QPainter, state: Meaning, middles: QPolygonF, pitch: int) -> None:
        """The shape of a state at each of these places, drawn once and then copied."""
        side = max(3, min(pitch, theme.px(11)))
        shape: QPixmap = shape_icon(state, side).pixmap(QSize(side, side), self.devicePixelRatioF())
        for middle in middles.toList():
            painter.drawPixmap(QPointF(middle.x() - side / 2, middle.y() - side / 2), shape)
