"""A button that opens a menu of actions: each line has the title and the key of one, and is off while it cannot run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.console import theme
from app.console.actions import ActionTable, keys_text
from app.console.theme import icons


class MenuButton(QPushButton):
    """``text`` stands on it, ``name`` is read aloud, ``actions`` are ids of the table."""

    def __init__(
        self, table: ActionTable, text: str, name: str, icon: str, actions: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(f" {text}", parent)
        self._table = table
        self._icon = icon
        self._ids = tuple(actions)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.clicked.connect(self._open)
        self._dress()

    def menu_of(self) -> QMenu:
        """The menu as it would open now."""
        menu = QMenu(self)
        menu.setAccessibleName(self.accessibleName())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for name in self._ids:
            action = self._table.get(name)
            keys = keys_text(action)
            made = menu.addAction(f"{action.title}\t{keys}" if keys else action.title)
            made.setToolTip(self._table.refusal(name) or action.hint)
            made.setEnabled(self._table.is_enabled(name))
            made.triggered.connect(lambda _checked=False, name=name: self._table.trigger(name))
        return menu

    def _open(self) -> None:
        """Never ``exec``: a second event loop would break running tasks."""
        menu = self.menu_of()
        menu.popup(self.mapToGlobal(QPoint(self.width() - menu.sizeHint().width(), self.height())))

    def _dress(self) -> None:
        side = theme.px(16)
        self.setIconSize(QSize(side, side))
        self.setIcon(icons.icon(self._icon, theme.current().text, size=side, disabled=theme.current().idle))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._dress()
        super().changeEvent(event)
