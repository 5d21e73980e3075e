"""The mark of a drill: shape, word and sentence, before and after, so that nobody takes it for real."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.text import label
from app.console.widgets.verdict import VerdictLabel

DRILL = tr("DRILL")
"""Word of drill identities; in lower case it is their tag."""
SENTENCE = tr("A drill identity: the real fan-out, to drill targets alone. Nobody real loses access.")


def mark_drill(text: str, drill: bool) -> str:
    """``DRILL · text`` for what is a drill, the text for everything else."""
    return f"{DRILL} · {text}" if drill else text


class DrillBand(QFrame):
    """Hidden while nothing is a drill."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.word = VerdictLabel(20)
        column.addWidget(self.word)
        column.addWidget(label(SENTENCE, "small", wrap=True))
        self.hide()

    def show_drill(self, drill: bool) -> None:
        """Whether what is shown is a drill."""
        self.word.set(Meaning.WARN, DRILL if drill else "")
        self.setVisible(drill)
