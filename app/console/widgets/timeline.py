"""A recording as a strip: where in its time something was found, and what of it was not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape

_LANE, _AXIS, _LEAST_PX = 22, 18, 4
_STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)


@dataclass(frozen=True)
class TimeSpan:
    """A stretch of the recording, seconds from its begin. ``state``: how a finding is marked; None: nothing was looked
    at there (a gap, dropped frames). ``words`` tell it whole."""

    start_s: float
    end_s: float
    state: Meaning | None
    words: str


def second_words(seconds: float) -> str:
    """``1:02:07``, ``2:07`` or ``2:07.4``: a place in a recording."""
    tenths = round(seconds * 10)
    whole, tenth = divmod(tenths, 10)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    head = f"{hours}:{minute:02d}" if hours else f"{minute}"
    return f"{head}:{second:02d}" + (f".{tenth}" if tenth else "")


class TimelineStrip(QWidget):
    """A lane over a time axis. A click, or the arrow keys, choose a span: ``chosen`` gives its place in the list."""

    chosen = Signal(int)

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spans: tuple[TimeSpan, ...] = ()
        self._length_s = 0.0
        self._at = -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    @property
    def at(self) -> int:
        """Place of the chosen span; -1 for none."""
        return self._at

    def set_spans(self, length_s: float, spans: Sequence[TimeSpan]) -> None:
        """Show a recording of ``length_s`` seconds. The chosen span stays chosen while the spans are the same."""
        if tuple(spans) != self._spans or length_s != self._length_s:
            self._spans, self._length_s, self._at = tuple(spans), length_s, -1
            self._describe()
            self.update()

    def _describe(self) -> None:
        said = "; ".join(one.words for one in self._spans[:20]) or tr("nothing was found in it")
        if self._at >= 0:
            said = tr("Chosen: {words}", words=self._spans[self._at].words)
        self.setAccessibleDescription(tr("{length} long. {said}", length=second_words(self._length_s), said=said))

    def choose(self, at: int) -> None:
        """Choose a span."""
        if 0 <= at < len(self._spans) and at != self._at:
            self._at = at
            self._describe()
            self.update()
            self.chosen.emit(at)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(320), theme.px(_LANE + _AXIS))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(_LANE + _AXIS))

    def _box(self, span: TimeSpan) -> QRectF:
        """Where the span stands; never too narrow to be seen."""
        long = max(self._length_s, 1e-6)
        width = self.width() - 2
        left = 1 + span.start_s / long * width
        wide = max((span.end_s - span.start_s) / long * width, theme.px(_LEAST_PX))
        return QRectF(min(left, 1 + width - wide), 2, wide, theme.px(_LANE) - 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        lane = QRectF(0, 0, self.width(), theme.px(_LANE))
        painter.fillRect(lane, QColor(tokens.raised))
        for at, span in enumerate(self._spans):
            self._paint_span(painter, span, chosen=at == self._at)
        self._paint_axis(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(lane.adjusted(1, 1, -1, -1))

    def _paint_span(self, painter: QPainter, span: TimeSpan, *, chosen: bool) -> None:
        """A finding in its state's colour and shape, what was not looked at hatched."""
        tokens, box = theme.current(), self._box(span)
        if span.state is None:
            painter.fillRect(box, QBrush(QColor(tokens.dim), Qt.BrushStyle.BDiagPattern))
        else:
            ground = QColor(tokens.state(span.state))
            ground.setAlpha(90)
            painter.fillRect(box, ground)
            side = theme.px(10)
            if box.width() > side + 4:
                paint_shape(painter, QRectF(box.left() + 3, box.center().y() - side / 2, side, side), span.state)
        if chosen:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)

    def _paint_axis(self, painter: QPainter) -> None:
        """Times below the lane, at most one each 80 px."""
        if self._length_s <= 0:
            return
        tokens = theme.current()
        painter.setFont(theme.ui(11))
        room = max(1, self.width() // theme.px(80))
        step = next((one for one in _STEPS_S if self._length_s / one <= room), self._length_s)
        top = theme.px(_LANE)
        for number in range(int(self._length_s / step + 1e-9) + 1):
            left = 1 + number * step / self._length_s * (self.width() - 2)
            painter.setPen(QColor(tokens.border))
            painter.drawLine(QPointF(left, top), QPointF(left, top + 3))
            words = second_words(number * step)
            width = painter.fontMetrics().horizontalAdvance(words)
            painter.setPen(QColor(tokens.dim))
            at = min(max(left - width / 2, 0.0), self.width() - width)
            painter.drawText(QPointF(at, top + 3 + painter.fontMetrics().ascent()), words)

    def _under(self, point: QPointF) -> int:
        return next((at for at, span in enumerate(self._spans) if self._box(span).contains(point)), -1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.choose(self._under(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._under(event.position())
        self.setToolTip(self._spans[at].words if at >= 0 else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._spans:
            super().keyPressEvent(event)
            return
        self.choose(min(max(self._at + step, 0), len(self._spans) - 1))
