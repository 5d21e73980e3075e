"""What shows and hides something: a button with a chevron, which Enter, Space and a click turn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr


def paint_chevron(painter: QPainter, left: float, middle: float, *, is_open: bool) -> None:
    """Paint the sign of a fold from ``left`` on, its middle at ``middle``, px: to the right while folded, down while
    not."""
    side = theme.px(4)
    chevron = [(0.0, -side), (side, 0.0), (0.0, side)]
    if is_open:
        chevron = [(-side / 2, -side / 2), (side / 2, side / 2), (side * 1.5, -side / 2)]
    painter.setPen(QPen(QColor(theme.current().dim), 1.5))
    painter.drawPolyline(QPolygonF([QPointF(left + across, middle + down) for across, down in chevron]))


class FoldButton(QAbstractButton):
    """Checked while what it stands for is shown. ``high``: its height, px at 100 % text. Others paint its words."""

    def __init__(self, high: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._high = high
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _on: self.tell())

    def tell(self) -> None:
        """Say to who hears it which way Enter turns it, and paint it anew."""
        self.setAccessibleDescription(tr("Enter hides them") if self.isChecked() else tr("Enter shows them"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(self._high))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paint_chevron(self, painter: QPainter, left: float) -> None:
        """Paint the chevron at the height of the words; the painter draws smoothly from then on."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_chevron(painter, left + 3, self.height() / 2, is_open=self.isChecked())

    def paint_focus(self, painter: QPainter) -> None:
        """Frame it while it has the focus."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.current().accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
