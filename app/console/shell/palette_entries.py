"""The lines of the palette: what one is, how well it fits the typed text, how it is painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.console import theme
from app.console.theme import icons


@dataclass(frozen=True)
class Entry:
    """One line of the palette: ``run`` when it is chosen. ``detail`` stands at the right (keys, id)."""

    title: str
    detail: str
    icon: str
    run: Callable[[], None]
    enabled: bool = True
    note: str = ""


Search = Callable[[str, Callable[[Sequence[Entry]], None]], None]
"""``search(text, answer)``: looks for entries of a prefix; ``answer`` may be called later, from the loop."""


def score(text: str, query: str) -> int:
    """How well ``query`` fits ``text``; 0: not at all. The beginning of the text ranks before the beginning of a word,
    then the middle of a word, then words in any order, then scattered letters."""
    haystack, needle = text.casefold(), query.casefold().strip()
    if not needle:
        return 1
    if haystack.startswith(needle):
        return 1000 - len(haystack)
    at = haystack.find(needle)
    if at > 0:
        return (700 if not haystack[at - 1].isalnum() else 500) - at
    words = needle.split()
    if len(words) > 1 and all(word in haystack for word in words):
        return 400
    position = -1
    for letter in needle:
        position = haystack.find(letter, position + 1)
        if position < 0:
            return 0
    return 100


class PaletteEntries(QAbstractListModel):
    """The lines shown. Not a QStandardItemModel, whose items are owned twice: by Qt and by their Python wrappers."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []

    def set(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self.entries = list(entries)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.entries):
            return None
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.title} {entry.detail} {entry.note}".strip()
        return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        entry = self.entries[index.row()] if index.isValid() and index.row() < len(self.entries) else None
        if entry is None or not entry.enabled:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class PaletteDelegate(QStyledItemDelegate):
    """Paints one line: icon, title, note, and the detail at the right."""

    def __init__(self, view: QListView, model: PaletteEntries) -> None:
        super().__init__(view)
        self._view = view
        self._model = model

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, theme.px(40))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if index.row() >= len(self._model.entries):
            return
        entry = self._model.entries[index.row()]
        tokens = theme.current()
        box = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(box, QColor(tokens.raised))
            painter.fillRect(box.left(), box.top(), 3, box.height(), QColor(tokens.accent))
        size = theme.px(16)
        ink = tokens.text if entry.enabled else tokens.idle
        if entry.icon:
            pixmap = icons.pixmap(
                entry.icon, tokens.accent if selected else tokens.dim, size, self._view.devicePixelRatioF()
            )
            painter.drawPixmap(box.left() + 16, int(box.center().y() - size / 2 + 1), pixmap)
        inner = QRectF(box).adjusted(16 + size + 12, 0, -16, 0)
        painter.setFont(theme.mono(12))
        painter.setPen(QColor(tokens.dim))
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, entry.detail)
        inner.setRight(inner.right() - painter.fontMetrics().horizontalAdvance(entry.detail) - 16)
        painter.setFont(theme.ui(13, painter.font().Weight.Medium))
        painter.setPen(QColor(ink))
        title = painter.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, int(inner.width()))
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        inner.setLeft(inner.left() + painter.fontMetrics().horizontalAdvance(title) + 12)
        if entry.note and inner.width() > 40:
            painter.setFont(theme.ui(12))
            painter.setPen(QColor(tokens.dim))
            note = painter.fontMetrics().elidedText(entry.note, Qt.TextElideMode.ElideRight, int(inner.width()))
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, note)
        painter.restore()
