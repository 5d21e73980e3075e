"""Whom to burn, beside what needs a person: the field, who it is, what a burn would touch, why, and the way on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.capabilities.burn.messages import Preview
from app.console import theme
from app.console.actions import ActionTable
from app.console.blast_radius import expected_last_door
from app.console.code_words import code_word
from app.console.language import number, tr
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.portrait import Portrait
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

_PHOTO = 44
HIGH = 206
"""Height, px at 100 % text: the same with a person and without, so that nothing below moves when one is chosen."""


class BurnDock(TitledPanel):
    """``field`` finds a person; ``reason`` is the chosen one."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Burn"), padding=12)
        self.head.addWidget(ActionButton(table, "page.burn", text=tr("Open page"), role="quiet"))
        self.field = ChoiceField(tr("Person, card or id"), name=tr("Whom to burn"))
        self.body.addWidget(self.field)
        self._hint = label(
            tr("Find the person first. What the burn touches shows here before anything is written."), "dim", wrap=True
        )
        self.body.addWidget(self._hint)
        self._person = QWidget()
        row = QHBoxLayout(self._person)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(Portrait(_PHOTO, _PHOTO))
        who, what = QVBoxLayout(), QVBoxLayout()
        row.addLayout(who, 1)
        row.addLayout(what)
        for column in (who, what):
            column.setSpacing(2)
        self._name = ElidedLabel("", "heading")
        self._standing = StateMark()
        who.addWidget(self._name)
        who.addWidget(self._standing)
        self._targets = label("", "paneltitle")
        self._expected = label("", "small")
        what.addWidget(self._targets)
        what.addWidget(self._expected)
        self.body.addWidget(self._person)
        self._reasons = QWidget()
        chips = WrapRow(self._reasons)
        self._chips: list[QPushButton] = []
        self._row = chips
        self.body.addWidget(self._reasons)
        self.body.addStretch(1)
        self.go_on = ActionButton(table, "dashboard.burn", text=tr("Go on to the hold"), role="danger")
        self.body.addWidget(self.go_on)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        keep_lengths(self, lambda one: one.setMinimumHeight(theme.px(HIGH)))
        self.show_nobody()

    @property
    def reason(self) -> str:
        """The chosen reason; empty while none is."""
        return next((chip.text() for chip in self._chips if chip.isChecked()), "")

    @property
    def has_reasons(self) -> bool:
        """Whether reasons are offered: they do not change while the page lives."""
        return bool(self._chips)

    def show_reasons(self, reasons: Sequence[str]) -> None:
        """Offer these reasons, one a chip."""
        for reason in reasons:
            chip = QPushButton(reason)
            chip.setCheckable(True)
            chip.setProperty("role", "chip")
            chip.setAccessibleName(tr("Reason: {reason}", reason=reason))
            chip.clicked.connect(lambda _on=False, of=chip: self._keep_one(of))
            self._row.addWidget(chip)
            self._chips.append(chip)

    def _keep_one(self, chosen: QPushButton) -> None:
        """One reason at most; a second press takes it back. No group of buttons: Tab would pass all but one of it."""
        for chip in self._chips:
            if chip is not chosen:
                chip.setChecked(False)

    def show_nobody(self) -> None:
        """Nobody is chosen yet."""
        self._show_parts(False)

    def show_person(self, name: str) -> None:
        """Show who was chosen; what a burn would touch is being asked."""
        self._name.setText(name)
        self._standing.set(Meaning.WORK, tr("Asking"))
        self._targets.setText("")
        self._expected.setText("")
        self._show_parts(True)

    def show_preview(self, name: str, preview: Preview) -> None:
        """Show what the API knows of the person, and what it expects of the burn."""
        self._name.setText(name)
        if preview.known:
            standing = preview.standing or "UNKNOWN"
            self._standing.set(state_of(standing), code_word(standing))
        else:
            self._standing.set(Meaning.CRIT, tr("An id that nobody has"))
        count, expected = len(preview.targets), expected_last_door(preview)
        self._targets.setText(tr("1 target") if count == 1 else tr("{count:,} targets", count=count))
        if expected is None:
            self._expected.setText(tr("no history yet"))
        else:
            self._expected.setText(tr("expected {seconds} s", seconds=number(expected / 1000, ".2f")))
        self._show_parts(True)

    def _show_parts(self, chosen: bool) -> None:
        self._hint.setHidden(chosen)
        self._person.setVisible(chosen)
        self._reasons.setVisible(chosen)
