"""A framed sentence with the shape and the colour of its state: what stands as long as it is true."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.text import label


class NoteBand(QFrame):
    """Hidden while it has nothing to say. ``Banner`` is for what went wrong and can be dismissed; this cannot."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = Meaning.IDLE
        column = QVBoxLayout(self)
        column.setSpacing(0)
        self._sentence = label("", "", wrap=True)
        self._detail = label("", "dim", wrap=True)
        column.addWidget(self._sentence)
        column.addWidget(self._detail)
        self._fit()
        self.hide()

    @property
    def words(self) -> tuple[Meaning, str, str]:
        """State, sentence and detail that are shown; empty texts while it is hidden."""
        return self._state, self._sentence.text(), self._detail.text()

    def say(self, state: Meaning, sentence: str, detail: str = "") -> None:
        """Show a sentence and what stands behind it; the empty sentence hides the band."""
        self._state = state
        self._sentence.setText(sentence)
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self.setAccessibleName(f"{sentence} {detail}".strip())
        self.setVisible(bool(sentence))
        self.update()

    def _fit(self) -> None:
        self.layout().setContentsMargins(theme.px(34), 8, 10, 8)  # type: ignore[union-attr]  # made with the band

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().state(self._state)), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        side = theme.px(12)
        paint_shape(painter, QRectF(12, theme.px(11), side, side), self._state)
