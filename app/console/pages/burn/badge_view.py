"""Training sites: the field of a door, and what it decided about the subject's badge."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.verdict import PassingVerdict


class BadgePanel(TitledPanel):
    """Emits ``grown`` when it says more than before, and may need to be scrolled to."""

    grown = Signal()

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(padding=12, parent=parent)
        self.setAccessibleName(tr("Badge at a door · training"))
        self.body.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.field = ChoiceField(tr("Door"), name=tr("Door that the badge is presented at"), icon="door-closed")
        row.addWidget(self.field, 1)
        row.addWidget(ActionButton(table, "burn.present"))
        self.body.addLayout(row)
        self.verdict = PassingVerdict(20)
        self.body.addWidget(self.verdict)
        self.sentence = label(
            tr("Present the badge before and after the burn, and see the door refuse it."), "small", wrap=True
        )
        self.body.addWidget(self.sentence)
        self.past = label("", "small", wrap=True)
        self.body.addWidget(self.past)
        self.clear()

    def clear(self) -> None:
        """Another subject is chosen: nothing was presented yet."""
        self.verdict.set(Meaning.IDLE, "")
        self.verdict.hide()
        self.sentence.setText(tr("Present the badge before and after the burn, and see the door refuse it."))
        self.past.setText("")
        self.past.hide()

    def show_refusal(self, sentence: str) -> None:
        """Say that the badge could not be presented at all: no decision was made."""
        self.verdict.set(Meaning.IDLE, tr("No decision"))
        self.verdict.show()
        self.sentence.setText(sentence)
        self._tell()

    def show_decision(self, sentence: str, past: Sequence[str]) -> None:
        """Show the sentence of the newest decision, which ``verdict`` shows large, and earlier ones below it."""
        self.verdict.show()
        self.sentence.setText(sentence)
        self.past.setText("\n".join(past))
        self.past.setVisible(bool(past))
        self._tell()

    def _tell(self) -> None:
        # The new text has its height in the loop's next turn.
        QTimer.singleShot(0, self, self.grown.emit)
