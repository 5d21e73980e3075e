"""Forms about a notice: what the platform answered, the fields of its form to copy, and the reason of a withdrawal."""

from __future__ import annotations

from typing import get_args

import msgspec
from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from app.capabilities.enforcement.messages import StrikeNotice
from app.console import theme
from app.console.actions import key_words
from app.console.language import tr
from app.console.pages.enforcement.words import DECISIONS, KINDS_WITHIN
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.form import FormDialog
from app.console.widgets.scroller import scroller
from app.console.widgets.text import label
from app.delivery.messages import Decision, RecordOutcome

SHAPES = {
    "reference": tr("1 to 200 characters."),
    "note": tr("1 to 1,000 characters."),
    "reason": tr("Say in 3 to 1,000 characters why."),
}
_ANSWERS = (
    ("acknowledged", tr("It confirmed that it has it")),
    ("actioned", tr("It acted")),
    ("rejected", tr("It refused")),
    ("countered", tr("The uploader objected")),
)
KEYED = 9
"""Fields of a form that have a key."""


class OutcomeForm(FormDialog):
    """Emits ``asked`` with a ``RecordOutcome``; stays open until its opener accepts it."""

    asked = Signal(object)

    def __init__(self, window: QWidget, notice: StrikeNotice) -> None:
        super().__init__(
            window,
            tr("Record an outcome"),
            tr(
                "What {platform} answered to the {kind} {number}. It becomes a leaf of the audit log, with your key.",
                platform=notice.platform_name,
                kind=KINDS_WITHIN[notice.kind],
                number=notice.tracking,
            ),
            tr("Record"),
            shapes=SHAPES,
        )
        self.state = QComboBox()
        for value, words in _ANSWERS:
            self.state.addItem(words, value)
        self.add("state", tr("Answer"), self.state)
        self.decision = QComboBox()
        for value in get_args(Decision):
            self.decision.addItem(DECISIONS[value], value)
        self.add("decision", tr("What it did"), self.decision)
        self.reference = self.line("reference", tr("Its reference"), tr("Number of the platform, if it gave one"))
        self.reference.setText(notice.reference or "")
        self.note = self.text("note", tr("Note"), tr("What it wrote, in short"), height=64)
        self.state.currentIndexChanged.connect(lambda _at: self._follow())
        self._follow()
        self.state.setFocus()

    def _follow(self) -> None:
        """Ask what was done only of a platform that acted."""
        self.show_field("decision", self.state.currentData() == "actioned")

    def ask(self) -> bool:
        reference, note = self.reference.text().strip(), self.note.toPlainText().strip()
        if len(reference) > 200:
            self.mark("reference", SHAPES["reference"])
        if len(note) > 1000:
            self.mark("note", SHAPES["note"])
        if self.marked:
            return False
        state = self.state.currentData()
        fields = {"state": state, "reference": reference or None, "note": note or None}
        if state == "actioned":
            fields["decision"] = self.decision.currentData()
        self.asked.emit(msgspec.convert(fields, RecordOutcome))
        return True


class WithdrawStrikeForm(FormDialog):
    """Emits ``asked`` with the reason; stays open until its opener accepts it."""

    asked = Signal(str)

    def __init__(self, window: QWidget, token: str, unsent: int) -> None:
        super().__init__(
            window,
            tr("Withdraw {token}?", token=token),
            (
                tr("{count} of its notices have not left, and never will. ", count=unsent)
                if unsent
                else tr("All its notices have left. ")
            )
            + tr("What was sent stays sent: tell those platforms yourself."),
            tr("Withdraw it"),
            shapes=SHAPES,
        )
        self.reason = self.text(
            "reason", tr("Reason"), tr("The content is gone; the declaration was wrong; …"), height=64
        )
        self.reason.setFocus()

    def ask(self) -> bool:
        reason = self.reason.toPlainText().strip()
        if not 3 <= len(reason) <= 1000:
            self.mark("reason", SHAPES["reason"])
            return False
        self.asked.emit(reason)
        return True


class FormHelper(FormDialog):
    """Each field of a platform's form with a button and a key that copy it: Ctrl+1 to Ctrl+9. Emits ``asked`` with the
    confirmation number that the platform showed; stays open until its opener accepts it."""

    asked = Signal(object)

    def __init__(self, window: QWidget, notice: StrikeNotice) -> None:
        super().__init__(
            window,
            tr("Form of {platform}", platform=notice.platform_name),
            tr("Open the form, copy field after field into it, send it, and note the number that the platform shows."),
            tr("It was sent"),
            shapes=SHAPES,
        )
        resize_dialog(self, 760, 600)
        self._url = notice.form_url or ""
        self.copies: list[QPushButton] = []
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(1, 1)
        for at, field in enumerate(notice.form):
            self._add_row(grid, at, field.label, field.value)
        grid.setRowStretch(len(notice.form), 1)
        area = scroller(inside, sideways=True)
        area.setMinimumHeight(theme.px(220))
        self.said = label("", "small", wrap=True)
        self.reference = self.line("reference", tr("Confirmation number"), tr("As the platform shows it"))
        self.open_ = plain_button(tr("Open the form"), self._open)
        self.open_.setEnabled(bool(self._url))
        self.body.addWidget(self.open_, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(area, 1)
        self.body.addWidget(self.said)
        (self.copies[0] if self.copies else self.reference).setFocus()

    def _add_row(self, grid: QGridLayout, at: int, name: str, value: str) -> None:
        """A field with its name, its value, and the button and key that copy it."""
        shown: QLineEdit | QPlainTextEdit
        if "\n" in value or len(value) > 80:
            shown = QPlainTextEdit(value)
            shown.setFixedHeight(theme.px(84))
            shown.setTabChangesFocus(True)
        else:
            shown = QLineEdit(value)
            shown.setCursorPosition(0)
        shown.setReadOnly(True)
        shown.setAccessibleName(name)
        keys = f"Ctrl+{at + 1}" if at < KEYED else ""
        copy = plain_button("   ".join(filter(None, (tr("Copy"), key_words(keys)))), lambda: self._copy(name, value))
        copy.setAccessibleName(tr("Copy {name}", name=name))
        if keys:
            QShortcut(QKeySequence(keys), self, lambda: self._copy(name, value))
        named = label(name, "dim", wrap=True)
        named.setFixedWidth(theme.px(170))
        grid.addWidget(named, at, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(shown, at, 1)
        grid.addWidget(copy, at, 2, Qt.AlignmentFlag.AlignTop)
        self.copies.append(copy)

    def _copy(self, name: str, value: str) -> None:
        QGuiApplication.clipboard().setText(value)
        self.said.setText(tr("{name} is on the clipboard.", name=name))

    def _open(self) -> None:
        """Have the system's browser show the form."""
        if not QDesktopServices.openUrl(QUrl(self._url)):
            QGuiApplication.clipboard().setText(self._url)
            self.said.setText(
                tr("No browser answers on this machine; the form's address is on the clipboard: {url}", url=self._url)
            )

    def ask(self) -> bool:
        reference = self.reference.text().strip()
        if not 1 <= len(reference) <= 200:
            self.mark("reference", tr("The number that the platform showed: 1 to 200 characters."))
            return False
        self.asked.emit(msgspec.convert({"state": "sent", "reference": reference}, RecordOutcome))
        return True
