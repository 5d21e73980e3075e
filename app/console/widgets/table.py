"""Tables: fixed row height, no wrap, no sort proxy; states painted as shape and word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape

RowT = TypeVar("RowT")

STATE_ROLE = Qt.ItemDataRole.UserRole + 10
"""A ``Meaning``: the delegate paints its shape before the text."""
MONO_ROLE = Qt.ItemDataRole.UserRole + 11


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """One column. ``text`` of a row; ``state`` adds the shape; ``width`` in px at 100 % text, 0 = takes the rest, at
    least ``least`` px. ``spare`` columns are left out while the table is too narrow for all, the highest number first.
    """

    title: str
    text: Callable[[RowT], str]
    width: int = 0
    mono: bool = False
    right: bool = False
    dim: bool = False
    state: Callable[[RowT], Meaning | None] | None = None
    hint: Callable[[RowT], str] | None = None
    least: int = 112
    spare: int = 0


class RowsModel(QAbstractTableModel, Generic[RowT]):
    """A list of rows in memory, found again by ``key`` when the list is replaced."""

    def __init__(
        self, columns: Sequence[Column[RowT]], key: Callable[[RowT], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self._key = key
        self._rows: list[RowT] = []
        self._at: dict[str, int] = {}

    @property
    def rows(self) -> list[RowT]:
        """The rows shown."""
        return self._rows

    def row_of(self, key: str) -> int:
        """Position of the row with that key; -1 when there is none."""
        return self._at.get(key, -1)

    def get(self, at: int) -> RowT | None:
        """The row at that position, as a table's ``currentIndex().row()`` gives it; None: there is none."""
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def set_rows(self, rows: Sequence[RowT]) -> None:
        """Replace all rows. Same keys in the same order keep selection and scroll position (only cells repaint), also
        when more rows follow them."""
        keys = [self._key(row) for row in rows]
        before = len(self._at)
        if keys[:before] == list(self._at):
            more = len(keys) > before
            if more:
                self.beginInsertRows(QModelIndex(), before, len(keys) - 1)
            self._rows = list(rows)
            self._at = {key: at for at, key in enumerate(keys)}
            if more:
                self.endInsertRows()
            if before:
                self.dataChanged.emit(self.index(0, 0), self.index(before - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self._rows = list(rows)
        self._at = {key: at for at, key in enumerate(keys)}
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        column, row = self.columns[index.column()], self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.text(row)
        if role == STATE_ROLE:
            return column.state(row) if column.state else None
        if role == MONO_ROLE:
            return column.mono
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column.dim:
            return QColor(theme.current().dim)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.hint(row) if column.hint else column.text(row)
        return None


class CellDelegate(QStyledItemDelegate):
    """Paints a cell: shape of its state, text, elided at the right (identifiers in the middle)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.refresh()

    def refresh(self) -> None:
        """Take the fonts of the theme in force. Kept, because a QFont a cell costs more than its text."""
        self._ui, self._mono = theme.ui(13), theme.mono(12)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = theme.current()
        box = option.rect
        flags = option.state
        selected = bool(flags & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(box, QColor(tokens.raised))
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if selected and index.column() == 0:
            painter.fillRect(box.left(), box.top(), 3, box.height(), QColor(tokens.accent))
        inner = QRectF(box).adjusted(10, 0, -10, 0)
        state = index.data(STATE_ROLE)
        if state is not None:
            side = theme.px(10)
            paint_shape(painter, QRectF(inner.left(), inner.center().y() - side / 2, side, side), Meaning(state))
            inner.setLeft(inner.left() + side + theme.px(8))
        mono = bool(index.data(MONO_ROLE))
        painter.setFont(self._mono if mono else self._ui)
        ink = index.data(Qt.ItemDataRole.ForegroundRole)
        painter.setPen(ink if isinstance(ink, QColor) else QColor(tokens.text))
        elide = Qt.TextElideMode.ElideMiddle if mono else Qt.TextElideMode.ElideRight
        text = painter.fontMetrics().elidedText(str(index.data() or ""), elide, int(inner.width()))
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        painter.drawText(inner, int(alignment) if alignment is not None else int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()


class DataTable(QTableView):
    """The one style of tables: whole rows are selected, Enter or a double click emits ``opened`` with the row."""

    opened = Signal(int)
    selected = Signal(int)
    """The selected row; -1 for none."""

    def __init__(self, model: QAbstractItemModel, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setModel(model)
        self._cells = CellDelegate(self)
        self.setItemDelegate(self._cells)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setFixedHeight(theme.px(32))
        self._rows_high()
        self._widths()
        self.selectionModel().selectionChanged.connect(self._emit_selected)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))

    def _rows_high(self) -> None:
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(8)
        rows.setDefaultSectionSize(theme.row_height())

    def _widths(self) -> None:
        columns = getattr(self.model(), "columns", None)
        if columns is None:
            return
        header = self.horizontalHeader()
        for at, column in enumerate(columns):
            if column.width:
                header.setSectionResizeMode(at, QHeaderView.ResizeMode.Interactive)
                self.setColumnWidth(at, theme.px(column.width))
            else:
                header.setSectionResizeMode(at, QHeaderView.ResizeMode.Stretch)
        self._leave_out()

    def _leave_out(self) -> None:
        """Hide spare columns until the others have room."""
        columns = getattr(self.model(), "columns", None)
        if columns is None:
            return
        needed = {at: theme.px(column.width or column.least) for at, column in enumerate(columns)}
        room = self.viewport().width()
        out: set[int] = set()
        for at in sorted((at for at in needed if columns[at].spare), key=lambda at: -int(columns[at].spare)):
            if sum(width for at, width in needed.items() if at not in out) <= room:
                break
            out.add(at)
        for at in needed:
            if self.isColumnHidden(at) != (at in out):
                self.setColumnHidden(at, at in out)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_out()

    def _emit_selected(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        rows = self.selectionModel().selectedRows()
        self.selected.emit(rows[0].row() if rows else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex().row())
            event.accept()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and self.model() is not None:
            self._cells.refresh()
            self.horizontalHeader().setFixedHeight(theme.px(32))
            self._rows_high()
            self._widths()
        super().changeEvent(event)
