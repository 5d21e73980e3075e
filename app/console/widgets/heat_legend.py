"""What the colours of a heat map say: the scale with its two ends in words, and the sign of what was not judged."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.heat import STEPS
from app.console.widgets.picture_layers import heat_image, ramp

_SCALE, _BOX, _GAP = 112, 20, 8


class HeatLegend(QWidget):
    """One line: ``low``, the colours, ``high``, and the hatched box with ``unjudged``."""

    def __init__(self, low: str, high: str, unjudged: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = (low, high, unjudged)
        self._ramp: QImage = heat_image(ramp(STEPS))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(
            tr("Colours from {low} to {high}; hatched: {unjudged}", low=low, high=high, unjudged=unjudged)
        )

    def sizeHint(self) -> QSize:
        measure = self.fontMetrics()
        words = sum(measure.horizontalAdvance(one) for one in self._words)
        return QSize(words + theme.px(_SCALE + _BOX) + 5 * theme.px(_GAP), max(theme.px(20), measure.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens, gap = QPainter(self), theme.current(), theme.px(_GAP)
        middle, left = self.height() / 2, 0.0
        low, high, unjudged = self._words

        def write(words: str) -> None:
            nonlocal left
            painter.setPen(QColor(tokens.dim))
            width = self.fontMetrics().horizontalAdvance(words)
            painter.drawText(QRectF(left, 0, width + 1, self.height()), int(Qt.AlignmentFlag.AlignVCenter), words)
            left += width + gap

        write(low)
        scale = QRectF(left, middle - theme.px(4), theme.px(_SCALE), theme.px(8))
        # What is as the rest stays the picture itself, which is shown without colours.
        painter.fillRect(scale, QColor(theme.DARK.line))
        painter.drawImage(scale, self._ramp)
        left += scale.width() + gap
        write(high)
        left += gap
        box = QRectF(left, middle - theme.px(6), theme.px(_BOX), theme.px(12))
        ground = QColor(tokens.idle)
        ground.setAlpha(96)
        painter.fillRect(box, ground)
        painter.fillRect(box, QBrush(QColor(tokens.text), Qt.BrushStyle.BDiagPattern))
        left += box.width() + gap
        write(unjudged)
