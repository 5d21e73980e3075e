"""One row that stands for many: nobody needs to look at each of them."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.fold_button import FoldButton
from app.console.widgets.marks import paint_shape

_HIGH, _EDGE = 36, 8


class FoldRow(FoldButton):
    """Checked while what it stands for is listed. ``state``: the shape before its words; None: no shape."""

    def __init__(self, state: Meaning | None = None, parent: QWidget | None = None) -> None:
        super().__init__(_HIGH, parent)
        self._state = state
        self._count, self._summary = "", ""
        self.tell()

    def show_words(self, count: str, summary: str = "") -> None:
        """Show how many it stands for, and what is to be known of them."""
        if (count, summary) != (self._count, self._summary):
            self._count, self._summary = count, summary
            self.tell()

    def tell(self) -> None:
        self.setText(", ".join(part for part in (self._count, self._summary) if part))
        self.setAccessibleName(self.text() or tr("Nothing is folded"))
        self.setToolTip(self.text())
        super().tell()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens, box = QPainter(self), theme.current(), QRectF(self.rect())
        if self.underMouse():
            painter.fillRect(box, QColor(tokens.raised))
        left = float(_EDGE)
        self.paint_chevron(painter, left)
        left += theme.px(18)
        if self._state is not None:
            mark = theme.px(10)
            paint_shape(painter, QRectF(left, box.center().y() - mark / 2, mark, mark), self._state)
            left += mark + theme.px(8)
        painter.setFont(theme.ui(13, QFont.Weight.Medium))
        link = tr("Hide") if self.isChecked() else tr("Show")
        room = painter.fontMetrics().horizontalAdvance(link)
        right = box.right() - _EDGE - room
        at = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.setPen(QColor(tokens.accent))
        painter.drawText(QRectF(right, 0, room + 1, box.height()), at, link)
        painter.setPen(QColor(tokens.text))
        painter.drawText(QRectF(left, 0, right - left, box.height()), at, self._count)
        left += painter.fontMetrics().horizontalAdvance(self._count) + theme.px(8)
        painter.setFont(theme.ui(13))
        painter.setPen(QColor(tokens.dim))
        rest = right - left - theme.px(12)
        shown = painter.fontMetrics().elidedText(self._summary, Qt.TextElideMode.ElideRight, max(0, int(rest)))
        painter.drawText(QRectF(left, 0, rest, box.height()), at, shown)
        self.paint_focus(painter)
