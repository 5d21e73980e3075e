"""Access that outlives a burn: what it is, when it ends, and whether it ends by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.capabilities.burn.messages import Residual
from app.console import theme
from app.console.language import tr
from app.console.pages.burn.blast import ending, until_words
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

_ROW, _LOW_ROW, _EDGE, _MOST = 44, 28, 8, 2


class StaysOpenTable(DataTable):
    """Rows of two lines, or of one where there is little room, without a head."""

    low = True
    """Whether there is little room."""

    def _rows_high(self) -> None:
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(8)
        rows.setDefaultSectionSize(theme.px(_LOW_ROW if self.low else _ROW))

    def set_low(self, low: bool) -> None:
        """Have rows of one line, or of two."""
        self.low = low
        self._rows_high()


class WayDelegate(QStyledItemDelegate):
    """Paints both lines of a way in that stays open, and its end at the right; all in the first cell of the row."""

    def __init__(self, way: Callable[[int], Residual | None], now: Callable[[], float], parent: QWidget) -> None:
        super().__init__(parent)
        self._way, self._now = way, now

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        way, tokens, box = self._way(index.row()), theme.current(), QRectF(option.rect)
        if way is None:
            return
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(tokens.raised))
        painter.setPen(QColor(tokens.line))
        painter.drawLine(option.rect.topLeft(), option.rect.topRight())
        inner = box.adjusted(_EDGE, 0, -_EDGE, 0)
        side = theme.px(10)
        paint_shape(painter, QRectF(inner.left(), inner.center().y() - side / 2, side, side), Meaning.WARN)
        inner.setLeft(inner.left() + side + theme.px(12))
        painter.setFont(theme.ui(13))
        painter.setPen(QColor(tokens.text))
        until = until_words(way.until, self._now())
        room = painter.fontMetrics().horizontalAdvance(until) + 1.0
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(inner, right, until)
        inner.setRight(inner.right() - room - theme.px(16))
        left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        half = inner.height() / 2
        if inner.height() < theme.px(_ROW) - 2:
            painter.setFont(theme.ui(13, QFont.Weight.Medium))
            shown = painter.fontMetrics().elidedText(way.what, Qt.TextElideMode.ElideRight, int(inner.width()))
            painter.drawText(inner, left, shown)
            painter.restore()
            return
        for top, words, colour, font in (
            (3.0, way.what, tokens.text, theme.ui(13, QFont.Weight.Medium)),
            (half - 1.0, ending(way.until, self._now()), tokens.dim, theme.ui(12)),
        ):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(inner.width()))
            painter.drawText(QRectF(inner.left(), inner.top() + top, inner.width(), half - 2), left, shown)
        painter.restore()


class StaysOpenPanel(TitledPanel):
    """Access that outlives a burn, or the sentence that none is known. ``now``: Unix seconds by the service's clock."""

    def __init__(self, now: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(tr("Stays open after this burn"), padding=8, parent=parent)
        self.title.setContentsMargins(8, 0, 0, 0)
        self._count = label("", "dim")
        self.head.insertWidget(1, self._count)
        self._none = label(tr("Nothing is known to outlive this burn."), "dim")
        self._none.setContentsMargins(8, 0, 0, 4)
        self.body.addWidget(self._none)
        columns: list[Column[Residual]] = [
            Column(tr("WHAT STAYS OPEN"), lambda left: left.what, state=lambda _left: Meaning.WARN),
            Column(tr("UNTIL"), lambda left: until_words(left.until, now()), 8),
        ]
        self.model = RowsModel(columns, lambda left: left.what)
        self.table = StaysOpenTable(self.model, name=tr("Stays open after this burn"))
        self.table.horizontalHeader().hide()
        self.table.setItemDelegate(WayDelegate(self.model.get, now, self.table))
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.body.addWidget(self.table)

    def show_residual(self, left: Sequence[Residual]) -> None:
        """Show what outlives the burn."""
        self.model.set_rows(left)
        for at in range(len(left)):
            # One cell holds the whole row; the other is there for what is copied.
            self.table.setSpan(at, 0, 1, len(self.model.columns))
        self._count.setText("" if not left else tr("1 way") if len(left) == 1 else tr("{count} ways", count=len(left)))
        self._none.setVisible(not left)
        self.table.setVisible(bool(left))
        self._fit()

    def set_low(self, low: bool) -> None:
        """Have rows of one line where there is little room, or of two."""
        self.table.set_low(low)
        self._fit()

    def _fit(self) -> None:
        """Make the table as high as its rows, two at most; where there is little room it may show one."""
        row = self.table.verticalHeader().defaultSectionSize()
        rows = min(_MOST, len(self.model.rows))
        self.table.setMaximumHeight(rows * row + 4)
        self.table.setMinimumHeight((min(rows, 1) if self.table.low else rows) * row + 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "table"):
            self._fit()
