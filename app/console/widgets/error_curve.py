"""Two error rates over a setting that trades one for the other, with the setting of now, on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.rate_scale import percent_words

LEAST, MOST = 3e-4, 1.0
"""Ends of the axis, shares."""
_LEFT, _RIGHT, _HEAD, _FOOT = 48, 12, 6, 20


@dataclass(frozen=True)
class ErrorCurvePoint:
    """At ``setting`` (0..1): ``accepted`` of the wrong ones, ``refused`` of the right ones; shares."""

    setting: float
    accepted: float
    refused: float


def rates_at(points: Sequence[ErrorCurvePoint], setting: float) -> ErrorCurvePoint:
    """The rates between two measured settings, by a straight line. ``points`` rise by setting; raises ValueError for
    none."""
    if not points:
        raise ValueError("no rates were measured")
    after = next((at for at, one in enumerate(points) if one.setting >= setting), len(points) - 1)
    high, low = points[after], points[max(after - 1, 0)]
    wide = high.setting - low.setting
    share = min(max((setting - low.setting) / wide, 0.0), 1.0) if wide > 0 else 1.0
    accepted = low.accepted + (high.accepted - low.accepted) * share
    return ErrorCurvePoint(setting, accepted, low.refused + (high.refused - low.refused) * share)


class ErrorCurve(QWidget):
    """``wrong`` names the line of wrong ones that are accepted, ``right`` that of right ones that are refused."""

    def __init__(self, wrong: str, right: str, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wrong, self._right, self._name = wrong, right, name
        self._points: tuple[ErrorCurvePoint, ...] = ()
        self._floor = 0.0
        self._setting = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.set_points((), 0.0)

    def set_points(self, points: Sequence[ErrorCurvePoint], floor: float) -> None:
        """Show these measured rates; below ``floor`` (share) there were too few trials to say anything."""
        self._points, self._floor = tuple(points), floor
        self.set_setting(self._setting)

    def set_setting(self, setting: float) -> None:
        """Point at a setting."""
        self._setting = setting
        said = tr("nothing was measured")
        if self._points:
            rates = rates_at(self._points, setting)
            said = f"{self._wrong} {self._rate_words(rates.accepted)}, {self._right} {self._rate_words(rates.refused)}"
        self.setAccessibleName(f"{self._name}: {said}")
        self.update()

    def _rate_words(self, share: float) -> str:
        return tr("under {rate}", rate=percent_words(self._floor)) if share < self._floor else percent_words(share)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(320), theme.px(150))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(96))

    def _place(self, setting: float, share: float) -> QPointF:
        left, right = theme.px(_LEFT), self.width() - theme.px(_RIGHT)
        top, foot = theme.px(_HEAD), self.height() - theme.px(_FOOT)
        high = math.log10(min(max(share, LEAST), MOST) / LEAST) / math.log10(MOST / LEAST)
        return QPointF(left + setting * (right - left), foot - high * (foot - top))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.ui(11))
        measure = painter.fontMetrics()
        for share in (1.0, 0.1, 0.01, 0.001):
            at = self._place(0, share)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(at, self._place(1, share))
            painter.setPen(QColor(tokens.dim))
            words = percent_words(share)
            painter.drawText(
                QPointF(at.x() - measure.horizontalAdvance(words) - 6, at.y() + measure.ascent() / 2 - 1), words
            )
        for setting in (0.0, 0.25, 0.5, 0.75, 1.0):
            foot = self._place(setting, LEAST)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(foot, self._place(setting, MOST))
            painter.setPen(QColor(tokens.dim))
            words = f"{setting:g}"
            painter.drawText(QPointF(foot.x() - measure.horizontalAdvance(words) / 2, foot.y() + theme.px(15)), words)
        if self._points:
            self._paint_rates(painter)

    def _paint_rates(self, painter: QPainter) -> None:
        """The lines, what they cannot say, and the setting of now with its figures."""
        tokens = theme.current()
        if self._floor > LEAST:
            few = QRectF(self._place(0, self._floor), self._place(1, LEAST))
            painter.fillRect(few, QBrush(QColor(tokens.line), Qt.BrushStyle.BDiagPattern))
        lines = (
            (QColor(tokens.text), self._wrong, [self._place(one.setting, one.accepted) for one in self._points]),
            (QColor(tokens.accent), self._right, [self._place(one.setting, one.refused) for one in self._points]),
        )
        for (colour, words, places), setting, rate in zip(lines, (0.97, 0.03), ("accepted", "refused"), strict=True):
            painter.setPen(QPen(colour, 2))
            painter.drawPolyline(QPolygonF(places))
            at = self._place(setting, getattr(rates_at(self._points, setting), rate))
            wide = painter.fontMetrics().horizontalAdvance(words)
            below = at.y() + 1.7 * painter.fontMetrics().height()
            painter.drawText(QPointF(at.x() - (wide if setting > 0.5 else 0), below), words)
        rates = rates_at(self._points, self._setting)
        painter.setPen(QPen(QColor(tokens.text), 1))
        painter.drawLine(self._place(self._setting, LEAST), self._place(self._setting, MOST))
        painter.setFont(theme.ui(12))
        measure = painter.fontMetrics()
        below = rates.accepted < rates.refused
        for (colour, _, _), share, under in zip(
            lines, (rates.accepted, rates.refused), (below, not below), strict=True
        ):
            at = self._place(self._setting, share)
            painter.setPen(QPen(colour, 2))
            painter.setBrush(QColor(tokens.panel))
            painter.drawEllipse(at, theme.px(4), theme.px(4))
            words = self._rate_words(share)
            wide = measure.horizontalAdvance(words)
            left = at.x() + theme.px(8)
            if left + wide > self.width():
                left = at.x() - theme.px(8) - wide
            y = at.y() + (measure.ascent() + 4 if under else -6)
            low, high = float(measure.ascent()), self.height() - theme.px(_FOOT) - 2.0
            painter.drawText(QPointF(left, min(max(y, low), high)), words)
