"""A state in large letters: shape and word that an operator must see from across the desk."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape


class VerdictLabel(QWidget):
    """Shape and word in ``size`` px at 100 % text, semi-bold. The word is also the accessible name."""

    def __init__(self, size: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = size
        self._state, self._word = Meaning.IDLE, ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set(self, state: Meaning, word: str) -> None:
        """Show another state."""
        if (state, word) != (self._state, self._word):
            self._state, self._word = state, word
            self.setAccessibleName(word)
            self.updateGeometry()
            self.update()

    @property
    def state(self) -> Meaning:
        """The state shown."""
        return self._state

    @property
    def word(self) -> str:
        """The word shown."""
        return self._word

    # The style sheet sets the font of every widget, so the font is taken from the theme while painting.
    def _font(self) -> QFont:
        return theme.ui(self._size, QFont.Weight.DemiBold)

    def _side(self) -> int:
        return theme.px(round(self._size * 0.78))

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        gap = theme.px(round(self._size * 0.5))
        return QSize(self._side() + gap + metrics.horizontalAdvance(self._word) + 2, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = self._side()
        paint_shape(painter, QRectF(0, (self.height() - side) / 2, side, side), self._state)
        painter.setPen(QColor(theme.current().text))
        painter.setFont(self._font())
        left = side + theme.px(round(self._size * 0.5))
        box = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._word)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self.updateGeometry()
        super().changeEvent(event)
