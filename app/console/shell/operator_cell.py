"""Who is at the desk: initials in a round, the name, and below it the roles. Pressed, another operator can sign in."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.console import theme
from app.console.widgets.marks import ink

ROUND_PX, GAP_PX, EDGE_PX, HIGH_PX = 24, 8, 6, 36
LEAST_PX = 48
"""Of the words, before they are left out."""


def initials_of(name: str) -> str:
    """Two letters or figures by which a name is told at a glance: ``AB`` of Ada Brown, ``O1`` of Operator 01."""
    words = [word.lstrip("0") or word for word in name.split()]
    if len(words) > 1:
        return (words[0][:1] + words[-1][:1]).upper()
    return name[:2].upper()


class OperatorCell(QPushButton):
    """``words`` are whole where there is room; ``set_room`` says how much there is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "cell")
        self.name, self.roles = "", ""
        self._room: int | None = None

    def set_words(self, name: str, roles: str) -> None:
        """Show that operator."""
        if (name, roles) != (self.name, self.roles):
            self.name, self.roles = name, roles
            self.updateGeometry()
            self.update()

    def set_room(self, room: int | None) -> None:
        """Be at most ``room`` px wide; None: as wide as the words are."""
        if room != self._room:
            self._room = room
            self.updateGeometry()
            self.update()

    @property
    def whole_width(self) -> int:
        """How wide it is with all its words, px."""
        self.ensurePolished()
        return self._words_at() + self._words_width() + theme.px(EDGE_PX)

    def sizeHint(self) -> QSize:
        wide = self.whole_width
        if self._room is not None and self._room < wide:
            wide = self._room if self._room >= self._words_at() + theme.px(LEAST_PX) else self._words_at()
        return QSize(wide, theme.px(HIGH_PX))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _words_at(self) -> int:
        return theme.px(EDGE_PX) + theme.px(ROUND_PX) + theme.px(GAP_PX)

    def _words_width(self) -> int:
        name = QFontMetrics(theme.ui(12, QFont.Weight.DemiBold)).horizontalAdvance(self.name)
        return max(name, QFontMetrics(theme.ui(11)).horizontalAdvance(self.roles)) + 2

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = theme.px(ROUND_PX)
        box = QRectF(theme.px(EDGE_PX), (self.height() - side) / 2, side, side)
        painter.setPen(ink(tokens.border))
        painter.drawEllipse(box.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(ink(tokens.text))
        painter.setFont(theme.ui(11, QFont.Weight.DemiBold))
        painter.drawText(box, int(QtCore.Qt.AlignmentFlag.AlignCenter), initials_of(self.name))
        left = self._words_at()
        room = self.width() - left - theme.px(EDGE_PX)
        if room < theme.px(LEAST_PX):
            return
        end = QtCore.Qt.TextElideMode.ElideRight
        line = theme.px(16)
        top = (self.height() - (2 * line if self.roles else line)) // 2
        for words, size, weight, colour in (
            (self.name, 12, QFont.Weight.DemiBold, tokens.text),
            (self.roles, 11, QFont.Weight.Normal, tokens.dim),
        ):
            if not words:
                continue
            painter.setFont(theme.ui(size, weight))
            painter.setPen(ink(colour))
            shown = painter.fontMetrics().elidedText(words, end, room)
            middle = int(QtCore.Qt.AlignmentFlag.AlignVCenter | QtCore.Qt.AlignmentFlag.AlignLeft)
            painter.drawText(QRectF(left, top, room, line), middle, shown)
            top += line

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)
