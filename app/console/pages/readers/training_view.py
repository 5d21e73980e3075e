"""Training sites: somebody's badge at the chosen door, and the door's line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.readers.words import Door
from app.console.theme.tokens import Meaning
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
        self.door_name = ElidedLabel(tr("No door is chosen"), "heading")
        self.door_mark = StateMark()
        self.body.addWidget(self.door_name)
        self.body.addWidget(self.door_mark)
        self.body.addSpacing(4)
        caption = label(tr("Whose badge"), "dim")
        self.body.addWidget(caption)
        self.person = ChoiceField(tr("Name or id of the person"), name=tr("Person whose badge is held up"), icon="user")
        caption.setBuddy(self.person)
        self.person.searched.connect(self.searched)
        self.person.chosen.connect(self.person_chosen)
        self.person.cleared.connect(self.person_cleared)
        self.body.addWidget(self.person)
        self.body.addWidget(ActionButton(table, "readers.present", text=tr("Present"), role="primary", with_key=True))
        self.body.addSpacing(8)
        self.decision = PassingVerdict(28)
        self.decision.set(Meaning.IDLE, "–")
        self.decision_words = label(tr("The door's decision appears here."), "dim", wrap=True)
        keep_lengths(self.decision_words, lambda one: one.setMinimumHeight(theme.px(56)))
        self.decision_words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(self.decision)
        self.body.addWidget(self.decision_words)
        self.body.addWidget(separator())
        self.body.addWidget(label(tr("The door's line"), "dim"))
        self.body.addWidget(ActionButton(table, "readers.unplug", text=tr("Unplug")))
        self.body.addWidget(ActionButton(table, "readers.plug", text=tr("Plug in")))
        self.body.addStretch(1)

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
