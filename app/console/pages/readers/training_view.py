"""Training sites: somebody's badge at the chosen door, and the door's line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.readers.words import Door
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.verdict import PassingVerdict


class TrainingPanel(TitledPanel):
    """Emits ``searched`` (text), ``person_chosen`` (Choice) and ``person_cleared``."""

    searched = Signal(str)
    person_chosen = Signal(object)
    person_cleared = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Training: at the door"), padding=12)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.body.addLayout(self._parts)
        door, badge, decided, line = (QVBoxLayout() for _ in range(4))
        for part in (door, badge, decided, line):
            self._parts.addLayout(part)
            part.setSpacing(8)
        self.door_name = ElidedLabel(tr("No door is chosen"), "heading")
        self.door_mark = StateMark()
        door.addWidget(self.door_name)
        door.addWidget(self.door_mark)
        caption = label(tr("Whose badge"), "dim")
        badge.addWidget(caption)
        self.person = ChoiceField(tr("Name or id of the person"), name=tr("Person whose badge is held up"), icon="user")
        caption.setBuddy(self.person)
        self.person.searched.connect(self.searched)
        self.person.chosen.connect(self.person_chosen)
        self.person.cleared.connect(self.person_cleared)
        badge.addWidget(self.person)
        badge.addWidget(ActionButton(table, "readers.present", text=tr("Present"), role="primary", with_key=True))
        self.decision = PassingVerdict(28)
        self.decision.set(Meaning.IDLE, "–")
        self.decision_words = label(tr("The door's decision appears here."), "dim", wrap=True)
        keep_lengths(self.decision_words, lambda one: one.setMinimumHeight(theme.px(56)))
        self.decision_words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        decided.addWidget(self.decision)
        decided.addWidget(self.decision_words)
        self._line = separator()
        line.addWidget(self._line)
        line.addWidget(label(tr("The door's line"), "dim"))
        line.addWidget(ActionButton(table, "readers.unplug", text=tr("Unplug")))
        line.addWidget(ActionButton(table, "readers.plug", text=tr("Plug in")))
        for part in (door, badge, decided, line):
            part.addStretch(1)
        self.body.addStretch(1)
        self.lie(False)

    def lie(self, flat: bool) -> None:
        """Have door, badge, decision and line beside each other in a row, or below each other in a column."""
        lay(self._parts, across=flat)
        self._parts.setSpacing(24 if flat else 12)
        self._line.setHidden(flat)
        self._flat = flat
        # Its name has no width of its own: it is shortened before anything else is.
        self.door_name.setMinimumWidth(theme.px(168) if flat else 0)
        for at, share in enumerate((3, 4, 4, 3)):
            self._parts.setStretch(at, share if flat else 0)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_flat"):
            self.lie(self._flat)
        super().changeEvent(event)

    def show_door(self, door: Door | None) -> None:
        """Show the chosen door; None: there is none."""
        self.door_name.setText(door.reader.reader_id if door else tr("No door is chosen"))
        self.door_mark.setVisible(door is not None)
        if door is not None:
            self.door_mark.set(door.state, door.word)

    def show_words(self, word: str, words: str) -> None:
        """Show why there is no decision."""
        self.decision.set(Meaning.IDLE, word)
        self.decision_words.setText(words)
