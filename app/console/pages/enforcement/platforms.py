"""Which platforms a strike goes to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.console.language import tr
from app.console.pages.enforcement.words import CHANNELS
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.text import label
from app.registry.messages.platforms import NoticePlatform

MOST = 20
"""Platforms of one strike."""


class PlatformsDialog(Dialog):
    """A list with a tick for each platform: Space switches it, Enter takes the ticked ones. ``chosen`` gives their ids,
    ``register`` asks for where platforms are registered."""

    chosen = Signal(tuple)
    register = Signal()

    def __init__(self, window: QWidget, rows: Sequence[NoticePlatform], ticked: Sequence[str], law: str) -> None:
        super().__init__(window)
        title = tr("Choose platforms")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_dialog(self, 700, 420)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title"))
        words = (
            tr("Space ticks one, Enter takes the ticked ones. Addresses come from the registry, never from the draft.")
            if rows
            else tr(
                "No platform is registered. Register one: its channel and its address stay the same for every strike."
            )
        )
        column.addWidget(label(words, "dim", wrap=True))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Platforms"))
        default = "   " + tr("default")
        for row in rows:
            channel, address = _contact(row, law)
            way = f"{row.display_name}   {CHANNELS[channel]}, {address}"
            item = QListWidgetItem(f"{way}{default if row.default else ''}")
            item.setData(Qt.ItemDataRole.UserRole, row.platform_id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if row.platform_id in ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(lambda _item: self._count())
        column.addWidget(self.list, 1)
        self.said = label("", "small", wrap=True)
        column.addWidget(self.said)
        row_ = QHBoxLayout()
        row_.addWidget(plain_button(tr("Register a platform…"), self._register))
        row_.addStretch(1)
        row_.addWidget(plain_button(tr("Cancel"), self.reject))
        self.take_ = plain_button(tr("Take these"), self._take)
        self.take_.setProperty("role", "primary")
        row_.addWidget(self.take_)
        column.addLayout(row_)
        self._count()
        self.list.setFocus()

    @property
    def ticked(self) -> tuple[str, ...]:
        """Ids that are ticked, in the order of the list."""
        items = (self.list.item(at) for at in range(self.list.count()))
        return tuple(
            str(one.data(Qt.ItemDataRole.UserRole)) for one in items if one.checkState() == Qt.CheckState.Checked
        )

    def _count(self) -> None:
        count = len(self.ticked)
        self.take_.setEnabled(0 < count <= MOST)
        self.said.setText(
            tr("{count} ticked; at most {most} in one strike.", count=count, most=MOST)
            if count > MOST
            else tr("{count} ticked.", count=count)
        )

    def _take(self) -> None:
        if self.take_.isEnabled():
            self.chosen.emit(self.ticked)
            self.accept()

    def _register(self) -> None:
        self.reject()
        self.register.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
            event.accept()
            return
        super().keyPressEvent(event)


def _contact(row: NoticePlatform, law: str) -> tuple[str, str]:
    """Channel and address under a law: the most exact code first."""
    code = law
    while code:
        if (contact := row.framework_contacts.get(code)) is not None:
            return contact.channel, contact.address
        code = code.rpartition("-")[0]
    return row.channel, row.address
