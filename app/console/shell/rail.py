"""The rail: one checkable button a page, with its key, in groups under captions. 196 px wide, icons alone (56 px) in a
window narrower than 1200 px."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import key_words
from app.console.language import tr
from app.console.page import PageRow
from app.console.theme import icons
from app.console.widgets.text import label

WIDE, NARROW = 196, 56
HEAD_PX, ITEM_PX, CAPTION_PX, GAP_PX = 48, 32, 24, 2
_KEY_EDGE_PX, _ARROW_GAP_PX = 12, 3


class RailButton(QPushButton):
    """A page of the rail, with its key at the right: painted, because a label for each costs the first frame more than
    all buttons do. ``key`` is what is shown of it, ``3`` for Ctrl+3; ``shift``: the arrow of Shift stands before it."""

    def __init__(self, key: str, *, shift: bool) -> None:
        super().__init__()
        self.key = key
        self.shift = shift
        self.key_shown = True
        """Icons alone have no room for a key."""
        self.setProperty("role", "rail")
        self.setCheckable(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.key_shown:
            return
        painter = QPainter(self)
        painter.setFont(theme.ui(11))
        painter.setPen(QColor(theme.current().dim))
        metrics = painter.fontMetrics()
        left = self.width() - _KEY_EDGE_PX - metrics.horizontalAdvance(self.key)
        painter.drawText(left, (self.height() + metrics.ascent() - metrics.descent()) // 2, self.key)
        if self.shift:
            side = theme.px(12)
            arrow = icons.pixmap("arrow-big-up", theme.current().dim, side, self.devicePixelRatioF())
            painter.drawPixmap(left - _ARROW_GAP_PX - side, (self.height() - side) // 2, arrow)


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
        self.buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 8)
        column.setSpacing(GAP_PX)
        self._head = QWidget(self)
        head = QHBoxLayout(self._head)
        head.setContentsMargins(16, 0, 12, 0)
        head.setSpacing(10)
        self._mark = QLabel()
        self._name = label("ARC Console", "heading")
        head.addWidget(self._mark)
        head.addWidget(self._name)
        head.addStretch(1)
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
            # "3" for Ctrl+3, and the arrow of Shift before it for Ctrl+Shift+3: all begin alike.
            button = RailButton(row.keys.rpartition("+")[2], shift="Shift" in row.keys)
            button.setAccessibleName(row.title)
            keys = key_words(row.keys)
            button.setToolTip(f"{row.title}   {keys}")
            button.setAccessibleDescription(keys)
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
            button.key_shown = not self._narrow
            # The first time nothing is looked up anew: that would cost the first frame.
            if bool(button.property("narrow")) != self._narrow:
                theme.set_property(button, "narrow", self._narrow)

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
