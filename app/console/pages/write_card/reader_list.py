"""The readers at the left: one row each, with the card in it, its state and why it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape

READER_ROLE = Qt.ItemDataRole.UserRole
_ROW_PX = 58
_FEW = (2, 6)
"""So many rows are wanted in sight, at least and at most, where there is no room for more."""


@dataclass(frozen=True)
class CardReaderRow:
    """One row. ``uid`` names the card to screen readers and in the tooltip; ``line``: whose card it
    is, or what to do."""

    reader: str
    present: bool
    state: Meaning
    word: str
    uid: str
    line: str

    @property
    def words(self) -> str:
        """The whole row for a screen reader."""
        return ", ".join(part for part in (self.reader, self.word, self.uid, self.line) if part)


class CardReaderModel(QAbstractListModel):
    """The rows, found again by reader."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[CardReaderRow] = []

    def set(self, rows: Sequence[CardReaderRow]) -> None:
        """Replace the rows; the same readers keep the selection."""
        if [row.reader for row in rows] == [row.reader for row in self.rows]:
            before, self.rows = self.rows, list(rows)
            for at, (old, new) in enumerate(zip(before, rows, strict=True)):
                if old != new:
                    self.dataChanged.emit(self.index(at), self.index(at))
            return
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == READER_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.reader
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return row.words
        return None


class _ReaderDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option, index
        return QSize(80, theme.px(_ROW_PX))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = theme.current()
        row: CardReaderRow = index.data(READER_ROLE)
        box = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(QRectF(box).adjusted(0, 1, 0, -1), 6, 6)
            painter.fillRect(box.left(), box.top() + 8, 3, box.height() - 16, QColor(tokens.accent))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 1.5, -0.5, -1.5), 6, 6)
        inner = QRectF(box).adjusted(14, 8, -12, -8)
        left, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        line = theme.px(18)
        painter.setFont(theme.ui(13))
        side, word_width = theme.px(10), painter.fontMetrics().horizontalAdvance(row.word)
        word_left = inner.right() - word_width
        painter.setPen(QColor(tokens.text if row.present else tokens.dim))
        painter.drawText(QRectF(word_left, inner.top(), word_width + 2, line), left | middle, row.word)
        mark = QRectF(word_left - side - 6, inner.top() + (line - side) / 2, side, side)
        paint_shape(painter, mark, row.state)
        painter.setFont(theme.ui(13, QFont.Weight.DemiBold if row.present else QFont.Weight.Normal))
        room = mark.left() - inner.left() - 8
        name = painter.fontMetrics().elidedText(row.reader, Qt.TextElideMode.ElideMiddle, int(room))
        painter.drawText(QRectF(inner.left(), inner.top(), room, line), left | middle, name)
        painter.setFont(theme.ui(12))
        painter.setPen(QColor(tokens.dim))
        text = painter.fontMetrics().elidedText(row.line, Qt.TextElideMode.ElideRight, int(inner.width()))
        painter.drawText(
            QRectF(inner.left(), inner.top() + line + theme.px(2), inner.width(), line), left | middle, text
        )
        painter.restore()


class CardReaderList(QListView):
    """``chosen`` gives the reader that is current now, by a person or by ``choose``. ``wanted`` is the one that was
    chosen last, also while it is unplugged: it is current again as soon as it is back. Empty: none was ever chosen."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Card readers"))
        self.wanted = ""
        self.rows = CardReaderModel()
        self.setModel(self.rows)
        self.setItemDelegate(_ReaderDelegate(self))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.selectionModel().currentChanged.connect(self._tell_reader)

    def sizeHint(self) -> QSize:
        # As high as its readers, while they are few.
        rows = max(_FEW[0], min(_FEW[1], len(self.rows.rows)))
        return QSize(super().sizeHint().width(), rows * theme.px(_ROW_PX) + 2 * self.frameWidth() + 4)

    def show_readers(self, rows: Sequence[CardReaderRow]) -> None:
        """Show these readers; the wanted one is current if it is there."""
        before = self.sizeHint()
        self.rows.set(rows)
        if self.sizeHint() != before:
            self.updateGeometry()
        if self.wanted and self.wanted != self.reader:
            self.choose(self.wanted)

    @property
    def reader(self) -> str:
        """The current reader; empty when there is none."""
        at = self.currentIndex().row()
        return self.rows.rows[at].reader if 0 <= at < len(self.rows.rows) else ""

    def choose(self, reader: str) -> None:
        """Make a reader the current one; unknown ones are ignored."""
        for at, row in enumerate(self.rows.rows):
            if row.reader == reader:
                self.setCurrentIndex(self.rows.index(at))

    def _tell_reader(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self.wanted = self.reader or self.wanted
        self.chosen.emit(self.reader)
