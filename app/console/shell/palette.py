"""The palette: every action, people and ids, by typing. It never runs an irreversible action: it opens its page.

``>`` or nothing: actions. ``@``: people. ``#``: ids. ``?``: what the prefixes mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.actions import ActionTable, Effect, keys_text
from app.console.theme import icons
from app.console.widgets.text import label, separator

MOST_ROWS = 50


@dataclass(frozen=True)
class Entry:
    """One line: ``run`` when it is taken. ``detail`` stands at the right (keys, id)."""

    title: str
    detail: str
    icon: str
    run: Callable[[], None]
    enabled: bool = True
    note: str = ""


Search = Callable[[str, Callable[[Sequence[Entry]], None]], None]
"""``search(text, answer)``: asks for entries of a prefix; ``answer`` may be called later, from the loop."""


def score(text: str, query: str) -> int:
    """How well ``query`` fits ``text``: 0 = not at all; whole words' beginnings before the middle of words before
    scattered letters."""
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


class _Entries(QAbstractListModel):
    """The lines shown. Not a QStandardItemModel: its items are owned twice, by Qt and by their Python wrappers."""

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


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QListView, model: _Entries) -> None:
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


class Palette(QFrame):
    """Lies over the window; Esc or a click beside it closes it and gives the focus back."""

    closed = Signal()

    def __init__(self, window: QWidget, actions: ActionTable, open_page: Callable[[str], None]) -> None:
        super().__init__(window)
        self.setProperty("role", "popup")
        self.setAccessibleName("Command palette")
        self._window = window
        self._actions = actions
        self._open_page = open_page
        self._searches: dict[str, tuple[str, str, Search]] = {}
        self._back: QWidget | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 4, 1, 4)
        column.setSpacing(0)
        self.field = QLineEdit()
        self.field.setProperty("role", "bare")
        self.field.setAccessibleName("Search people, ids, commands")
        self.field.setPlaceholderText("Type a command")
        self.field.setTextMargins(8, 0, 8, 0)
        column.addWidget(self.field)
        column.addWidget(separator())
        self._model = _Entries()
        self.list = QListView()
        self.list.setAccessibleName("Results")
        self.list.setModel(self._model)
        self.list.setItemDelegate(_Delegate(self.list, self._model))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(lambda index: self._take(index.row()))
        column.addWidget(self.list, 1)
        self._foot = label("", "small")
        self._foot.setContentsMargins(16, 4, 16, 4)
        column.addWidget(self._foot)
        self.field.textChanged.connect(self._typed)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(150)
        self._wait.timeout.connect(self._ask)
        self._asked = 0
        self.hide()

    def add_search(self, prefix: str, title: str, icon: str, search: Search) -> None:
        """Have ``search`` answer what is typed after ``prefix`` (one character)."""
        self._searches[prefix] = (title, icon, search)
        others = ", ".join(f"{key} for {name.lower()}" for key, (name, _, _) in self._searches.items())
        self.field.setPlaceholderText(f"Type a command, {others}")

    @property
    def entries(self) -> list[Entry]:
        """Lines shown."""
        return list(self._model.entries)

    def open(self, text: str = "") -> None:
        """Show it, with ``text`` typed."""
        self._back = self._window.focusWidget()
        self._place()
        self.show()
        self.raise_()
        self.field.setText(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.deselect()
        self._typed(text)

    def close_(self) -> None:
        """Hide it and give the focus back to who had it."""
        if not self.isVisible():
            return
        self._wait.stop()
        self._asked += 1
        self.hide()
        if self._back is not None and self._back.isVisible():
            self._back.setFocus(Qt.FocusReason.OtherFocusReason)
        self._back = None
        self.closed.emit()

    def _typed(self, text: str) -> None:
        prefix = text[:1]
        self._asked += 1
        if prefix in self._searches:
            title, _, _ = self._searches[prefix]
            self._foot.setText(f"{title} · Enter opens · Esc closes")
            self._wait.start()
        elif prefix == "?":
            self._wait.stop()
            self._show(self._help())
            self._foot.setText("Esc closes")
        else:
            self._wait.stop()
            self._show(self._commands(text.removeprefix(">").strip()))
            others = "  ".join(f"{key} {title.lower()}" for key, (title, _, _) in self._searches.items())
            self._foot.setText(f"Enter runs · Esc closes   {others}   ? help".rstrip())

    def _commands(self, query: str) -> list[Entry]:
        found = []
        for action in self._actions.all():
            if action.hidden:
                continue
            fit = score(action.title, query)
            if not fit:
                continue
            here = self._actions.enabled(action.id)
            irreversible = action.effect is Effect.IRREVERSIBLE
            elsewhere = action.page is not None and not here
            note = ""
            if irreversible:
                note = "opens its page"
            elif elsewhere:
                note = "on its page"
            run = self._runner(action.id, action.page, irreversible or elsewhere)
            usable = here or action.page is not None
            found.append((-fit, action.title, Entry(action.title, keys_text(action), action.icon, run, usable, note)))
        if query:
            found.sort(key=lambda item: item[:2])
        return [entry for _, _, entry in found[:MOST_ROWS]]

    def _runner(self, action_id: str, page: str | None, open_page: bool) -> Callable[[], None]:
        def run() -> None:
            if open_page and page is not None:
                self._open_page(page)
            else:
                self._actions.trigger(action_id)

        return run

    def _help(self) -> list[Entry]:
        lines = [Entry("Commands", ">", "command", lambda: self.open(">"), note="every action, with its key")]
        lines += [
            Entry(title, prefix, icon, lambda key=prefix: self.open(key))  # type: ignore[misc]  # default binds now
            for prefix, (title, icon, _) in self._searches.items()
        ]
        return lines

    def _ask(self) -> None:
        text = self.field.text()
        if text[:1] in self._searches:
            turn = self._asked
            title = self._searches[text[:1]][0]

            def answer(entries: Sequence[Entry]) -> None:
                # An answer that comes after the next key was typed belongs to another question.
                if turn == self._asked and self.isVisible():
                    self._show(list(entries))
                    if not entries:
                        self._foot.setText(f"{title}: nothing found · Esc closes")

            self._searches[text[:1]][2](text[1:].strip(), answer)

    def _show(self, entries: Sequence[Entry]) -> None:
        self._model.set(entries)
        self._select(0, 1)

    def _select(self, start: int, step: int) -> None:
        entries = self._model.entries
        for turn in range(len(entries)):
            at = (start + turn * step) % len(entries)
            if entries[at].enabled:
                self.list.setCurrentIndex(self._model.index(at, 0))
                self.field.setAccessibleDescription(entries[at].title)
                return

    def _take(self, row: int) -> None:
        entries = self.entries
        if 0 <= row < len(entries) and entries[row].enabled:
            run = entries[row].run
            self.close_()
            run()

    def _place(self) -> None:
        width = min(theme.px(640), self._window.width() - 64)
        height = min(theme.px(480), self._window.height() - theme.px(48) - 64)
        self.setGeometry((self._window.width() - width) // 2, theme.px(56), width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not shiboken6.isValid(self._window):
            # The window is being destroyed and takes the focus away from its children: touching it would abort.
            return False
        if watched is self._window:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._place()
            return False
        if event.type() == QEvent.Type.FocusOut and self.isVisible() and self._window.isActiveWindow():
            self._back = None
            QTimer.singleShot(0, self.close_)
            return False
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # Keys of the palette itself must not run the page's actions (Esc, Enter).
            if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter) or event.text().isprintable():
                event.accept()
            return False
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            current = self.list.currentIndex().row()
            if key == Qt.Key.Key_Escape:
                self.close_()
            elif key == Qt.Key.Key_Down:
                self._select(current + 1, 1)
            elif key == Qt.Key.Key_Up:
                self._select(current - 1, -1)
            elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(current)
            else:
                return False
            return True
        return False
