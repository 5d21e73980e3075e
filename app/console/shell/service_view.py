"""Shown instead of the pages while no service answers: starting, connecting, or given up with the log's tail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.theme import icons
from app.console.widgets.buttons import ActionButton
from app.console.widgets.text import label

if TYPE_CHECKING:
    from app.console.connection.supervisor import StartRefusal

LEAST_PASSPHRASE = 16
"""Characters, as the service demands."""


class _LastWords(QWidget):
    """The log's tail and the ways out. Made when it is first wanted, which is after the first paint."""

    def __init__(self, actions: ActionTable) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setAccessibleName(tr("Last lines of the service's log"))
        self.log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(ActionButton(actions, "console.reconnect", role="primary"))
        self._copy = ActionButton(actions, "console.copy_log")
        buttons.addWidget(self._copy)
        buttons.addStretch(1)
        column.addWidget(self.log)
        column.addLayout(buttons)

    def tell(self, tail: Sequence[str]) -> None:
        # The sheet's own size is put on with the first polish, and would replace this one.
        self.log.ensurePolished()
        self.log.setFont(theme.mono(12))
        self.log.setPlainText("\n".join(tail))
        self.log.setVisible(bool(tail))
        bar = self.log.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._copy.setVisible(bool(tail))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "log"):
            self.log.setFont(theme.mono(12))
        super().changeEvent(event)


class _PassphraseForm(QWidget):
    """Takes the passphrase that opens the site's keys, and puts it into its file. Emits ``kept`` when it is there."""

    kept = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._where = label("", "dim", wrap=True, centred=True)
        column.addWidget(self._where)
        self.fields = (self._field(tr("Passphrase of this site")), self._field(tr("The same passphrase again")))
        for field in self.fields:
            column.addWidget(field)
            field.returnPressed.connect(self._keep)
        self.wrong = label("", "error", wrap=True, centred=True)
        column.addWidget(self.wrong)
        self.button = QPushButton(tr("Keep it and start"))
        self.button.setProperty("role", "primary")
        self.button.clicked.connect(self._keep)
        column.addWidget(self.button)

    def _field(self, name: str) -> QLineEdit:
        made = QLineEdit()
        made.setEchoMode(QLineEdit.EchoMode.Password)
        made.setPlaceholderText(name)
        made.setAccessibleName(name)
        return made

    def ask(self, path: str) -> None:
        """Ask for the passphrase that is to lie in ``path``."""
        self._path = path
        self._where.setText(
            tr(
                "It is written to {path}, which only you can read. Keep a copy elsewhere: without it nobody, "
                "nor a backup, opens this site again. An unlocked keyring or the systemd credential "
                "store-passphrase does as well; then connect again (F5).",
                path=path,
            )
        )
        self.wrong.setText("")
        self.fields[0].setFocus(QtCore.Qt.FocusReason.OtherFocusReason)

    def _keep(self) -> None:
        """Write the file on a worker thread, then have the service started."""
        first, second = (field.text().strip() for field in self.fields)
        if len(first) < LEAST_PASSPHRASE:
            self.wrong.setText(tr("At least {count} characters.", count=LEAST_PASSPHRASE))
            self.fields[0].setFocus()
        elif first != second:
            self.wrong.setText(tr("The two are not the same."))
            self.fields[1].setFocus()
        elif self.button.isEnabled():
            import asyncio

            self.button.setEnabled(False)
            self._writing = asyncio.get_event_loop().create_task(self._write(first))

    async def _write(self, passphrase: str) -> None:
        """Keep the passphrase in its file, readable by the owner alone, and forget it here."""
        import asyncio
        from pathlib import Path

        from app.console.files import save_private

        try:
            await asyncio.to_thread(save_private, Path(self._path), passphrase.encode() + b"\n")
        except OSError as error:
            self.wrong.setText(tr("{path} cannot be written: {why}.", path=self._path, why=error.strerror or error))
            return
        finally:
            self.button.setEnabled(True)
        for field in self.fields:
            field.clear()
        self.kept.emit()


class ServiceView(QFrame):
    """One sentence, what happens next, and when the service was given up: its last words and the way out. Emits
    ``given`` when the operator has given what the service was missing."""

    given = Signal()

    def __init__(self, actions: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "ground")
        self._actions = actions
        self._icon_name = "activity"
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(48, 32, 48, 32)
        self._column.setSpacing(12)
        self._column.addStretch(1)
        self._icon = label(centred=True)
        self._sentence = label("", "title", wrap=True, centred=True)
        self._detail = label("", "dim", wrap=True, centred=True)
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setFixedWidth(240)
        self._busy.setAccessibleName(tr("Working"))
        self._last_words: _LastWords | None = None
        self.form: _PassphraseForm | None = None
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._busy)
        middle.addStretch(1)
        self._column.addWidget(self._icon)
        self._column.addWidget(self._sentence)
        self._column.addWidget(self._detail)
        self._column.addLayout(middle)
        self._column.addSpacing(4)
        self._column.addStretch(1)
        self.show_busy(tr("Starting the service"), tr("The console opens as soon as it answers."))

    @property
    def last_words(self) -> _LastWords:
        """The part that is shown when the service was given up."""
        if self._last_words is None:
            self._last_words = _LastWords(self._actions)
            self._column.insertWidget(self._column.count() - 1, self._last_words)
        return self._last_words

    @property
    def shows_log(self) -> bool:
        """Whether the service was given up and its log's tail is shown."""
        return self._last_words is not None and self._last_words.log.isVisibleTo(self)

    def show_busy(self, sentence: str, detail: str) -> None:
        """Show work that goes on by itself."""
        self._icon_name = "activity"
        self._say(sentence, detail)
        self._busy.show()
        if self._last_words is not None:
            self._last_words.hide()
        if self.form is not None:
            self.form.hide()

    def show_stopped(self, sentence: str, detail: str, tail: Sequence[str]) -> None:
        """Show a service that stays stopped until the operator decides."""
        self._icon_name = "octagon-alert"
        self._say(sentence, detail)
        self._busy.hide()
        self.last_words.tell(tail)
        self._column.setStretchFactor(self.last_words, 6 if tail else 0)
        self.last_words.show()
        if self.form is not None:
            self.form.hide()

    def ask_for(self, refusal: StartRefusal) -> None:
        """Ask for what the service that refused to start is missing, where this window can take it."""
        if not refusal.passphrase_file:
            return
        if self.form is None:
            self.form = _PassphraseForm()
            self.form.kept.connect(self.given)
            middle = QHBoxLayout()
            middle.addStretch(1)
            middle.addWidget(self.form, 3)
            middle.addStretch(1)
            self._column.insertLayout(self._column.count() - 2, middle)
        self.form.show()
        self.form.ask(refusal.passphrase_file)

    def _say(self, sentence: str, detail: str) -> None:
        self._sentence.setText(sentence)
        self._detail.setText(detail)
        self.setAccessibleName(f"{sentence}. {detail}")
        self._dress()

    def _dress(self) -> None:
        tokens = theme.current()
        colour = tokens.bad if self._icon_name == "octagon-alert" else tokens.accent
        self._icon.setPixmap(icons.pixmap(self._icon_name, colour, theme.px(40), self.devicePixelRatioF()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_last_words"):
            self._dress()
        super().changeEvent(event)
