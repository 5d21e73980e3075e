"""Forms of the HR events: a source, its rotation, a signed test, and the reason for which a discharge is closed."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.console.language import tr
from app.console.pages.hr.signing import SCHEME_HINTS, SCHEMES, new_secret
from app.console.widgets.form import FormDialog
from app.console.widgets.text import label
from app.registry.messages.hr_sources import HrSource, HrSourceBody

SHAPES = {
    "id": tr("1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "display_name": tr("At most 200 characters."),
    "secret": tr("16 to 500 characters, without a space at either end."),
    "max_discharges_per_minute": tr("A number from 1 to 1000."),
    "reason": tr("Say in 1 to 4000 characters what was decided, and by whom."),
}
MOST_A_MINUTE = 1000


def secret_field(form: FormDialog, title: str, example: str) -> QLineEdit:
    """A field whose text cannot be read by somebody who looks over the shoulder."""
    field = form.line("secret", title, example)
    field.setEchoMode(QLineEdit.EchoMode.Password)
    return field


class SourceForm(FormDialog):
    """Emits ``asked`` with the id, an ``HrSourceBody`` and the secret if the form made it (None: the person knows it);
    stays open until the presenter accepts it. The secret of a source that is there is rotated, not changed here."""

    asked = Signal(str, object, object)

    def __init__(self, window: QWidget, source: HrSource | None = None) -> None:
        super().__init__(
            window,
            tr("Add an HR source") if source is None else tr("Change {name}", name=source.hr_source_id),
            tr("Whoever holds its secret can have people burned. Give each HR system one of its own.") if source is None
            else "",
            tr("Add") if source is None else tr("Save"),
            shapes=SHAPES,
        )  # fmt: skip
        self._source = source
        self._made = ""
        self.source_id = self.line("id", tr("Source id"), "workday")
        self.name = self.line("display_name", tr("Name"), tr("Workday, head office"))
        self.scheme = QComboBox()
        for value, words in SCHEMES:
            self.scheme.addItem(words, value)
        self.add("scheme", tr("It signs by"), self.scheme)
        self.secret = secret_field(self, tr("Secret"), tr("At least 16 characters"))
        self.limit = self.line(
            "max_discharges_per_minute", tr("Brake above"), tr("Discharges a minute, 10 where HR is small")
        )
        self.hint = label("", "small", wrap=True)
        self.body.addWidget(self.hint)
        self.scheme.currentIndexChanged.connect(self._follow)
        if source is None:
            self.limit.setText("10")
            self._follow()
            self.source_id.setFocus()
        else:
            self.source_id.setText(source.hr_source_id)
            self.source_id.setEnabled(False)
            self.name.setText(source.display_name or "")
            self.scheme.setCurrentIndex(self.scheme.findData(source.scheme))
            self.scheme.setEnabled(False)
            self.show_field("secret", False)
            self.limit.setText(str(source.max_discharges_per_minute))
            self.name.setFocus()

    def _follow(self) -> None:
        scheme = self.scheme.currentData()
        words = SCHEME_HINTS[scheme]
        if self._source is None:
            if self.secret.text() == self._made:
                self._made = new_secret(scheme)
                self.secret.setText(self._made)
            words += tr(" A secret was made; it is shown once after this. Put another in its place if HR has made one.")
        self.hint.setText(words)

    def ask(self) -> bool:
        source_id, limit = self.source_id.text().strip(), self.limit.text().strip()
        self.mark_id("id", source_id)
        most = int(limit) if limit.isascii() and limit.isdigit() and len(limit) <= 4 else 0
        if not 1 <= most <= MOST_A_MINUTE:
            self.mark("max_discharges_per_minute", SHAPES["max_discharges_per_minute"])
        if self._source is None and not self.secret.text():
            self.mark("secret", SHAPES["secret"])
        if self.marked:
            return False
        secret = self.secret.text() if self._source is None else msgspec.UNSET
        body = HrSourceBody(
            scheme=self.scheme.currentData(),
            display_name=self.name.text().strip() or None,
            secret=secret,
            max_discharges_per_minute=most,
            tags=self._source.tags if self._source else [],
        )
        self.asked.emit(source_id, body, secret if secret == self._made else None)
        return True


class SecretForm(FormDialog):
    """Asks for a secret that this console does not have: secrets are write-only. Emits ``asked`` with it."""

    asked = Signal(str)

    def __init__(self, window: QWidget, title: str, sentence: str, verb: str) -> None:
        super().__init__(window, title, sentence, verb, shapes=SHAPES)
        self.secret = secret_field(self, tr("Secret"), tr("Paste it"))
        self.secret.setFocus()

    def ask(self) -> bool:
        secret = self.secret.text().strip()
        if not secret:
            self.mark("secret", tr("Paste the secret: the service never shows it again."))
            return False
        self.asked.emit(secret)
        return True


class NextSecretForm(SecretForm):
    """Emits ``asked`` with the next secret. ``made`` is the one that the form has drawn."""

    def __init__(self, window: QWidget, source: HrSource) -> None:
        super().__init__(
            window,
            tr("Rotate the secret of {source}", source=source.hr_source_id),
            tr(
                "From then on both secrets are taken, so that no discharge is lost. The new one is shown "
                "once after this: give it to HR, and end the old one when HR signs with it."
            )
            + (tr(" A rotation is under way; its new secret is replaced.") if source.next_secret.set else ""),
            tr("Take both"),
        )
        self.made = new_secret(source.scheme)
        self.secret.setText(self.made)
        self.secret.selectAll()


class CloseForm(FormDialog):
    """Emits ``asked`` with the reason, and whether all that wait of the same source are meant. ``others``: how many."""

    asked = Signal(str, bool)

    def __init__(self, window: QWidget, event_id: str, others: int, source: str) -> None:
        super().__init__(
            window,
            tr("Decide and close"),
            tr(
                "{event} waits for nobody afterwards, and its alarm ends. Nothing is burned or released "
                "by it: do that before.",
                event=event_id,
            ),
            tr("Close it"),
            shapes=SHAPES,
        )
        self.reason = self.line("reason", tr("What was decided"), tr("Confirmed by phone; burned by hand"))
        self.reason.setMaxLength(4000)
        self.all = QCheckBox(
            tr("Also the 1 other of {source} that wait", source=source)
            if others == 1
            else tr("Also the {count} others of {source} that wait", count=others, source=source)
        )
        self.all.setVisible(others > 0)
        self.body.addWidget(self.all)
        self.reason.setFocus()

    def ask(self) -> bool:
        reason = self.reason.text().strip()
        if not reason:
            self.mark("reason", SHAPES["reason"])
            return False
        self.asked.emit(reason, self.all.isChecked())
        return True
