"""The order of a burn: how far, why, and the two ways to say so; and the containment for a while."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.burn.messages import Scope
from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.burn.lock_times import seconds_of
from app.console.pages.burn.words import REASONS, SCOPES
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.hold_or_type import HoldOrType
from app.console.widgets.marks import StateMark
from app.console.widgets.text import TitledPanel, label, separator
from app.console.widgets.wrap_row import WrapRow

TIME = "15 min"
LONGEST_MESSAGE = 4000


NOBODY_BOX = (
    tr("Burn an id that nobody has"),
    tr("No person is burned by it: only the id itself is denied at the doors."),
)
UNSEEN_BOX = (
    tr("Burn this id unseen"),
    tr("Nobody can look up now who has it: it is denied at the doors as it was typed."),
)
"""What is ticked before an id is burned of which no person is known, and what that means."""


class OrderPanel(TitledPanel):
    """Scope, reason, and the two ways to burn: hold, or type the node id. Emits ``changed`` and ``ordered``."""

    changed = Signal()
    ordered = Signal()

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(tr("Burn"), padding=12, parent=parent)
        self.body.setSpacing(5)
        self.mark = StateMark()
        self.mark.hide()
        self.head.addWidget(self.mark)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.body.addLayout(self._parts)
        what, how = QVBoxLayout(), QVBoxLayout()
        for part in (what, how):
            self._parts.addLayout(part)
            part.setSpacing(5)
        self._scopes = QButtonGroup(self)
        self.scope_buttons: dict[Scope, QRadioButton] = {}
        scopes = WrapRow()
        what.addLayout(scopes)
        for scope, title, meaning in SCOPES:
            button = QRadioButton(title)
            button.setAccessibleName(tr("Scope: {scope}", scope=title))
            button.setAccessibleDescription(meaning)
            button.setToolTip(meaning)
            self._scopes.addButton(button)
            self.scope_buttons[scope] = button
            scopes.addWidget(button)
        self.scope_buttons["GLOBAL_REVOCATION"].setChecked(True)
        self._scopes.buttonClicked.connect(lambda _button: self.changed.emit())
        self.reason = QLineEdit()
        self.reason.setPlaceholderText(tr("Reason, kept in the audit log"))
        self.reason.setAccessibleName(tr("Reason of the burn"))
        self.reason.setMaxLength(1000)
        self.reason.textChanged.connect(lambda _text: self.changed.emit())
        what.addWidget(self.reason)
        quick = QHBoxLayout()
        what.addLayout(quick)
        quick.setSpacing(4)
        for key, _ in REASONS:
            quick.addWidget(ActionButton(table, f"burn.reason_{key}"))
        quick.addStretch(1)
        self.nobody = QCheckBox(NOBODY_BOX[0])
        self.nobody.toggled.connect(lambda _on: self.changed.emit())
        self.nobody.hide()
        what.addWidget(self.nobody)
        self.confirm = HoldOrType(tr("Hold to burn"), tr("node id"))
        self.confirm.ordered.connect(self.ordered)
        self.confirm.mistyped.connect(self._refuse_word)
        self.hold, self.typed = self.confirm.hold, self.confirm.typed
        how.addWidget(self.confirm)
        self.next = label("", "small", wrap=True)
        how.addWidget(self.next)
        for part in (what, how):
            part.addStretch(1)
        self.body.addWidget(separator())
        self._contain = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.body.addLayout(self._contain)
        lock, acts = QHBoxLayout(), QHBoxLayout()
        for row in (lock, acts):
            self._contain.addLayout(row)
            row.setSpacing(8)
        self.time = QLineEdit(TIME)
        self.time.setAccessibleName(tr("How long to contain: seconds, minutes, hours or days, at most 7 days"))
        self.time.setToolTip(tr("90 s, 15 min, 8 h, 2 d; at most 7 d"))
        self.time.setMaxLength(12)
        self.message = QLineEdit()
        self.message.setMaxLength(LONGEST_MESSAGE)
        self.message.setPlaceholderText(tr("Why"))
        self.message.setAccessibleName(tr("Message of the containment"))
        self.message.setToolTip(tr("Stands in the list, for those who read it"))
        for field in (self.time, self.message):
            field.returnPressed.connect(lambda: table.trigger("burn.contain"))
        self.time.textChanged.connect(lambda _text: self._check_time(table))
        until = label(tr("Or contain"), "section")
        until.setToolTip(tr("Denied here for a while; it can be taken back."))
        lock.addWidget(until)
        lock.addWidget(self.time, 2)
        lock.addWidget(self.message, 3)
        acts.addWidget(ActionButton(table, "burn.contain", text=tr("Contain now")))
        acts.addWidget(ActionButton(table, "burn.release", text=tr("Release")))
        acts.addStretch(1)
        self.held = StateMark()
        self.held.hide()
        self.body.addWidget(self.held)
        self.lie(False)

    def lie(self, flat: bool) -> None:
        """Have what is ordered, and how, beside each other, and the containment in one row; or all in a column."""
        for parts, space in ((self._parts, 24), (self._contain, 12)):
            lay(parts, across=flat)
            parts.setSpacing(space if flat else 5)
            for at in range(2):
                parts.setStretch(at, int(flat))

    @property
    def scope(self) -> Scope:
        """The scope that is chosen."""
        return next(scope for scope, button in self.scope_buttons.items() if button.isChecked())

    def choose_scope(self, scope: Scope) -> None:
        """Fill the scope in, without ``changed``."""
        self.scope_buttons[scope].setChecked(True)

    def show_ready(self, ready: bool, sentence: str, node_id: str, *, drill: bool) -> None:
        """Let the hold answer (``ready``) or not. ``sentence`` says what is missing, or what happens. ``drill``:
        nothing real would end, and the button says so."""
        if ready:
            named = tr("Hold to burn {person}", person=node_id)
            verb = tr("DRILL: hold to burn {person}", person=node_id) if drill else named
        else:
            verb = tr("DRILL: hold to burn") if drill else tr("Hold to burn")
        self.confirm.show_ready(ready, verb, node_id)
        self.next.setText(sentence)

    def ask_nobody(self, asks: bool, *, unseen: bool = False) -> None:
        """Show the box of an id that nobody has, or take it away with its tick. ``unseen``: whether somebody has it
        cannot be looked up; a tick for the one is none for the other."""
        title, meaning = UNSEEN_BOX if unseen else NOBODY_BOX
        if not asks or self.nobody.text() != title:
            self.nobody.setChecked(False)
        self.nobody.setText(title)
        self.nobody.setAccessibleDescription(meaning)
        self.nobody.setToolTip(meaning)
        self.nobody.setVisible(asks)

    def _refuse_word(self, word: str) -> None:
        self.next.setText(tr("That is not {word}. Nothing was burned.", word=word))

    @property
    def seconds(self) -> int | None:
        """How long to contain; None while it cannot be read."""
        return seconds_of(self.time.text())

    def show_held(self, words: str, state: Meaning) -> None:
        """Say how the subject is contained; the empty text hides it."""
        self.held.set(state, words)
        self.held.setVisible(bool(words))

    def _check_time(self, table: ActionTable) -> None:
        theme.mark_invalid(self.time, self.seconds is None)
        table.refresh()
