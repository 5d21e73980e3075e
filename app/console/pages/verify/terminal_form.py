"""Forms of the terminals tab: a terminal with its keys, its word that it took a bundle, a new template registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.biometrics.messages import BundleTakenBody, TemplateRegistryBody
from app.console.files import ask_open
from app.console.language import tr
from app.console.widgets.form import FormDialog
from app.console.widgets.text import label
from app.registry.messages.jwk import EncryptionJwk, Jwk
from app.registry.messages.terminals import Terminal, TerminalBody

SHAPES = {
    "id": tr("1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "display_name": tr("At most 200 characters."),
    "public_key": tr("A public JSON Web Key, Ed25519 or P-256, as the terminal shows it. Never a private one."),
    "encryption_key": tr("A public JSON Web Key on P-256, as the terminal shows it. Never a private one."),
    "cluster": tr("The id of a reader cluster, or empty for everybody."),
    "liveness_min": tr("A number from 0 to 100."),
    "word": tr(
        "What the terminal wrote, and nothing else: {form}.",
        form='{"issue": ' + tr("its number") + ', "signature": ' + tr("86 characters") + "}",
    ),
}
KINDS = (("palm", tr("Palm scanner")), ("keystone", tr("Screen with a rotating code")))
MOST_LIVENESS = 100


class TerminalForm(FormDialog):
    """Emits ``asked`` with the id and a ``TerminalBody``; stays open until the tab accepts it."""

    asked = Signal(str, object)

    def __init__(self, window: QWidget, registries: Sequence[str], terminal: Terminal | None = None) -> None:
        super().__init__(
            window,
            tr("Add a terminal") if terminal is None else tr("Change {terminal}", terminal=terminal.terminal_id),
            tr(
                "What a terminal signs is believed by its public key. The keys are made in the terminal and stay there."
            ),
            tr("Add") if terminal is None else tr("Save"),
            shapes=SHAPES,
        )
        self._terminal = terminal
        self.terminal_id = self.line("id", tr("Terminal id"), "palm-north")
        self.kind = QComboBox()
        for value, words in KINDS:
            self.kind.addItem(words, value)
        self.add("kind", tr("Kind"), self.kind)
        self.name = self.line("display_name", tr("Name"), tr("Palm scanner, north entrance"))
        self.public_key = self.text(
            "public_key", tr("Public key"), '{"kty": "OKP", "crv": "Ed25519", "x": "…"}', height=56
        )
        self.encryption_key = self.text(
            "encryption_key", tr("Encryption key"), tr("Only for a terminal that gets bundles"), height=56
        )
        self.registry = QComboBox()
        self.registry.addItems(list(registries))
        self.add("registry_id", tr("Template registry"), self.registry)
        self.cluster = self.line("cluster", tr("Reader cluster"), tr("Empty: everybody is searched"))
        self.liveness = self.line("liveness_min", tr("Least liveness"), tr("0: the sensor need not report any"))
        self.offline = QCheckBox(tr("It may decide alone for a time, from its last bundle"))
        self.slow_link = QCheckBox(tr("Its link is slow: codes may be one step older"))
        self.legacy = QCheckBox(tr("It cannot sign: bare templates are taken, for doors alone, never as a live check"))
        for box in (self.offline, self.slow_link, self.legacy):
            self.body.addWidget(box)
        self.kind.currentIndexChanged.connect(self._follow)
        if terminal is None:
            self.liveness.setText("0")
            self.terminal_id.setFocus()
        else:
            self._fill(terminal)
            self.name.setFocus()
        self._follow()

    def _fill(self, terminal: Terminal) -> None:
        """Show the terminal that is changed."""
        self.terminal_id.setText(terminal.terminal_id)
        self.terminal_id.setEnabled(False)
        self.kind.setCurrentIndex(self.kind.findData(terminal.kind))
        self.name.setText(terminal.display_name or "")
        for field, key in ((self.public_key, terminal.public_key), (self.encryption_key, terminal.encryption_key)):
            field.setPlainText("" if key is None else msgspec.json.encode(key).decode())
        if self.registry.findText(terminal.registry_id) < 0:
            self.registry.addItem(terminal.registry_id)
        self.registry.setCurrentText(terminal.registry_id)
        self.cluster.setText(terminal.cluster or "")
        self.liveness.setText(str(terminal.liveness_min))
        self.offline.setChecked(terminal.offline)
        self.slow_link.setChecked(terminal.slow_link)
        self.legacy.setChecked(terminal.legacy)

    def _follow(self) -> None:
        palm = self.kind.currentData() == "palm"
        for key in ("encryption_key", "registry_id", "cluster", "liveness_min"):
            self.show_field(key, palm)
        self.offline.setVisible(palm)
        self.legacy.setVisible(palm)
        self.slow_link.setVisible(not palm)

    def ask(self) -> bool:
        terminal_id, liveness = self.terminal_id.text().strip(), self.liveness.text().strip()
        self.mark_id("id", terminal_id)
        least = int(liveness) if liveness.isascii() and liveness.isdigit() and len(liveness) <= 3 else MOST_LIVENESS + 1
        if least > MOST_LIVENESS:
            self.mark("liveness_min", SHAPES["liveness_min"])
        public = self._key("public_key", self.public_key, Jwk)
        sealed = self._key("encryption_key", self.encryption_key, EncryptionJwk)
        if self.marked:
            return False
        kept = {} if self._terminal is None else {"tags": self._terminal.tags}
        self.asked.emit(
            terminal_id,
            TerminalBody(
                kind=self.kind.currentData(),
                display_name=self.name.text().strip() or None,
                public_key=public,
                encryption_key=sealed,
                registry_id=self.registry.currentText() or "default",
                cluster=self.cluster.text().strip() or None,
                liveness_min=least,
                offline=self.offline.isChecked(),
                slow_link=self.slow_link.isChecked(),
                legacy=self.legacy.isChecked(),
                **kept,
            ),
        )
        return True

    def _key(self, key: str, field: QPlainTextEdit, kind: object) -> Any:
        text = field.toPlainText().strip()
        if not text:
            return None
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.MsgspecError:
            # What the decoder says may quote a private key that was pasted by mistake.
            self.mark(key, SHAPES[key])
            return None


class TakenForm(FormDialog):
    """Emits ``asked`` with a ``BundleTakenBody``, ``chosen`` with a file that somebody wants to be read; stays open
    until the tab accepts it."""

    asked = Signal(object)
    chosen = Signal(object)

    def __init__(self, window: QWidget, terminal_id: str, meaning: str) -> None:
        super().__init__(
            window,
            tr("{terminal} took its bundle", terminal=terminal_id),
            tr(
                "A terminal without a line writes to a file that it opened, checked and kept its bundle, and "
                "signs that. {meaning}",
                meaning=meaning,
            ),
            tr("Hand it in"),
            shapes=SHAPES,
        )
        self.word = self.text("word", tr("Its acknowledgement"), '{"issue": 7, "signature": "…"}', height=84)
        row = QHBoxLayout()
        self.file = QPushButton(tr("Open its file…"))
        self.file.setAccessibleName(tr("Open its file"))
        self.file.setAutoDefault(False)
        self.file.clicked.connect(self._ask_file)
        row.addWidget(self.file)
        row.addStretch(1)
        self.body.addLayout(row)
        self.word.setFocus()

    def _ask_file(self) -> None:
        ask_open(self, tr("The terminal's acknowledgement"), lambda paths: self.chosen.emit(paths[0]))

    def ask(self) -> bool:
        try:
            body = msgspec.json.decode(self.word.toPlainText(), type=BundleTakenBody)
        except (msgspec.MsgspecError, UnicodeEncodeError):
            self.mark("word", SHAPES["word"])
            return False
        self.asked.emit(body)
        return True


class RegistryForm(FormDialog):
    """Emits ``asked`` with the id of a new template registry and its body."""

    asked = Signal(str, object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(
            window,
            tr("Add a template registry"),
            tr(
                "It gets a secret key of its own: templates of two registries cannot be linked by score "
                "while their keys are secret. Terminals search exactly one."
            ),
            tr("Add"),
            shapes=SHAPES,
        )
        self.registry_id = self.line("id", tr("Registry id"), "north-wing")
        self.body.addWidget(
            label(tr("Algorithm 1: the crease map of a palm, or 512 features of another sensor."), "small")
        )
        self.registry_id.setFocus()

    def ask(self) -> bool:
        registry_id = self.registry_id.text().strip()
        self.mark_id("id", registry_id)
        if self.marked:
            return False
        self.asked.emit(registry_id, TemplateRegistryBody(alg=1))
        return True
