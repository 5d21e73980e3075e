"""A score each second under a picture of sound: bars, the limit as a dashed line, and what was not judged hatched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_fill

_HIGH = 38
_SOFT = 0.8
"""Opacity of the bars: the limit is seen through them."""


@dataclass(frozen=True)
class ScoredSpan:
    """A stretch of a recording, seconds. ``score`` 0..1, None where it is not known; ``state``: what it means."""

    start_s: float
    end_s: float
    score: float | None
    state: Meaning


class ScoreStrip(QWidget):
    """``title`` stands at the left in ``side`` px (100 % text): the axis above has the same."""

    def __init__(self, title: str, side: int, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._side, self._name = title, side, name
        self._spans: tuple[ScoredSpan, ...] = ()
        self._limit: float | None = None
        self._seen = (0.0, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set((), None)

    @property
    def spans(self) -> tuple[ScoredSpan, ...]:
        """What is shown."""
        return self._spans

    def set(self, spans: Sequence[ScoredSpan], limit: float | None) -> None:
        """Show these scores, and the score that decides; None: there is none to show."""
        self._spans, self._limit = tuple(spans), limit
        known = [one for one in self._spans if one.score is not None]
        said = tr("no scores")
        if known:
            apart = sum(one.state is not Meaning.OK for one in known)
            said = (
                tr("{count} pieces, {apart} of them out of the usual", count=len(known), apart=apart)
                if apart
                else tr("{count} pieces", count=len(known))
            )
        elif self._spans:
            said = tr("not told")
        self.setAccessibleName(f"{self._name}: {said}")
        self.update()

    def see(self, begin_s: float, end_s: float) -> None:
        """Show these seconds."""
        self._seen = (begin_s, end_s)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(240), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(_HIGH))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        left, high = theme.px(self._side), self.height() - 2
        painter.setFont(theme.ui(11))
        painter.setPen(QColor(tokens.dim))
        wrap = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap)
        painter.drawText(QRectF(0, 0, left - 4, self.height()), wrap, self._title)
        ground = QRectF(left, 0, self.width() - left, high)
        painter.fillRect(ground, QColor(tokens.bg))
        painter.setClipRect(ground)
        if not self._spans:
            painter.drawText(ground.adjusted(8, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), tr("no verdict yet"))
            return
        begin, end = self._seen
        scale = ground.width() / max(end - begin, 1e-6)
        for span in self._spans:
            x, wide = left + (span.start_s - begin) * scale, (span.end_s - span.start_s) * scale - 1
            if span.score is None:
                painter.fillRect(QRectF(x, 0, wide, high), QBrush(QColor(tokens.idle), Qt.BrushStyle.BDiagPattern))
                continue
            tall = max(2.0, min(span.score, 1.0) * (high - 2))
            painter.setOpacity(_SOFT)
            paint_fill(painter, QRectF(x, high - tall, wide, tall), span.state)
            painter.setOpacity(1.0)
        if self._limit is not None:
            painter.setPen(QPen(QColor(tokens.text), 1, Qt.PenStyle.DashLine))
            at = high - self._limit * (high - 2)
            painter.drawLine(QPointF(left, at), QPointF(self.width(), at))
