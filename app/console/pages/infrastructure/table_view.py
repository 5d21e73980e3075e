"""The table of the frames: whole rows alone, and below the last one the row that stands for all others."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.fold_row import FoldRow
from app.console.widgets.table import DataTable
from app.console.widgets.table_head import HEAD_HEIGHT

LEAST_ROWS = 3


class FoldedTable(QWidget):
    """``table`` with ``fold`` right below its last row. ``room_changed``: another number of rows has room."""

    room_changed = Signal()

    def __init__(self, table: DataTable) -> None:
        super().__init__()
        self.table, self.fold = table, FoldRow(Meaning.OK)
        for part in (self.table, self.fold):
            part.setParent(self)
        self._folds = False
        self._room = 0
        self.fold.hide()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def room(self, *, folded: bool) -> int:
        """How many rows have room, with the row below them or without."""
        rest = self.height() - self._head() - (self.fold.sizeHint().height() if folded else 0)
        return max(LEAST_ROWS, rest // self.table.row_px())

    def show_fold(self, on: bool) -> None:
        """Show the row that stands for others, or not."""
        if on != self._folds:
            self._folds = on
            if not on and self.focusWidget() is self.fold:  # also while another window is in front
                self.table.setFocus()
            self.fold.setVisible(on)
            self._place()

    def place_rows(self) -> None:
        """Follow the number of rows in the table."""
        self._place()

    def _head(self) -> int:
        head = self.table.horizontalHeader()
        return max(head.sizeHint().height(), theme.px(HEAD_HEIGHT)) + 2 * self.table.frameWidth()

    def _place(self) -> None:
        """Give the table the height of whole rows, and the row below it its place."""
        rows = min(self.room(folded=self._folds), max(1, self.table.model().rowCount()))
        high = self._head() + rows * self.table.row_px()
        self.table.setGeometry(0, 0, self.width(), high)
        if self._folds:
            self.fold.setGeometry(0, high, self.width(), self.fold.sizeHint().height())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        high = self._head() + LEAST_ROWS * self.table.row_px() + self.fold.sizeHint().height()
        return QSize(theme.px(320), high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
        room = self.room(folded=True)
        if room != self._room:
            self._room = room
            self.room_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "_room"):
            self.updateGeometry()
            self._place()
