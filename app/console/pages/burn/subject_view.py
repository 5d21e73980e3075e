"""Whom the burn page is about: the field that finds a person, and what is known of the one chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.capabilities.burn.messages import NodeSuggestion, Preview
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, date_time, utc_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.moments import moment, parse_time
from app.console.pages.burn.drill import DrillBand
from app.console.past_standing import PastStanding
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.breadth import lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.marks import StateMark
from app.console.widgets.portrait import Portrait
from app.console.widgets.text import ElidedLabel, TitledPanel, label

NOBODY = tr("An id that nobody has")
MOST_MEANT = 3


class Whom(NamedTuple):
    """Whose access ends: what of it has room beside a clock."""

    name: str
    node_id: str
    state: Meaning
    standing: str
    seen: str
    """Where they may be, or why nobody knows."""


class SubjectPanel(TitledPanel):
    """The field of the subject, and what is known of it. Emits ``meant`` (node id) for a person chosen instead of an id
    that nobody has."""

    meant = Signal(str)

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(padding=12, parent=parent)
        self.setAccessibleName(tr("Subject", "burn"))
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.body.addLayout(self._parts)
        self._parts.setSpacing(8)
        asked, meant = QVBoxLayout(), QVBoxLayout()
        self._whom = QWidget()
        self._known = known = QBoxLayout(QBoxLayout.Direction.TopToBottom, self._whom)
        known.setContentsMargins(0, 0, 0, 0)
        self._parts.addLayout(asked)
        self._parts.addWidget(self._whom)
        self._parts.addLayout(meant)
        for part in (asked, known, meant):
            part.setSpacing(8)
        top = QHBoxLayout()
        asked.addLayout(top)
        top.setSpacing(8)
        # Before the field, as Tab goes: hands whose place is gone fall back to the first stop of a page, and in the
        # field they would open its suggestions.
        anew = ActionButton(table, "burn.new", role="quiet", bare=True)
        self.field = ChoiceField(tr("Name or node id"), name=tr("Whom to burn"))
        top.addWidget(anew)
        top.insertWidget(0, self.field, 1)
        self.drill = DrillBand()
        asked.addWidget(self.drill)
        self._person = QWidget()
        known.addWidget(self._person)
        row = QHBoxLayout(self._person)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(16)
        row.addWidget(Portrait(76, 92))
        who = QVBoxLayout()
        who.setSpacing(4)
        row.addLayout(who, 1)
        self._name = ElidedLabel("", "title")
        self._id = ElidedLabel("", "mono")
        self._id.setFont(theme.mono())
        self._standing = StateMark()
        who.addStretch(1)
        who.addWidget(self._name)
        who.addWidget(self._id)
        # Aligned: a mark is as wide as its word, and would keep the name as narrow.
        who.addWidget(self._standing, 0, Qt.AlignmentFlag.AlignLeft)
        who.addStretch(1)
        seen = QVBoxLayout()
        known.addLayout(seen)
        seen.setSpacing(8)
        seen.addStretch(1)
        self._inside = QWidget()
        seen.addWidget(self._inside)
        place = QVBoxLayout(self._inside)
        place.setContentsMargins(0, 0, 0, 0)
        place.setSpacing(0)
        place.addWidget(label(tr("May still be inside"), "small"))
        self._where = ElidedLabel("", "heading")
        place.addWidget(self._where)
        self._seen = label("", "small", wrap=True)
        seen.addWidget(self._seen)
        self._asks = label(tr("Did you mean"), "section")
        meant.addWidget(self._asks)
        self.nearest: list[QPushButton] = []
        for _ in range(MOST_MEANT):
            button = QPushButton()
            button.setProperty("role", "quiet")
            button.clicked.connect(lambda _on=False, of=button: self.meant.emit(str(of.property("node_id"))))
            self.nearest.append(button)
            meant.addWidget(button)
        for part in (asked, seen, meant):
            part.addStretch(1)
        self.show_nobody()

    @property
    def whom(self) -> Whom | None:
        """Whom it shows; None: nobody."""
        node_id = self._id.text()
        if not node_id:
            return None
        return Whom(self._name.text(), node_id, self._standing.state, self._standing.word, self._short or self.said)

    def show_whom(self, on: bool) -> None:
        """Show what is known of the subject, or leave that to who shows it elsewhere: the field stays."""
        self._whom.setVisible(on)

    def lie(self, flat: bool) -> None:
        """Have the field, the person and where they were seen beside each other, or below each other in a column."""
        for parts, space in ((self._parts, 24), (self._known, 16)):
            lay(parts, across=flat)
            parts.setSpacing(space if flat else 8)
        for at, share in enumerate((2, 5)):
            self._parts.setStretch(at, share if flat else 0)
        for at in range(2):
            self._known.setStretch(at, int(flat))

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

    def _show_person(self, node_id: str, name: str) -> None:
        """Show whose access ends, without what is known of their way; empty: nobody is chosen."""
        self._person.setVisible(bool(node_id))
        self._name.setText(name)
        self._id.setText(node_id)
        self._inside.hide()
        self._short = ""

    def show_nobody(self) -> None:
        """Show that no subject is chosen yet."""
        self.drill.show_drill(False)
        self._show_person("", "")
        self._show_nearest([])
        self._seen.setText(tr("Type a name or an id. An id that is not registered can be burned too."))

    def show_unseen(self, node_id: str) -> None:
        """Show the id alone: the service looks nobody up now."""
        self._show_person(node_id, node_id)
        self._show_nearest([])
        self._standing.set(Meaning.IDLE, tr("Cannot be looked up now"))
        self._seen.setText(tr("Check the id yourself: no name stands beside it."))

    def show_closed(self, node_id: str, name: str, why: str) -> None:
        """Show who was chosen: what a burn knows of them is for others."""
        self.drill.show_drill(False)
        self._show_person(node_id, name)
        self._show_nearest([])
        self._standing.set(Meaning.IDLE, tr("Not looked up"))
        self._seen.setText(why)

    def show_preview(self, preview: Preview, now: float) -> None:
        """Show what the API knows of the subject. ``now``: Unix time by the service's clock."""
        self.drill.show_drill(preview.drill)
        self._show_person(preview.node_id, preview.display_name or preview.node_id)
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
            self._inside.show()
            self._where.setText(tr("Let in at {door}", door=preview.last_access_reader))
            self._seen.setText(
                tr("{time}, {age} ago. Not seen since.", time=moment(at, now), age=age(max(0.0, now - at)))
            )
            self._seen.setToolTip(utc_time(at))
            self._short = tr(
                "May still be inside: {door}, {age} ago", door=preview.last_access_reader, age=age(max(0.0, now - at))
            )

    def show_then(self, preview: Preview, then: PastStanding, at: float) -> None:
        """Show how the subject stood at a moment of the past, after ``show_preview``. Of the doors it says what holds
        of then, too."""
        self._standing.set(then.state, then.word)
        seen = preview.last_access is not None and parse_time(preview.last_access) <= at
        self._inside.setVisible(seen)
        self._seen.setText(f"{then.said} {self.said}" if seen else then.said)
        self._short = then.said
        self._seen.setToolTip(self._seen.toolTip() if seen else "")

    @property
    def said(self) -> str:
        """The line below the subject."""
        return self._seen.text()

    @property
    def standing(self) -> str:
        """The word of the subject's standing; empty without a subject."""
        return "" if self._person.isHidden() else self._standing.word
