"""A line without axes that says how a value went: in a tile, and behind the text of a table's cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.widgets.chart_data import FloatArray, value_axis
from app.console.widgets.histories import columns_of

WIDTH, HEIGHT = 110, 36


class Sparkline(QWidget):
    """110 x 36 px at 100 % text, or ``scale`` times that. Values are evenly apart, oldest first; NaN breaks the line.
    It is read out by what it stands in."""

    def __init__(self, parent: QWidget | None = None, *, scale: float = 1.0) -> None:
        super().__init__(parent)
        self._scale = scale
        self._values: FloatArray = np.empty(0)
        self._goal: float | None = None
        self._dress()

    def _dress(self) -> None:
        self.setFixedSize(theme.px(WIDTH * self._scale), theme.px(HEIGHT * self._scale))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._dress()

    def set(self, values: FloatArray, goal: float | None = None) -> None:
        """Show these values, and the goal as a dashed line."""
        if goal != self._goal or not np.array_equal(values, self._values, equal_nan=True):
            self._values, self._goal = values, goal
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        axis = value_axis(self._values, self._goal, may_log=True, was_log=False)
        goal = None if self._goal is None else float(axis.share(np.array([self._goal]))[0])
        paint_history(painter, QRectF(self.rect()).adjusted(0, 4, -4, -1), axis.share(self._values).tolist(), goal)


def paint_history(
    painter: QPainter, box: QRectF, shares: Sequence[float], goal: float | None = None, *, foot: bool = True
) -> None:
    """A line over a foot: 0 at the foot, 1 at the top, broken at NaN; the newest value stands at the right end with a
    dot. ``goal``: a dashed line at that share; ``foot``: the foot is drawn, too."""
    tokens = theme.current()
    if foot:
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
    if goal is not None:
        pen = QPen(QColor(tokens.dim), 1)
        pen.setDashPattern([5, 4])
        painter.setPen(pen)
        y = round(box.bottom() - goal * box.height()) + 0.5
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    if not len(shares):
        return
    known = np.asarray(shares, np.float32)[None, :]
    with np.errstate(invalid="ignore"):
        low, high = (one[0] for one in columns_of(known, max(2, min(len(shares), int(box.width())))))
    step = box.width() / (len(low) - 1)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.accent), 1.5))
    line: list[QPointF] = []
    for at in range(len(low) + 1):
        if at < len(low) and np.isfinite(high[at]):
            x = box.left() + at * step
            line += [QPointF(x, box.bottom() - float(one) * box.height()) for one in dict.fromkeys((low[at], high[at]))]
        elif line:
            painter.drawPolyline(QPolygonF(line))
            line = []
    if np.isfinite(shares[-1]):
        painter.setBrush(QColor(tokens.accent))
        painter.drawEllipse(QPointF(box.right(), box.bottom() - float(shares[-1]) * box.height()), 2, 2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
