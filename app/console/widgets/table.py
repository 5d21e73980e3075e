"""Tables: fixed row height, no wrap, no sort proxy; states painted as shape and word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTableView,
    QWidget,
)

from app.console import theme
from app.console.actions import COPY_ROW, EVIDENCE, SORT_NEXT, SORT_TURN
from app.console.language import tr
from app.console.table_layout import AS_MADE, TableLayout
from app.console.theme.tokens import Meaning
from app.console.widgets.desk import Desk, Trace, desk_of
from app.console.widgets.table_cells import (
    COPY_ROLE,
    FACE_ROLE,
    HISTORY_ROLE,
    MARK_ROLE,
    MARK_ROOM,
    MONO_ROLE,
    PADDING,
    STATE_ROLE,
    CellDelegate,
    CellFace,
    Course,
)
from app.console.widgets.table_head import TableHead, head_words
from app.console.widgets.table_menu import FIT_COLUMN, MENU, NARROWER, STEP, TO_LEFT, TO_RIGHT, WIDER, table_menu
from app.console.widgets.table_order import figure, in_order, natural, of_state

RowT = TypeVar("RowT")
TWO_LINES_MORE = 16
"""Px at 100 % text by which a row of two lines is higher than one of one line."""
_KEPT_MS = 500
"""So long nothing more is set before it is kept: a dragged edge is one change."""


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """One column. ``text`` of a row; ``state`` adds the shape; ``width``: its least in px at 100 % text. 0: it takes
    its share (``weight``) of the rest, at least ``least`` px. ``history``: values 0 to 1, oldest first, drawn as a line
    behind the text; ``course``: a line in place of the text, which still is copied and read out; None: the text.
    ``spare`` columns are left out while the table is too narrow for all, the highest number first. One with a ``width``
    that is not spare (priority 1) grows with its texts, so that none is elided. ``copied``: what the cell is copied and
    saved as, where that is more than it shows. ``second``: a second line, dim; such rows are higher.
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
    weight: float = 1.0
    spare: int = 0
    order: Callable[[RowT], Any] | None = None
    history: Callable[[RowT], Sequence[float]] | None = None
    course: Callable[[RowT], Course | None] | None = None
    copied: Callable[[RowT], str] | None = None
    second: Callable[[RowT], str] | None = None

    def copy(self, row: RowT) -> str:
        """What the cell is copied and saved as."""
        return self.text(row) if self.copied is None else self.copied(row)

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
        self._marked: dict[str, None] = {}

    def set_columns(self, columns: Sequence[Column[RowT]]) -> None:
        """Show the same rows by other columns, as many as there are: selection, order and marks stay."""
        if len(columns) != len(self.columns):
            raise ValueError("other columns must be as many: the selection and the order name them by number")
        self.columns = list(columns)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))

    @property
    def marked(self) -> list[str]:
        """Keys of the rows that the operator has marked, in the order in which they were."""
        return list(self._marked)

    def marked_rows(self) -> list[RowT]:
        """The marked rows, from above."""
        return [self._rows[at] for at in sorted(self._at[key] for key in self._marked)]

    def mark(self, at: int, on: bool) -> None:
        """Mark a row, or take its mark away."""
        key = self._key(self._rows[at])
        if on:
            self._marked[key] = None
        else:
            self._marked.pop(key, None)
        self.dataChanged.emit(self.index(at, 0), self.index(at, len(self.columns) - 1))

    def mark_all(self, on: bool) -> None:
        """Mark every row, or take all marks away."""
        self._marked = dict.fromkeys(self._at) if on else {}
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))

    @property
    def rows(self) -> list[RowT]:
        """The rows shown, in the order in which they are shown."""
        return self._rows

    def key_of(self, row: RowT) -> str:
        """What the row is found again by."""
        return self._key(row)

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
        if self._marked:
            there = set(keys)
            self._marked = {key: None for key in self._marked if key in there}
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
            if self.descending:
                return tr("{title}, sorted downwards", title=column.title)
            return tr("{title}, sorted upwards", title=column.title)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        column, row = self.columns[index.column()], self._rows[index.row()]
        if role == FACE_ROLE:
            return CellFace(
                column.text(row),
                column.state(row) if column.state else None,
                column.mono,
                column.history(row) if column.history else None,
                column.dim,
                column.right,
                bool(self._marked) and self._key(row) in self._marked,
                column.second(row) if column.second else "",
                column.course(row) if column.course else None,
            )
        if role == Qt.ItemDataRole.AccessibleTextRole and column.second:
            return f"{column.text(row)}. {column.second(row)}"
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.text(row)
        if role == STATE_ROLE:
            return column.state(row) if column.state else None
        if role == MONO_ROLE:
            return column.mono
        if role == HISTORY_ROLE:
            return column.history(row) if column.history else None
        if role == COPY_ROLE:
            return column.copy(row)
        if role == MARK_ROLE:
            return self._key(row) in self._marked
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column.dim:
            return QColor(theme.current().dim)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.hint(row) if column.hint else column.text(row)
        return None


@runtime_checkable
class Marking(Protocol):
    """A model whose rows can be marked."""

    @property
    def marked(self) -> Sequence[object]:
        """Keys of the marked rows."""
        ...

    def marked_rows(self) -> list[Any]:
        """The marked rows, from above."""
        ...

    def mark(self, at: int, on: bool) -> None:
        """Mark a row, or take its mark away."""
        ...

    def mark_all(self, on: bool) -> None:
        """Mark every row, or take all marks away."""
        ...


def height_of(rows: int) -> int:
    """Px of a table with its head and so many rows of one line."""
    return theme.px(32) + rows * theme.row_height() + 8


class DataTable(QTableView):
    """The one style of tables: whole rows are selected, Enter or a double click emits ``opened`` with the row.

    ``sorts``: a click on a column's head sorts by it, a second one turns the order around, a third one gives back the
    order of the page. Only for whole lists whose order tells nothing: never for what is read page by page, for what
    comes in while one looks, or for steps.

    ``marks``: Space marks the row under the cursor; ``BulkBar`` says how many are.

    ``proof``: where the audit log tells of a row, so that Ctrl+E saves a signed bundle of the marked rows, else of the
    chosen one; None: of that row it tells nothing. Without it, and of such rows, ``no_proof`` says why not.

    The first parent that has a ``table_desk`` keeps what the operator sets, under the table's ``name``.
    """

    _dressed = -1
    """The edition of the theme that fonts and widths are of; -1: the table is being made."""
    opened = Signal(int)
    selected = Signal(int)
    """The selected row; -1 for none."""
    marked = Signal(int)
    """So many rows are marked now."""

    def __init__(
        self,
        model: QAbstractItemModel,
        *,
        name: str,
        sorts: bool = False,
        marks: bool = False,
        proof: Callable[[Any], Trace | None] | None = None,
        no_proof: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.name = name
        self._kept_as = name
        self.sorts = sorts
        self.marks = marks
        self._proof = proof
        self._no_proof = no_proof
        self._desk: Desk | None = None
        self._marks_told = 0
        self._keep_soon = QTimer(self)
        self._keep_soon.setSingleShot(True)
        self._keep_soon.setInterval(_KEPT_MS)
        self._keep_soon.timeout.connect(self._keep)
        self._cells = CellDelegate(self)
        self.head = TableHead(self._width_in_sight, self._cells.forget_widths, self)
        self.setHorizontalHeader(self.head)
        self.setModel(model)
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
        header = self.head
        # Qt names the first section: it would carry the chevron, and a table that sorts would be sorted by it at once.
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        if sorts:
            header.setSortIndicatorClearable(True)
            header.setSectionsClickable(True)
            self.setSortingEnabled(True)
            header.setSortIndicatorShown(False)  # the header paints its own
            header.sortIndicatorChanged.connect(lambda _at, _order: self._find_again())
            header.sortIndicatorChanged.connect(lambda _at, _order: self._keep_soon.start())
        header.changed.connect(self._keep_soon.start)
        header.asked.connect(lambda at, place: self.menu(at if at >= 0 else None).popup(place))
        header.sectionHandleDoubleClicked.connect(header.fit_column)
        changes = (model.dataChanged, model.rowsInserted, model.rowsRemoved, model.modelReset, model.layoutChanged)
        for signal in changes:
            signal.connect(self._take_cells)
        if marks:
            for signal in (model.dataChanged, model.modelReset):
                signal.connect(self._tell_marks)
        self.verticalScrollBar().valueChanged.connect(self._fit_soon)
        self._rows_high()
        self._take_columns()
        self._dressed = theme.edition()
        self.selectionModel().selectionChanged.connect(self._emit_selected)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))

    def row_px(self) -> int:
        """Height of a row; one of two lines is higher."""
        two = any(one.second for one in getattr(self.model(), "columns", []))
        return theme.row_height() + theme.px(TWO_LINES_MORE) if two else theme.row_height()

    def _rows_high(self) -> None:
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(8)
        rows.setDefaultSectionSize(self.row_px())

    # --- columns -----------------------------------------------------------------------------------------------------

    def _take_columns(self) -> None:
        columns = getattr(self.model(), "columns", None)
        self.head.dress()
        if columns is not None:
            self.head.set_columns(columns)

    def _widths(self) -> None:
        self._take_columns()
        self.head.fit(self.viewport().width())

    def show_columns(self, columns: Sequence[Column[Any]], kept_as: str) -> None:
        """Show the same rows by other columns, as many as there are, because the table stands in another place. What
        the operator sets there is kept under ``kept_as``: widths of one place would not fit the other."""
        model = self.rows_model
        if model is None or kept_as == self._kept_as:
            return
        self._keep_at_once()
        self._kept_as = kept_as
        model.set_columns(columns)
        self._widths()
        self.head.take_layout(AS_MADE if self._desk is None else self._desk.layout_of(kept_as))

    def take_rows(self, rows: Sequence[Any]) -> None:
        """Replace all rows of the model. The chosen one stays chosen, wherever it stands now."""
        model, chosen = self.rows_model, self._chosen_row()
        if model is None:
            return
        model.set_rows(rows)
        if chosen is not None and not self.selectionModel().hasSelection():
            at = model.row_of(model.key_of(chosen))
            if at >= 0:
                self.selectRow(at)

    def least_width(self) -> int:
        """Px that the columns need when every spare one is left out; 0 for a model that names no columns."""
        columns = getattr(self.model(), "columns", [])
        return sum(self.head.least_of(at) for at, one in enumerate(columns) if not one.spare)

    def _take_cells(self, *_what: object) -> None:
        """Cells are other ones, or show something else."""
        self._cells.forget_widths()
        self._fit_soon()

    def _fit_soon(self, *_what: object) -> None:
        if self.isVisible():
            self.head.fit_soon()

    def _width_in_sight(self, at: int) -> int:
        """Px that the widest cell in sight needs in that column; 0 while none is."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0 or not self.isVisible():
            return 0
        model = self.model()
        last = last if last >= 0 else model.rowCount() - 1
        return max(self._cells.width_of(model.index(row, at)) for row in range(first, last + 1))

    def _keep(self) -> None:
        """Have the desk keep what the operator has set."""
        if self._desk is None or getattr(self.model(), "columns", None) is None:
            return
        at = self.head.sortIndicatorSection() if self.sorts else -1
        sort = self.model().columns[at].title if at >= 0 else ""  # type: ignore[attr-defined]
        down = at >= 0 and self.head.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        self._desk.keep_layout(self._kept_as, self.head.layout_now(sort, down))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._desk is None:
            self._desk = desk_of(self)
            if self._desk is not None:
                self._take(self._desk.layout_of(self._kept_as))
        self.head.fit_soon()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._keep_at_once()

    def _keep_at_once(self) -> None:
        """Keep what was just set before the table is gone, or stands for something else."""
        if self._keep_soon.isActive():
            self._keep_soon.stop()
            self._keep()

    def _take(self, layout: TableLayout) -> None:
        """Set the table as the operator left it."""
        columns = getattr(self.model(), "columns", None)
        if columns is None or layout == AS_MADE:
            return
        self.head.take_layout(layout)
        at = next((at for at, column in enumerate(columns) if column.title == layout.sort), -1)
        if self.sorts and at >= 0:
            self.sort_by(at, descending=layout.descending)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.head.fit(self.viewport().width())

    def _emit_selected(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        rows = self.selectionModel().selectedRows()
        self.selected.emit(rows[0].row() if rows else -1)

    # --- copies ------------------------------------------------------------------------------------------------------

    def copy_row(self) -> bool:
        """Put the chosen row on the clipboard, as its cells show it, with a tab between two; whether one was chosen."""
        # The selected row, not the current one: Qt makes the first row the current one as soon as the focus comes.
        chosen = self.selectionModel().selectedRows()
        if not chosen:
            return False
        _to_clipboard([[self._copy_text(chosen[0].row(), one) for one in self.head.places()]])
        return True

    def copy_cell(self, column: int) -> bool:
        """Put the text of the chosen row in that column on the clipboard; whether a row was chosen."""
        chosen = self.selectionModel().selectedRows()
        if not chosen:
            return False
        QGuiApplication.clipboard().setText(self._copy_text(chosen[0].row(), column))
        return True

    def _copy_text(self, at: int, column: int) -> str:
        index = self.model().index(at, column)
        copied = index.data(COPY_ROLE)
        return str((index.data() if copied is None else copied) or "")

    def save_rows(self) -> None:
        """Ask where a CSV file goes, and write the rows that are in memory: the columns that are shown, in their
        order."""
        if self.rows_model is not None:
            self._save(list(self.rows_model.rows))

    def _columns_in_sight(self) -> list[Column[Any]]:
        columns = getattr(self.model(), "columns", [])
        return [columns[at] for at in self.head.places()]

    def _save(self, rows: Sequence[Any]) -> None:
        if self._desk is None:
            return
        columns = self._columns_in_sight()
        lines = ([column.copy(row) for column in columns] for row in rows)
        self._desk.save_lines(self.name, [head_words(column.title) for column in columns], lines, len(rows))

    # --- order -------------------------------------------------------------------------------------------------------

    def sort_next(self) -> None:
        """Sort by the next column that is shown; after the last one comes the order of the page."""
        shown = self.head.places()
        before = self.head.sortIndicatorSection()
        after = shown[shown.index(before) + 1 :] if before in shown else shown
        self.sort_by(after[0] if after else -1)

    def sort_turn(self) -> None:
        """Turn the order of the sorted column around; nothing while none is sorted."""
        header = self.head
        if header.sortIndicatorSection() >= 0:
            self.sort_by(
                header.sortIndicatorSection(), descending=header.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            )

    def sort_by(self, column: int, *, descending: bool = False) -> None:
        """Sort by a column; -1: the order of the page. Nothing in a table that does not sort."""
        if self.sorts:
            order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
            self.head.setSortIndicator(column, order)

    def _find_again(self) -> None:
        """After the operator sorted: the chosen row comes into sight, or the first one."""
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
        else:
            self.scrollToTop()

    # --- marks -------------------------------------------------------------------------------------------------------

    @property
    def marking(self) -> Marking | None:
        """What holds the marks; None in a table without them."""
        model = self.model()
        return model if self.marks and isinstance(model, Marking) else None

    def mark_row(self, at: int) -> None:
        """Mark a row, or take its mark away. Nothing in a table without marks."""
        if self.marking is not None and 0 <= at < self.model().rowCount():
            self.marking.mark(at, not self.model().index(at, 0).data(MARK_ROLE))

    def mark_all(self, on: bool) -> None:
        """Mark every row, or take all marks away. Nothing in a table without marks."""
        if self.marking is not None:
            self.marking.mark_all(on)

    def _tell_marks(self, *_what: object) -> None:
        """Rows were marked, or marked ones are gone."""
        marking = self.marking
        if marking is not None and len(marking.marked) != self._marks_told:
            self._marks_told = len(marking.marked)
            self.marked.emit(self._marks_told)

    @property
    def marks_count(self) -> int:
        """So many rows are marked."""
        return 0 if self.marking is None else len(self.marking.marked)

    def _marked_rows(self) -> list[Any]:
        return [] if self.marking is None else self.marking.marked_rows()

    def copy_marked(self) -> None:
        """Put the marked rows on the clipboard, a line each, as ``copy_row`` does the chosen one."""
        rows = self._marked_rows()
        if rows:
            columns = self._columns_in_sight()
            _to_clipboard([[column.copy(row) for column in columns] for row in rows])
            if self._desk is not None:
                one, count = tr("1 row is on the clipboard."), len(rows)
                self._desk.say(one if count == 1 else tr("{count:,} rows are on the clipboard.", count=count))

    def save_marked(self) -> None:
        """As ``save_rows``, of the marked ones alone."""
        self._save(self._marked_rows())

    # --- evidence ----------------------------------------------------------------------------------------------------

    @property
    def proves(self) -> bool:
        """Whether the audit log tells of rows of this table."""
        return self._proof is not None

    def save_evidence(self) -> str:
        """Ask where the evidence of the marked rows goes, else of the chosen one. Why not, a sentence, where there is
        none; empty: it was asked."""
        if self._proof is None or self._desk is None:
            return self._why_no_proof()
        rows = self._marked_rows()
        if not rows:
            rows = [row for row in (self._chosen_row(),) if row is not None]
        if not rows:
            return tr("No row is chosen. Choose one with the arrow keys, or mark several with Space.")
        traces = [trace for trace in map(self._proof, rows) if trace is not None]
        if not traces:
            return self._why_no_proof()
        left_out = len(rows) - len(traces)
        if left_out:
            self._desk.say(
                tr(
                    "{count} of the {rows} rows left out. {why}",
                    count=left_out,
                    rows=len(rows),
                    why=self._why_no_proof(),
                )
            )
        self._desk.save_evidence(self.name, traces, len(traces))
        return ""

    def _tell_evidence(self) -> None:
        """As Ctrl+E of the window, in a dialog."""
        refusal = self.save_evidence()
        if refusal and self._desk is not None:
            self._desk.say(refusal)

    def _chosen_row(self) -> Any:
        chosen = self.selectionModel().selectedRows()
        row_at = getattr(self.model(), "get", None)
        return row_at(chosen[0].row()) if chosen and row_at is not None else None

    def _why_no_proof(self) -> str:
        return self._no_proof or (
            tr(
                "The rows of “{name}” are no entries of the audit log: nothing signed could be saved of "
                "them. The page Audit has what happened.",
                name=self.name,
            )
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        if not self.marks or event.button() is not Qt.MouseButton.LeftButton or index.column() != self.head.first:
            return
        if place.x() - self.visualRect(index).left() < PADDING + theme.px(MARK_ROOM):
            self.mark_row(index.row())

    # --- menu --------------------------------------------------------------------------------------------------------

    @property
    def desk(self) -> Desk | None:
        """What keeps how the table is set and saves its rows; None before it is shown, and where no window does."""
        return self._desk

    @property
    def rows_model(self) -> RowsModel[Any] | None:
        """The model, where it has all its rows in memory."""
        model = self.model()
        return model if isinstance(model, RowsModel) else None

    def menu(self, column: int | None = None) -> QMenu:
        """What can be done with the table. ``column``: the one that is meant, the current one where none is given."""
        return table_menu(self, max(self.currentIndex().column(), 0) if column is None else column)

    def _open_menu(self) -> None:
        """Open the menu at the current cell."""
        cell = self.currentIndex()
        corner = self.visualRect(cell).bottomLeft() if cell.isValid() else QPoint(0, 0)
        self.menu().popup(self.viewport().mapToGlobal(corner))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self._open_menu()
        else:
            under = self.indexAt(event.pos())
            self.menu(under.column() if under.isValid() else None).popup(event.globalPos())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The window's actions take those of all tables first; in a dialog, which has none, they arrive here.
        at = max(self.currentIndex().column(), 0)
        own: dict[str, Callable[[], object]] = {
            COPY_ROW: self.copy_row,
            SORT_NEXT: self.sort_next,
            SORT_TURN: self.sort_turn,
            MENU: self._open_menu,
            FIT_COLUMN: lambda: self.head.fit_column(at),
            WIDER: lambda: self.head.widen(at, theme.px(STEP)),
            NARROWER: lambda: self.head.widen(at, -theme.px(STEP)),
            TO_LEFT: lambda: self.head.shift(at, -1),
            TO_RIGHT: lambda: self.head.shift(at, 1),
        }
        if self._desk is not None:
            own[EVIDENCE] = self._tell_evidence
        if self.marks:
            own["Space"] = lambda: self.mark_row(self.currentIndex().row())
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
        # Qt tells a widget of a change of style each time a page that is being built is put into something.
        changed = event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange)
        if changed and self._dressed not in (-1, theme.edition()):
            self._dressed = theme.edition()
            self._cells.refresh()
            self._rows_high()
            self._widths()
        super().changeEvent(event)


def _to_clipboard(rows: Sequence[Sequence[str]]) -> None:
    """Each row a line. A line break or a tab inside a cell would make two of one, for the program that takes it."""
    lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
    QGuiApplication.clipboard().setText("\n".join(lines))
