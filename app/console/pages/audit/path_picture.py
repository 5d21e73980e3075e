"""The inclusion path as a drawing: from the leaf, one step for each hash, to the head that is signed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import number, tr
from app.console.theme.tokens import Meaning

_HIGH, _EDGE, _WORDS = 116, 10, 18
_NODE, _FINE, _HEAD, _SIBLING = 5.0, 3.0, 7.0, 4.0
_MANY = 12
"""Steps from which the nodes are small."""


class PathPicture(QWidget):
    """A square is the hash that each step takes beside what it has: together they are the next node."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index, self._size, self.steps = 0, 0, 0
        self._state = Meaning.IDLE
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_path(self, index: int, size: int, steps: int, state: Meaning) -> None:
        """Draw the path of leaf ``index`` in a tree of ``size`` leaves; ``state``: whether it holds."""
        self._index, self._size, self.steps, self._state = index, size, steps, state
        self.setAccessibleName(
            tr("Path of {steps} steps from leaf {index} to the head of {size}",
               steps=steps, index=number(index, ","), size=number(size, ","))
        )  # fmt: skip
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(_HIGH))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = theme.px(100) / 100
        edge, words = _EDGE * scale, _WORDS * scale
        node = (_FINE if self.steps > _MANY else _NODE) * scale
        sibling = (_FINE if self.steps > _MANY else _SIBLING) * scale
        begin = QPointF(edge + node, self.height() - words - node - 2)
        end = QPointF(self.width() - edge - 2 * _HEAD * scale, words + _HEAD * scale)
        step = (end - begin) / max(1, self.steps)
        nodes = [begin + step * at for at in range(self.steps + 1)]
        ink, line = QColor(tokens.state(self._state)), QPen(QColor(tokens.border), 1)
        for one in nodes[:-1]:
            # Below the line, half a step on: what the step is hashed with.
            beside = one + QPointF(step.x() * 0.5, 22 * scale)
            beside.setY(min(beside.y(), self.height() - sibling - 1.0))
            painter.setPen(line)
            painter.drawLine(one + step, beside)
            painter.fillRect(
                QRectF(beside.x() - sibling, beside.y() - sibling, 2 * sibling, 2 * sibling), QColor(tokens.raised)
            )
            painter.drawRect(QRectF(beside.x() - sibling, beside.y() - sibling, 2 * sibling, 2 * sibling))
        painter.setPen(QPen(ink, 2 * scale))
        painter.drawLine(nodes[0], nodes[-1])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        for one in nodes[:-1]:
            painter.drawEllipse(one, node, node)
        painter.drawEllipse(nodes[-1], _HEAD * scale, _HEAD * scale)
        painter.setFont(theme.ui(11))
        painter.setPen(QColor(tokens.dim))
        leaf = tr("leaf {index}", index=number(self._index, ","))
        head = tr("head of {size}", size=number(self._size, ","))
        at = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        # Above the line as far as the words reach.
        rise = -step.y() / max(1.0, step.x()) * QFontMetrics(painter.font()).horizontalAdvance(leaf)
        painter.drawText(QRectF(edge, begin.y() - node - words - rise, self.width(), words), at, leaf)
        wide = QFontMetrics(painter.font()).horizontalAdvance(head)
        left = min(nodes[-1].x() - wide / 2, self.width() - wide - edge)
        painter.drawText(QRectF(left, nodes[-1].y() - _HEAD * scale - words, wide + 2, words), at, head)
