"""Marking two finger valleys in a picture, with the mouse or by keys alone."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.pages.verify.roi import square, trouble, wipe

NAMES = (tr("First valley, the left one while the fingers are up"), tr("Second valley, the right one"))
START = ((0.35, 0.4), (0.65, 0.4))
"""Where the marks stand in a first picture, in parts of its sides."""
GRIP = 14
"""Pixels around a mark at which the mouse takes it, at 100 % text."""
LEAP = 10
"""Arrow keys go so many pixels with Shift, else one."""
ARROWS = {
    Qt.Key.Key_Left: QPointF(-1, 0),
    Qt.Key.Key_Right: QPointF(1, 0),
    Qt.Key.Key_Up: QPointF(0, -1),
    Qt.Key.Key_Down: QPointF(0, 1),
}


class ValleyMarker(QWidget):
    """Shows one picture with two marks and the square that they give.

    Arrows move the active mark, Tab goes from the first to the second and then on, Enter is ``taken``; a click sets the
    active mark, or takes the one that is near. ``moved`` follows every change. The marks stay, in parts of the sides,
    for the next picture: hands lie alike under one camera.
    """

    taken = Signal()
    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._marks = [QPointF(*START[0]), QPointF(*START[1])]
        self._active = 0
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 200)
        self.setAccessibleName(tr("Picture of the palm"))
        self._tell()

    def sizeHint(self) -> QSize:
        return QSize(480, 400)

    # --- what it has -------------------------------------------------------------------------------------------------

    @property
    def image(self) -> QImage | None:
        """The picture that is marked."""
        return self._image

    @property
    def marks(self) -> tuple[QPointF, QPointF]:
        """Both valleys, in pixels of the picture."""
        size = self._image.size() if self._image is not None else QSize(1, 1)
        first, second = (QPointF(mark.x() * size.width(), mark.y() * size.height()) for mark in self._marks)
        return first, second

    @property
    def active(self) -> int:
        """Which mark the arrows move, 0 or 1."""
        return self._active

    @property
    def trouble(self) -> str:
        """What is wrong with the marks; empty when nothing."""
        return "" if self._image is None else trouble(self._image.size(), *self.marks)

    def show_image(self, image: QImage | None) -> None:
        """Another picture, which is then this widget's to wipe; None: none."""
        if self._image is not None:
            wipe(self._image)
        self._image = image
        self._active = 0
        self._dragging = False
        self._show_change()

    def swap(self) -> None:
        """Turn the square to the other side of the valleys."""
        self._marks.reverse()
        self._show_change()

    def place(self, mark: int, at: QPointF) -> None:
        """Put a mark at a pixel of the picture; it stays inside of it."""
        if self._image is None:
            return
        size = self._image.size()
        self._marks[mark] = QPointF(
            min(1.0, max(0.0, at.x() / size.width())), min(1.0, max(0.0, at.y() / size.height()))
        )
        self._show_change()

    def _show_change(self) -> None:
        self._tell()
        self.update()
        self.moved.emit()

    def _tell(self) -> None:
        """What is heard of it: the active mark, where it is, and what is wrong with the square."""
        if self._image is None:
            said = tr("No picture is open.")
        else:
            at = self.marks[self._active]
            said = tr(
                "{mark}, at {x:.0f}, {y:.0f}. Arrows move it, Tab goes to the next, Enter takes the square. {trouble}",
                mark=NAMES[self._active],
                x=at.x(),
                y=at.y(),
                trouble=self.trouble,
            )
        self.setAccessibleDescription(said.strip())

    # --- where things are --------------------------------------------------------------------------------------------

    def _scale(self) -> float:
        if self._image is None:
            return 1.0
        room = self.contentsRect()
        return min(room.width() / self._image.width(), room.height() / self._image.height())

    def _placement(self) -> QTransform:
        """Pixels of the picture to pixels of this widget."""
        if self._image is None:
            return QTransform()
        scale = self._scale()
        left = (self.width() - self._image.width() * scale) / 2
        top = (self.height() - self._image.height() * scale) / 2
        return QTransform(scale, 0, 0, scale, left, top)

    # --- hands -------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = ARROWS.get(Qt.Key(event.key()))
        if self._image is None or (step is None and event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)
            return
        if step is None:
            self.taken.emit()
            return
        far = LEAP if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        self.place(self._active, self.marks[self._active] + step * (far / self._scale()))

    def focusNextPrevChild(self, following: bool) -> bool:
        """Tab goes through the marks and then on: the keyboard is never caught here."""
        beside = self._active + (1 if following else -1)
        if self._image is not None and 0 <= beside <= 1:
            self._activate(beside)
            return True
        return super().focusNextPrevChild(following)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() is Qt.FocusReason.TabFocusReason:
            self._activate(0)
        elif event.reason() is Qt.FocusReason.BacktabFocusReason:
            self._activate(1)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _activate(self, mark: int) -> None:
        self._active = mark
        self._tell()
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._image is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        placed = self._placement()
        far = [math.dist(placed.map(mark).toTuple(), event.position().toTuple()) for mark in self.marks]
        nearest = far.index(min(far))
        if far[nearest] <= theme.px(GRIP):
            self._activate(nearest)
        self._dragging = True
        self._drag(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._drag(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() is Qt.MouseButton.LeftButton:
            self._dragging = False
            self._activate(1 - self._active)

    def _drag(self, event: QMouseEvent) -> None:
        back, ok = self._placement().inverted()
        if ok:
            self.place(self._active, back.map(event.position()))

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.bg))
        if self._image is None:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        placed = self._placement()
        painter.drawImage(placed.mapRect(QRectF(self._image.rect())), self._image)
        corners = placed.map(QPolygonF(square(*self.marks)))
        _outline(painter, corners, QColor(tokens.bad if self.trouble else tokens.accent))
        for at, mark in enumerate(self.marks):
            self._paint_mark(painter, placed.map(mark), at)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_mark(self, painter: QPainter, at: QPointF, number: int) -> None:
        tokens = theme.current()
        active = number == self._active and self.hasFocus()
        radius = theme.px(11)
        painter.setPen(QPen(QColor(tokens.bg), 2))
        painter.setBrush(QColor(tokens.accent if active else tokens.text))
        painter.drawEllipse(at, radius, radius)
        painter.setPen(QColor(tokens.on_fill if active else tokens.bg))
        painter.setFont(theme.ui(12))
        box = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number + 1))


def _outline(painter: QPainter, corners: QPolygonF, colour: QColor) -> None:
    """A frame that is seen on any skin: dark below, the colour above."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (QPen(QColor(0, 0, 0, 160), 4), QPen(colour, 2)):
        painter.setPen(pen)
        painter.drawPolygon(corners)
