"""People for a batch from the registry: searched, ticked, taken over into the list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.language import tr
from app.console.widgets.buttons import plain_button
from app.console.widgets.choice import DEBOUNCE_MS
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label
from app.registry.messages.nodes import Node


class _Ticks(QListWidget):
    """Space ticks (Qt's own); Enter goes to the dialog's button."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
            return
        super().keyPressEvent(event)


class PeopleDialog(Dialog):
    """Emits ``searched`` (text), ``everyone`` (all who have no card) and ``chosen`` (nodes). Ticks are kept while the
    search changes."""

    searched = Signal(str)
    everyone = Signal()
    chosen = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setWindowTitle(tr("People without a card"))
        self.setAccessibleName(tr("People without a card"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(theme.px(560), theme.px(480))
        self._ticked: dict[str, Node] = {}
        self._nodes: dict[str, Node] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("People without a card"), "title"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Name or id"))
        self.search.setAccessibleName(tr("Search people without a card"))
        column.addWidget(self.search)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(lambda: self.searched.emit(self.search.text().strip()))
        self.search.textEdited.connect(lambda _text: self._timer.start())
        self.list = _Ticks()
        self.list.setAccessibleName(tr("People; Space ticks"))
        self.list.itemChanged.connect(self._tick)
        column.addWidget(self.list, 1)
        self.said = label(tr("Reading the registry"), "small")
        column.addWidget(self.said)
        row = QHBoxLayout()
        self.all = QPushButton(tr("Everyone who has no card"))
        self.all.setAccessibleName(tr("Take everyone who has no card"))
        self.all.setAutoDefault(False)
        self.all.clicked.connect(self._everyone)
        cancel = plain_button(tr("Cancel"), self.reject)
        self.take = QPushButton(tr("Take none"))
        self.take.setProperty("role", "primary")
        self.take.setDefault(True)
        self.take.clicked.connect(self._take)
        row.addWidget(self.all)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.take)
        column.addLayout(row)
        self._count()
        self.search.setFocus()

    def offer(self, nodes: Sequence[Node], *, more: bool) -> None:
        """Answer the last search; ``more``: there are others that it did not show."""
        self.list.blockSignals(True)
        self.list.clear()
        self._nodes = {node.node_id: node for node in nodes}
        for node in nodes:
            item = QListWidgetItem(f"{node.display_name}   {node.node_id}")
            item.setData(Qt.ItemDataRole.UserRole, node.node_id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            ticked = node.node_id in self._ticked
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        shown = tr("{count} people", count=len(nodes)) if nodes else tr("Nobody without a card is found")
        self.said.setText(tr("{shown}; type to find the others.", shown=shown) if more else f"{shown}.")

    def say(self, sentence: str) -> None:
        """What is under way, or went wrong."""
        self.said.setText(sentence)

    def _everyone(self) -> None:
        self.all.setEnabled(False)
        self.say(tr("Reading the whole registry"))
        self.everyone.emit()

    def _tick(self, item: QListWidgetItem) -> None:
        node_id = str(item.data(Qt.ItemDataRole.UserRole))
        if item.checkState() is Qt.CheckState.Checked:
            self._ticked[node_id] = self._nodes[node_id]
        else:
            self._ticked.pop(node_id, None)
        self._count()

    def _count(self) -> None:
        text = tr("Take {count}", count=len(self._ticked)) if self._ticked else tr("Take none")
        self.take.setText(text)
        self.take.setAccessibleName(text)
        self.take.setEnabled(bool(self._ticked))

    def _take(self) -> None:
        self.chosen.emit(list(self._ticked.values()))
        self.accept()
