"""Tables: fixed row height, no wrap, no sort proxy; states painted as shape and word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.console import theme
from app.console.actions import COPY_ROW, SORT_NEXT, SORT_TURN
from app.console.theme.tokens import Meaning, sentence_case
from app.console.widgets.histories import columns_of
from app.console.widgets.marks import paint_shape
from app.console.widgets.table_order import figure, in_order, natural, of_state

RowT = TypeVar("RowT")
_HISTORY_PX = 88

STATE_ROLE = Qt.ItemDataRole.UserRole + 10
"""A ``Meaning``: the delegate paints its shape before the text."""
MONO_ROLE = Qt.ItemDataRole.UserRole + 11
HISTORY_ROLE = Qt.ItemDataRole.UserRole + 12
COPY_ROLE = Qt.ItemDataRole.UserRole + 13
"""What a cell is copied as, where that is more than it shows."""


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """One column. ``text`` of a row; ``state`` adds the shape; ``width`` in px at 100 % text, 0 = takes the rest, at
    least ``least`` px. ``history``: values 0 to 1, oldest first, drawn as a line behind the text. ``spare`` columns are
    left out while the table is too narrow for all, the highest number first. ``copied``: what the cell is copied as,
    where that is more than it shows.
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
    order: Callable[[RowT], Any] | None = None
    history: Callable[[RowT], Sequence[float]] | None = None
    copied: Callable[[RowT], str] | None = None

    def key(self, row: RowT) -> Any:
        """What the row is sorted by in this column; None: it has no value there."""
        if self.order is not None:
            return self.order(row)
        if self.state is not None:
            return of_state(self.state(row), self.text(row))
        return figure(self.text(row)) if self.right else natural(self.text(row))


class RowsModel(QAbstractTableModel, Generic[RowT]):
    """A list of rows in memory, found again by ``key`` when the list is replaced. ``sort`` orders what is shown; the
    order in which the rows were given stays known and comes back with column -1."""

    def __init__(
        self, columns: Sequence[Column[RowT]], key: Callable[[RowT], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self._key = key
        self._rows: list[RowT] = []
        self._at: dict[str, int] = {}
        self._given: list[RowT] = []
        self.sorted_by = -1
        """The column that the rows are sorted by; -1: they stand as they were given."""
        self.descending = False

    @property
    def rows(self) -> list[RowT]:
        """The rows shown, in the order in which they are shown."""
        return self._rows

    def row_of(self, key: str) -> int:
        """Position of the row with that key; -1 when there is none."""
        return self._at.get(key, -1)

    def get(self, at: int) -> RowT | None:
        """The row at that position, as a table's ``currentIndex().row()`` gives it; None: there is none."""
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def set_rows(self, rows: Sequence[RowT]) -> None:
        """Replace all rows. Same keys in the same order keep selection and scroll position (only cells repaint), also
        when more rows follow them. In a sorted table each row that is still there keeps the selection at any place."""
        self._given = list(rows)
        rows = self._ordered_rows(self._given)
        keys = [self._key(row) for row in rows]
        if self.sorted_by >= 0 and self._mix(rows, keys):
            return
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

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Show the rows in the order of a column; -1: as they were given. The selection stays on its row."""
        self.sorted_by = column if 0 <= column < len(self.columns) else -1
        self.descending = order == Qt.SortOrder.DescendingOrder
        self._move(self._ordered_rows(self._given))
        if self.columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def _ordered_rows(self, rows: list[RowT]) -> list[RowT]:
        if self.sorted_by < 0:
            return list(rows)
        return [rows[at] for at in in_order(rows, self.columns[self.sorted_by].key, descending=self.descending)]

    def _move(self, rows: list[RowT]) -> None:
        """Show the same keys in another order: selection and current row go with their keys. Rows that share a key
        cannot be told apart; their selection stays on one of them."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        before = [self._key(self._rows[index.row()]) for index in kept]
        self._rows = rows
        self._at = {self._key(row): at for at, row in enumerate(rows)}
        self.changePersistentIndexList(
            kept, [self.index(self._at[key], index.column()) for key, index in zip(before, kept, strict=True)]
        )
        self.layoutChanged.emit()

    def _mix(self, rows: list[RowT], keys: list[str]) -> bool:
        """Bring a sorted table to ``rows`` without a reset, where no row is gone: those that were there move, then the
        new ones come in between. Returns whether it could."""
        there = {key: row for key, row in zip(keys, rows, strict=True) if key in self._at}
        if len(there) != len(self._rows) or len(set(keys)) != len(keys):
            return False
        self._move(list(there.values()))
        for at, (key, row) in enumerate(zip(keys, rows, strict=True)):
            if key not in there:
                self.beginInsertRows(QModelIndex(), at, at)
                self._rows.insert(at, row)
                self.endInsertRows()
        self._at = {key: at for at, key in enumerate(keys)}
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))
        return True

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
        if role == Qt.ItemDataRole.AccessibleTextRole and section == self.sorted_by:
            return f"{column.title}, sorted {'downwards' if self.descending else 'upwards'}"
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
        if role == COPY_ROLE:
            return column.copied(row) if column.copied else column.text(row)
        if role == HISTORY_ROLE:
            return column.history(row) if column.history else None
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
        history = index.data(HISTORY_ROLE)
        if history is not None:
            width = theme.px(_HISTORY_PX)
            _paint_history(painter, inner.adjusted(inner.width() - width, 6, 0, -6), history)
            inner.setRight(inner.right() - width - theme.px(8))
        mono = bool(index.data(MONO_ROLE))
        painter.setFont(self._mono if mono else self._ui)
        ink = index.data(Qt.ItemDataRole.ForegroundRole)
        painter.setPen(ink if isinstance(ink, QColor) else QColor(tokens.text))
        elide = Qt.TextElideMode.ElideMiddle if mono else Qt.TextElideMode.ElideRight
        text = painter.fontMetrics().elidedText(str(index.data() or ""), elide, int(inner.width()))
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        painter.drawText(inner, int(alignment) if alignment is not None else int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()


def _paint_history(painter: QPainter, box: QRectF, values: Sequence[float]) -> None:
    """A line over a foot: 0 at the foot, 1 at the top; the newest value stands at the right end with a dot."""
    tokens = theme.current()
    painter.setPen(QPen(QColor(tokens.line), 1))
    painter.drawLine(box.bottomLeft(), box.bottomRight())
    if not values:
        return
    known = np.asarray(values, np.float32)[None, :]
    low, high = (one[0] for one in columns_of(known, max(2, min(len(values), int(box.width())))))
    step = box.width() / (len(low) - 1)
    points = [
        QPointF(box.left() + at * step, box.bottom() - float(value) * box.height())
        for at in range(len(low))
        for value in dict.fromkeys((low[at], high[at]))
    ]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.accent), 1.5))
    painter.drawPolyline(QPolygonF(points))
    painter.setBrush(QColor(tokens.accent))
    painter.drawEllipse(QPointF(box.right(), box.bottom() - float(values[-1]) * box.height()), 2, 2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


class SortHeader(QHeaderView):
    """The heads of the columns. The one that sorts carries a chevron in its right padding, where it takes no room from
    the title: up while the smallest is first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        if logicalIndex != self.sortIndicatorSection():
            return
        half = theme.px(3)
        up = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        middle = QPointF(rect.right() - half - 1, rect.center().y() + 0.5)
        tip = -half / 2 if up else half / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().accent), 1.5))
        painter.drawPolyline(
            QPolygonF([middle + QPointF(-half, -tip), middle + QPointF(0, tip), middle + QPointF(half, -tip)])
        )
        painter.restore()


class DataTable(QTableView):
    """The one style of tables: whole rows are selected, Enter or a double click emits ``opened`` with the row.

    ``sorts``: a click on a column's head sorts by it, a second one turns the order around, a third one gives back the
    order of the page. Only for whole lists whose order tells nothing: never for what is read page by page, for what
    comes in while one looks, or for steps.
    """

    opened = Signal(int)
    selected = Signal(int)
    """The selected row; -1 for none."""

    def __init__(
        self, model: QAbstractItemModel, *, name: str, sorts: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.sorts = sorts
        self.setHorizontalHeader(SortHeader(self))
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
        # Qt names the first section: it would carry the chevron, and a table that sorts would be sorted by it at once.
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        if sorts:
            header.setSortIndicatorClearable(True)
            header.setSectionsClickable(True)
            self.setSortingEnabled(True)
            header.setSortIndicatorShown(False)  # the header paints its own
            header.sortIndicatorChanged.connect(lambda _at, _order: self._find_again())
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

    def least_width(self) -> int:
        """Px that the columns need when every spare one is left out; 0 for a model that names no columns."""
        columns = getattr(self.model(), "columns", [])
        return sum(theme.px(one.width or one.least) for one in columns if not one.spare)

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

    def copy_row(self) -> bool:
        """Put the chosen row on the clipboard, as its cells show it, with a tab between two; whether one was chosen."""
        # The selected row, not the current one: Qt makes the first row the current one as soon as the focus comes.
        chosen = self.selectionModel().selectedRows()
        if not chosen:
            return False
        at = chosen[0].row()
        header, model = self.horizontalHeader(), self.model()
        shown = (header.logicalIndex(place) for place in range(header.count()))
        cells = (str(model.index(at, one).data(COPY_ROLE) or "") for one in shown if not self.isColumnHidden(one))
        # One row for the program that it is pasted into: a line break or a tab inside a cell would make two.
        QGuiApplication.clipboard().setText("\t".join(" ".join(cell.split()) for cell in cells))
        return True

    def sort_next(self) -> None:
        """Sort by the next column that is shown; after the last one comes the order of the page."""
        header = self.horizontalHeader()
        shown = [one for one in range(header.count()) if not self.isColumnHidden(one)]
        after = [one for one in shown if one > header.sortIndicatorSection()]
        self.sort_by(after[0] if after else -1)

    def sort_turn(self) -> None:
        """Turn the order of the sorted column around; nothing while none is sorted."""
        header = self.horizontalHeader()
        if header.sortIndicatorSection() >= 0:
            self.sort_by(
                header.sortIndicatorSection(), descending=header.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            )

    def sort_by(self, column: int, *, descending: bool = False) -> None:
        """Sort by a column; -1: the order of the page. Nothing in a table that does not sort."""
        if self.sorts:
            order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
            self.horizontalHeader().setSortIndicator(column, order)

    def _find_again(self) -> None:
        """After the operator sorted: the chosen row comes into sight, or the first one."""
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
        else:
            self.scrollToTop()

    def menu(self) -> QMenu:
        """What can be done with the table: copy the chosen row, and choose its order where it sorts."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(f"Menu of {self.accessibleName()}")

        def line(title: str, keys: str, run: Callable[[], object], *, on: bool = True) -> QAction:
            shown = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
            made = menu.addAction(f"{title}\t{shown}" if shown else title)
            made.triggered.connect(lambda _checked=False: run())
            made.setEnabled(on)
            return made

        line("Copy the row", COPY_ROW, self.copy_row, on=self.selectionModel().hasSelection())
        if self.sorts:
            header, model = self.horizontalHeader(), self.model()
            menu.addSeparator()
            for at in range(header.count()):
                if not self.isColumnHidden(at):
                    title = sentence_case(str(model.headerData(at, Qt.Orientation.Horizontal)))
                    one = line(f"Sort by “{title}”", "", lambda at=at: self.sort_by(at))  # type: ignore[misc]
                    one.setCheckable(True)
                    one.setChecked(at == header.sortIndicatorSection())
            menu.addSeparator()
            any_sorted = header.sortIndicatorSection() >= 0
            line("Sort by the next column", SORT_NEXT, self.sort_next)
            line("Turn the order around", SORT_TURN, self.sort_turn, on=any_sorted)
            line("Order of the page", "", lambda: self.sort_by(-1), on=any_sorted)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            corner = (
                self.visualRect(self.currentIndex()).bottomLeft() if self.currentIndex().isValid() else QPoint(0, 0)
            )
            place = self.viewport().mapToGlobal(corner)
        self.menu().popup(place)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The window's actions take these keys first; in a dialog, which has none, they arrive here.
        own = {COPY_ROW: self.copy_row, SORT_NEXT: self.sort_next, SORT_TURN: self.sort_turn}
        run = own.get(QKeySequence(event.keyCombination()).toString())
        if run is not None:
            run()
            event.accept()
            return
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
