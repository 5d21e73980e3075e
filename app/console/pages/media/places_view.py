"""The places that were found, one below the other, with their evidence in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.console import theme
from app.console.language import tr
from app.console.pages.media.shown import ShownPlace
from app.console.widgets.marks import paint_shape

PLACE_ROLE = Qt.ItemDataRole.UserRole + 1
_SIDE, _GAP, _TAG = 12, 4, 22


class _Places(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.places: tuple[ShownPlace, ...] = ()

    def set(self, places: Sequence[ShownPlace]) -> None:
        self.beginResetModel()
        self.places = tuple(places)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.places)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.places):
            return None
        place = self.places[index.row()]
        if role == PLACE_ROLE:
            return place
        if role == Qt.ItemDataRole.DisplayRole:
            return place.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            kind = tr("Face") if place.face else tr("Place")
            return f"{kind} {place.mark.tag}: {place.title}. {place.evidence} {place.chance}"
        return None


class _PlaceDelegate(QStyledItemDelegate):
    """Tag in a box, title, evidence on as many lines as it needs, chance with its shape."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        place = index.data(PLACE_ROLE)
        view = option.widget
        width = view.viewport().width() if isinstance(view, QListView) else option.rect.width()
        if not isinstance(place, ShownPlace):
            return QSize(width, theme.px(48))
        return QSize(width, self._parts(place, QRectF(0, 0, width, 0))[-1])

    def _parts(self, place: ShownPlace, box: QRectF) -> tuple[QRectF, QRectF, int]:
        """Where the evidence and the chance stand in a row of that width, and the height of the row."""
        side, gap = theme.px(_SIDE), theme.px(_GAP)
        room = box.width() - 2 * side
        words, tall = QFontMetrics(theme.ui()), theme.px(_TAG)
        flags = int(Qt.TextFlag.TextWordWrap)
        evidence = words.boundingRect(0, 0, int(room), 10_000, flags, place.evidence).height()
        top = box.top() + side + tall + gap
        first = QRectF(box.left() + side, top, room, evidence + 2)
        chance = QFontMetrics(theme.ui(12)).boundingRect(0, 0, int(room) - theme.px(18), 1000, flags, place.chance)
        second = QRectF(box.left() + side, first.bottom() + gap, room, chance.height() + 2)
        return first, second, round(second.bottom() - box.top() + side)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        place = index.data(PLACE_ROLE)
        if not isinstance(place, ShownPlace):
            return
        tokens, box, side, tall = theme.current(), QRectF(option.rect), theme.px(_SIDE), theme.px(_TAG)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(tokens.raised))
            painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), QColor(tokens.accent))
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        tag = QRectF(box.left() + side, box.top() + side, tall, tall)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.drawRoundedRect(tag.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setPen(QColor(tokens.text))
        painter.setFont(theme.ui(12, QFont.Weight.DemiBold))
        painter.drawText(tag, int(Qt.AlignmentFlag.AlignCenter), place.mark.tag)
        painter.setFont(theme.ui(13, QFont.Weight.DemiBold))
        title = QRectF(tag.right() + side * 0.75, tag.top(), box.right() - tag.right() - 2 * side, tall)
        shown = painter.fontMetrics().elidedText(place.title, Qt.TextElideMode.ElideRight, int(title.width()))
        painter.drawText(title, int(Qt.AlignmentFlag.AlignVCenter), shown)
        first, second, _ = self._parts(place, box)
        painter.setFont(theme.ui())
        painter.setPen(QColor(tokens.dim))
        painter.drawText(first, int(Qt.TextFlag.TextWordWrap), place.evidence)
        mark = theme.px(10)
        paint_shape(painter, QRectF(second.left(), second.top() + theme.px(3), mark, mark), place.state)
        painter.setFont(theme.ui(12))
        painter.setPen(QColor(tokens.text))
        painter.drawText(second.adjusted(theme.px(18), 0, 0, 0), int(Qt.TextFlag.TextWordWrap), place.chance)
        painter.restore()


class PlacesList(QListView):
    """``chosen`` gives the id of the place under the cursor."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places = _Places()
        self.setModel(self._places)
        self.setItemDelegate(_PlaceDelegate(self))
        self.setAccessibleName(tr("Places that were found"))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._tell)
        self._quiet = False

    @property
    def places(self) -> tuple[ShownPlace, ...]:
        """The places shown."""
        return self._places.places

    def show_places(self, places: Sequence[ShownPlace], chosen: str) -> None:
        """Show them, with the cursor on the one of that id."""
        self._quiet = True
        if tuple(places) != self.places:
            self._places.set(places)
        ids = [one.mark.id for one in places]
        if chosen in ids and self.currentIndex().row() != ids.index(chosen):
            self.setCurrentIndex(self._places.index(ids.index(chosen), 0))
        self._quiet = False

    def _tell(self, current: QModelIndex, _before: QModelIndex) -> None:
        if not self._quiet and 0 <= current.row() < len(self.places):
            self.chosen.emit(self.places[current.row()].mark.id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
