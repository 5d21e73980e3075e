"""The line that shows and hides what is sought seldom: a chevron, its title, and at the right what is in it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.widgets.fold_button import FoldButton

_HIGH = 32


class Disclosure(FoldButton):
    """``title`` with a note of what it holds."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(_HIGH, parent)
        self._note = ""
        self.setText(title)
        self.tell()

    def set_note(self, note: str) -> None:
        """Say at the right what is in it; a code."""
        if note != self._note:
            self._note = note
            self.tell()

    def tell(self) -> None:
        self.setAccessibleName(f"{self.text()}, {self._note}" if self._note else self.text())
        super().tell()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens, box = QPainter(self), theme.current(), QRectF(self.rect())
        left = float(theme.px(4))
        self.paint_chevron(painter, left)
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
        self.paint_focus(painter)
