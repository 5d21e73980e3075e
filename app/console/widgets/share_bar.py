"""How much of what is wanted is there: a bar, and a mark where it is enough."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning

_HIGH, _BAR = 14, 6


class ShareBar(QWidget):
    """``enough`` and ``wanted`` in the unit of what ``set`` gives; at ``enough`` the bar takes the colour of what is
    well. Words stand beside it: the colour alone says nothing."""

    def __init__(self, enough: float, wanted: float, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._enough, self._wanted, self._name = enough, wanted, name
        self._value = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set(0.0, "")

    @property
    def value(self) -> float:
        """What is shown."""
        return self._value

    def set(self, value: float, words: str) -> None:
        """Show a value; ``words`` say it to a screen reader."""
        self._value = value
        self.setAccessibleName(f"{self._name}: {words}" if words else self._name)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(80), theme.px(_HIGH))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(0, 0, 0, 0)))
        high = theme.px(_BAR)
        top = (self.height() - high) / 2
        painter.setBrush(QColor(tokens.line))
        painter.drawRoundedRect(QRectF(0, top, self.width(), high), 3, 3)
        share = min(self._value / self._wanted, 1.0)
        if share > 0:
            painter.setBrush(QColor(tokens.state(Meaning.OK if self._value >= self._enough else Meaning.WORK)))
            painter.drawRoundedRect(QRectF(0, top, share * self.width(), high), 3, 3)
        at = self._enough / self._wanted * self.width()
        painter.setPen(QPen(QColor(tokens.text), 2))
        painter.drawLine(QPointF(at, 0), QPointF(at, self.height()))
