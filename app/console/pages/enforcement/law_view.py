"""Beside the draft: what the law asks for, how old its file is, who signed it off, and the button that issues."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout

from app.capabilities.enforcement.messages import Jurisdiction
from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.enforcement.elements_view import ElementsList
from app.console.pages.enforcement.law_words import (
    CHECKING,
    ShownElement,
    clock_words,
    review_words,
    sign_off_note,
    signed_words,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.note_band import NoteBand
from app.console.widgets.text import TitledPanel, label

FACTS = (
    ("clock", tr("Clock"), False),
    ("file", tr("Law file"), False),
    ("to", tr("Goes to"), False),
)


class LawPanel(TitledPanel):
    """``edited`` when the dispatch of takedown notices was switched."""

    edited = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("What this law asks for"), padding=12)
        self.body.setSpacing(6)
        self.mark = StateMark()
        self.mark.hide()
        # As high as that of the draft, which has buttons: what stands below begins at one height.
        self.head.addStrut(theme.px(34))
        self.head.addWidget(self.mark)
        self.count = StateMark(Meaning.IDLE, tr("No law is chosen"))
        self.head.addWidget(self.count)
        self.guide = label(
            tr(
                "Choose a law. What it asks for stands here, each with its basis, and gets its sign as you "
                "type."), "dim",
            wrap=True,
        )  # fmt: skip
        self.body.addWidget(self.guide)
        self.elements = ElementsList()
        self.body.addWidget(self.elements, 1)
        self.facts = Facts(FACTS)
        self.body.addWidget(self.facts)
        self.note = NoteBand()
        self.body.addWidget(self.note)
        self.warnings = NoteBand()
        self.body.addWidget(self.warnings)
        self.dispatch = QCheckBox(tr("Send takedown notices at once, too"))
        self.dispatch.setAccessibleDescription(
            tr("Without it takedown notices wait for your release. With it the work and the attestation are asked for.")
        )
        self.dispatch.setToolTip(self.dispatch.accessibleDescription())
        self.dispatch.toggled.connect(lambda _on: self.edited.emit())
        self.body.addWidget(self.dispatch)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.issue = ActionButton(table, "enforcement.issue", text=tr("Issue"), role="primary")
        self.about = ActionButton(table, "enforcement.law", text=tr("About this law"))
        row.addWidget(self.issue, 1)
        row.addWidget(self.about)
        self.body.addLayout(row)
        self.show_law(None, "", training=False)

    def show_law(self, law: Jurisdiction | None, nature: str, *, training: bool) -> None:
        """Show what the file of a law says of itself; None: no law is chosen."""
        self.guide.setVisible(law is None)
        for part in (self.facts, self.dispatch):
            part.setVisible(law is not None)
        if law is None:
            self.note.say(Meaning.IDLE, "")
            return
        self.facts.set("clock", clock_words(law, nature or None).replace(" h", "\u00a0h"))
        changed = tr(", changed by this site") if law.overridden else ""
        signed = tr(", signed off by {person}", person=signed_words(law)) if law.reviewed_by is not None else ""
        self.facts.set("file", f"{review_words(law)}{signed}{changed}")
        self.facts.set("to", law.recipient)
        self.note.say(*sign_off_note(law, training=training))

    def show_warnings(self, warnings: Sequence[str]) -> None:
        """Show what the service warns of in this draft; none of it keeps anybody from issuing it."""
        self.warnings.say(Meaning.WARN, warnings[0] if warnings else "", " ".join(warnings[1:]))

    def show_elements(self, elements: Sequence[ShownElement], *, checked: str = "") -> None:
        """Show what is there and what is missing; ``checked``: ``CHECKING`` or ``NOT_CHECKED`` where the count is
        not of now."""
        self.elements.show_elements(elements)
        there = sum(one.there for one in elements)
        if not elements:
            self.count.set(Meaning.IDLE, checked or tr("No law is chosen"))
        elif checked:
            self.count.set(
                Meaning.WORK if checked == CHECKING else Meaning.IDLE,
                tr("{count} of {total}, checking", count=there, total=len(elements))
                if checked == CHECKING
                else tr("{count} of {total}, not checked", count=there, total=len(elements)),
            )
        else:
            done = there == len(elements)
            self.count.set(
                Meaning.OK if done else Meaning.IDLE, tr("{count} of {total}", count=there, total=len(elements))
            )
