"""The seals page: the list of knots, the witnesses and heads of both logs, and one knot with all that proves it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.page import PageView
from app.console.pages.seals.consents_view import ConsentsPanel
from app.console.pages.seals.knot_view import KnotView
from app.console.pages.seals.witnesses_view import WitnessesPanel
from app.console.session import WindowSession
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.folding import MainAndSide
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark

_KNOT_LEAST = 380
"""Height of what is known of a seal in one column, px at 100 % text."""


class SealsView(PageView):
    """Its head says what is looked for; the panels below are the parts'."""

    sought = Signal(str)
    """A consensus seal or a knot's name, as it was typed; the empty text: any."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("Seals"), scrolls=True)
        table = session.actions
        self.body.addLayout(self._head(table))
        self.consents = ConsentsPanel(table)
        self.witnesses = WitnessesPanel()
        self.knot = KnotView(table)
        self.body.addWidget(MainAndSide(self.consents, self.knot, self.witnesses, below=_KNOT_LEAST), 1)

    def grounds(self) -> Sequence[QWidget]:
        head = (self.node, self.seal, self.mark, self.trust_button, self.seal_button)
        return (*self.frame_grounds, *head, self.consents, self.knot, self.witnesses)

    def _head(self, table: ActionTable) -> QHBoxLayout:
        """What is looked for, how old the list is, and what can be sealed or trusted."""
        head = QHBoxLayout()
        head.setSpacing(8)
        self.node = ChoiceField(tr("Person or node id   /"), name=tr("Only seals of this person"))
        keep_lengths(self.node, lambda one: one.setMinimumWidth(theme.px(200)))
        self.seal = QLineEdit()
        self.seal.setPlaceholderText(tr("Seal 0x… or KNOT-…   Alt+4"))
        self.seal.setAccessibleName(tr("Find by consensus seal or by the knot's name"))
        self.seal.setClearButtonEnabled(True)
        keep_lengths(self.seal, lambda one: one.setMinimumWidth(theme.px(270)))
        self.seal.returnPressed.connect(lambda: self.sought.emit(self.seal.text().strip()))
        self.seal.textChanged.connect(lambda text: None if text else self.sought.emit(""))
        self.mark = StateMark()
        for part in (self.node, self.seal, self.mark):
            head.addWidget(part)
        head.addStretch(1)
        self.trust_button = ActionButton(table, "seals.trust", text=tr("Trust the new policy"))
        self.trust_button.hide()
        head.addWidget(self.trust_button)
        self.seal_button = ActionButton(table, "seals.seal", text=tr("Seal a consent"), role="primary")
        head.addWidget(self.seal_button)
        return head

    @property
    def typing(self) -> bool:
        """Whether the keys go to a field of the head."""
        return self.node.hasFocus() or self.seal.hasFocus()

    def show_trust(self, sentence: str, changed: bool) -> None:
        """Say whose signatures are believed; ``changed``: the service gives another policy now."""
        self.trust_button.setVisible(changed)
        self.witnesses.show_trust(sentence, changed)
