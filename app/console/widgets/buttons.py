"""Buttons: of an action of the table, with its icon and key, enabled exactly while it can run; and plain ones."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QPushButton, QWidget

from app.console import theme
from app.console.actions import Action, ActionTable, keys_text
from app.console.theme import icons
from app.console.widgets.breadth import BUTTON

_SURELY_FITS = 30
"""So many letters with icon and padding are narrower than ``BUTTON`` in any font of ours."""


def limit_width(button: QPushButton) -> None:
    """No wide screen stretches a button; words that need more than ``BUTTON`` have it."""
    most = theme.px(BUTTON)
    # To ask for its width makes Qt look up its style at once, and once more each time it is put into something.
    if len(button.text()) > _SURELY_FITS:
        most = max(most, button.sizeHint().width())
    button.setMaximumWidth(most)


class ActionButton(QPushButton):
    """A button of one action. ``role``: primary, quiet or empty; ``bare``: icon alone, with the title as its name;
    ``with_key`` shows the key beside the title."""

    _icon = ""
    _dressed = -1

    def __init__(
        self,
        table: ActionTable,
        action_id: str,
        *,
        text: str | None = None,
        role: str = "",
        bare: bool = False,
        with_key: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._table = table
        self.action_id = action_id
        self._role = role
        self._text = text
        self._bare = bare
        self._with_key = with_key
        if role:
            self.setProperty("role", role)
        self.clicked.connect(lambda: self._table.trigger(self.action_id))
        self._known = False
        self._refusal: str | None = None
        table.follow(action_id, self)

    def follow_action(self) -> None:
        """Show how the action stands. A view may be built before its presenter has declared the page's actions."""
        try:
            action = self._table.get(self.action_id)
        except KeyError:
            self.setEnabled(False)
            return
        if not self._known:
            self._known = True
            keys = keys_text(action)
            shown = action.title if self._text is None else self._text
            gap = " " if action.icon else ""  # Fusion leaves 4 px between icon and text
            if not self._bare:
                text = f"{shown}   {keys}".rstrip() if self._with_key else shown
                self.setText(gap + text.replace("&", "&&"))
            self.setAccessibleName(action.title)
            self._icon = action.icon
            self._dress()
        if not self._table.is_here(action):
            # It is not in sight, and follows again when its page is: most buttons of the window are of other pages.
            self.setEnabled(False)
            return
        refusal = self._table.refusal(self.action_id)
        if refusal != self._refusal:
            self._refusal = refusal
            self._tell(action, refusal or action.hint)
        self.setEnabled(self._table.is_enabled(self.action_id))

    def _tell(self, action: Action, said: str) -> None:
        """What the action is for, or why it is not for the operator at the desk; and its keys."""
        keys = keys_text(action)
        self.setAccessibleDescription(" ".join(part for part in (said, keys) if part))
        first = f"{action.title}   {keys}".rstrip()
        shown = action.title if self._text is None else self._text
        self.setToolTip("\n".join(part for part in (first, said) if part and part != shown))

    def _dress(self) -> None:
        if self._icon and self._dressed != theme.edition():
            self._dressed = theme.edition()
            tokens = theme.current()
            ink = tokens.on_fill if self._role == "primary" else tokens.text
            self.setIconSize(QSize(theme.px(16), theme.px(16)))
            self.setIcon(icons.icon(self._icon, ink, size=theme.px(16), disabled=tokens.idle))
        limit_width(self)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._dress()
        super().changeEvent(event)


def plain_button(text: str, does: Callable[[], object]) -> QPushButton:
    """A button that is never a dialog's default: Enter belongs to the list or the field."""
    made = QPushButton(text)
    limit_width(made)
    made.setAccessibleName(text)
    made.setAutoDefault(False)
    made.clicked.connect(does)
    return made
