"""The line that shows and hides what is sought seldom: a chevron, its title, and at the right what is in it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr

_HIGH = 32


class Disclosure(QAbstractButton):
    """Checked while what it stands for is shown; Enter, Space and a click turn it."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._note = ""
        self.setText(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _on: self._tell())
        self._tell()

    def set_note(self, note: str) -> None:
        """Say at the right what is in it; a code."""
        if note != self._note:
            self._note = note
            self._tell()

    def _tell(self) -> None:
        self.setAccessibleName(f"{self.text()}, {self._note}" if self._note else self.text())
        self.setAccessibleDescription(tr("Enter hides them") if self.isChecked() else tr("Enter shows them"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        middle, left, side = box.center().y(), float(theme.px(4)), float(theme.px(4))
        chevron = [(0.0, -side), (side, 0.0), (0.0, side)]
        if self.isChecked():
            chevron = [(-side / 2, -side / 2), (side / 2, side / 2), (side * 1.5, -side / 2)]
        painter.setPen(QPen(QColor(tokens.dim), 1.5))
        painter.drawPolyline(QPolygonF([QPointF(left + 3 + x, middle + y) for x, y in chevron]))
        left += theme.px(20)
        at = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.setFont(theme.ui(13, QFont.Weight.Medium))
        painter.setPen(QColor(tokens.text if self.underMouse() else tokens.dim))
        painter.drawText(QRectF(left, 0, box.width() - left, box.height()), at, self.text())
        left += painter.fontMetrics().horizontalAdvance(self.text()) + theme.px(12)
        painter.setFont(theme.mono(12))
        painter.setPen(QColor(tokens.dim))
        room = int(box.width() - left - theme.px(4))
        note = painter.fontMetrics().elidedText(self._note, Qt.TextElideMode.ElideMiddle, max(0, room))
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.drawText(QRectF(left, 0, room, box.height()), right, note)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
