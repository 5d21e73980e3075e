"""The two ways to say yes to what cannot be taken back: hold the button, or type a word and press Enter."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.breadth import BUTTON, Narrow
from app.console.widgets.hold import HoldButton


class HoldOrType(QWidget):
    """Emits ``ordered`` when the button was held to its end or the word was typed; ``mistyped`` (with the word) when
    another one was. ``kind`` names what is typed (``node id``)."""

    ordered = Signal()
    mistyped = Signal(str)

    def __init__(self, verb: str, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind, self._word = kind, ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.hold = HoldButton(verb)
        self.hold.held.connect(self.ordered)
        self.typed = QLineEdit()
        self.typed.setAccessibleName(tr("Type the {kind} and press Enter instead of holding", kind=kind))
        self.typed.setFont(theme.mono())
        self.typed.textEdited.connect(lambda _text: theme.mark_invalid(self.typed, False))
        self.typed.returnPressed.connect(self._check_word)
        column.addLayout(Narrow(BUTTON, self.hold))
        column.addWidget(self.typed)
        self.show_ready(False, verb, "")

    def show_ready(self, ready: bool, verb: str, word: str) -> None:
        """Let it answer (``ready``) or not. ``verb`` stands on the button, ``word`` is what Enter accepts."""
        self._word = word
        self.hold.setEnabled(ready)
        self.hold.setText(verb)
        self.hold.setAccessibleName(verb)
        self.typed.setEnabled(ready)
        self.typed.setPlaceholderText(
            tr("or type {word}, then Enter", word=word) if ready else tr("or type the {kind}", kind=self._kind)
        )

    def clear(self) -> None:
        """Forget what was typed: it was meant for something else."""
        self.typed.clear()
        theme.mark_invalid(self.typed, False)

    def _check_word(self) -> None:
        if not self.hold.isEnabled():
            return
        if self.typed.text().strip() == self._word:
            self.clear()
            self.ordered.emit()
        else:
            theme.mark_invalid(self.typed, True)
            self.mistyped.emit(self._word)
