"""The palette: every action, people and ids, by typing. It never runs an irreversible action: it opens its page.

``>`` or nothing: actions. ``@``: people. ``#``: ids. ``?``: what the prefixes mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import shiboken6
from PySide6.QtCore import (
    QEvent,
    QObject,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.actions import ActionTable, Effect, keys_text
from app.console.language import tr
from app.console.shell.palette_entries import Entry, PaletteDelegate, PaletteEntries, Search, score
from app.console.widgets.text import label, separator

MOST_ROWS = 100


class Palette(QFrame):
    """Lies over the window; Esc or a click beside it closes it and gives the focus back."""

    closed = Signal()

    def __init__(self, window: QWidget, actions: ActionTable, open_page: Callable[[str], None]) -> None:
        super().__init__(window)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("Command palette"))
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
        self.field.setAccessibleName(tr("Search people, ids, commands"))
        self.field.setPlaceholderText(tr("Type a command"))
        self.field.setTextMargins(8, 0, 8, 0)
        column.addWidget(self.field)
        column.addWidget(separator())
        self._model = PaletteEntries()
        self.list = QListView()
        self.list.setAccessibleName(tr("Results"))
        self.list.setModel(self._model)
        self.list.setItemDelegate(PaletteDelegate(self.list, self._model))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(lambda index: self._take(index.row()))
        column.addWidget(self.list, 1)
        self._foot = label("", "small")
        self._foot.setContentsMargins(16, 4, 16, 4)
        column.addWidget(self._foot)
        self.field.textChanged.connect(self._show_for)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(150)
        self._wait.timeout.connect(self._ask)
        self._asked = 0
        self._answered: str | None = None
        """The text of the field that the lines shown answer."""
        self._entered = False
        """Enter was pressed before the answer to what stands in the field came: it is taken then."""
        self.hide()

    def add_search(self, prefix: str, title: str, icon: str, search: Search) -> None:
        """Let ``search`` answer text that is typed after ``prefix`` (one character)."""
        self._searches[prefix] = (title, icon, search)
        others = ", ".join(f"{key} for {name.lower()}" for key, (name, _, _) in self._searches.items())
        self.field.setPlaceholderText(tr("Type a command, {others}", others=others))

    @property
    def back(self) -> QWidget | None:
        """The widget that gets the focus back when the palette closes."""
        return self._back

    @property
    def entries(self) -> list[Entry]:
        """Lines shown."""
        return list(self._model.entries)

    def open(self, text: str = "") -> None:
        """Show the palette with ``text`` in its field."""
        self._back = self._window.focusWidget()
        self._place()
        self.show()
        self.raise_()
        self.field.setText(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.deselect()
        self._show_for(text)

    def close_(self) -> None:
        """Hide the palette and give the focus back to the widget that had it."""
        if not self.isVisible():
            return
        self._wait.stop()
        self._asked += 1
        self._entered = False
        self._answered = None
        self.hide()
        if self._back is not None and self._back.isVisible():
            self._back.setFocus(Qt.FocusReason.OtherFocusReason)
        self._back = None
        self.closed.emit()

    def _show_for(self, text: str) -> None:
        """Show what fits the text: commands, help, or the entries of a search as soon as typing pauses."""
        prefix = text[:1]
        self._asked += 1
        self._entered = False
        if prefix in self._searches:
            title, _, _ = self._searches[prefix]
            self._foot.setText(tr("{title} · Enter opens · Esc closes", title=title))
            self._wait.start()
        elif prefix == "?":
            self._wait.stop()
            self._show(self._help())
            self._foot.setText(tr("Esc closes"))
        else:
            self._wait.stop()
            self._show(self._commands(text.removeprefix(">").strip()))
            others = "  ".join(f"{key} {title.lower()}" for key, (title, _, _) in self._searches.items())
            self._foot.setText(f"Enter runs · Esc closes   {others}   ? help".rstrip())

    def _commands(self, query: str) -> list[Entry]:
        """The actions that fit, best first; one that is irreversible or not available here opens its page."""
        found = []
        for action in self._actions.permitted_actions():
            if action.hidden:
                continue
            fit = max(score(action.title, query), score(action.goes_to, query))
            if not fit:
                continue
            here = self._actions.is_enabled(action.id)
            irreversible = action.effect is Effect.IRREVERSIBLE
            elsewhere = action.page is not None and not here
            note = ""
            if irreversible:
                note = tr("opens its page")
            elif elsewhere:
                note = tr("on its page")
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
        """What each prefix means, one line for each."""
        lines = [Entry(tr("Commands"), ">", "command", lambda: self.open(">"), note=tr("every action, with its key"))]
        lines += [
            Entry(title, prefix, icon, lambda key=prefix: self.open(key))  # type: ignore[misc]  # default binds now
            for prefix, (title, icon, _) in self._searches.items()
        ]
        return lines

    def _ask(self) -> None:
        """Start the search of the prefix that is typed."""
        text = self.field.text()
        if text[:1] in self._searches:
            turn = self._asked
            title = self._searches[text[:1]][0]

            def answer(entries: Sequence[Entry]) -> None:
                # An answer that comes after the next key was typed belongs to another question.
                if turn == self._asked and self.isVisible():
                    self._show(list(entries))
                    if not entries:
                        self._foot.setText(tr("{title}: nothing found · Esc closes", title=title))
                    elif self._entered:
                        self._entered = False
                        self._take_early(text[1:].strip())

            self._searches[text[:1]][2](text[1:].strip(), answer)

    def _show(self, entries: Sequence[Entry]) -> None:
        self._model.set(entries)
        self._answered = self.field.text()
        self._select(0, 1)

    def _select(self, start: int, step: int) -> None:
        entries = self._model.entries
        for turn in range(len(entries)):
            at = (start + turn * step) % len(entries)
            if entries[at].enabled:
                self.list.setCurrentIndex(self._model.index(at, 0))
                self.field.setAccessibleDescription(entries[at].title)
                return

    def _enter(self) -> None:
        """Take the line chosen; of lines that answer an earlier text none is taken, and the answer is asked for."""
        if self._answered == self.field.text():
            self._take(self.list.currentIndex().row())
            return
        # A quick hand is there before the answer.
        self._entered = True
        if self._wait.isActive():
            self._wait.stop()
            self._ask()

    def _take_early(self, typed: str) -> None:
        """Take the first line, which nobody has seen yet, only where it cannot be another's: it has the id typed, or
        all lines are about one thing."""
        entries = [entry for entry in self.entries if entry.enabled]
        if entries and (entries[0].detail == typed or len({entry.detail for entry in entries}) == 1):
            self._take(self.entries.index(entries[0]))

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
                self._enter()
            else:
                return False
            return True
        return False
