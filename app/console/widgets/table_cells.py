"""The cells of a table: shape of a state, mark, history and text, and how wide they need to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.sparkline import paint_history

if TYPE_CHECKING:
    from app.console.widgets.table import DataTable

PADDING = 8
"""Px at the left and at the right of a cell's text."""
MARK_ROOM = 22
"""Px at 100 % text that the box before a row takes."""
STATE_ROLE = Qt.ItemDataRole.UserRole + 10
"""A ``Meaning``: the delegate paints its shape before the text."""
MONO_ROLE = Qt.ItemDataRole.UserRole + 11
HISTORY_ROLE = Qt.ItemDataRole.UserRole + 12
COPY_ROLE = Qt.ItemDataRole.UserRole + 13
"""What a cell is copied as, where that is more than it shows."""
MARK_ROLE = Qt.ItemDataRole.UserRole + 14
"""Whether the operator has marked the row."""
FACE_ROLE = Qt.ItemDataRole.UserRole + 15
"""A ``CellFace``: all that a cell is painted of, in one question. A model that has none is asked role by role."""
INSET_ROLE = Qt.ItemDataRole.UserRole + 20
"""Px at 100 % text by which a cell stands further right, below the head that it belongs to; None: none."""
_MARK_SIDE = 14
_HISTORY_PX = 88
_MOST_FITTED = 4096
"""Texts whose fitted form, and whose width, is kept."""
_MOST_COURSES = 256
"""Drawn courses that are kept: a repaint of the same values draws no line anew."""
_SELECTED = QStyle.StateFlag.State_Selected.value
_HAS_FOCUS = QStyle.StateFlag.State_HasFocus.value
_AT_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_AT_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Course(NamedTuple):
    """A line over the whole cell: values 0 to 1, oldest first, NaN where it breaks; ``goal``: a dashed line."""

    shares: tuple[float, ...]
    goal: float | None = None


class CellFace(NamedTuple):
    """What a cell shows. ``history`` and ``course``: as ``Column``; ``marked``: by the operator."""

    text: str
    state: Meaning | None = None
    mono: bool = False
    history: Sequence[float] | None = None
    dim: bool = False
    right: bool = False
    marked: bool = False
    second: str = ""
    """A second line, dim and smaller."""
    course: Course | None = None


def face_of(index: QModelIndex | QPersistentModelIndex) -> CellFace:
    """What the cell shows: of a model of faces in one question, of another one role by role."""
    face = index.data(FACE_ROLE)
    if isinstance(face, CellFace):
        return face
    alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
    return CellFace(
        str(index.data() or ""),
        index.data(STATE_ROLE),
        bool(index.data(MONO_ROLE)),
        index.data(HISTORY_ROLE),
        isinstance(index.data(Qt.ItemDataRole.ForegroundRole), QColor),
        alignment is not None and bool(int(alignment) & int(Qt.AlignmentFlag.AlignRight)),
        bool(index.data(MARK_ROLE)),
    )


class CellDelegate(QStyledItemDelegate):
    """Paints a cell: shape of its state, text, elided at the right (identifiers in the middle)."""

    def __init__(self, table: DataTable) -> None:
        super().__init__(table)
        self._table = table
        self.refresh()

    def refresh(self) -> None:
        """Take the fonts of the theme in force. Kept, because a QFont a cell costs more than its text."""
        self._ui, self._mono = theme.ui(13), theme.mono(12)
        self._lead, self._small = theme.ui(13, self._ui.Weight.Medium), theme.ui(12)
        self._lead_metrics, self._small_metrics = QFontMetrics(self._lead), QFontMetrics(self._small)
        self._metrics = QFontMetrics(self._ui), QFontMetrics(self._mono)
        self._fitted: dict[tuple[str, bool, int], str] = {}
        self._wide: dict[tuple[str, bool], int] = {}
        self._courses: dict[tuple[Course, int, int, float], QPixmap] = {}
        self.forget_widths()

    def forget_widths(self) -> None:
        """Measure each cell anew when it is asked for next: cells show something else."""
        self._cell_wide: dict[tuple[int, int], int] = {}

    def _picture_of(self, course: Course, width: int, height: int, ratio: float) -> QPixmap:
        """The course as a picture, drawn once."""
        key = (course, width, height, ratio)
        picture = self._courses.get(key)
        if picture is None:
            if len(self._courses) >= _MOST_COURSES:
                self._courses.clear()
            picture = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(QColor(0, 0, 0, 0))
            painter = QPainter(picture)
            box = QRectF(0, 3, width - 3, height - 6)
            paint_history(painter, box, course.shares, course.goal, foot=False)
            painter.end()
            self._courses[key] = picture
        return picture

    def _fit(self, text: str, mono: bool, width: int) -> str:
        """The text as far as it has room; the same cells are painted again and again."""
        key = (text, mono, width)
        fitted = self._fitted.get(key)
        if fitted is None:
            elide = Qt.TextElideMode.ElideMiddle if mono else Qt.TextElideMode.ElideRight
            fitted = self._metrics[mono].elidedText(text, elide, width)
            if len(self._fitted) >= _MOST_FITTED:
                self._fitted.clear()
            self._fitted[key] = fitted
        return fitted

    def _text_width(self, text: str, mono: bool) -> int:
        width = self._wide.get((text, mono), -1)
        if width < 0:
            if len(self._wide) >= _MOST_FITTED:
                self._wide.clear()
            width = self._wide[text, mono] = self._metrics[mono].horizontalAdvance(text)
        return width

    def width_of(self, index: QModelIndex | QPersistentModelIndex) -> int:
        """Px that the cell needs to be shown whole, padding included. Kept: a page that is opened gives its tables
        several sizes, and each time all cells in sight are asked for."""
        place = index.row(), index.column()
        if place not in self._cell_wide:
            if len(self._cell_wide) >= _MOST_FITTED:
                self._cell_wide.clear()
            self._cell_wide[place] = self._measure(index)
        room = theme.px(MARK_ROOM) if self._table.marks and index.column() == self._table.head.first else 0
        return self._cell_wide[place] + room

    def _measure(self, index: QModelIndex | QPersistentModelIndex) -> int:
        face = face_of(index)
        if face.second:
            lead = self._lead_metrics.horizontalAdvance(face.text)
            width = max(lead, self._small_metrics.horizontalAdvance(face.second))
        else:
            width = self._text_width(face.text, face.mono)
        if face.state is not None:
            width += theme.px(10) + theme.px(8)
        if face.history is not None:
            width += theme.px(_HISTORY_PX) + theme.px(8)
        return width + 2 * PADDING + 1

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = theme.current()
        face = face_of(index)
        box = option.rect
        flags = option.state.value
        selected = bool(flags & _SELECTED)
        painter.save()
        if selected:
            painter.fillRect(box, QColor(tokens.raised))
        painter.setPen(QColor(tokens.line))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        inner = QRectF(box).adjusted(PADDING, 0, -PADDING, 0)
        if index.column() == self._table.head.first:
            if selected:
                painter.fillRect(box.left(), box.top(), 3, box.height(), QColor(tokens.accent))
            if self._table.marks:
                paint_mark(painter, inner, face.marked)
                inner.setLeft(inner.left() + theme.px(MARK_ROOM))
        elif flags & _HAS_FOCUS:
            # The hands have gone to a cell: what is copied, fitted or moved is told by a line under it.
            painter.fillRect(box.left(), box.bottom() - 1, box.width(), 2, QColor(tokens.accent))
        if face.state is not None:
            side = theme.px(10)
            place = QRectF(inner.left(), inner.center().y() - side / 2, side, side)
            paint_shape(painter, place, Meaning(face.state))
            inner.setLeft(inner.left() + side + theme.px(8))
        if face.history is not None:
            width = theme.px(_HISTORY_PX)
            paint_history(painter, inner.adjusted(inner.width() - width, 6, 0, -6), face.history)
            inner.setRight(inner.right() - width - theme.px(8))
        if face.course is not None:
            width, height = max(1, int(inner.width())), box.height() - 8
            picture = self._picture_of(face.course, width, height, painter.device().devicePixelRatioF())
            painter.drawPixmap(QPointF(inner.left(), box.top() + 4), picture)
        elif face.second:
            self._paint_lines(painter, inner, face)
        elif face.text:
            painter.setFont(self._mono if face.mono else self._ui)
            painter.setPen(QColor(tokens.dim if face.dim else tokens.text))
            text = self._fit(face.text, face.mono, int(inner.width()))
            painter.drawText(inner, _AT_RIGHT if face.right else _AT_LEFT, text)
        painter.restore()

    def _paint_lines(self, painter: QPainter, inner: QRectF, face: CellFace) -> None:
        """The text, and below it its second line."""
        tokens, width = theme.current(), int(inner.width())
        first, second = theme.px(20), theme.px(16)
        top = inner.center().y() - (first + second) / 2
        elide = Qt.TextElideMode.ElideRight
        painter.setFont(self._lead)
        painter.setPen(QColor(tokens.dim if face.dim else tokens.text))
        text = painter.fontMetrics().elidedText(face.text, elide, width)
        side = _AT_RIGHT if face.right else _AT_LEFT
        painter.drawText(QRectF(inner.left(), top, width, first), side, text)
        painter.setFont(self._small)
        painter.setPen(QColor(tokens.dim))
        below = QRectF(inner.left(), top + first, width, second)
        painter.drawText(below, side, self._small_metrics.elidedText(face.second, elide, width))


def paint_mark(painter: QPainter, inner: QRectF, on: bool) -> None:
    """A box at the left of ``inner``, which is ticked when the row is marked."""
    tokens, side = theme.current(), theme.px(_MARK_SIDE)
    box = QRectF(inner.left() + 0.5, round(inner.center().y() - side / 2) + 0.5, side - 1, side - 1)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.accent if on else tokens.border), 1))
    painter.setBrush(QColor(tokens.accent) if on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 3, 3)
    if on:
        painter.setPen(QPen(QColor(tokens.on_fill), 1.6))
        at = [(0.22, 0.52), (0.43, 0.72), (0.78, 0.3)]
        painter.drawPolyline(QPolygonF([box.topLeft() + QPointF(x * side, y * side) for x, y in at]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
