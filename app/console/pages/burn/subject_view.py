"""Whom the burn page is about: the field that finds a person, and what is known of the one chosen."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.capabilities.burn.messages import NodeSuggestion, Preview
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import date_time, moment, parse_time, utc_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.pages.burn.drill import DrillBand
from app.console.past_standing import PastStanding
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.marks import StateMark
from app.console.widgets.text import ElidedLabel, TitledPanel, label

NOBODY = tr("An id that nobody has")
MOST_MEANT = 3


class SubjectPanel(TitledPanel):
    """The field of the subject, and what is known of it. Emits ``meant`` (node id) for a person chosen instead of an id
    that nobody has."""

    meant = Signal(str)

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(tr("Subject", "burn"), parent=parent)
        self.head.addWidget(ActionButton(table, "burn.new", role="quiet"))
        self.field = ChoiceField(tr("Name or node id"), name=tr("Whom to burn"))
        self.body.addWidget(self.field)
        self.drill = DrillBand()
        self.body.addWidget(self.drill)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._id = ElidedLabel("", "mono")
        self._id.setFont(theme.mono())
        self._standing = StateMark()
        row.addWidget(self._id, 1)
        row.addWidget(self._standing)
        self._seen = label("", "small", wrap=True)
        self.body.addLayout(row)
        self.body.addWidget(self._seen)
        self._asks = label(tr("Did you mean"), "section")
        self.body.addWidget(self._asks)
        self.nearest: list[QPushButton] = []
        for _ in range(MOST_MEANT):
            button = QPushButton()
            button.setProperty("role", "quiet")
            button.clicked.connect(lambda _on=False, of=button: self.meant.emit(str(of.property("node_id"))))
            self.nearest.append(button)
            self.body.addWidget(button)
        self.show_nobody()

    def _show_nearest(self, people: Sequence[NodeSuggestion]) -> None:
        """Offer the people that may be meant, one a button."""
        self._asks.setVisible(bool(people))
        for at, button in enumerate(self.nearest):
            one = people[at] if at < len(people) else None
            button.setVisible(one is not None)
            if one is not None:
                button.setProperty("node_id", one.node_id)
                button.setText(f"{one.display_name} · {one.node_id}")
                button.setAccessibleName(tr("Choose {name}, {id}, instead", name=one.display_name, id=one.node_id))

    def show_nobody(self) -> None:
        """Show that no subject is chosen yet."""
        self.drill.show_drill(False)
        self._id.setText("")
        self._show_nearest([])
        self._standing.hide()
        self._seen.setText(tr("Type a name or an id. An id that is not registered can be burned too."))

    def show_unseen(self, node_id: str) -> None:
        """Show the id alone: the service looks nobody up now."""
        self._id.setText(node_id)
        self._show_nearest([])
        self._standing.set(Meaning.IDLE, tr("Cannot be looked up now"))
        self._standing.show()
        self._seen.setText(tr("Check the id yourself: no name stands beside it."))

    def show_preview(self, preview: Preview) -> None:
        """Show what the API knows of the subject."""
        self.drill.show_drill(preview.drill)
        self._id.setText(preview.node_id)
        self._standing.show()
        self._show_nearest([] if preview.known else preview.nearest)
        if not preview.known:
            self._standing.set(Meaning.CRIT, NOBODY)
            self._seen.setText(preview.headline or NOBODY)
            return
        standing = preview.standing or "UNKNOWN"
        self._standing.set(state_of(standing), code_word(standing))
        if preview.last_access is None:
            since = preview.last_access_since
            self._seen.setText(
                tr("Not let in at a door.")
                if since is None
                else tr(
                    "Not let in at a door since {time}, when the doors' record begins.",
                    time=date_time(parse_time(since)),
                )
            )
            self._seen.setToolTip("")
        else:
            at = parse_time(preview.last_access)
            self._seen.setText(
                tr("Last let in {time}, {door}.", time=moment(at, time.time()), door=preview.last_access_reader)
            )
            self._seen.setToolTip(utc_time(at))

    def show_then(self, preview: Preview, then: PastStanding, at: float) -> None:
        """Show how the subject stood at a moment of the past, after ``show_preview``. Of the doors it says what holds
        of then, too."""
        self._standing.set(then.state, then.word)
        seen = preview.last_access is not None and parse_time(preview.last_access) <= at
        self._seen.setText(f"{then.said} {self.said}" if seen else then.said)
        self._seen.setToolTip(self._seen.toolTip() if seen else "")

    @property
    def said(self) -> str:
        """The line below the subject."""
        return self._seen.text()

    @property
    def standing(self) -> str:
        """The word of the subject's standing; empty without a subject."""
        return "" if self._standing.isHidden() else self._standing.word
