"""Cells of a table that are painted: a clock that runs towards a deadline, and the next step as a button."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_fill

ALARM_SHARE = 0.75
"""From this share of the time on, a clock says that its deadline is near; the bar has a notch there."""
_BAR_WIDE, _BAR_HIGH, _EDGE, _GAP = 84, 8, 10, 10
_BUTTON_HIGH = 26


@dataclass(frozen=True)
class DeadlineClock:
    """``share``: how much of the time is over, 0 to 1; None: there is no clock, and ``words`` say why. ``until``: the
    moment that it runs to, shown dim after the words."""

    words: str
    until: str = ""
    share: float | None = None
    state: Meaning = Meaning.IDLE


class ClockDelegate(QStyledItemDelegate):
    """Paints the clock that ``clock`` gives for a row."""

    def __init__(self, clock: Callable[[int], DeadlineClock | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._clock = clock

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        clock = self._clock(index.row())
        painter.save()
        inner = _ground(painter, option)
        if clock is not None:
            if clock.share is not None:
                inner.setLeft(_paint_bar(painter, inner, clock.share, clock.state))
            _paint_words(painter, inner, clock)
        painter.restore()


class StepDelegate(QStyledItemDelegate):
    """Paints the text of a cell as a button at the right edge; an empty text is no button. The table's ``clicked``
    tells of a press, and the page's actions have its key."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = theme.current()
        painter.save()
        inner = _ground(painter, option)
        if text := str(index.data() or ""):
            painter.setFont(theme.ui(13, QFont.Weight.Medium))
            room = int(inner.width()) - theme.px(20)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
            wide = painter.fontMetrics().horizontalAdvance(shown) + theme.px(20)
            high = min(theme.px(_BUTTON_HIGH), inner.height() - 4)
            box = QRectF(inner.right() - wide, inner.center().y() - high / 2, wide, high)
            over = bool(option.state & QStyle.StateFlag.State_MouseOver)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(tokens.raised))
            painter.setPen(QPen(QColor(tokens.accent if over else tokens.border), 1))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            painter.setPen(QColor(tokens.text))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), shown)
        painter.restore()


def _ground(painter: QPainter, option: QStyleOptionViewItem) -> QRectF:
    """Paint what every cell stands on; the room inside is returned."""
    tokens, box = theme.current(), option.rect
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(box, QColor(tokens.raised))
    painter.setPen(QPen(QColor(tokens.line), 1))
    painter.drawLine(box.bottomLeft(), box.bottomRight())
    return QRectF(box).adjusted(_EDGE, 0, -_EDGE, 0)


def _paint_bar(painter: QPainter, room: QRectF, share: float, state: Meaning) -> float:
    """Paint the bar at the left of ``room``, with its notch; where the words begin is returned."""
    tokens = theme.current()
    wide, high = min(theme.px(_BAR_WIDE), room.width() / 3), theme.px(_BAR_HIGH)
    bar = QRectF(room.left(), room.center().y() - high / 2, wide, high)
    painter.fillRect(bar, QColor(tokens.line))
    paint_fill(painter, QRectF(bar.left(), bar.top(), wide * min(1.0, max(0.0, share)), high), state)
    at = bar.left() + wide * ALARM_SHARE
    painter.setPen(QPen(QColor(tokens.panel), 2))
    painter.drawLine(QPointF(at, bar.top()), QPointF(at, bar.bottom()))
    painter.setPen(QPen(QColor(tokens.dim), 1))
    painter.drawLine(QPointF(at, bar.top() - 3), QPointF(at, bar.top()))
    return bar.right() + theme.px(_GAP)


def _paint_words(painter: QPainter, room: QRectF, clock: DeadlineClock) -> None:
    """Paint how much time is left, and until when; without a clock the reason, dim."""
    tokens, running = theme.current(), clock.share is not None
    painter.setFont(theme.ui(13, QFont.Weight.Medium if running else QFont.Weight.Normal))
    painter.setPen(QColor(tokens.text if running else tokens.dim))
    flags = int(Qt.AlignmentFlag.AlignVCenter)
    shown = painter.fontMetrics().elidedText(clock.words, Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, flags, shown)
    if not clock.until:
        return
    left = room.left() + painter.fontMetrics().horizontalAdvance(shown) + theme.px(_GAP)
    painter.setFont(theme.ui(12))
    painter.setPen(QColor(tokens.dim))
    # A moment that is cut says nothing: it is whole, or left to the tooltip.
    if QFontMetrics(theme.ui(12)).horizontalAdvance(clock.until) <= room.right() - left:
        painter.drawText(QRectF(left, room.top(), room.right() - left, room.height()), flags, clock.until)
