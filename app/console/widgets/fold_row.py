"""One row that stands for many: nobody needs to look at each of them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape

_HIGH, _EDGE = 36, 8


class FoldRow(QAbstractButton):
    """Checked while what it stands for is listed; Enter, Space and a click turn it. ``state``: the shape before its
    words; None: no shape."""

    def __init__(self, state: Meaning | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._count, self._summary = "", ""
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _on: self._tell())
        self._tell()

    def show_words(self, count: str, summary: str = "") -> None:
        """Show how many it stands for, and what is to be known of them."""
        if (count, summary) != (self._count, self._summary):
            self._count, self._summary = count, summary
            self._tell()

    def _tell(self) -> None:
        self.setText(", ".join(part for part in (self._count, self._summary) if part))
        self.setAccessibleName(self.text() or tr("Nothing is folded"))
        self.setAccessibleDescription(tr("Enter hides them") if self.isChecked() else tr("Enter shows them"))
        self.setToolTip(self.text())
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
        if self.underMouse():
            painter.fillRect(box, QColor(tokens.raised))
        middle, left, side = box.center().y(), float(_EDGE), float(theme.px(4))
        chevron = [(0.0, -side), (side, 0.0), (0.0, side)]
        if self.isChecked():
            chevron = [(-side / 2, -side / 2), (side / 2, side / 2), (side * 1.5, -side / 2)]
        painter.setPen(QPen(QColor(tokens.dim), 1.5))
        painter.drawPolyline(QPolygonF([QPointF(left + 3 + x, middle + y) for x, y in chevron]))
        left += theme.px(18)
        if self._state is not None:
            mark = theme.px(10)
            paint_shape(painter, QRectF(left, middle - mark / 2, mark, mark), self._state)
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
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
