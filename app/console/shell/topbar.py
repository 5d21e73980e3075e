"""The top bar: title of the page, the palette's field, the alarms, who is at the desk. The field never moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.console import theme
from app.console.actions import ActionTable, keys_text
from app.console.language import tr
from app.console.permissions import ROLE_WORDS
from app.console.shell.operator_cell import OperatorCell
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark, shape_icon
from app.console.widgets.text import label

if TYPE_CHECKING:
    from app.console.desk_state import DeskOperator


SEARCH_AT_PX, SEARCH_PX = 344, 340
"""Where the field begins, from the rail's edge, and how wide it is."""
NARROW_AT_PX, NARROW_PX = 150, 240
"""The same beside a narrow rail."""
_EDGE, _GAP = 16, 12


class TopBar(QFrame):
    """48 px. ``set_service`` shows it when nobody answers. ``titles``: those of all pages. What has no room at the
    right gives way: the two buttons first, whose keys stay, then the end of the operator's words."""

    _dressed = -1

    def __init__(self, actions: ActionTable, titles: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "topbar")
        self._titles = list(titles)
        self._narrow = False
        self._search_wide = SEARCH_PX
        row = QHBoxLayout(self)
        row.setContentsMargins(_EDGE, 0, _EDGE, 0)
        row.setSpacing(_GAP)
        self._title = label("", "title")
        row.addWidget(self._title)
        self._actions = actions
        self.search = QPushButton()
        self.search.setProperty("role", "search")
        self.search.setAccessibleName(tr("Search and commands"))
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
        self.set_alarms(Meaning.IDLE, tr("Alarms unknown"))
        row.addWidget(self.alarms)
        self.operator = OperatorCell()
        self.operator.setAccessibleName(tr("Nobody is signed in"))
        self.operator.clicked.connect(lambda: actions.trigger("console.switch"))
        self.operator.hide()
        row.addWidget(self.operator)
        self.service = StateMark(Meaning.WORK, tr("Starting"))
        row.addWidget(self.service)
        row.addSpacing(4)
        self.theme_button = ActionButton(actions, "console.theme", role="quiet", bare=True)
        self.help_button = ActionButton(actions, "console.keys", role="quiet", bare=True)
        row.addWidget(self.theme_button)
        row.addWidget(self.help_button)
        self._dress()

    def set_title(self, title: str) -> None:
        """Show the title of the page."""
        self._title.setText(title)

    def set_service(self, state: Meaning, word: str, hint: str = "") -> None:
        """Show the state of the connection, unless all is well: the status bar says so then."""
        self.service.set(state, word)
        self.service.setVisible(state is not Meaning.OK)
        self._fit()
        if self.service.toolTip() != hint:
            self.service.setToolTip(hint)

    def set_operator(self, operator: DeskOperator | None) -> None:
        """Show who is signed in; nothing on a site that has no operators."""
        self.operator.setVisible(operator is not None)
        if operator is not None:
            roles = ", ".join(ROLE_WORDS[one] for one in sorted(operator.roles))
            self.operator.set_words(operator.display_name, roles)
            self.operator.setAccessibleName(tr("Signed in: {name}", name=operator.display_name))
            self.operator.setToolTip(
                tr(
                    "{name}, {roles} ({operator_id}). Switch operator   {keys}",
                    name=operator.display_name,
                    roles=roles,
                    operator_id=operator.operator_id,
                    keys=keys_text(self._actions.get("console.switch")),
                )
            )
        self._fit()

    def set_alarms(self, state: Meaning, word: str) -> None:
        """Show how many alarms wait for somebody."""
        self._alarms_state = state
        urgent = "true" if state is Meaning.CRIT else "false"
        # Looked up anew only where it changes: the first frame pays for nothing.
        if (self.alarms.property("urgent") or "false") != urgent:
            theme.set_property(self.alarms, "urgent", urgent)
        self.alarms.setText(f" {word}")
        self.alarms.setAccessibleName(tr("Alarms: {word}", word=word))
        self._dress_alarms()
        self._fit()

    def _dress_alarms(self) -> None:
        side = theme.px(12)
        self.alarms.setIcon(shape_icon(self._alarms_state, side))
        self.alarms.setIconSize(QSize(side, side))

    def set_narrow(self, narrow: bool) -> None:
        """Stand beside a narrow rail, or a wide one."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._place_search()

    def _place_search(self) -> None:
        """The field begins at the same place on every page: the widest title decides where the design's has no room."""
        begin, wide = (NARROW_AT_PX, NARROW_PX) if self._narrow else (SEARCH_AT_PX, SEARCH_PX)
        widest = max((self._title.fontMetrics().horizontalAdvance(one) for one in self._titles), default=0)
        self._title.setFixedWidth(max(theme.px(begin) - _EDGE - _GAP, widest + 2))
        self._search_wide = theme.px(wide)
        keys = keys_text(self._actions.get("console.palette"))
        # Without room for the keys beside it, the tooltip has them.
        self.search.setText(
            tr("  Search and commands") if self._narrow else tr("  Search and commands    {keys}", keys=keys)
        )
        self._fit()

    def _fit(self) -> None:
        """Leave out what has no room at the right."""
        if not hasattr(self, "help_button"):
            return  # it is being made
        self.operator.set_room(None)
        room = self.width() - 2 * _EDGE - self._title.width() - self._search_wide - 2 * _GAP
        kept: list[QWidget] = [self.alarms] if self.service.state is Meaning.OK else [self.alarms, self.service]
        if not self.operator.isHidden():
            kept.append(self.operator)
        taken = sum(one.sizeHint().width() + _GAP for one in kept) + 4
        for optional in (self.theme_button, self.help_button):
            fits = taken + theme.px(36) + _GAP <= room
            optional.setVisible(fits)
            if fits:
                taken += theme.px(36) + _GAP
        if taken > room and not self.operator.isHidden():
            whole = self.operator.sizeHint().width()
            self.operator.set_room(max(whole - (taken - room), 0))
            taken += self.operator.sizeHint().width() - whole
        # Last of all the field itself: at 150 % text a narrow window has no room for it as the design has it.
        self.search.setFixedWidth(max(self._search_wide - max(taken - room, 0), theme.px(40)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _dress(self) -> None:
        """Take sizes and icons from the theme, once for each edition of it."""
        if self._dressed == theme.edition():
            return
        self._dressed = theme.edition()
        self.setFixedHeight(theme.px(48))
        self.search.setIcon(icons.icon("search", theme.current().dim))
        self.search.setIconSize(QSize(theme.px(14), theme.px(14)))
        self._place_search()
        self._dress_alarms()
        for button in (self.theme_button, self.help_button):
            button.setFixedWidth(theme.px(36))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "theme_button"):
            self._dress()
        super().changeEvent(event)
