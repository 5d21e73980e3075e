"""The person first: who shall hold the card, what is known of them and of the card, and how far the write is."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.jobs import STAGES
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.hero import paint_bar
from app.console.widgets.marks import StateMark
from app.console.widgets.portrait import Portrait
from app.console.widgets.stepper import Stepper
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.verdict import VerdictLabel
from app.registry.messages.nodes import Node

FACTS = (
    ("card", tr("Card")),
    ("until", tr("Valid until")),
    ("old", tr("Old card")),
)
"""What is told below the standing, in this order; what is not known is left out."""
_SIZES = (("", 32), ("long", 21), ("longest", 15))
_INSET = 8
"""Px from the edge of the name's field to its text: what stands above and below it begins there, too."""


class NameField(ChoiceField):
    """The name of the chosen person in large letters, and the field that chooses them: it stands where it is, whether
    somebody is chosen or not. A long name becomes smaller before it is cut."""

    def __init__(self) -> None:
        super().__init__(tr("Name or id of the person"), name=tr("Person who holds the card"), icon="")
        self.setProperty("role", "hero")
        self.setProperty("name", "none")
        self.textChanged.connect(lambda _text: self._fit_name())

    def _fit_name(self) -> None:
        """Take the largest size at which the name is whole."""
        fitting = "none"
        if text := self.text():
            room = self.width() - 2 * theme.px(_INSET) - 16
            for fitting, size in _SIZES:  # noqa: B007  # the last one stays
                if QFontMetrics(theme.ui(size, QFont.Weight.DemiBold)).horizontalAdvance(text) <= room:
                    break
        theme.set_property(self, "name", fitting)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_name()


class PersonHero(TitledPanel):
    """``show_step`` gives it a state and words, ``show_person`` and ``show_facts`` what is known."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__(padding=20)
        self.setAccessibleName(tr("Order"))
        self.body.setSpacing(12)
        upper = QHBoxLayout()
        self.body.addLayout(upper)
        upper.setSpacing(20)
        upper.addSpacing(8)
        upper.addWidget(Portrait(168, 208), 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        upper.addLayout(column, 1)
        column.setSpacing(2)
        self.headline = VerdictLabel(15)
        self._indent(column, self.headline)
        self.person = NameField()
        column.addWidget(self.person)
        self.person_error = label("", "error", wrap=True)
        self.person_error.hide()
        self._indent(column, self.person_error)
        self.known = ElidedLabel("", "dim")
        self._indent(column, self.known)
        column.addSpacing(8)
        self._fill_facts(column)
        column.addStretch(1)
        lower = QHBoxLayout()
        self.body.addLayout(lower)
        lower.setSpacing(8)
        lower.addSpacing(8)
        self.step = label("", "heading")
        lower.addWidget(self.step)
        self.sentence = label("", "dim", wrap=True)
        lower.addWidget(self.sentence, 1)
        self.aside = ActionButton(table, "write_card.aside", role="quiet")
        lower.addWidget(self.aside)
        lower.addWidget(ActionButton(table, "write_card.write", role="primary"))
        bar = QHBoxLayout()
        self.body.addLayout(bar)
        bar.addSpacing(8)
        self.stepper = Stepper([name for name, _ in STAGES])
        self.stepper.setAccessibleDescription(tr("Under each stage: its time"))
        bar.addWidget(self.stepper, 1)

    @staticmethod
    def _indent(column: QVBoxLayout, widget: QWidget) -> None:
        """Add what begins where the text of the name begins."""
        row = QHBoxLayout()
        column.addLayout(row)
        row.addSpacing(_INSET)
        row.addWidget(widget, 0 if isinstance(widget, VerdictLabel) else 1)
        if isinstance(widget, VerdictLabel):
            row.addStretch(1)

    def _fill_facts(self, column: QVBoxLayout) -> None:
        """Standing and what else is known of the person, a line each."""
        grid = QGridLayout()
        column.addLayout(grid)
        grid.setContentsMargins(_INSET, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        self._standing_title = label(tr("Standing"), "dim")
        self.standing = StateMark()
        grid.addWidget(self._standing_title, 0, 0)
        grid.addWidget(self.standing, 0, 1, Qt.AlignmentFlag.AlignLeft)
        self._titles: dict[str, QLabel] = {}
        self.facts: dict[str, ElidedLabel] = {}
        for at, (key, title) in enumerate(FACTS, 1):
            self._titles[key], self.facts[key] = label(title, "dim"), ElidedLabel()
            grid.addWidget(self._titles[key], at, 0)
            grid.addWidget(self.facts[key], at, 1)
        self.show_person(None)
        self.show_facts({})

    def show_person(self, node: Node | None) -> None:
        """The chosen person: id, what the registry knows, standing."""
        for one in (self._standing_title, self.standing):
            one.setVisible(node is not None)
        if node is None:
            self.known.setText(tr("Nobody is chosen"))
            return
        self.known.setText(" · ".join(part for part in (node.node_id, node.employee_id, *node.tags) if part))
        self.standing.set_word(node.standing)

    def show_facts(self, facts: Mapping[str, str]) -> None:
        """Values by the keys of ``FACTS``; what is missing is left out."""
        for key, title in FACTS:
            value = facts.get(key, "")
            shown = self.facts[key]
            shown.setVisible(bool(value))
            self._titles[key].setVisible(bool(value))
            if shown.text() != value:
                shown.setText(value)
                shown.setAccessibleName(f"{title}: {value}")

    def show_step(self, state: Meaning, headline: str, step: str, sentence: str) -> None:
        """The state in one line; below the person the stage under way, and what to know of it or to do next."""
        if self.headline.state is not state:
            self.update()
        self.headline.set(state, headline)
        self.step.setVisible(bool(step))
        if self.step.text() != step:
            self.step.setText(step)
        if self.sentence.text() != sentence:
            self.sentence.setText(sentence)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_bar(painter, QRectF(self.rect()), self.headline.state)
