"""What a law asks for, one below the other: whether it is there, on what basis it is asked, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.console import theme
from app.console.language import tr
from app.console.pages.enforcement.law_words import ShownElement
from app.console.theme.tokens import Meaning
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import paint_shape

ELEMENT_ROLE = Qt.ItemDataRole.UserRole + 1
_SIDE, _SHAPE, _ROW, _LINE = 12, 10, 44, 18


class _Elements(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.elements: tuple[ShownElement, ...] = ()

    def set(self, elements: Sequence[ShownElement]) -> None:
        """Replace them; the cursor stays where as many stand there as before."""
        elements = tuple(elements)
        if len(elements) == len(self.elements):
            self.elements = elements
            if elements:
                self.dataChanged.emit(self.index(0, 0), self.index(len(elements) - 1, 0))
            return
        self.beginResetModel()
        self.elements = elements
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.elements)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.elements):
            return None
        element = self.elements[index.row()]
        if role == ELEMENT_ROLE:
            return element
        if role == Qt.ItemDataRole.DisplayRole:
            return element.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            title = tr("{title}: there", title=element.title)
            if not element.there:
                title = tr("{title}: missing", title=element.title)
            return f"{title}. {element.detail}. {element.basis}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{element.title}\n{element.detail}\n{element.basis}"
        return None


class _ElementDelegate(QStyledItemDelegate):
    """The sign, the title with its basis at the right, and one dim line below. A title that is longer than the row has
    two lines."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        element, view = index.data(ELEMENT_ROLE), option.widget
        width = view.viewport().width() if isinstance(view, QListView) else option.rect.width()
        more = isinstance(element, ShownElement) and self._is_long(element.title, width - self._beside())
        return QSize(width, theme.px(_ROW + (_LINE if more else 0)))

    @staticmethod
    def _beside() -> int:
        """Px of a row that its words have not."""
        return 2 * theme.px(_SIDE) + theme.px(_SHAPE) + 10

    @staticmethod
    def _is_long(title: str, room: float) -> bool:
        return QFontMetrics(theme.ui(13, QFont.Weight.Medium)).horizontalAdvance(title) > room

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        element = index.data(ELEMENT_ROLE)
        if not isinstance(element, ShownElement):
            return
        tokens, box = theme.current(), QRectF(option.rect)
        side, shape = theme.px(_SIDE), theme.px(_SHAPE)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(tokens.raised))
            painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), QColor(tokens.accent))
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        long = self._is_long(element.title, box.width() - self._beside())
        half = (box.height() + (theme.px(_LINE) if long else 0)) / 2
        above = QRectF(box.left() + side + shape + 10, box.top() + 3, 0, half - 3)
        above.setRight(box.right() - side)
        below = QRectF(above.left(), box.top() + half, above.width(), box.height() - half - 5)
        state = Meaning.OK if element.there else Meaning.IDLE
        paint_shape(painter, QRectF(box.left() + side, above.center().y() - shape / 2, shape, shape), state)
        left, right = (
            int(Qt.AlignmentFlag.AlignVCenter),
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight),
        )
        cut = Qt.TextElideMode.ElideRight
        painter.setFont(theme.ui(12))
        painter.setPen(QColor(tokens.dim))
        small, large = QFontMetrics(theme.ui(12)), QFontMetrics(theme.ui(13, QFont.Weight.Medium))
        basis = small.elidedText(element.basis, cut, int(above.width() * 0.45))
        taken = small.horizontalAdvance(basis) + side
        # A title that has no room beside its basis gets the whole line, and the basis goes below.
        high = large.horizontalAdvance(element.title) <= above.width() - taken
        painter.drawText(above if high else below, right, basis)
        room = below.width() - (0 if high else taken)
        painter.drawText(below, left, small.elidedText(element.detail, cut, int(room)))
        painter.setFont(theme.ui(13, QFont.Weight.Medium))
        painter.setPen(QColor(tokens.text))
        painter.drawText(above, left | int(Qt.TextFlag.TextWordWrap), element.title)
        painter.restore()


class ElementsList(QListView):
    """``wanted`` gives the pointer of the field that supplies the element on which Enter was pressed."""

    wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._elements = _Elements()
        self.setModel(self._elements)
        self.setItemDelegate(_ElementDelegate(self))
        self.setAccessibleName(tr("What this law asks for"))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        keep_lengths(self, lambda one: one.setMinimumHeight(theme.px(3 * _ROW)))
        self.clicked.connect(lambda index: self._want(index.row()))

    @property
    def elements(self) -> tuple[ShownElement, ...]:
        """The elements shown."""
        return self._elements.elements

    def show_elements(self, elements: Sequence[ShownElement]) -> None:
        """Show them."""
        if tuple(elements) != self.elements:
            self._elements.set(elements)

    def _want(self, at: int) -> None:
        if 0 <= at < len(self.elements) and self.elements[at].pointer:
            self.wanted.emit(self.elements[at].pointer)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._want(self.currentIndex().row())
            event.accept()
            return
        super().keyPressEvent(event)
