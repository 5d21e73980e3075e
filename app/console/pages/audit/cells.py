"""Paints the cells of the log: straight from the entry, because a jump over a million rows paints every cell in sight
twice, and five round trips through the model a cell cost more than the text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.audit_lines import LogLine
from app.console.pages.audit.acts import Act
from app.console.pages.audit.model import INSET, PLACEHOLDER, TIME, WHAT, LogModel
from app.console.theme.tokens import ThemeTokens
from app.console.widgets.fold_button import paint_chevron
from app.console.widgets.marks import paint_shape
from app.console.widgets.table import DataTable
from app.console.widgets.table_cells import MARK_ROOM, PADDING, paint_mark

ELISIONS = 4096
UI, MONO, NAME = 0, 1, 2
"""Fonts of a cell: text, codes, and names within a sentence."""
_HAS_FOCUS = QStyle.StateFlag.State_HasFocus.value
"""As a number: to combine Qt's flags as Python's enumerations costs more than the line that they decide."""
Piece = tuple[int, int, str]
"""Px from the left, font, text."""


class _CellLook:
    """Fonts, colours and measures of one theme and text size; made anew when either changes."""

    def __init__(self, tokens: ThemeTokens) -> None:
        self.edition = theme.edition()
        self.fonts: tuple[QFont, QFont, QFont] = (theme.ui(13), theme.mono(12), theme.ui(13, QFont.Weight.Medium))
        self.metrics = tuple(QFontMetrics(font) for font in self.fonts)
        self.digit = tuple(metrics.horizontalAdvance("0") for metrics in self.metrics)
        self.lift = tuple(metrics.ascent() - metrics.descent() for metrics in self.metrics)
        self.text, self.dim = QPen(QColor(tokens.text)), QPen(QColor(tokens.dim))
        self.line = QPen(QColor(tokens.line), 1)
        self.raised, self.accent = QColor(tokens.raised), QColor(tokens.accent)
        self.inset = theme.px(INSET)
        self.side, self.gap, self.mark = theme.px(10), theme.px(8), theme.px(MARK_ROOM)
        self.elided: dict[tuple[str, int, bool], str] = {}
        self.laid: dict[tuple[str, int], list[Piece]] = {}
        clocks = ("00:00:00", "0000-00-00 00:00:00")
        self.clock = {len(text): self.metrics[UI].horizontalAdvance(text) for text in clocks}
        """Px of a time without its milliseconds, by its length: all figures are as wide."""

    def lay(self, line: LogLine, width: int) -> list[Piece]:
        """The sentence in pieces, names in their own font, as far as there is room."""
        key = (line.marked, width)
        found = self.laid.get(key)
        if found is None:
            if len(self.laid) >= ELISIONS:
                self.laid.clear()
            found = self.laid[key] = self._lay(line, width)
        return found

    def _lay(self, line: LogLine, width: int) -> list[Piece]:
        """Measure the parts one behind the other; the one that has no room ends in an ellipsis."""
        made: list[Piece] = []
        left = 0
        for text, is_name in line.runs:
            font = NAME if is_name else UI
            wide = self.metrics[font].horizontalAdvance(text)
            if left + wide > width:
                if made and width - left < self.metrics[font].horizontalAdvance(PLACEHOLDER):
                    # Not even the ellipsis has room: the part before makes some.
                    left, font, before = made.pop()
                    text = before + text
                cut = self.metrics[font].elidedText(text, Qt.TextElideMode.ElideRight, width - left)
                made.append((left, font, cut))
                break
            made.append((left, font, text))
            left += wide
        return made

    def fit(self, text: str, width: int, mono: bool) -> str:
        """``text`` cut to ``width``: identifiers in the middle, words at the end."""
        if len(text) * self.digit[mono] <= width and (mono or text[:1].isdigit()):
            return text  # figures are tabular, and nothing in a time is wider than a figure
        key = (text, width, mono)
        cut = self.elided.get(key)
        if cut is None:
            if len(self.elided) >= ELISIONS:
                self.elided.clear()
            mode = Qt.TextElideMode.ElideMiddle if mono else Qt.TextElideMode.ElideRight
            cut = self.elided[key] = self.metrics[mono].elidedText(text, mode, width)
        return cut


class LogCells(QStyledItemDelegate):
    """Paints cells that look like those of every other table. It does not restore pen and font of the painter: the
    table sets its own before it paints anything else."""

    def __init__(self, table: DataTable, model: LogModel) -> None:
        super().__init__(table)
        self._table, self._model = table, model
        self._look: _CellLook | None = None
        self._key = (-1, -1)
        self._entry: AuditEntry | None = None
        self._head: Act | None = None
        self._inset = 0
        self._selected = False

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look = self._look
        if look is None or look.edition != theme.edition():
            look = self._look = _CellLook(theme.current())
        row, at = index.row(), index.column()
        first = at == self._table.head.first
        if first or (row, self._model.revision) != self._key:
            self._head = self._model.head(row)
            self._entry = self._model.entry(row)
            self._inset = look.inset if self._model.within(row) else 0
            self._selected = self._table.selectionModel().isRowSelected(row)
            self._key = (row, self._model.revision)
        box = option.rect
        left, top, width, height = box.x(), box.y(), box.width(), box.height()
        if self._selected:
            painter.fillRect(box, look.raised)
        painter.setPen(look.line)
        painter.drawLine(left, top + height - 1, left + width - 1, top + height - 1)
        if self._selected and first:
            painter.fillRect(left, top, 3, height, look.accent)
        elif not first and option.state.value & _HAS_FOCUS:
            painter.fillRect(left, top + height - 2, width, 2, look.accent)
        column, entry = self._model.columns[at], self._entry
        x, room = left + PADDING, width - 2 * PADDING
        mono = column.mono
        if first and self._table.marks:
            if self._head is not None:
                # The fold of an act, in the place of the mark.
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                paint_chevron(painter, x + theme.px(5), top + height / 2, is_open=self._model.is_open(self._head))
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            elif entry is not None:
                paint_mark(painter, QRectF(x, top, room, height), self._model.is_marked(entry.seq))
            x += look.mark
            room -= look.mark
        if entry is None:
            # One mark a row, beside the empty cells: a jump paints a screen of these before the entries are there.
            if at == TIME:
                painter.setFont(look.fonts[UI])
                painter.setPen(look.dim)
                painter.drawText(x, top + (height + look.lift[UI]) // 2, PLACEHOLDER)
            return
        head = self._head
        if at == WHAT:
            x += self._inset
            room -= self._inset
        state = None if column.state is None else column.state(entry)
        if head is not None:
            state = self._model.act_line(head).state if at == WHAT else None
        if state is not None:
            paint_shape(painter, QRectF(x, top + (height - look.side) / 2, look.side, look.side), state)
            x += look.side + look.gap
            room -= look.side + look.gap
        if at == WHAT:
            base = top + (height + look.lift[UI]) // 2
            painter.setPen(look.text)
            line = self._model.line(entry) if head is None else self._model.act_line(head)
            for left, font, piece in look.lay(line, room):
                painter.setFont(look.fonts[font if head is None else NAME])
                painter.drawText(x + left, base, piece)
            return
        said = column.text(entry) if head is None else self._model.head_text(head, at)
        text = look.fit(said, room, mono)
        if not text:
            return
        base = top + (height + look.lift[mono]) // 2
        painter.setFont(look.fonts[mono])
        if at == TIME and (wide := look.clock.get(len(text) - 4)) is not None:
            painter.setPen(look.text)
            painter.drawText(x, base, text[:-4])
            painter.setPen(look.dim)
            painter.drawText(x + wide, base, text[-4:])
            return
        if column.right:
            x += room - (look.digit[True] * len(text) if mono else look.metrics[UI].horizontalAdvance(text))
        painter.setPen(look.dim if column.dim else look.text)
        painter.drawText(x, base, text)
