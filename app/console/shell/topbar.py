"""The top bar: title of the page, the palette's field, the service's state, the clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.console import theme
from app.console.actions import ActionTable, keys_text
from app.console.clock import clock_time, utc_time, zone_name
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark, shape_icon
from app.console.widgets.text import label

if TYPE_CHECKING:
    from app.console.desk_state import DeskOperator


class TopBar(QFrame):
    """48 px. ``set_service`` shows whether anybody answers."""

    _dressed = -1

    def __init__(self, actions: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "topbar")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(12)
        self._title = label("", "title")
        row.addWidget(self._title)
        row.addStretch(1)
        self._actions = actions
        self.search = QPushButton()
        self.search.setProperty("role", "search")
        self.search.setAccessibleName("Search and commands")
        palette = actions.get("console.palette")
        self.search.setToolTip(f"{palette.title}   {keys_text(palette)}")
        self.search.clicked.connect(lambda: actions.trigger("console.palette"))
        row.addWidget(self.search)
        row.addStretch(1)
        self.alarms = QPushButton()
        self.alarms.setProperty("role", "cell")
        opened = actions.get("console.alarms")
        self.alarms.setToolTip(f"{opened.title}   {keys_text(opened)}")
        self.alarms.clicked.connect(lambda: actions.trigger("console.alarms"))
        self._alarms_state = Meaning.IDLE
        self.set_alarms(Meaning.IDLE, "Alarms unknown")
        row.addWidget(self.alarms)
        self.operator = QPushButton()
        self.operator.setProperty("role", "cell")
        self.operator.setAccessibleName("Nobody is signed in")
        self.operator.clicked.connect(lambda: actions.trigger("console.switch"))
        self.operator.hide()
        row.addWidget(self.operator)
        self.service = StateMark(Meaning.WORK, "Starting")
        row.addWidget(self.service)
        row.addSpacing(4)
        self._time = label("", "mono")
        row.addWidget(self._time)
        self.theme_button = ActionButton(actions, "console.theme", role="quiet", bare=True)
        self.help_button = ActionButton(actions, "console.keys", role="quiet", bare=True)
        row.addWidget(self.theme_button)
        row.addWidget(self.help_button)
        self._dress()
        self.beat()

    def set_title(self, title: str) -> None:
        """Show the title of the page."""
        self._title.setText(title)

    def set_service(self, state: Meaning, word: str, hint: str = "") -> None:
        """Show the state of the connection."""
        self.service.set(state, word)
        if self.service.toolTip() != hint:
            self.service.setToolTip(hint)

    def set_operator(self, operator: DeskOperator | None) -> None:
        """Show who is signed in; nothing on a site that has no operators."""
        self.operator.setVisible(operator is not None)
        if operator is not None:
            roles = ", ".join(sorted(operator.roles))
            self.operator.setText(operator.display_name)
            self.operator.setAccessibleName(f"Signed in: {operator.display_name}")
            self.operator.setToolTip(
                f"{operator.display_name}, {roles} ({operator.operator_id}). "
                f"Switch operator   {keys_text(self._actions.get('console.switch'))}"
            )

    def set_alarms(self, state: Meaning, word: str) -> None:
        """Show how many alarms wait for somebody."""
        self._alarms_state = state
        self.alarms.setText(f" {word}")
        self.alarms.setAccessibleName(f"Alarms: {word}")
        self._dress_alarms()

    def _dress_alarms(self) -> None:
        side = theme.px(12)
        self.alarms.setIcon(shape_icon(self._alarms_state, side))
        self.alarms.setIconSize(QSize(side, side))

    def beat(self) -> None:
        """Show the clock; called once a second."""
        now = time.time()
        self._time.setText(f"{clock_time(now)} {zone_name(now)}")
        self._time.setToolTip(utc_time(now)[:19] + " UTC")

    def _dress(self) -> None:
        """Take sizes and icons from the theme, once for each edition of it."""
        if self._dressed == theme.edition():
            return
        self._dressed = theme.edition()
        self.setFixedHeight(theme.px(48))
        self.search.setIcon(icons.icon("search", theme.current().dim))
        self.search.setIconSize(QSize(theme.px(14), theme.px(14)))
        keys = keys_text(self._actions.get("console.palette"))
        self.search.setText(f"  Search and commands    {keys}")
        self.search.setFixedWidth(theme.px(340))
        self._dress_alarms()
        for button in (self.theme_button, self.help_button):
            button.setFixedWidth(theme.px(36))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "theme_button"):
            self._dress()
        super().changeEvent(event)
