"""The cheat sheet: every key that works here, made from the action table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.console.actions import Action, ActionTable, key_words
from app.console.language import tr
from app.console.widgets.dialog import Dialog
from app.console.widgets.scroller import scroller
from app.console.widgets.text import label


class CheatSheet(Dialog):
    """Opened by ``open()``, never ``exec()``: a second event loop would break running tasks."""

    def __init__(self, window: QWidget, actions: ActionTable, page_title: str) -> None:
        super().__init__(window)
        self.setWindowTitle(tr("Keys"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(24, 20, 24, 16)
        outer.setSpacing(12)
        outer.addWidget(label(tr("Keys"), "title"))
        inside = QWidget()
        columns = QHBoxLayout(inside)
        columns.setContentsMargins(0, 0, 8, 0)
        columns.setSpacing(40)
        outer.addWidget(scroller(inside, tr("Keys and what they do"), sideways=True), 1)
        here = [action for action in actions.here() if action.keys]
        pages = [action for action in here if action.id.startswith("page.")]
        common = [action for action in here if action.page is None and action not in pages]
        own = [action for action in here if action.page is not None]
        for title, group in ((tr("Pages"), pages), (tr("Everywhere"), common), (page_title, own)):
            if group:
                self._fill(columns, title, group)
        foot = QHBoxLayout()
        foot.addStretch(1)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        outer.addLayout(foot)
        close.setFocus()
        size = inside.sizeHint()
        self.resize(min(size.width() + 80, window.width() - 80), min(size.height() + 150, window.height() - 80))

    @staticmethod
    def _fill(columns: QHBoxLayout, title: str, actions: list[Action]) -> None:
        """Add a column: a caption, and each action with its keys."""
        column = QVBoxLayout()
        columns.addLayout(column)
        column.setSpacing(8)
        column.addWidget(label(title, "section"))
        grid = QGridLayout()
        column.addLayout(grid)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        for row, action in enumerate(actions):
            keys = "  ".join(key_words(key) for key in action.keys)
            grid.addWidget(label(action.title), row, 0)
            grid.addWidget(label(keys, "key"), row, 1, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(0, 1)
        column.addStretch(1)
