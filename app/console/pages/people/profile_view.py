"""One person: name and standing at the head, what happened at the left, doors, cards and identity at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.people.history_view import HistoryPanel
from app.console.pages.people.words import (
    Line,
    burn_words,
    card_lines,
    door_line,
    doors_words,
    known_as,
    known_then,
    others_words,
    past_word,
    standing_words,
    where_words,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark
from app.console.widgets.portrait import Portrait
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import ElidedLabel, TitledPanel, label

if TYPE_CHECKING:
    from app.console.pages.people.profile import PersonProfile
    from app.console.past_standing import PastStanding

NOW_TOUCHES = tr("What a burn would touch, now")
HIDDEN_WORDS = tr("Not shown to your roles.")


class LinesPanel(TitledPanel):
    """A title with a figure, and lines of three parts below it."""

    def __init__(self, title: str) -> None:
        super().__init__(title, padding=12)
        self.figure = label("", "dim")
        self.head.insertWidget(1, self.figure)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self.body.addLayout(self._grid)
        self.foot = label("", "small", wrap=True)
        self.foot.hide()
        self.body.addWidget(self.foot)
        self._lines: tuple[Line, ...] | None = None
        self._made: list[QWidget] = []

    def show_lines(self, lines: Sequence[Line], figure: str = "", foot: str = "") -> None:
        """Show these lines in place of those before."""
        self.figure.setText(figure)
        self.foot.setText(foot)
        self.foot.setVisible(bool(foot))
        if self._lines == tuple(lines):
            return
        self._lines = tuple(lines)
        take_away(self._grid, self._made)
        self._made = []
        for at, line in enumerate(lines):
            self._add(at, line)

    @property
    def lines(self) -> Sequence[Line]:
        """The lines shown."""
        return self._lines or ()

    def _add(self, at: int, line: Line) -> None:
        """Put a line into the grid; its widgets go with it when other lines come."""
        title = label(line.title, "mono" if line.mono else "")
        title.setToolTip(line.hint)
        detail = ElidedLabel(line.detail, "small")
        made: list[QWidget] = [title, detail]
        if line.mono:
            # A card's name and what is known of it: two lines, for both are long. They go as a whole.
            both = QWidget()
            names = QVBoxLayout(both)
            names.setContentsMargins(0, 0, 0, 0)
            names.setSpacing(0)
            names.addWidget(title)
            names.addWidget(detail)
            self._grid.addWidget(both, at, 0, 1, 2)
            made = [both]
        else:
            self._grid.addWidget(title, at, 0)
            self._grid.addWidget(detail, at, 1)
        word: QLabel | StateMark = label(line.word, "dim")
        if line.state is not None:
            word = StateMark(line.state, line.word)
        self._grid.addWidget(word, at, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._made += [*made, word]


class PersonHead(QFrame):
    """Portrait, name, standing, and what can be done."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(20)
        row.addWidget(Portrait(96, 116))
        words = QVBoxLayout()
        words.setSpacing(4)
        self.name = label("", "hero", wrap=True)
        self.name.setAccessibleName(tr("Person"))
        about = QHBoxLayout()
        about.setSpacing(8)
        self.node_id = label("", "mono", selectable=True)
        self.about = label("", "dim", wrap=True)
        about.addWidget(self.node_id)
        about.addWidget(self.about, 1)
        standing = QHBoxLayout()
        standing.setSpacing(12)
        self.standing = StateMark()
        self.since = label("", "dim", wrap=True)
        self.mark = StateMark()
        self.mark.hide()
        standing.addWidget(self.standing)
        standing.addWidget(self.since, 1)
        standing.addWidget(self.mark)
        words.addStretch(1)
        words.addWidget(self.name)
        words.addLayout(about)
        words.addLayout(standing)
        words.addStretch(1)
        row.addLayout(words, 1)
        acts = QVBoxLayout()
        acts.setSpacing(8)
        self.buttons: dict[str, ActionButton] = {}
        for actions in (
            (("people.write_card", tr("Write card"), "primary"), ("people.open_doors", tr("Open doors…"), ""),
             ("people.contain", tr("Contain 15 min"), ""), ("people.release", tr("Release"), "")),
            (("people.list", tr("Everybody"), "quiet"), ("people.change", tr("Change…"), "quiet"),
             ("people.card_lost", tr("Card lost…"), "quiet"), ("people.burn", tr("Burn…"), "danger")),
        ):  # fmt: skip
            line = QHBoxLayout()
            line.setSpacing(8)
            line.addStretch(1)
            for action, text, role in actions:
                self.buttons[action] = ActionButton(table, action, text=text, role=role)
                line.addWidget(self.buttons[action])
            acts.addLayout(line)
        row.addLayout(acts)
        self.show_held(False)

    def show_held(self, held: bool) -> None:
        """Offer to release a person who is contained, and to contain another one."""
        self.buttons["people.release"].setVisible(held)
        self.buttons["people.contain"].setVisible(not held)


class ProfileView(QWidget):
    """``show_profile`` paints what was read; ``clear`` takes a person off the screen."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        self.head = PersonHead(table)
        self.mark = self.head.mark
        self.history = HistoryPanel(table)
        self.where = TitledPanel(tr("Where"), padding=12)
        self.place = label("", "heading", wrap=True)
        self.let_in = label("", "small", wrap=True)
        self.where.body.addWidget(self.place)
        self.where.body.addWidget(self.let_in)
        self.doors = LinesPanel(tr("Doors open now"))
        self.cards = LinesPanel(tr("Cards"))
        self.identity = LinesPanel(tr("Identity"))
        self.burn = TitledPanel("", padding=12)
        self._touches_now = label(NOW_TOUCHES, "small")
        self._touches_now.hide()
        self.burn.body.addWidget(self._touches_now)
        burn = QHBoxLayout()
        said = QVBoxLayout()
        said.setSpacing(0)
        self.touches = label("", "heading", wrap=True)
        self.lasts = label("", "small", wrap=True)
        said.addWidget(self.touches)
        said.addWidget(self.lasts)
        burn.addLayout(said, 1)
        burn.addWidget(ActionButton(table, "people.look", text=tr("Look"), role="quiet"))
        self.burn.body.addLayout(burn)
        self.burn.setAccessibleName(tr("What a burn would touch"))
        side = Side(407, 320)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for panel in (self.where, self.doors, self.cards, self.identity, self.burn):
            column.addWidget(panel)
        column.addStretch(1)
        side.column.addWidget(scroller(inside, tr("Where, doors, cards, identity")))
        lower = QHBoxLayout()
        lower.setSpacing(16)
        # The column beside it has 2 px around it for its focus: both begin on one line.
        left = QVBoxLayout()
        left.setContentsMargins(0, 2, 0, 2)
        left.addWidget(self.history)
        lower.addLayout(left, 1)
        lower.addWidget(side)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(self.head)
        whole.addLayout(lower, 1)

    def clear(self, node_id: str) -> None:
        """Another person is being read: nothing of the one before stays."""
        head = self.head
        head.name.setText(node_id)
        head.node_id.setText("")
        head.about.setText("")
        head.standing.set(Meaning.IDLE, tr("Being read"))
        head.since.setText("")
        self.place.setText("–")
        self.let_in.setText("")
        for panel in (self.doors, self.cards, self.identity):
            panel.show_lines([])
        self.touches.setText("–")
        self.lasts.setText("")

    def show_past(self, past: bool) -> None:
        """Name what is of now while a moment of the past is shown; while it is not, that need not be said."""
        self.where.title.setText(tr("Where, now") if past else tr("Where"))
        self.cards.title.setText(tr("Cards, now") if past else tr("Cards"))
        self.identity.title.setText(tr("Identity, now") if past else tr("Identity"))
        self._touches_now.setVisible(past)

    def show_profile(
        self,
        profile: PersonProfile,
        now: float,
        *,
        stale: bool,
        at: float | None = None,
        then: PastStanding | None = None,
    ) -> None:
        """Show a person; ``now`` in Unix seconds by the service's clock. ``stale``: what is known is too old to be
        called a state. ``at``: the moment of the past that is shown, ``then``: how the person stood at it."""
        node, head = profile.node, self.head
        head.name.setText(node.display_name)
        head.node_id.setText(node.node_id)
        head.about.setText(known_as(node) if at is None else known_then(node, at))
        state, word, since = standing_words(node, profile.held, now)
        if then is not None:
            # What was is not growing stale.
            stale, state, word, since = False, then.state, past_word(then), then.said
        head.standing.set(Meaning.IDLE if stale else state, word)
        head.since.setText(since)
        head.show_held(any(one.state in ("contained", "queued") for one in profile.held))
        self._show_place(profile, now)
        self._show_doors(profile, now)
        if profile.cards is None:
            self.cards.show_lines([], foot=HIDDEN_WORDS)
        else:
            lines = card_lines(profile.cards, node.credentials, now)
            self.cards.show_lines(lines, str(len(lines)), "" if lines else tr("No card was written for this person."))
        self.identity.show_lines(_identity(profile))
        if profile.preview is None:
            self.touches.setText(tr("What a burn would touch"))
            self.lasts.setText(HIDDEN_WORDS)
        else:
            touches, lasts = burn_words(profile.preview)
            self.touches.setText(touches)
            self.lasts.setText(lasts)

    def _show_place(self, profile: PersonProfile, now: float) -> None:
        if profile.recorded_since is None:
            self.place.setText(tr("Where the person was"))
            self.let_in.setText(HIDDEN_WORDS)
            return
        place, said = where_words(profile.last, profile.recorded_since, now)
        self.place.setText(place)
        self.let_in.setText(said)

    def _show_doors(self, profile: PersonProfile, now: float) -> None:
        access = profile.access
        if access is None:
            self.doors.show_lines([], foot=HIDDEN_WORDS)
            return
        lines = [door_line(one, now) for one in access.clusters]
        self.doors.show_lines(lines, doors_words(access), others_words(access))


def _identity(profile: PersonProfile) -> list[Line]:
    """What is enrolled of the person, and what they have agreed to."""
    count = sum(one.templates for one in profile.node.templates)
    registries = ", ".join(one.registry_id for one in profile.node.templates)
    enrolled = (Meaning.OK, tr("Enrolled")) if count else (Meaning.IDLE, tr("Not enrolled"))
    if not count:
        words = tr("none")
    elif count == 1:
        words = tr("1 template in {registries}", registries=registries)
    else:
        words = tr("{count} templates in {registries}", count=count, registries=registries)
    lines = [Line(tr("Templates"), words, enrolled[1], enrolled[0])]
    voice = profile.voice
    if voice is None:
        lines.append(Line(tr("Voice"), tr("none"), tr("Not enrolled"), Meaning.IDLE))
    else:
        state = (Meaning.OK, tr("Enrolled")) if voice.current else (Meaning.WARN, tr("Of an old model"))
        lines.append(
            Line(
                tr("Voice"),
                tr("signature of {seconds:.0f} s", seconds=voice.speech_seconds),
                state[1],
                state[0],
            )
        )
    if profile.consents is not None:
        holds = sum(one.standing in ("VERIFIED_DIGITAL_HUMAN", "UNVERIFIED") for one in profile.consents)
        count = len(profile.consents)
        seals = tr("1 seal") if count == 1 else tr("{count} seals", count=count)
        held = (
            (Meaning.OK, tr("Holds"))
            if holds
            else (Meaning.IDLE, tr("No longer holds") if profile.consents else tr("Not given"))
        )
        lines.append(Line(tr("Consent"), seals, held[1], held[0]))
    return lines
