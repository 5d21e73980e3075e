"""Training sites: the field of a door, and what it decided about the subject's badge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.verdict import PassingVerdict


@dataclass(frozen=True)
class PastDecision:
    """A decision of a door, as it is read later: the word of it; and when, at which door and why, too."""

    decision: str
    whole: str


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
        told = QHBoxLayout()
        self.body.addLayout(told)
        told.setSpacing(12)
        self.verdict = PassingVerdict(20)
        told.addWidget(self.verdict, 0, Qt.AlignmentFlag.AlignLeft)
        # Beside it: a list below it would move the page.
        self.past = ElidedLabel("", "small")
        self.past.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        told.addWidget(self.past, 1)
        self.sentence = label(
            tr("Present the badge before and after the burn, and see the door refuse it."), "small", wrap=True
        )
        self.body.addWidget(self.sentence)
        self.clear()

    def clear(self) -> None:
        """Another subject is chosen: nothing was presented yet."""
        self.verdict.set(Meaning.IDLE, "")
        self.verdict.hide()
        self.sentence.setText(tr("Present the badge before and after the burn, and see the door refuse it."))
        self._show_past(())

    def show_refusal(self, sentence: str) -> None:
        """Say that the badge could not be presented at all: no decision was made."""
        self.verdict.set(Meaning.IDLE, tr("No decision"))
        self.verdict.show()
        self.sentence.setText(sentence)
        self._tell()

    def show_decision(self, sentence: str, past: Sequence[PastDecision]) -> None:
        """Show the sentence of the newest decision, which ``verdict`` shows large, and earlier ones beside it."""
        self.verdict.show()
        self.sentence.setText(sentence)
        self._show_past(past)
        self._tell()

    def _show_past(self, past: Sequence[PastDecision]) -> None:
        """Show earlier decisions in their order; ``past`` has the newest first. Times, doors and reasons are in the
        tooltip."""
        decisions = " · ".join(one.decision for one in reversed(past))
        self.past.setText(tr("before: {decisions}", decisions=decisions) if past else "")
        self.past.setToolTip("\n".join(one.whole for one in past))
        self.past.setVisible(bool(past))

    def _tell(self) -> None:
        # The new text has its height in the loop's next turn.
        QTimer.singleShot(0, self, self.grown.emit)
