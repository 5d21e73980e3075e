"""Scores against their false-alarm rate, on a logarithmic scale: the curve of a calibration with its band, the points
where the judgement changes, and one score of one's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import number, tr
from app.console.widgets.rate_scale import LEAST, MOST, RateLimit, percent_words

_LEFT, _RIGHT, _TOP, _FOOT = 56, 16, 20, 40


@dataclass(frozen=True)
class RatePoint:
    """A score (0 to 1), the share of authentic pictures that score as high, and its interval."""

    score: float
    rate: float
    low: float
    high: float


class RateCurve(QWidget):
    """``show_curve`` shows one; without points the empty axes."""

    def __init__(self, limits: Sequence[RateLimit], *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits = tuple(limits)
        self._name = name
        self._points: tuple[RatePoint, ...] = ()
        self._turns: tuple[tuple[float, float], ...] = ()
        self._own: tuple[float, float] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.show_curve((), (), None)

    def show_curve(
        self,
        points: Sequence[RatePoint],
        turns: Sequence[tuple[float, float]],
        own: tuple[float, float] | None,
        words: str = "",
    ) -> None:
        """``turns``: score and rate from which on the judgement changes; ``own``: score and rate that are marked apart;
        ``words``: all of it for who does not see it."""
        self._points = tuple(sorted(points, key=lambda one: one.score))
        self._turns, self._own = tuple(turns), own
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(words or tr("nothing is known"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(560), theme.px(320))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(280), theme.px(200))

    # --- painting ----------------------------------------------------------------------------------------------------

    def _plot(self) -> QRectF:
        side = theme.px
        return QRectF(self.rect()).adjusted(side(_LEFT), side(_TOP), -side(_RIGHT), -side(_FOOT))

    def _spot(self, score: float, rate: float) -> QPointF:
        """Where a score with its rate stands; a rate below the axis stands at its foot."""
        plot = self._plot()
        span = math.log10(MOST / LEAST)
        up = math.log10(min(max(rate, LEAST), MOST) / LEAST) / span
        return QPointF(plot.left() + score * plot.width(), plot.bottom() - up * plot.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.ui(11))
        self._paint_axes(painter)
        if self._points:
            self._paint_curve(painter)
        self._paint_limits(painter)
        self._paint_marks(painter)

    def _paint_axes(self, painter: QPainter) -> None:
        """Lines at powers of ten, ticks at fifths of the score."""
        tokens, plot, measure = theme.current(), self._plot(), painter.fontMetrics()
        power = LEAST
        while power <= MOST * 1.001:
            at = self._spot(0, power)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(at, QPointF(plot.right(), at.y()))
            words = percent_words(power) if power > LEAST else "0.01 %"
            painter.setPen(QColor(tokens.dim))
            left = plot.left() - measure.horizontalAdvance(words) - theme.px(8)
            painter.drawText(QPointF(left, at.y() + measure.ascent() / 2 - 1), words)
            power *= 10
        for tenths in range(0, 11, 2):
            at = self._spot(tenths / 10, LEAST)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(at, at + QPointF(0, 4))
            words = number(tenths / 10, ".1f")
            painter.setPen(QColor(tokens.dim))
            painter.drawText(at + QPointF(-measure.horizontalAdvance(words) / 2, measure.ascent() + 6), words)
        foot = QRectF(plot.left(), plot.bottom() + theme.px(20), plot.width(), theme.px(18))
        painter.drawText(foot, int(Qt.AlignmentFlag.AlignCenter), tr("score"))
        painter.drawText(QPointF(0, measure.ascent()), tr("false alarms"))

    def _paint_curve(self, painter: QPainter) -> None:
        """The band of the intervals, and the curve in it. Between two points the rate is that of the lower score: the
        true one is no higher."""
        tokens = theme.current()
        line, high, low = ([self._spot(0, 1)] for _ in range(3))
        rights = [*(one.score for one in self._points[1:]), self._points[-1].score]
        for one, right in zip(self._points, rights, strict=True):
            for at in (one.score, right):
                line.append(self._spot(at, one.rate))
                high.append(self._spot(at, one.high))
                low.append(self._spot(at, one.low))
        line.append(self._spot(rights[-1], 0))
        band = QColor(tokens.accent)
        band.setAlpha(60)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(band)
        painter.drawPolygon(QPolygonF([*high, *reversed(low)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.accent), 2))
        painter.drawPolyline(QPolygonF(line))

    def _paint_limits(self, painter: QPainter) -> None:
        tokens, plot = theme.current(), self._plot()
        for limit in self._limits:
            at = self._spot(0, limit.rate)
            painter.setPen(QPen(QColor(tokens.text), 1, Qt.PenStyle.DashLine))
            painter.drawLine(at, QPointF(plot.right(), at.y()))
            words = tr("{words} up to {rate}", words=limit.words, rate=percent_words(limit.rate))
            # At the left, where the curve is far above.
            painter.drawText(QPointF(plot.left() + 6, at.y() - 4), words)

    def _paint_marks(self, painter: QPainter) -> None:
        """Dots where the judgement changes; a line and a ring at the score of one's own."""
        tokens, plot, measure = theme.current(), self._plot(), painter.fontMetrics()
        for score, rate in self._turns:
            painter.setPen(QPen(QColor(tokens.text), 2))
            painter.setBrush(QColor(tokens.text))
            painter.drawEllipse(self._spot(score, rate), theme.px(4), theme.px(4))
        if self._own is None:
            return
        spot = self._spot(*self._own)
        painter.setPen(QPen(QColor(tokens.text), 1))
        painter.drawLine(QPointF(spot.x(), plot.top()), QPointF(spot.x(), plot.bottom()))
        painter.setPen(QPen(QColor(tokens.text), 2))
        painter.setBrush(QColor(tokens.panel))
        painter.drawEllipse(spot, theme.px(5), theme.px(5))
        words = tr("this scan {score:.2f}", score=self._own[0])
        wide = measure.horizontalAdvance(words)
        left = spot.x() + 6 if spot.x() + 6 + wide < plot.right() else spot.x() - 6 - wide
        painter.drawText(QPointF(left, plot.top() + measure.ascent()), words)
