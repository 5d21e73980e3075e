"""A false-alarm rate on a logarithmic scale: the point, its interval, and the limits that decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import number, tr

LEAST, MOST = 1e-4, 1.0
"""Ends of the axis, shares."""
_SIDE, _HEAD, _BAR, _FOOT = 20, 18, 26, 20


@dataclass(frozen=True)
class RateLimit:
    """A rate (share) at which the judgement changes, and what it is called up to there."""

    rate: float
    words: str


def percent_words(share: float) -> str:
    """A share as people read it: ``4 %``, ``0.4 %``, ``less than 0.01 %``."""
    percent = 100 * share
    if percent == 0:
        return "0 %"
    if percent < 0.01:
        return tr("less than 0.01 %")
    digits = 0 if percent >= 10 else 1 if percent >= 0.995 else 2
    figures = f"{percent:.{digits}f}"
    if figures == "100" and share < 1:
        return tr("more than 99 %")
    if "." in figures:
        figures = figures.rstrip("0").rstrip(".")
    decimals = len(figures.partition(".")[2])
    return f"{number(float(figures), f'.{decimals}f')} %"


class RateScale(QWidget):
    """``set`` shows a rate with its interval; ``None`` shows the empty axis."""

    def __init__(self, limits: Sequence[RateLimit], *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits = tuple(limits)
        self._name = name
        self._rate: tuple[float, float, float] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set(None)

    def set(self, rate: tuple[float, float, float] | None) -> None:
        """Rate, least and greatest of its interval; shares."""
        self._rate = rate
        said = tr("no rate is known")
        if rate is not None:
            point, low, high = (percent_words(one) for one in rate)
            said = tr("{point}, between {low} and {high}", point=point, low=low, high=high)
        self.setAccessibleName(f"{self._name}: {said}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(240), theme.px(_HEAD + _BAR + _FOOT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(180), theme.px(_HEAD + _BAR + _FOOT))

    def _x(self, share: float) -> float:
        """Where a share stands; what is smaller than the axis stands at its end."""
        span = math.log10(MOST / LEAST)
        at = math.log10(min(max(share, LEAST), MOST) / LEAST) / span
        side = theme.px(_SIDE)
        return side + at * (self.width() - 2 * side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top, bar = theme.px(_HEAD), theme.px(_BAR)
        painter.setFont(theme.ui(11))
        measure = painter.fontMetrics()
        power = LEAST
        while power <= MOST * 1.001:
            left = self._x(power)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QPointF(left, top), QPointF(left, top + bar))
            words = percent_words(power) if power > LEAST else "0.01 %"
            painter.setPen(QColor(tokens.dim))
            painter.drawText(
                QPointF(left - measure.horizontalAdvance(words) / 2, top + bar + measure.ascent() + 4), words
            )
            power *= 10
        room = float(self.width())
        for limit in reversed(self._limits):
            left = self._x(limit.rate)
            painter.setPen(QPen(QColor(tokens.text), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(left, top - 2), QPointF(left, top + bar))
            # Each stands before its limit, and gives way to the next one.
            room = min(left - 4, room - theme.px(8)) - measure.horizontalAdvance(limit.words)
            painter.drawText(QPointF(max(room, 0.0), measure.ascent()), limit.words)
        self._paint_rate(painter, top + bar / 2)

    def _paint_rate(self, painter: QPainter, middle: float) -> None:
        """The interval as a band, the rate as a ring on it."""
        if self._rate is None:
            return
        tokens = theme.current()
        point, low, high = (self._x(one) for one in self._rate)
        band = QColor(tokens.accent)
        band.setAlpha(70)
        half = theme.px(6)
        painter.fillRect(QRectF(low, middle - half, max(high - low, 1), 2 * half), band)
        painter.setPen(QPen(QColor(tokens.accent), 1))
        for end in (low, high):
            painter.drawLine(QPointF(end, middle - half), QPointF(end, middle + half))
        painter.setPen(QPen(QColor(tokens.text), 2))
        painter.setBrush(QColor(tokens.panel))
        painter.drawEllipse(QPointF(point, middle), theme.px(4), theme.px(4))
