"""Where a person's photograph would be: a silhouette, because the registry keeps no photographs yet."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.language import tr


class Portrait(QWidget):
    """``width`` x ``height`` px at 100 % text; a head over shoulders in ``border`` on ``raised``."""

    def __init__(self, width: int, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._width, self._height = width, height
        self.setAccessibleName(tr("No photograph"))
        self._fit()

    def become(self, width: int, height: int) -> None:
        """Take another size, px at 100 % text."""
        if (width, height) != (self._width, self._height):
            self._width, self._height = width, height
            self._fit()

    def _fit(self) -> None:
        self.setFixedSize(theme.px(self._width), theme.px(self._height))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_silhouette(painter, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, theme.current().raised)


def paint_silhouette(painter: QPainter, box: QRectF, radius: float, fill: str) -> None:
    """A head over shoulders in ``border`` on ``fill``, in a box of round corners."""
    tokens, ground = theme.current(), QPainterPath()
    ground.addRoundedRect(box, radius, radius)
    painter.fillPath(ground, QColor(fill))
    width, height = box.width(), box.height()
    head, body = QPainterPath(), QPainterPath()
    side = width * 0.4
    head.addEllipse(QRectF(box.left() + (width - side) / 2, box.top() + height * 0.22, side, side))
    shoulders = QRectF(box.left() + width * 0.14, box.top() + height * 0.64, width * 0.72, height)
    body.addRoundedRect(shoulders, width * 0.3, width * 0.3)
    painter.fillPath(ground.intersected(head.united(body)), QColor(tokens.border))
    painter.setPen(QColor(tokens.line))
    painter.drawPath(ground)
