"""Cells of a table that show whether a value is usual: a bar over the middle 95 % of what is known, and a mark where
the value lies."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_fill
from app.console.widgets.table_cells import PADDING

USUAL_Z = 2.0
"""Standard deviations within which 95 % of the values lie."""
_MOST_Z = 4.0
"""What lies farther out stands at the edge of the cell."""
_WIDE, _HIGH, _MARK_WIDE, _MARK_HIGH = 132, 4, 5, 14


class UsualDelegate(QStyledItemDelegate):
    """Paints the deviation that ``deviation`` gives for a row, in standard deviations from the middle; None: nothing is
    known of it, and the cell is empty."""

    def __init__(self, deviation: Callable[[int], float | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._deviation = deviation

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens, box = theme.current(), option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(tokens.raised))
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        deviation = self._deviation(index.row())
        if deviation is not None:
            room = QRectF(box).adjusted(PADDING, 0, -PADDING, 0)
            room.setWidth(min(room.width(), theme.px(_WIDE)))
            self._paint_scale(painter, room, deviation)
        painter.restore()

    @staticmethod
    def _paint_scale(painter: QPainter, room: QRectF, deviation: float) -> None:
        """Paint the bar, the middle of it, and the mark."""
        tokens, middle = theme.current(), room.center()

        def across(z: float) -> float:
            return middle.x() + z / _MOST_Z * (room.width() - theme.px(_MARK_WIDE)) / 2

        high, mark = theme.px(_HIGH), theme.px(_MARK_HIGH)
        left, right = across(-USUAL_Z), across(USUAL_Z)
        painter.fillRect(QRectF(left, middle.y() - high / 2, right - left, high), QColor(tokens.line))
        painter.setPen(QPen(QColor(tokens.dim), 1))
        painter.drawLine(QPointF(middle.x(), middle.y() - mark / 2), QPointF(middle.x(), middle.y() + mark / 2))
        at = across(max(-_MOST_Z, min(_MOST_Z, deviation)))
        state = Meaning.OK if abs(deviation) <= USUAL_Z else Meaning.WARN
        wide = theme.px(_MARK_WIDE)
        paint_fill(painter, QRectF(at - wide / 2, middle.y() - mark / 2, wide, mark), state)
