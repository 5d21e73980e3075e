"""State as colour, painted shape and word together: circle, open arc, triangle, square, diamond,
ring. Never colour alone."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.code_words import code_word
from app.console.theme.tokens import Meaning, state_of

_OUTLINE = 1.5
"""Px of the line around a fill that alone would be too faint on its ground."""


def ink(colour: str) -> QPen:
    """A pen of ``colour``, 1 px, for ``QPainter.strokePath``; its ``brush()`` is for ``fillPath``.

    What is on the first frame is painted by these: ``QPen(colour)``, ``QBrush(colour)`` and ``QPainter.setPen`` look
    at Qt's enumerations, which are not made before it.
    """
    made = QPen()
    made.setColor(QColor(colour))
    return made


def paint_shape(painter: QPainter, box: QRectF, state: Meaning, colour: str | None = None) -> None:
    """Paint the shape of ``state`` into ``box`` (square), in its token's colour unless another is given."""
    tokens = theme.current()
    pen = ink(colour or tokens.state(state))
    outlined = state is Meaning.WARN and colour is None and tokens.warn_fill != tokens.warn
    shape = QPainterPath()
    if state is Meaning.OK:
        shape.addEllipse(box)
    elif state is Meaning.WORK:
        width = max(1.5, box.width() * 0.2)
        round_ = box.adjusted(width / 2, width / 2, -width / 2, -width / 2)
        # Three quarters of a ring, open at the upper right: the whole ring says that nothing is known. The pen's square
        # ends make 15 degrees of it at each end.
        shape.arcMoveTo(round_, 105)
        shape.arcTo(round_, 105, 240)
        pen.setWidthF(width)
    elif state is Meaning.WARN:
        # An outline stands inside of the box, as the others do.
        inside = box.adjusted(_OUTLINE / 2, _OUTLINE / 2, -_OUTLINE / 2, -_OUTLINE / 2) if outlined else box
        shape.addPolygon(
            QPolygonF([QPointF(inside.center().x(), inside.top()), inside.bottomRight(), inside.bottomLeft()]),
        )
        shape.closeSubpath()
    elif state is Meaning.BAD:
        inset = box.width() * 0.06
        shape.addRect(box.adjusted(inset, inset, -inset, -inset))
    elif state is Meaning.CRIT:
        centre = box.center()
        shape.addPolygon(
            QPolygonF(
                [
                    QPointF(centre.x(), box.top() - 0.5),
                    QPointF(box.right() + 0.5, centre.y()),
                    QPointF(centre.x(), box.bottom() + 0.5),
                    QPointF(box.left() - 0.5, centre.y()),
                ]
            ),
        )
    else:
        width = max(1.5, box.width() * 0.18)
        shape.addEllipse(box.adjusted(width / 2, width / 2, -width / 2, -width / 2))
        pen.setWidthF(width)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if state in (Meaning.IDLE, Meaning.WORK):
        painter.strokePath(shape, pen)
    elif outlined:
        painter.fillPath(shape, ink(tokens.warn_fill).brush())
        pen.setWidthF(_OUTLINE)
        painter.strokePath(shape, pen)
    else:
        painter.fillPath(shape, pen.brush())
    painter.restore()


def paint_fill(painter: QPainter, box: QRectF, state: Meaning) -> None:
    """Fill a part of a bar with the colour of ``state``; one that alone would be too faint has an outline."""
    tokens = theme.current()
    if state is not Meaning.WARN or tokens.warn_fill == tokens.warn:
        painter.fillRect(box, QColor(tokens.state(state)))
        return
    painter.fillRect(box, QColor(tokens.warn_fill))
    edge = QPainterPath()
    edge.addRect(box.adjusted(_OUTLINE / 2, _OUTLINE / 2, -_OUTLINE / 2, -_OUTLINE / 2))
    pen = ink(tokens.warn)
    pen.setWidthF(_OUTLINE)
    painter.strokePath(edge, pen)


def shape_icon(state: Meaning, side: int) -> QIcon:
    """The shape of ``state`` as an icon of ``side`` logical px, for the screens that there are."""
    icon = QIcon()
    for ratio in {screen.devicePixelRatio() for screen in QGuiApplication.screens()} or {1.0}:
        made = QPixmap(round(side * ratio), round(side * ratio))
        made.fill(QColor(0, 0, 0, 0))
        made.setDevicePixelRatio(ratio)
        painter = QPainter(made)
        paint_shape(painter, QRectF(1, 1, side - 2, side - 2), state)
        painter.end()
        icon.addPixmap(made)
        # A button that takes no press says the same state: greyed, the shape would be of none.
        icon.addPixmap(made, QIcon.Mode.Disabled)
    return icon


class StateMark(QWidget):
    """Shape and word, one line. The word is also the accessible name."""

    def __init__(self, state: Meaning = Meaning.IDLE, word: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._word = state, word
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(word)

    def set(self, state: Meaning, word: str) -> None:
        """Show another state."""
        if (state, word) != (self._state, self._word):
            self._state, self._word = state, word
            self.setAccessibleName(word)
            self.updateGeometry()
            self.update()

    def set_word(self, word: str) -> None:
        """Show a word of the API with the state that it stands for."""
        self.set(state_of(word), code_word(word))

    @property
    def state(self) -> Meaning:
        """The state shown."""
        return self._state

    @property
    def word(self) -> str:
        """The word shown."""
        return self._word

    def sizeHint(self) -> QSize:
        side = theme.px(10)
        width = self.fontMetrics().horizontalAdvance(self._word)
        return QSize(side + (theme.px(6) + width + 2 if self._word else 0), max(side, self.fontMetrics().height()) + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = theme.px(10)
        paint_shape(painter, QRectF(0, (self.height() - side) / 2, side, side), self._state)
        measure = self.fontMetrics()
        top = (self.height() - measure.height()) // 2
        painter.drawText(QPointF(side + theme.px(6), top + measure.ascent()), self._word)


class StateShape(QWidget):
    """The shape alone, ``side`` px at 100 % text; its word stands elsewhere and is the accessible name."""

    def __init__(self, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self._state = Meaning.IDLE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set(self, state: Meaning, word: str) -> None:
        """Show another state."""
        self.setAccessibleName(word)
        if state is not self._state:
            self._state = state
            self.update()

    @property
    def state(self) -> Meaning:
        """The state shown."""
        return self._state

    def sizeHint(self) -> QSize:
        return QSize(theme.px(self._side), theme.px(self._side))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = min(self.width(), self.height()) - 2
        paint_shape(painter, QRectF(1, 1, side, side), self._state)
