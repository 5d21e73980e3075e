"""The rail: one checkable button a page, with its key, in groups under captions. 196 px wide, icons alone (56 px) in a
window narrower than 1200 px."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import key_words
from app.console.language import tr
from app.console.page import PageRow
from app.console.theme import icons
from app.console.widgets.text import label

WIDE, NARROW = 196, 56
HEAD_PX, ITEM_PX, CAPTION_PX, GAP_PX = 48, 32, 24, 2


class Rail(QFrame):
    """Emits ``picked`` with the page's id."""

    picked = Signal(str)

    def __init__(self, pages: Sequence[PageRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "rail")
        self.setAccessibleName(tr("Pages"))
        self._pages = list(pages)
        self._narrow = False
        self._dressed: tuple[int, bool] | None = None
        self.buttons: dict[str, QPushButton] = {}
        self.keys: dict[str, QLabel] = {}
        """What is shown of each page's key; the tooltip has it whole."""
        self.shifts: dict[str, QLabel] = {}
        """The arrow before it, where Shift is one of the keys."""
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 8)
        column.setSpacing(GAP_PX)
        head = QHBoxLayout()
        head.setContentsMargins(16, 0, 12, 0)
        head.setSpacing(10)
        self._mark = QLabel()
        self._name = label("ARC Console", "heading")
        head.addWidget(self._mark)
        head.addWidget(self._name)
        head.addStretch(1)
        self._head = QWidget()
        self._head.setLayout(head)
        column.addWidget(self._head)
        column.addSpacing(8)
        self.captions: dict[str, QLabel] = {}
        for row in self._pages:
            if row.group and row.group not in self.captions:
                caption = self.captions[row.group] = label(row.group, "railcaption")
                column.addWidget(caption)
            # Settings are about the operator, not about the work: they stand at the foot.
            if row.id == "settings":
                column.addStretch(1)
            button = QPushButton()
            button.setProperty("role", "rail")
            button.setCheckable(True)
            button.setAccessibleName(row.title)
            keys = key_words(row.keys)
            button.setToolTip(f"{row.title}   {keys}")
            button.setAccessibleDescription(keys)
            # "3" for Ctrl+3, and the arrow of Shift before it for Ctrl+Shift+3: all begin alike.
            key = label(row.keys.rpartition("+")[2], "railkey")
            inside = QHBoxLayout(button)
            inside.setContentsMargins(0, 0, 12, 0)
            inside.setSpacing(3)
            inside.addStretch(1)
            if "Shift" in row.keys:
                shift = self.shifts[row.id] = QLabel()
                inside.addWidget(shift)
            inside.addWidget(key)
            self.keys[row.id] = key
            button.clicked.connect(lambda _checked=False, name=row.id: self.picked.emit(name))
            button.toggled.connect(lambda _checked, page=row: self._ink(page))
            self._group.addButton(button)
            self.buttons[row.id] = button
            column.addWidget(button)
        self._dress()

    def set_current(self, page: str) -> None:
        """Mark the page that is shown."""
        if page in self.buttons:
            self.buttons[page].setChecked(True)

    def set_narrow(self, narrow: bool) -> None:
        """Show icons alone, or icons and names."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._dress()

    def _dress(self) -> None:
        """Size, icons and texts for the theme in force and the width of the rail; only when one of them changed."""
        if self._dressed == (theme.edition(), self._narrow):
            return
        self._dressed = (theme.edition(), self._narrow)
        self.setFixedWidth(theme.px(NARROW if self._narrow else WIDE))
        self._head.setFixedHeight(theme.px(HEAD_PX))
        for caption in self.captions.values():
            caption.setFixedHeight(theme.px(CAPTION_PX))
        self._fit_captions()
        self._mark.setPixmap(
            icons.pixmap("shield-check", theme.current().accent, theme.px(20), self.devicePixelRatioF())
        )
        self._name.setVisible(not self._narrow)
        size = theme.px(18)
        for row in self._pages:
            button = self.buttons[row.id]
            button.setIconSize(QSize(size, size))
            self._ink(row)
            button.setText("" if self._narrow else f"  {row.title}")
            self.keys[row.id].setVisible(not self._narrow)
            # The first time nothing is looked up anew: that would cost the first frame.
            if bool(button.property("narrow")) != self._narrow:
                button.setProperty("narrow", self._narrow)
                button.style().unpolish(button)
                button.style().polish(button)
        arrow = icons.pixmap("arrow-big-up", theme.current().dim, theme.px(12), self.devicePixelRatioF())
        for shift in self.shifts.values():
            shift.setPixmap(arrow)
            shift.setVisible(not self._narrow)

    def _fit_captions(self) -> None:
        """Captions give way first: beside icons alone, and where the window is too low for all of it."""
        items = len(self._pages) * (theme.px(ITEM_PX) + GAP_PX) + theme.px(HEAD_PX) + 24
        fits = self.height() >= items + len(self.captions) * (theme.px(CAPTION_PX) + GAP_PX)
        for caption in self.captions.values():
            caption.setVisible(fits and not self._narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_captions()

    def _ink(self, row: PageRow) -> None:
        """Draw the icon in its present colour alone: drawing the other one too would double the work of the rail."""
        tokens, button = theme.current(), self.buttons[row.id]
        colour = tokens.accent if button.isChecked() else tokens.dim
        button.setIcon(icons.icon(row.icon, colour, size=theme.px(18)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {int(QtCore.Qt.Key.Key_Down): 1, int(QtCore.Qt.Key.Key_Up): -1}.get(event.key())
        order = list(self.buttons.values())
        focused = next((at for at, button in enumerate(order) if button.hasFocus()), None)
        if step is not None and focused is not None:
            order[(focused + step) % len(order)].setFocus(QtCore.Qt.FocusReason.TabFocusReason)
            event.accept()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_group") and self.buttons:
            self._dress()
        super().changeEvent(event)
